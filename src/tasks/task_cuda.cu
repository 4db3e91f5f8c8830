// SPDX-License-Identifier: Apache-2.0
// Workloads on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::tasks {

using measure::device_timer;

bench make_cuda_task_bench(const task_workload& workload, const task_bench_options& options,
                           task_findings& findings) {
  return task_bench(evenly::cuda(), std::make_unique<device_timer>(options.bench.warm), workload, options,
                    findings);
}

} // namespace evenly::tasks
