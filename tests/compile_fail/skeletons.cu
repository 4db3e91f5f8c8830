// SPDX-License-Identifier: Apache-2.0
// What skeletons.cpp says, by nvcc.
//
// WRONG=1 says: the worker of a skeleton needs a handler (sharing::team<G>, const team_part<tile, atom>&) for whole
// WRONG=2 says: the worker of a skeleton needs a handler (sharing::run<Cut>, const Run&) for consecutive atoms
// WRONG=3 says: the worker of a skeleton needs a handler (sharing::batch<G>, const Run&) for batches of whole tiles
// WRONG=4 says: the worker of a skeleton must have a constant wants_empty_tiles: whether it receives tiles without

#include "skeletons.cpp"
