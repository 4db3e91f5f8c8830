// SPDX-License-Identifier: Apache-2.0
// The bench of a GPU, where cuSPARSE stands beside the schedules.
#pragma once

#include <memory>
#include <vector>

#include "evenly/execution/cuda.hpp"
#include "measure/baselines_cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/spmm_bench_on.hpp"

namespace evenly::cli {

template <class Value>
bench dense_bench_on_gpu(const dense_problem<Value>& p, const product_checker<Value>* right,
                         const bench_options& options) {
  using work_type = dense_work<cuda, Value>;
  const auto libraries = [&](const std::shared_ptr<work_type>& work) {
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
  };
  return dense_bench(cuda(), std::make_unique<device_timer>(options.warm), p, right, libraries);
}

} // namespace evenly::cli
