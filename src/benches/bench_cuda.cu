// SPDX-License-Identifier: Apache-2.0
// The bench of the cuda executor: the schedules, and cuSPARSE beside them.
#include <memory>
#include <variant>
#include <vector>

#include "measure/baselines_cuda.hpp"
#include "measure/device_timer.hpp"
#include "measure/work_on.hpp"

namespace evenly::measure {

namespace {

template <class Work>
candidate library(const std::shared_ptr<Work>& work, const char* name, const char* title,
                  cusparse_algorithm which) {
  candidate made{.name = name, .title = title};
  made.prepare = [work, which]() -> prepared_run {
    const auto& data = work->data();
    return {prepare_cusparse(data.a(), data.x().data(), data.out().data(), which)};
  };
  return made;
}

template <class Problem> bench bench_of(const Problem& p, const bench_options& options) {
  const auto work = std::make_shared<work_on<cuda, Problem>>(cuda(), p);
  std::vector<candidate> others;
  if constexpr (requires { work->data().a(); })
    others = {library(work, "cusparse_alg1", "cuSPARSE ALG1, preprocessed", cusparse_algorithm::alg1),
              library(work, "cusparse_alg2", "cuSPARSE ALG2", cusparse_algorithm::alg2)};
  return schedule_bench(std::make_unique<device_timer>(options.warm), work, others);
}

} // namespace

bench make_cuda_bench(const problem& p, const bench_options& options) {
  return std::visit([&](const auto& each) { return bench_of(each, options); }, p);
}

} // namespace evenly::measure
