// SPDX-License-Identifier: Apache-2.0
// What skeletons.cpp says, by nvcc.
//
// WRONG=1 says: a skeleton's worker has a handler (sharing::team<G>, const team_part<tile, atom>&) of whole tiles
// WRONG=2 says: a skeleton's worker has a handler (sharing::run<Cut>, const Run&) of consecutive atoms
// WRONG=3 says: a skeleton's worker has a handler (sharing::batch<G>, const Run&) of batches of whole tiles
// WRONG=4 says: a skeleton's worker says in wants_empty_tiles whether tiles without atoms are handed out

#include "skeletons.cpp"
