// SPDX-License-Identifier: Apache-2.0
// A workload on an executor: each pool as a candidate of a bench (measure/bench.hpp), which checks itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/tasks/registry.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "measure/bench.hpp"
#include "tasks/searches.hpp"
#include "tasks/uts.hpp"
#include "tasks/workload.hpp"

namespace evenly::cli {

/// What a candidate found when it was last looked at.
struct task_finding {
  task_answer found;
  std::size_t bytes = 0;
  std::int64_t high_water = 0;
};
using task_findings = std::map<std::string, task_finding>;

/// A bench of the workload. What candidates find goes to `findings`, which outlives it.
struct task_bench_options {
  bench_options bench;
  int blocks = 0; ///< 0: as many as run at the same time
};
bench make_cpu_task_bench(const task_workload& workload, const task_bench_options& options,
                          task_findings& findings);
bench make_simt_task_bench(const task_workload& workload, const task_bench_options& options,
                           task_findings& findings);
bench make_cuda_task_bench(const task_workload& workload, const task_bench_options& options,
                           task_findings& findings);

/// What is wrong with an answer, if anything is.
inline std::optional<std::string> first_error(const task_answer& found, const task_answer& right) {
  if (found == right) return {};
  const auto text = [](const task_answer& each) {
    return std::to_string(each.value) + " by " + std::to_string(each.tasks) + " tasks";
  };
  return "found " + text(found) + ", where " + text(right) + " is right";
}

/// The first task and the body of a workload, and whether its value is the number of tasks.
template <class Executor> struct placed_workload {
  Executor exec;
  buffer<std::uint32_t> thresholds;

  template <class Use> void operator()(const fibonacci_workload& w, Use&& use) {
    use(std::vector<int>{w.n}, searches::fibonacci{}, false);
  }
  template <class Use> void operator()(const queens_workload& w, Use&& use) {
    use(std::vector<searches::queens_task>(1), searches::queens::of(w.n), false);
  }
  template <class Use> void operator()(const uts::parameters& w, Use&& use) {
    thresholds = to_executor(exec, uts::thresholds_of(w));
    use(std::vector<uts::task>{uts::root_task(w.seed)}, uts::search{uts::rule_of(w, thresholds.data())},
        true);
  }
  template <class Use> void operator()(const chain_workload& w, Use&& use) {
    use(std::vector<std::int64_t>{0}, searches::chain{w.length}, false);
  }
  template <class Use> void operator()(const burst_workload& w, Use&& use) {
    use(std::vector<std::int64_t>{0}, searches::burst{w.count}, false);
  }
};

/// What a pool is asked for. For a burst: room for all of it, on any worker where each has a share, and few blocks.
template <class Pool, class Executor>
task_options options_for(const Executor& exec, const task_workload& workload, int blocks) {
  task_options options;
  options.blocks = blocks;
  const auto* const burst = std::get_if<burst_workload>(&workload.what);
  if (!burst) return options;
  options.capacity = burst->count + 1;
  if constexpr (Pool::template view<int>::has_shares) {
    int workers_in_block = 32;
    if (blocks == 0) options.blocks = 4;
    if constexpr (Executor::serial_blocks) {
      workers_in_block = 1;
      if (blocks == 0) options.blocks = exec.threads();
    }
    options.capacity = *options.capacity * options.blocks * workers_in_block;
  }
  return options;
}

template <class Executor, class Pool, class Tasks, class Body>
candidate task_candidate(const Executor& exec, const std::string& name, const Pool& pool,
                         const std::shared_ptr<Tasks>& first, const Body& body, bool counts_tasks,
                         const task_options& options, const task_answer& right, task_findings& findings) {
  const auto memory = std::make_shared<task_workspace>();
  candidate made{.name = name, .title = name, .is_schedule = true};
  made.prepare = [=]() -> prepared_run {
    return {[=] { run_tasks(exec, pool, *first, body, options, *memory); }};
  };
  made.first_error = [=, &findings]() -> std::optional<std::string> {
    const task_report report = finish(exec, *memory);
    task_finding& mine = findings[name];
    mine = {{counts_tasks ? static_cast<std::uint64_t>(report.run) : report.sum, report.run},
            report.bytes,
            report.high_water};
    return first_error(mine.found, right);
  };
  return made;
}

/// All pools. `others`: what they are compared with.
template <class Executor>
bench task_bench(const Executor& exec, std::unique_ptr<timer> time, const task_workload& workload,
                 const task_bench_options& given, task_findings& findings,
                 const std::vector<candidate>& others = {}) {
  const auto placed = std::make_shared<placed_workload<Executor>>(placed_workload<Executor>{exec, {}});
  const task_answer right = answer_of(workload);
  std::vector<candidate> all;
  const auto add_all = [&](const auto& first_tasks, const auto& body, bool counts_tasks) {
    using tasks = std::remove_cvref_t<decltype(to_executor(exec, first_tasks))>;
    const auto first = std::make_shared<tasks>(to_executor(exec, first_tasks));
    for_each_pool([&](const std::string& name, const auto& pool) {
      const task_options options =
          options_for<std::remove_cvref_t<decltype(pool)>>(exec, workload, given.blocks);
      all.push_back(task_candidate(exec, name, pool, first, body, counts_tasks, options, right, findings));
      all.back().afterwards = [placed] {}; // which keeps what the body looks at
    });
  };
  std::visit([&](const auto& what) { (*placed)(what, add_all); }, workload.what);
  all.insert(all.end(), others.begin(), others.end());
  return {std::move(time), std::make_shared<unchecked_output>(), [all](int) { return all; }};
}

} // namespace evenly::cli
