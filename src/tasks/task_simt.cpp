// SPDX-License-Identifier: Apache-2.0
// Workloads on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::tasks {

using measure::host_timer;

bench make_simt_task_bench(const task_workload& workload, const task_bench_options& options,
                           task_findings& findings) {
  const simt exec({.seed = options.bench.seed, .threads = options.bench.threads});
  return task_bench(exec, std::make_unique<host_timer>(exec.threads(), true), workload, options, findings);
}

} // namespace evenly::tasks
