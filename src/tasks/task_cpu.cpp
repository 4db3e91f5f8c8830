// SPDX-License-Identifier: Apache-2.0
// Workloads on the cores of this machine, with the serial program and oneTBB's task_group as baselines.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::tasks {

using measure::host_timer, measure::prepared_run;

namespace {

candidate plain(const std::string& name, const task_answer& right, task_findings& findings,
                std::function<task_answer()> run) {
  candidate made{.name = name, .title = name};
  const auto found = std::make_shared<task_answer>();
  made.prepare = [=]() -> prepared_run { return {[=] { *found = run(); }}; };
  made.first_error = [=, &findings] {
    findings[name] = {*found};
    return first_error(*found, right);
  };
  return made;
}

/// One oneTBB task per call except the last, the usual way for recursions.
std::uint64_t group_fibonacci(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t first = 0;
  tbb::task_group group;
  group.run([&] { first = group_fibonacci(n - 1); });
  const std::uint64_t second = group_fibonacci(n - 2);
  group.wait();
  return first + second;
}

/// One oneTBB task per node.
struct group_search {
  const uts::rule& children;
  tbb::task_group& group;
  std::atomic<std::int64_t>& nodes;

  void operator()(const uts::node& node, int depth) const {
    ++nodes;
    const int count = children(node, depth);
    for (int i = 0; i < count; ++i)
      group.run([*this, node, depth, i] {
        (*this)(uts::child_of(node, static_cast<std::uint32_t>(i)), depth + 1);
      });
  }
};
task_answer group_uts(const uts::parameters& tree) {
  const std::vector<std::uint32_t> thresholds = uts::thresholds_of(tree);
  const uts::rule children = uts::rule_of(tree, thresholds.data());
  std::atomic<std::int64_t> nodes{0};
  tbb::task_group group;
  group_search{children, group, nodes}(uts::root_of(tree.seed), 0);
  group.wait();
  return {static_cast<std::uint64_t>(nodes), nodes};
}

std::vector<candidate> others(const task_workload& workload, int threads, task_findings& findings) {
  const task_answer right = answer_of(workload);
  std::vector<candidate> all{plain("serial", right, findings, [workload] { return run_serially(workload); })};
  const auto add = [&](std::function<task_answer()> run) {
    const auto arena = std::make_shared<tbb::task_arena>(threads);
    all.push_back(plain("tbb::task_group", right, findings, [arena, run] { return arena->execute(run); }));
  };
  if (const auto* fib = std::get_if<fibonacci_workload>(&workload.what))
    add([n = fib->n, right] { return task_answer{group_fibonacci(n), right.tasks}; });
  if (const auto* tree = std::get_if<uts::parameters>(&workload.what))
    add([tree = *tree] { return group_uts(tree); });
  return all;
}

} // namespace

bench make_cpu_task_bench(const task_workload& workload, const task_bench_options& options,
                          task_findings& findings) {
  const cpu exec(options.bench.threads);
  return task_bench(exec, std::make_unique<host_timer>(exec.threads()), workload, options, findings,
                    others(workload, exec.threads(), findings));
}

} // namespace evenly::tasks
