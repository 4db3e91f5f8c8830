// SPDX-License-Identifier: Apache-2.0
// values_of: an array as the map of a skeleton: the value of an atom is the element of its number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/primitives/detail/chunk_items.hpp"

namespace evenly {

/// map(a) = values[a]. A schedule that hands N consecutive atoms to a thread at a time reads them in one access where
/// it can; a map of one's own offers the same by the two members that follow. `values` lies where the map is used.
template <class T> struct values_of {
  const T* values;

  EVENLY_INLINE_FN T operator()(std::int64_t a) const { return values[a]; }

  /// Whether row<N>(a) may be called for each a that is a multiple of N behind `first`. By the host.
  template <int N> bool has_rows(std::int64_t first) const {
    return reinterpret_cast<std::uintptr_t>(values + first) % alignof(row_part<T, N>) == 0;
  }
  /// The values of atoms [first, first + N).
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
