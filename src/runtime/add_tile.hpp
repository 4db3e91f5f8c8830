// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly::detail {

/// Adds the number of its tile plus one to the element of an atom.
/// Executor: determines the pointer type (execution/atomic.hpp); void for plain pointers.
template <class Atom, class Executor = void> struct add_tile {
  pointer_on<Executor, int> numbers; ///< one per atom
  Atom first_atom;
  EVENLY_FN void operator()(int tile, Atom atom) const {
    const int number = numbers[atom - first_atom];
    numbers[atom - first_atom] =
        static_cast<int>(static_cast<unsigned>(number) + static_cast<unsigned>(tile) + 1U);
  }
};

} // namespace evenly::detail
