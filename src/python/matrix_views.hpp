// SPDX-License-Identifier: Apache-2.0
// Arrays of Python as the views that operations take.
#pragma once

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "python/products.hpp"

namespace evenly::python {

/// Of columns with int64 there is no pointer.
template <class Value, class Offset> csr_view<Value, Offset> view_of(const matrix_arrays& a) {
  const bool is_wide = a.columns.type == element::int64;
  return {a.rows, a.cols, a.offsets.as<Offset>().data(), is_wide ? nullptr : a.columns.as<int>().data(),
          a.values.as<Value>().data()};
}
/// Value: const for what is only read.
template <class Value, class Array> dense_view<Value> dense_of(const Array& m) {
  require(m.type == element_of<Value>, [&] {
    return std::string(m.name) + " has elements of " + name_of(m.type) + ": here they are of " +
           name_of(element_of<Value>);
  });
  return {static_cast<int>(m.rows), static_cast<int>(m.cols), static_cast<Value*>(m.data), m.leading,
          m.by_rows ? dense_layout::rows : dense_layout::columns};
}

} // namespace evenly::python
