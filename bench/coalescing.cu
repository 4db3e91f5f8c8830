// SPDX-License-Identifier: Apache-2.0
// bench_coalescing on the GPU: one launch for each kernel, and no other.
#include "coalescing.hpp"

#include "evenly/execution/cuda.hpp"
#include "trace/accesses.hpp"

namespace evenly::bench {

std::vector<std::string> wrong_on_gpu() {
  const cuda exec;
  std::vector<std::string> wrong;
  accesses::each(
      exec, [&](const std::string& name, const launch_shape& shape, const auto& kernel, const trace_counts&) {
        if (!accesses::runs_right(exec, shape, kernel)) wrong.push_back(name);
      });
  return wrong;
}

} // namespace evenly::bench
