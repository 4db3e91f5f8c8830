// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

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

/// operation(view of a, view of b) of matrices with values of the same type. The views have columns of int32, and
/// offsets of the same type, so operations are compiled for two pairs of types.
template <class Operation>
made_matrix of_two(const matrix_arrays& given_a, const matrix_arrays& given_b, const Operation& operation) {
  made_matrix made;
  buffer<int> columns_of_a, columns_of_b;
  matrix_arrays a = with_narrow_columns(given_a, columns_of_a);
  matrix_arrays b = &given_b == &given_a ? a : with_narrow_columns(given_b, columns_of_b);
  std::vector<std::int64_t> copy;
  if (a.offsets.type != b.offsets.type)
    for (matrix_arrays* each : {&a, &b})
      if (each->offsets.type == element::int32) each->offsets = widened(each->offsets, copy);
  with_element<float, double, std::int64_t>("A", a.values.type, [&]<class Value>(Value) {
    with_index("indptr", a.offsets.type, [&]<class Offset>(Offset) {
      made = made_of(operation(view_of<Value, Offset>(a), view_of<Value, Offset>(b)));
    });
  });
  return made;
}

} // namespace

made_matrix spgemm(const matrix_arrays& a, const matrix_arrays& b) {
  return of_two(a, b,
                [](const auto& x, const auto& y) { return evenly::spgemm<std::int64_t>(executor(), x, y); });
}

made_matrix add(const matrix_arrays& a, const matrix_arrays& b) {
  return of_two(a, b,
                [](const auto& x, const auto& y) { return evenly::add<std::int64_t>(executor(), x, y); });
}

made_matrix transpose(const matrix_arrays& a) {
  made_matrix made;
  const auto turn = [&]<class Value>(const matrix_arrays& of, Value) {
    with_index("indptr", of.offsets.type, [&]<class Offset>(Offset) {
      auto t = evenly::transpose(executor(), view_of<Value, Offset>(of));
      made = {t.rows, t.cols, wide_offsets(std::move(t.offsets)), python::made_of(std::move(t.columns)),
              python::made_of(std::move(t.values))};
    });
  };
  // Only the size of a value matters.
  buffer<int> columns;
  matrix_arrays moved = with_narrow_columns(a, columns);
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
