// SPDX-License-Identifier: Apache-2.0
// What schedules.cpp says, by nvcc.
//
// WRONG=1 says: a schedule needs a member int block_size
// WRONG=2 says: a schedule needs a member parameters(visit) const, which calls visit(name, value) for each parameter
// WRONG=3 says: a schedule needs a member template prepare(exec, tiles, extent) const, which returns
// WRONG=4 says: a mapping needs a member type tiles_type, its tile set
// WRONG=5 says: a mapping needs a member type sharings, a sharing::list of the forms in which it distributes work
// WRONG=6 says: a mapping needs a member type slots and a static lay_out(storage_layout&, block_shape) that returns
// WRONG=7 says: a mapping needs a constant tuned_block_size, the block size with specialized kernels
// WRONG=8 says: a mapping needs a member template distribute(block, slots, consumer) const
// WRONG=9 says: a mapping must be trivially copyable, because it is copied to the device
// WRONG=10 says: a schedule needs a member int block_size

#include "schedules.cpp"
