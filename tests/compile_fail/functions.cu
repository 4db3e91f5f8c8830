// SPDX-License-Identifier: Apache-2.0
// What functions.cpp says, by nvcc.
//
// WRONG=1 says: visit must have concrete parameter types, as in [](int tile, int atom), instead of auto
// WRONG=2 says: visit must accept visit(tile, atom, rank) or visit(tile, atom)
// WRONG=3 says: map must have concrete parameter types, as in [=](int atom), instead of auto
// WRONG=4 says: map must accept map(atom), map(tile, atom) or map(tile, atom, rank)
// WRONG=5 says: store must have concrete parameter types, as in [=](int number, float value), instead of auto
// WRONG=6 says: store must accept store(tile, value) for reduce_tiles, store(atom, value) for scan_tiles
// WRONG=7 says: map must be trivially copyable, because it is copied to the device: capture pointers and numbers by
// WRONG=8 says: store must accept store(tile, value) for reduce_tiles, store(atom, value) for scan_tiles
// WRONG=9 says: visit must have concrete parameter types, as in [](int tile, int atom), instead of auto

#include "functions.cpp"
