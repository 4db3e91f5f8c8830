// SPDX-License-Identifier: Apache-2.0
// Where in the source something is done: the call itself, and the call of the collective that it is a part of.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <source_location>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

struct source_place {
  std::source_location at;
  std::source_location caller; ///< of the outermost collective around it; line 0: there is none
};

/// Where it is made, for the parameter of a collective that says so (block/detail/call_place.hpp).
struct placed_call {
  EVENLY_FN constexpr placed_call(std::source_location place = std::source_location::current())
      : where(place) {}
  std::source_location where;
};

inline std::uintptr_t bits(std::source_location where) { return std::bit_cast<std::uintptr_t>(where); }

/// Whether both are one call in one function; two instances of a template are two functions.
inline bool same_place(const std::source_location& a, const std::source_location& b) {
  return bits(a) == bits(b) || (a.line() == b.line() && a.column() == b.column() &&
                                std::strcmp(a.file_name(), b.file_name()) == 0 &&
                                std::strcmp(a.function_name(), b.function_name()) == 0);
}
inline bool same_place(const source_place& a, const source_place& b) {
  return same_place(a.at, b.at) && same_place(a.caller, b.caller);
}

} // namespace evenly::detail
