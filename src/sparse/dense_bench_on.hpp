// SPDX-License-Identifier: Apache-2.0
// Instantiates dense_bench_on (spmm_bench.hpp). Its baselines are loops over rows on the host, if B and C are stored by
// rows, and cuSPARSE on a GPU.
#pragma once

#include <memory>
#include <vector>

#if defined(__CUDACC__)
#include "evenly/execution/cuda.hpp"
#include "measure/baselines_cuda.hpp"
#else
#include "evenly/execution/cpu.hpp"
#include "measure/loops_beside.hpp"
#endif
#include "sparse/spmm_bench_on.hpp"

namespace evenly::sparse {

#if defined(__CUDACC__)
using measure::cusparse_algorithm, measure::prepare_cusparse;

template <> struct dense_baselines<cuda> {
  template <class Value, class Work>
  static std::vector<candidate> of(const dense_problem<Value>& p, const std::shared_ptr<Work>& work) {
    const auto library = [&](const char* name, const char* title, cusparse_algorithm which) {
      candidate made{.name = name, .title = title};
      made.prepare = [work, which]() -> prepared_run {
        const auto& data = work->data();
        return {prepare_cusparse(data.a(), data.factor(), data.product(), which)};
      };
      return made;
    };
    std::vector<candidate> all{library("cusparse_alg1", "cuSPARSE ALG1", cusparse_algorithm::alg1),
                               library("cusparse_alg2", "cuSPARSE ALG2", cusparse_algorithm::alg2)};
    if (p.layout == dense_layout::rows)
      all.push_back(library("cusparse_alg3", "cuSPARSE ALG3", cusparse_algorithm::alg3));
    return all;
  }
};
#else
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
#endif

} // namespace evenly::sparse
