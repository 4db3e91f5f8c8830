// SPDX-License-Identifier: Apache-2.0
#include "evenly/sparse/spmm.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

namespace {

template <class Value, class Array> dense_view<Value> dense_of(const Array& m) {
  return {static_cast<int>(m.rows), static_cast<int>(m.cols), static_cast<Value*>(m.data), m.leading,
          m.by_rows ? dense_layout::rows : dense_layout::columns};
}

} // namespace

void cuda_spmm(cuda_rows& rows, const cuda& exec, const cuda_entries& of, const input& b, const output& c) {
  // Matrices by columns are copied to temporaries.
  const cuda where = b.by_rows && c.by_rows ? exec : with_stream_memory(exec);
  with_element<float, double>("A", of.values.type, [&]<class Value>(Value) {
    require(b.type == of.values.type && c.type == of.values.type,
            [] { return "A, B and out have elements of different types: convert them to one type"; });
    const csr_view<Value> a{rows.tiles().tiles(), of.cols, rows.tiles().offsets(),
                            of.columns.as<int>().data(), of.values.as<Value>().data()};
    rows.run(exec, work_kind::wide_sums, [&](auto& plan) {
      plan.reserve(exec, reduces_wide<Value>{static_cast<int>(c.cols)});
      spmm(where, plan, a, dense_of<const Value>(b), dense_of<Value>(c));
    });
  });
}

} // namespace evenly::python
