// SPDX-License-Identifier: Apache-2.0
// Baselines on cores: loops over rows if B and C are stored by rows.
#pragma once

#include <memory>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "measure/loops_beside.hpp"
#include "sparse/spmm_bench_on.hpp"

namespace evenly::sparse {

using measure::loops_beside, measure::multiply_rows, measure::row_distribution;

template <> struct dense_baselines<cpu> {
  template <class Value, class Work>
  static std::vector<candidate> of(const dense_problem<Value>& p, const std::shared_ptr<Work>& work) {
    if (p.layout != dense_layout::rows) return {};
    return loops_beside(work, [](const auto& data, row_distribution distribution, int threads) {
      multiply_rows(data.a(), data.factor().data, data.product().data, data.factor().cols, distribution,
                    threads);
    });
  }
};

} // namespace evenly::sparse
