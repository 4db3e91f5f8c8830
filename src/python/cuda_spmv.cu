// SPDX-License-Identifier: Apache-2.0
#include "evenly/sparse/spmv.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

void cuda_spmv(cuda_rows& rows, const cuda& exec, const cuda_entries& of, const input& x, const output& y) {
  with_element<float, double>("A", of.values.type, [&]<class Value>(Value) {
    const csr_view<Value> a{rows.tiles().tiles(), of.cols, rows.tiles().offsets(),
                            of.columns.as<int>().data(), of.values.as<Value>().data()};
    rows.run(exec, work_kind::gathered_sums,
             [&](auto& plan) { spmv(exec, plan, a, x.as<Value>(), y.as<Value>()); });
  });
}

} // namespace evenly::python
