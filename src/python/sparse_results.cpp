// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/sparse/add.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/sparse/transpose.hpp"
#include "python/matrix_views.hpp"

namespace evenly::python {

namespace {

template <class Value> made_matrix made_of(csr_buffers<Value> arrays) {
  return {arrays.rows, arrays.cols, python::made_of(std::move(arrays.offsets)),
          python::made_of(std::move(arrays.columns)), python::made_of(std::move(arrays.values))};
}
/// A transpose keeps the type of offsets.
made_array wide_offsets(buffer<std::int64_t> offsets) { return python::made_of(std::move(offsets)); }
made_array wide_offsets(const buffer<int>& offsets) {
  auto wide = make_buffer<std::int64_t>(executor(), offsets.size());
  std::copy_n(offsets.data(), offsets.size(), wide.data());
  return python::made_of(std::move(wide));
}

/// Calls body(Value{}, Offset{}) with the types of the matrices' values and offsets. Operations of two matrices are
/// compiled for offsets of one type: if the types differ, those of int32 are copied.
template <class Body> void with_types_of(matrix_arrays& a, matrix_arrays& b, const Body& body) {
  buffer<std::int64_t> copy;
  if (a.offsets.type != b.offsets.type)
    for (matrix_arrays* each : {&a, &b})
      if (each->offsets.type == element::int32) each->offsets = widened(each->offsets, copy);
  with_element<float, double, std::int64_t>("A", a.values.type, [&](auto value) {
    with_index("indptr", a.offsets.type, [&](auto offset) { body(value, offset); });
  });
}

} // namespace

made_matrix spgemm(const matrix_arrays& given_a, const matrix_arrays& given_b) {
  made_matrix made;
  buffer<int> columns_of_a, columns_of_b;
  matrix_arrays a = with_narrow_columns(given_a, columns_of_a);
  matrix_arrays b = &given_b == &given_a ? a : with_narrow_columns(given_b, columns_of_b);
  with_types_of(a, b, [&]<class Value, class Offset>(Value, Offset) {
    made = made_of(
        evenly::spgemm<std::int64_t>(executor(), view_of<Value, Offset>(a), view_of<Value, Offset>(b)));
  });
  return made;
}

made_matrix add(const matrix_arrays& given_a, const matrix_arrays& given_b) {
  made_matrix made;
  matrix_arrays a = given_a, b = given_b;
  with_types_of(a, b, [&]<class Value, class Offset>(Value, Offset) {
    const auto with_column = [](const matrix_arrays& m, const auto& body) {
      if constexpr (std::is_same_v<Offset, std::int64_t>)
        with_index("indices", m.columns.type, body);
      else
        body(int{});
    };
    with_column(a, [&]<class ColumnA>(ColumnA) {
      with_column(b, [&]<class ColumnB>(ColumnB) {
        made = made_of(evenly::add<std::int64_t>(executor(), view_of<Value, Offset, ColumnA>(a),
                                                 view_of<Value, Offset, ColumnB>(b)));
      });
    });
  });
  return made;
}

made_matrix transpose(const matrix_arrays& a) {
  made_matrix made;
  const auto turn = [&]<class Value>(const matrix_arrays& of, Value) {
    with_index_types(of, [&]<class Offset, class Column>(Offset, Column) {
      auto t = evenly::transpose(executor(), view_of<Value, Offset, Column>(of));
      made = {t.rows, t.cols, wide_offsets(std::move(t.offsets)), python::made_of(std::move(t.columns)),
              python::made_of(std::move(t.values))};
    });
  };
  // Only the size of a value matters.
  matrix_arrays moved = a;
  switch (a.values.type) {
  case element::float32:
    moved.values.type = element::uint32;
    return turn(moved, std::uint32_t{}), made;
  case element::complex128:
    return turn(moved, std::complex<double>{}), made;
  default:
    moved.values.type = element::uint64;
    return turn(moved, std::uint64_t{}), made;
  }
}

} // namespace evenly::python
