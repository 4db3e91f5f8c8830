// SPDX-License-Identifier: Apache-2.0
// The bench of the cores, where loops over rows stand beside the schedules if B and C lie by rows.
#pragma once

#include <memory>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "measure/loops_beside.hpp"
#include "sparse/spmm_bench_on.hpp"

namespace evenly::cli {

template <class Value>
bench dense_bench_on_cores(const dense_problem<Value>& p, const product_checker<Value>* right,
                           const bench_options& options) {
  using work_type = dense_work<cpu, Value>;
  const cpu exec(options.threads);
  const auto loops = [&](const std::shared_ptr<work_type>& work) -> std::vector<candidate> {
    if (p.layout != dense_layout::rows) return {};
    return loops_beside(work, [](const typename work_type::placed_problem& data, row_dealing dealing,
                                 int threads) {
      multiply_rows(data.a(), data.factor().data, data.product().data, data.factor().cols, dealing, threads);
    });
  };
  return dense_bench(exec, std::make_unique<host_timer>(exec.threads()), p, right, loops);
}

} // namespace evenly::cli
