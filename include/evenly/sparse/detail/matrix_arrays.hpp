// SPDX-License-Identifier: Apache-2.0
// The arrays that an operation on a matrix reads. They are used to refuse outputs that overlap them.
//
// A matrix has for_each_array(first_entry, entries, visit), which calls visit(name, array, first, size) for each of its
// arrays. The operation reads elements [first, first + size) of it for atoms [first_entry, first_entry + entries).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "evenly/core/errors.hpp"
#include "evenly/primitives/inputs.hpp"

namespace evenly::detail {

/// Throws invalid_argument if a required array of the matrix is null, or if an array overlaps the `count` elements of
/// the output `out`.
template <class Matrix, class T>
void require_apart_from_matrix(const Matrix& a, std::int64_t first_entry, std::int64_t entries,
                               const char* name, const T* out, std::int64_t count) {
  a.for_each_array(first_entry, entries,
                   [&](const char* array, const auto* elements, std::int64_t first, std::int64_t size) {
                     require_memory(array, elements, size);
                     if (size > 0) require_apart(array, elements + first, size, name, out, count, false);
                   });
}

/// Throws invalid_argument for vectors of wrong sizes, and for vectors that overlap.
template <class Value>
void check_vectors(int rows, int cols, std::span<const Value> x, std::span<const Value> y) {
  const auto sized = [](const char* name, std::size_t size, const char* what, int expected) {
    require(size == static_cast<std::size_t>(expected), [&] {
      return concat(name, " has ", size, " elements, but the matrix has ", expected, " ", what);
    });
  };
  sized("x", x.size(), "columns", cols);
  sized("y", y.size(), "rows", rows);
  require_memory("x", x.data(), cols);
  require_memory("y", y.data(), rows);
  require_apart("x", x.data(), cols, "y", y.data(), rows, false);
}

} // namespace evenly::detail
