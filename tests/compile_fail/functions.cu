// SPDX-License-Identifier: Apache-2.0
// What functions.cpp says, by nvcc.
//
// WRONG=1 says: visit has concrete parameter types, as in [](int tile, int atom): it is no generic lambda
// WRONG=2 says: visit is called as visit(tile, atom, rank) or visit(tile, atom)
// WRONG=3 says: map has concrete parameter types, as in [=](int atom): it is no generic lambda
// WRONG=4 says: map is called as map(atom), map(tile, atom) or map(tile, atom, rank)
// WRONG=5 says: store has concrete parameter types, as in [=](int number, float value): it is no generic lambda
// WRONG=6 says: store is called as store(tile, value) by reduce_tiles, as store(atom, value) by scan_tiles
// WRONG=7 says: map is copied to where it runs: it is trivially copyable
// WRONG=8 says: store is called as store(tile, value) by reduce_tiles, as store(atom, value) by scan_tiles
// WRONG=9 says: visit has concrete parameter types, as in [](int tile, int atom): it is no generic lambda

#include "functions.cpp"
