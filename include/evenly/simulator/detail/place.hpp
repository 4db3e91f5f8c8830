// SPDX-License-Identifier: Apache-2.0
// The place of an action in the source: the call itself, and the call of the enclosing collective.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <source_location>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// A place in the source.
struct source_place {
  std::source_location at;
  std::source_location caller; ///< of the outermost enclosing collective; line 0: none
};

/// Records the place where it is constructed, for a collective's parameter (block/block.hpp).
struct placed_call {
  EVENLY_FN constexpr placed_call(std::source_location place = std::source_location::current())
      : where(place) {}
  std::source_location where;
};

inline std::uintptr_t bits(std::source_location where) { return std::bit_cast<std::uintptr_t>(where); }

/// Return whether both are the same call in the same function. Two instances of a template are two functions.
inline bool same_place(const std::source_location& a, const std::source_location& b) {
  return bits(a) == bits(b) || (a.line() == b.line() && a.column() == b.column() &&
                                std::strcmp(a.file_name(), b.file_name()) == 0 &&
                                std::strcmp(a.function_name(), b.function_name()) == 0);
}
inline bool same_place(const source_place& a, const source_place& b) {
  return same_place(a.at, b.at) && same_place(a.caller, b.caller);
}

} // namespace evenly::detail
