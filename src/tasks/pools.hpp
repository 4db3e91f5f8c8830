// SPDX-License-Identifier: Apache-2.0
// Defines pool_candidates: the first tasks and the body of each workload, under every pool.
//
// CMakeLists.txt generates the sources that instantiate it, because a kernel per pool and workload takes seconds to
// compile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "tasks/compiled_pools.hpp"
#include "tasks/profiled_run.hpp"
#include "tasks/searches.hpp"
#include "tasks/task_bench.hpp"
#include "tasks/uts.hpp"

namespace evenly::tasks {

using measure::prepared_run;

/// The first task and the body of a workload, and whether its value is the number of tasks.
template <class Executor> struct device_workload {
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

/// Options of a pool.
template <class Pool, class Executor, class What>
task_options options_for(const Executor&, const What&, const task_bench_options& given) {
  return given.settings.options(given.blocks);
}
/// Room for all tasks of a burst, on any worker if workers have separate storage, and few blocks.
template <class Pool, class Executor>
task_options options_for(const Executor& exec, const burst_workload& burst, const task_bench_options& given) {
  task_options options = given.settings.options(given.blocks);
  std::int64_t capacity = burst.count + 1;
  if constexpr (Pool::template view<int>::has_shares) {
    int workers_in_block = 32;
    if (given.blocks == 0) options.blocks = 4;
    if constexpr (Executor::serial_blocks) {
      workers_in_block = 1;
      if (given.blocks == 0) options.blocks = exec.threads();
    }
    capacity *= std::int64_t{options.blocks} * workers_in_block;
  }
  if (!options.capacity) options.capacity = capacity;
  return options;
}

template <class Executor, class Pool, class Tasks, class Body>
candidate task_candidate(const Executor& exec, const std::string& name, const Pool& pool,
                         const std::shared_ptr<Tasks>& first, const Body& body, bool counts_tasks,
                         const task_options& options, const task_answer& right, task_findings& findings) {
  using task = std::remove_cvref_t<decltype(*first->data())>;
  using kernel = detail::task_kernel_for<Executor, Pool, task, Body>;
  check_settings<kernel>(exec, options);
  const auto memory = std::make_shared<task_workspace>();
  candidate made{.name = name, .title = name, .is_schedule = true};
  made.prepare = [=]() -> prepared_run {
    return {[=] { run_tasks(exec, pool, *first, body, options, *memory); }};
  };
  made.first_error = [=, &findings]() -> std::optional<std::string> {
    const task_report report = finish(exec, *memory);
    const std::uint64_t value = counts_tasks ? static_cast<std::uint64_t>(report.run) : report.sum;
    return first_error((findings[name] = finding_of(report, value)).found, right);
  };
  return made;
}

template <class Executor, class What>
std::vector<candidate> pool_candidates(const Executor& exec, const What& what,
                                       const task_bench_options& given, const task_answer& right,
                                       task_findings& findings) {
  const auto placed = std::make_shared<device_workload<Executor>>(device_workload<Executor>{exec, {}});
  std::vector<candidate> all;
  (*placed)(what, [&](const auto& first_tasks, const auto& body, bool counts_tasks) {
    using tasks = std::remove_cvref_t<decltype(to_executor(exec, first_tasks))>;
    const auto first = std::make_shared<tasks>(to_executor(exec, first_tasks));
    for_each_compiled_pool<What>([&](const std::string& name, const auto& pool) {
      using pool_type = std::remove_cvref_t<decltype(pool)>;
      all.push_back(task_candidate(exec, name, given.settings.apply(pool), first, body, counts_tasks,
                                   options_for<pool_type>(exec, what, given), right, findings));
      add_profiled_run(
          all.back(), given.settings, pool,
          [=, options = options_for<pool_type>(exec, what, given)](const auto& from) {
            return run_tasks(exec, from, *first, body, options);
          },
          [name, &findings](task_balance balance) { findings[name].balance = std::move(balance); });
      all.back().afterwards = [placed] {}; // keeps the data of the body alive
    });
  });
  return all;
}

} // namespace evenly::tasks
