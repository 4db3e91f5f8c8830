// SPDX-License-Identifier: Apache-2.0
// bench_coalescing on the GPU: one launch for each kernel, between cudaProfilerStart and cudaProfilerStop.
#include "coalescing.hpp"

#include <cuda_profiler_api.h>

#include "layout_loads.hpp"

#include "evenly/execution/cuda.hpp"
#include "trace/accesses.hpp"

namespace evenly::bench {

std::vector<std::string> wrong_on_gpu(const std::vector<std::vector<float>>& layouts_on_simt) {
  const cuda exec;
  std::vector<std::string> wrong;
  cudaProfilerStart();
  accesses::each(
      exec, [&](const std::string& name, const launch_shape& shape, const auto& kernel, const trace_counts&) {
        if (!accesses::runs_right(exec, shape, kernel)) wrong.push_back(name);
      });
  cudaProfilerStop();
  std::size_t number = 0;
  each_layout_load(exec, [&](const std::string& name, const auto& run,
                             const std::optional<layouts::access_forecast>&, const auto& sums) {
    exec.synchronize();
    cudaProfilerStart();
    run(exec);
    exec.synchronize();
    cudaProfilerStop();
    if (sums() != layouts_on_simt[number++]) wrong.push_back(name);
  });
  return wrong;
}

} // namespace evenly::bench
