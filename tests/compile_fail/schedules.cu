// SPDX-License-Identifier: Apache-2.0
// What schedules.cpp says, by nvcc.
//
// WRONG=1 says: a schedule has an int block_size
// WRONG=2 says: a schedule names its parameters: parameters(visit) const calls visit(name, value) for each
// WRONG=3 says: a schedule has a member template prepare(exec, tiles, extent) const
// WRONG=4 says: a mapping says in tiles_type which tile set it is for
// WRONG=5 says: a mapping says in sharings, a sharing::list, in which forms it hands out work
// WRONG=6 says: a mapping has slots, and a static lay_out(storage_layout&, block_shape) that returns them
// WRONG=7 says: a mapping says in tuned_block_size for how many threads kernels are compiled apart
// WRONG=8 says: a mapping has a member template distribute(block, slots, consumer) const
// WRONG=9 says: a mapping is copied to where kernels run: owners stay outside
// WRONG=10 says: a schedule has an int block_size

#include "schedules.cpp"
