// SPDX-License-Identifier: Apache-2.0
// A workload on an executor: each pool is a candidate of a bench (measure/bench.hpp) that checks itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "measure/bench.hpp"
#include "tasks/balance.hpp"
#include "tasks/limited_memory.hpp"
#include "tasks/pool_settings.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::tasks {

using measure::bench, measure::bench_options, measure::candidate, measure::timer, measure::unchecked_output;

/// The result of a candidate's last check.
struct task_finding {
  task_answer found;
  std::size_t bytes = 0;       ///< memory used by the run
  std::int64_t high_water = 0; ///< maximum number of tasks of one worker at a time
  std::int64_t workers = 0;
  std::int64_t max_pushed = 0;           ///< maximum over all workers
  std::optional<task_balance> balance{}; ///< of a pool
};
using task_findings = std::map<std::string, task_finding>;

/// The findings of a run whose result is `value`.
inline task_finding finding_of(const task_report& report, std::uint64_t value) {
  task_finding made{{value, report.run}, report.bytes, report.high_water, std::ssize(report.workers)};
  for (const worker_statistics& each : report.workers) made.max_pushed = larger(made.max_pushed, each.pushed);
  return made;
}

/// Options of a bench. Candidates write their results to `findings`, which outlives the bench.
struct task_bench_options {
  bench_options bench;
  int blocks = 0; ///< 0: as many as run at the same time
  pool_settings settings{};
};
bench make_cpu_task_bench(const task_workload& workload, const task_bench_options& options,
                          task_findings& findings);
bench make_simt_task_bench(const task_workload& workload, const task_bench_options& options,
                           task_findings& findings);
bench make_cuda_task_bench(const task_workload& workload, const task_bench_options& options,
                           task_findings& findings);

/// The error of an answer; empty if it is correct.
inline std::optional<std::string> first_error(const task_answer& found, const task_answer& right) {
  if (found == right) return {};
  const auto text = [](const task_answer& each) {
    return std::to_string(each.value) + " by " + std::to_string(each.tasks) + " tasks";
  };
  return "found " + text(found) + ", but should be " + text(right);
}

/// Refuses a stack that is too small. Throws invalid_argument, once for all pools, before any is measured.
template <class Kernel, class Executor>
void check_settings(const Executor& exec, const task_options& options) {
  if (options.stack == 0) return;
  const int block_size = detail::task_threads<Kernel>(exec, options);
  detail::check_stack<Kernel>(options.stack, detail::shape_of_run<Kernel>(exec, block_size));
}

/// All pools under a workload. Each type of `workload.what` has its own translation units, which instantiate
/// tasks/pools.hpp.
template <class Executor, class What>
std::vector<candidate> pool_candidates(const Executor& exec, const What& what,
                                       const task_bench_options& given, const task_answer& right,
                                       task_findings& findings);

/// The same for tasks that wait for their children (tasks/join_pools.hpp).
template <class Executor, class What>
std::vector<candidate> join_candidates(const Executor& exec, const What& what,
                                       const task_bench_options& given, const task_answer& right,
                                       task_findings& findings);

/// All pools. `others`: the baselines.
template <class Executor>
bench task_bench(const Executor& exec, std::unique_ptr<timer> time, const task_workload& workload,
                 const task_bench_options& given, task_findings& findings,
                 const std::vector<candidate>& others = {}) {
  const limited_executor limited(exec, given.blocks, given.settings.block_size);
  std::vector<candidate> all = std::visit(
      [&]<class What>(const What& what) {
        const task_answer right = answer_of(workload);
        if constexpr (!std::is_same_v<What, burst_workload>)
          if (workload.joins) return join_candidates(limited.exec, what, given, right, findings);
        return pool_candidates(limited.exec, what, given, right, findings);
      },
      workload.what);
  all.insert(all.end(), others.begin(), others.end());
  return {std::move(time), std::make_shared<unchecked_output>(),
          [limit = limited.limit, all](int) { return all; }};
}

} // namespace evenly::tasks
