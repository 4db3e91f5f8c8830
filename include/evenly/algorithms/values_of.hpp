// SPDX-License-Identifier: Apache-2.0
// values_of: an array as the map of a skeleton. The value of atom a is element a.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly {

/// map(a) = values[a]. A schedule that gives a thread N consecutive atoms reads them in one access if possible. A map
/// of your own can offer the same by the two members below. `values` is in memory of the executor that uses the map.
template <class T> struct values_of {
  const T* values;

  EVENLY_INLINE_FN T operator()(std::int64_t a) const { return values[a]; }

  /// Returns whether values + first is aligned for row<N>: row<N>(a) may then be called for a = first + i N. Host only.
  template <int N> bool has_rows(std::int64_t first) const {
    return reinterpret_cast<std::uintptr_t>(values + first) % alignof(row_part<T, N>) == 0;
  }
  /// Returns the values of the atoms [first, first + N).
  template <int N> EVENLY_INLINE_FN row_part<T, N> row(std::int64_t first) const {
    return *reinterpret_cast<const row_part<T, N>*>(values + first);
  }
};
template <class T> values_of(const T*) -> values_of<T>;
template <class T> values_of(T*) -> values_of<T>;

namespace detail {

/// store(i, value): out[i] = value.
template <class Executor, class T> struct store_at {
  span_on<Executor, T> out;
  EVENLY_INLINE_FN void operator()(std::int64_t i, const T& value) const { out[i] = value; }
};

} // namespace detail

} // namespace evenly
