// SPDX-License-Identifier: Apache-2.0
// element_at: elements of memory as a formula, for tabulate and other operations on functions of an index.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// f(i) = from[i].
template <class T> struct element_at {
  const T* from;
  EVENLY_FN T operator()(std::int64_t i) const { return from[i]; }
};

} // namespace evenly::detail
