// SPDX-License-Identifier: Apache-2.0
// Defines join_candidates: the first task and the joining body of each workload, under every pool. CMakeLists.txt
// generates the sources that instantiate it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/tasks/fork_join.hpp"
#include "tasks/compiled_pools.hpp"
#include "tasks/joined_searches.hpp"
#include "tasks/profiled_run.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::tasks {

using measure::prepared_run;

template <class Executor> struct device_joins {
  Executor exec;
  buffer<std::uint32_t> thresholds;

  template <class Use> void operator()(const fibonacci_workload& w, Use&& use) {
    use(std::vector<int>{w.n}, searches::joined_fibonacci{});
  }
  template <class Use> void operator()(const queens_workload& w, Use&& use) {
    use(std::vector<searches::queens_task>(1), searches::joined_queens{searches::queens::of(w.n)});
  }
  template <class Use> void operator()(const uts::parameters& w, Use&& use) {
    thresholds = to_executor(exec, uts::thresholds_of(w));
    use(std::vector<uts::task>{uts::root_task(w.seed)},
        uts::joined_search{uts::rule_of(w, thresholds.data())});
  }
  template <class Use> void operator()(const chain_workload& w, Use&& use) {
    use(std::vector<std::int64_t>{0}, searches::joined_chain{w.length});
  }
};

template <class Executor, class Pool, class Tasks, class Body>
candidate join_candidate(const Executor& exec, const std::string& name, const Pool& pool,
                         const std::shared_ptr<Tasks>& first, const Body& body, const join_options& options,
                         const task_answer& right, task_findings& findings) {
  using body_type = detail::join_body<std::remove_cvref_t<decltype(*first->data())>, Body>;
  using entry = typename body_type::entry;
  check_settings<detail::task_kernel_for<Executor, Pool, entry, body_type>>(exec, options);
  const auto memory = std::make_shared<join_workspace>();
  const auto value = std::make_shared<buffer<std::uint64_t>>(make_buffer<std::uint64_t>(exec, 1));
  candidate made{.name = name, .title = name, .is_schedule = true};
  made.prepare = [=]() -> prepared_run {
    return {[=] { run_fork_join(exec, pool, *first, body, *value, options, *memory); }};
  };
  made.first_error = [=, &findings]() -> std::optional<std::string> {
    const join_report report = finish(exec, *memory);
    return first_error((findings[name] = finding_of(report, to_host(exec, *value)[0])).found, right);
  };
  return made;
}

template <class Executor, class What>
std::vector<candidate> join_candidates(const Executor& exec, const What& what,
                                       const task_bench_options& given, const task_answer& right,
                                       task_findings& findings) {
  const auto placed = std::make_shared<device_joins<Executor>>(device_joins<Executor>{exec, {}});
  const join_options options{given.settings.options(given.blocks)};
  std::vector<candidate> all;
  (*placed)(what, [&](const auto& first_tasks, const auto& body) {
    using tasks = std::remove_cvref_t<decltype(to_executor(exec, first_tasks))>;
    const auto first = std::make_shared<tasks>(to_executor(exec, first_tasks));
    for_each_compiled_pool<What>([&](const std::string& name, const auto& pool) {
      all.push_back(
          join_candidate(exec, name, given.settings.apply(pool), first, body, options, right, findings));
      add_profiled_run(
          all.back(), given.settings, pool,
          [=](const auto& from) {
            auto value = make_buffer<std::uint64_t>(exec, 1);
            return run_fork_join(exec, from, *first, body, value, options);
          },
          [name, &findings](task_balance balance) { findings[name].balance = std::move(balance); });
      all.back().afterwards = [placed] {}; // keeps the data of the body alive
    });
  });
  return all;
}

} // namespace evenly::tasks
