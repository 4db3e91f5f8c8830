// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// Adds a tile's number and one to the number of an atom.
template <class Atom> struct add_tile {
  int* numbers; ///< one for each atom
  Atom first_atom;
  EVENLY_FN void operator()(int tile, Atom atom) const {
    int& number = numbers[atom - first_atom];
    number = static_cast<int>(static_cast<unsigned>(number) + static_cast<unsigned>(tile) + 1U);
  }
};

} // namespace evenly::detail
