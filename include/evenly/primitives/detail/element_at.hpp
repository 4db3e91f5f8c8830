// SPDX-License-Identifier: Apache-2.0
// element_at: an array as a function of the index, for tabulate and similar operations.
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
