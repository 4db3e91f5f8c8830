// SPDX-License-Identifier: Apache-2.0
// Arrays of Python as the views that operations take.
#pragma once

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "python/products.hpp"

namespace evenly::python {

template <class Value, class Offset, class Column = int>
csr_view<Value, Offset, Column> view_of(const matrix_arrays& a) {
  return {a.rows, a.cols, a.offsets.as<Offset>().data(), a.columns.as<Column>().data(),
          a.values.as<Value>().data()};
}
/// Calls body(Offset{}, Column{}) with the types of a matrix's offsets and columns.
template <class Body> void with_index_types(const matrix_arrays& a, const Body& body) {
  if (a.columns.type == element::int64)
    body(std::int64_t{}, std::int64_t{});
  else
    with_index("indptr", a.offsets.type, [&](auto offset) { body(offset, int{}); });
}
/// A matrix with columns of int and offsets of 64 bits, for which solvers and ranks are compiled. It copies arrays of
/// other types.
class wide_matrix {
 public:
  explicit wide_matrix(const matrix_arrays& of) : arrays_(with_narrow_columns(of, columns_)) {
    if (arrays_.offsets.type == element::int32) arrays_.offsets = widened(arrays_.offsets, offsets_);
  }
  template <class Value> csr_view<Value, std::int64_t> view() const {
    return view_of<Value, std::int64_t>(arrays_);
  }
  /// Without values.
  csr_view<void, std::int64_t> pattern() const {
    return {arrays_.rows, arrays_.cols, arrays_.offsets.as<std::int64_t>().data(),
            arrays_.columns.as<int>().data(), nullptr};
  }

 private:
  buffer<int> columns_;
  buffer<std::int64_t> offsets_;
  matrix_arrays arrays_;
};
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
