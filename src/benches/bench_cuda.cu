// SPDX-License-Identifier: Apache-2.0
// The bench of the cuda executor: the schedules, compared with cuSPARSE and CUB.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>

#include "benches/segments_on.hpp"
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

/// CUB's sum of each tile.
candidate cub_sums(const std::shared_ptr<work_on<cuda, segments_problem>>& work) {
  candidate made{.name = "cub_device_segmented_reduce", .title = "CUB DeviceSegmentedReduce"};
  made.prepare = [work]() -> prepared_run {
    const auto sum = [work](void* memory, std::size_t& bytes) {
      const auto& data = work->data();
      const int* const offsets = data.offsets().data();
      EVENLY_CUDA_CHECK(cub::DeviceSegmentedReduce::Sum(
          memory, bytes, data.values().data(), data.out().data(), static_cast<int>(data.out().size()),
          offsets, offsets + 1, work->exec().stream()));
    };
    std::size_t bytes = 0;
    sum(nullptr, bytes);
    const auto memory = std::make_shared<buffer<std::byte>>(
        make_buffer<std::byte>(work->exec(), std::max<std::size_t>(bytes, 1)));
    return {[=] {
      std::size_t size = bytes;
      sum(memory->data(), size);
    }};
  };
  return made;
}

template <class Problem> bench bench_of(const Problem& p, const bench_options& options) {
  const auto work = std::make_shared<work_on<cuda, Problem>>(cuda(), p);
  std::vector<candidate> others;
  if constexpr (requires { work->data().a(); })
    others = {library(work, "cusparse_alg1", "cuSPARSE ALG1, preprocessed", cusparse_algorithm::alg1),
              library(work, "cusparse_alg2", "cuSPARSE ALG2", cusparse_algorithm::alg2)};
  if constexpr (std::same_as<Problem, segments_problem>)
    if (!p.scans) others = {cub_sums(work)};
  return schedule_bench(std::make_unique<device_timer>(options.warm), work, others);
}

} // namespace

bench make_cuda_bench(const problem& p, const bench_options& options) {
  return std::visit([&](const auto& each) { return bench_of(each, options); }, p);
}

} // namespace evenly::measure
