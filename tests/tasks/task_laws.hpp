// SPDX-License-Identifier: Apache-2.0
// The laws of a pool (tasks/pool.hpp), for any executor, form of body and capacity.
//
//   1. Each task is run once: its counter is 0 before it is pushed, 1 until it is run, then 0 for good.
//   2. initial + pushed = run, and the sum and the counts of single workers add up.
//   3. Both hold for every capacity and every shape of the tree: nothing, a task, a chain, a burst.
//   4. Searches have their known answers.
//   5. A run that is cancelled leaves what it does not run: pushed + initial = run + left.
//   6. Tasks of any size, and trees that are deep and narrow, need no more than their tasks' room in the pool. A
//      task_overflow names an option and a value of it that suffice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "tasks/searches.hpp"
#include "tasks/uts.hpp"

namespace evenly::task_laws {

/// Node n of `nodes` has the children fan n + 1, ..., fan n + fan, as far as there are such nodes: a chain, or a heap.
/// Each form of body runs it; a team's threads push a child each, as far as they go.
template <class Form> struct counted_tree {
  static constexpr int max_children = 4;
  static constexpr int block_size = 64;
  using form = Form;

  int nodes;
  int fan;
  int* waiting; ///< [node]: whether it waits to be run
  int* runs;    ///< [node]
  int* workers; ///< [node]: the worker that ran it
  int* wrong;
  int cancel_at = -1;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, int node, Sink& sink) const {
    if constexpr (std::is_same_v<Form, tasks::in_step>) {
      if (team.has_task()) begin(node, sink);
      for (int i = 1; i <= fan; ++i) {
        const bool has = team.has_task() && has_child(node, i);
        if (has) count(node, i);
        sink.push(has, fan * node + i);
      }
    } else {
      if (team.rank() == 0) begin(node, sink);
      for (int i = 1 + team.rank(); i <= fan; i += team.size())
        if (has_child(node, i)) {
          count(node, i);
          sink.push(fan * node + i);
        }
    }
  }

 private:
  EVENLY_FN bool has_child(int node, int i) const { return fan * std::int64_t{node} + i < nodes; }
  template <class Sink> EVENLY_FN void begin(int node, Sink& sink) const {
    if (atomic_ref(waiting[node]).fetch_sub(1, order::relaxed{}) != 1) atomic_ref(*wrong).store(1);
    atomic_ref(runs[node]).fetch_add(1, order::relaxed{});
    workers[node] = sink.worker();
    sink.add(1);
    if (node == cancel_at) sink.cancel();
  }
  EVENLY_FN void count(int node, int i) const {
    if (atomic_ref(waiting[fan * node + i]).fetch_add(1, order::relaxed{}) != 0) atomic_ref(*wrong).store(1);
  }
};

inline void expect_sums(const task_report& report) {
  tasks::worker_statistics sums;
  for (const tasks::worker_statistics& worker : report.workers) {
    sums.run += worker.run;
    sums.pushed += worker.pushed;
    sums.taken += worker.taken;
    sums.failed += worker.failed;
    EXPECT_LE(worker.high_water, report.high_water);
    EXPECT_GE(worker.idle, 0);
  }
  EXPECT_EQ(sums.run, report.run);
  EXPECT_EQ(sums.pushed, report.pushed);
  EXPECT_EQ(sums.taken, report.taken);
  EXPECT_EQ(sums.failed, report.failed);
  EXPECT_GE(report.left(), 0);
}

/// Each worker has run the tasks that say so.
inline void expect_workers(const task_report& report, const std::vector<int>& of_tasks) {
  for (std::size_t worker = 0; worker < report.workers.size(); ++worker)
    EXPECT_EQ(report.workers[worker].run, std::ranges::count(of_tasks, static_cast<int>(worker)))
        << "worker " << worker;
}

/// A run of a tree that begins with its first `initial` nodes. None of them is a child: with more than one the fan is
/// 0.
template <class Form, class Executor, class Pool>
task_report expect_tree(const Executor& exec, const Pool& pool, int nodes, int fan, int initial,
                        const task_options& options, int cancel_at = -1) {
  std::vector<int> first(static_cast<std::size_t>(initial));
  std::vector<int> waiting(static_cast<std::size_t>(nodes));
  for (int i = 0; i < initial; ++i) first[i] = i, waiting[i] = 1;
  const auto tasks = to_executor(exec, first), counts = to_executor(exec, waiting),
             runs = to_executor(exec, std::vector<int>(waiting.size())),
             workers = to_executor(exec, std::vector<int>(waiting.size(), -1)),
             wrong = to_executor(exec, std::vector<int>{0});
  const task_report report = run_tasks(
      exec, pool, tasks,
      counted_tree<Form>{nodes, fan, counts.data(), runs.data(), workers.data(), wrong.data(), cancel_at},
      options);
  EXPECT_EQ(to_host(exec, wrong)[0], 0) << "a task was pushed or run twice";
  expect_sums(report);
  expect_workers(report, to_host(exec, workers));
  const std::vector<int> run = to_host(exec, runs), waits = to_host(exec, counts);
  std::int64_t left = 0;
  for (int node = 0; node < nodes; ++node) {
    EXPECT_LE(run[node], 1) << "node " << node;
    left += waits[node];
    if (cancel_at < 0) {
      EXPECT_EQ(run[node], 1) << "node " << node;
    }
  }
  EXPECT_EQ(report.sum, static_cast<std::uint64_t>(report.run));
  EXPECT_EQ(report.left(), left);
  if (cancel_at < 0) {
    EXPECT_EQ(report.outcome, tasks::task_outcome::complete);
    EXPECT_EQ(report.run, nodes);
    EXPECT_EQ(report.left(), 0);
  } else
    EXPECT_EQ(report.outcome, tasks::task_outcome::cancelled);
  return report;
}

/// Capacities around the powers of two, none, and the pool's own (-1).
inline const std::vector<int>& capacities() {
  static const std::vector<int> all{-1, 0, 1, 2, 3, 1000, 1024};
  return all;
}
inline task_options with_capacity(task_options options, int capacity) {
  if (capacity >= 0) options.capacity = capacity;
  return options;
}

template <class Form, class Executor, class Pool>
void expect_trees(const Executor& exec, const Pool& pool, const task_options& options, int nodes) {
  for (const int capacity : capacities()) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    const task_options with = with_capacity(options, capacity);
    expect_tree<Form>(exec, pool, 1, 1, 1, with);         // one task
    expect_tree<Form>(exec, pool, nodes / 8, 1, 1, with); // a chain
    for (const int fan : {2, 4}) expect_tree<Form>(exec, pool, nodes, fan, 1, with);
    expect_tree<Form>(exec, pool, nodes, 0, nodes, with); // all at the beginning
  }
}

template <class Executor, class Pool>
void expect_burst(const Executor& exec, const Pool& pool, const task_options& options, std::int64_t count) {
  task_options with = options;
  // Of pools whose workers keep tasks, each has a share; a block has up to 32 workers.
  with.capacity = 2 * count * 32 * std::max(options.blocks, 8);
  const auto first = to_executor(exec, std::vector<std::int64_t>{0});
  const task_report report = run_tasks(exec, pool, first, searches::burst{count}, with);
  expect_sums(report);
  EXPECT_EQ(report.run, count + 1);
  EXPECT_EQ(report.sum, static_cast<std::uint64_t>(count));
}

/// A task, on one stack and with no other room, of which the children have none.
template <class Executor, class Pool>
void expect_overflow(const Executor& exec, const Pool& pool, task_options options) {
  options.capacity = 0;
  options.blocks = 1;
  const auto first = to_executor(exec, std::vector<std::int64_t>{0});
  try {
    run_tasks(exec, pool, first, searches::burst{100'000}, options);
    ADD_FAILURE() << "100,000 tasks had room";
  } catch (const tasks::task_overflow& what) {
    EXPECT_EQ(what.run, 1);
    EXPECT_GE(what.needed, 99'000);
    EXPECT_NE(std::string(what.what()).find("no room for "), std::string::npos);
  }
}

/// Pushes what `Body` pushes, without saying how much.
template <class Body> struct without_limit {
  static constexpr int block_size = 64;
  using form = tasks::in_step;
  Body body;
  template <class Team, class Task, class Sink>
  EVENLY_FN void operator()(Team& team, const Task& task, Sink& sink) const {
    body(team, task, sink);
  }
};

/// Level n of `levels` has a leaf, and level n + 1: newest first, a leaf of each level waits.
template <class Form> struct deep_tree {
  static constexpr int max_children = 2;
  static constexpr int block_size = 64;
  static constexpr int leaf = -1;
  using form = Form;

  int levels;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, int level, Sink& sink) const {
    const bool next = level != leaf && level + 1 < levels;
    if constexpr (std::is_same_v<Form, tasks::in_step>) {
      const bool has = team.has_task();
      if (has) sink.add(1);
      sink.push(has && level != leaf, int{leaf});
      sink.push(has && next, level + 1);
    } else if (team.rank() == 0) {
      sink.add(1);
      if (level != leaf) sink.push(int{leaf});
      if (next) sink.push(level + 1);
    }
  }
};

/// A task of `Bytes` bytes, each of which counts.
template <int Bytes> struct large_task {
  static constexpr int copies = Bytes / static_cast<int>(sizeof(int));
  int node[copies] = {};

  EVENLY_FN static large_task of(int number) {
    large_task made;
    for (int& each : made.node) each = number;
    return made;
  }
  EVENLY_FN bool is_whole() const {
    bool is_same = true;
    for (const int each : node) is_same = is_same && each == node[0];
    return is_same;
  }
};
/// A heap of large tasks.
template <class Form, int Bytes> struct large_tree {
  static constexpr int max_children = 2;
  static constexpr int block_size = 64;
  using form = Form;
  using task = large_task<Bytes>;

  int nodes;

  template <class Team, class Sink>
  EVENLY_FN void operator()(Team& team, const task& mine, Sink& sink) const {
    if constexpr (std::is_same_v<Form, tasks::in_step>) {
      if (team.has_task()) sink.add(mine.is_whole());
      for (int i = 1; i <= 2; ++i) sink.push(team.has_task() && has_child(mine, i), child(mine, i));
    } else if (team.rank() == 0) {
      sink.add(mine.is_whole());
      for (int i = 1; i <= 2; ++i)
        if (has_child(mine, i)) sink.push(child(mine, i));
    }
  }

 private:
  EVENLY_FN bool has_child(const task& of, int i) const { return 2 * of.node[0] + i < nodes; }
  EVENLY_FN static task child(const task& of, int i) { return task::of(2 * of.node[0] + i); }
};

/// Runs `body`, each of whose `count` tasks adds 1, and follows the advice of each overflow. Returns the number of
/// runs.
template <class Executor, class Pool, class Task, class Body>
int expect_all_run(const Executor& exec, const Pool& pool, const Task& first, const Body& body,
                   task_options options, std::int64_t count) {
  constexpr int max_runs = 24;
  const auto root = to_executor(exec, std::vector<Task>{first});
  for (int runs = 1; runs <= max_runs; ++runs) try {
      const task_report report = run_tasks(exec, pool, root, body, options);
      expect_sums(report);
      EXPECT_EQ(report.run, count);
      EXPECT_EQ(report.sum, static_cast<std::uint64_t>(count));
      return runs;
    } catch (const tasks::task_overflow& what) {
      EXPECT_LT(what.run, count);
      options.capacity = what.needed;
      options.stack = static_cast<int>(what.needed_stack);
    }
  ADD_FAILURE() << "the advice did not help";
  return max_runs;
}

/// A tree with room in the pool on the smallest stacks, and one that overflows until it has it.
template <class Form, class Executor, class Pool>
void expect_deep_tree(const Executor& exec, const Pool& pool, task_options options, int levels) {
  const deep_tree<Form> body{levels};
  options.capacity = std::int64_t{levels} * 64 * std::max(options.blocks, 8);
  EXPECT_EQ(expect_all_run(exec, pool, 0, body, options, 2 * levels), 1) << "with room in the pool";
  if constexpr (std::is_same_v<Form, tasks::in_step>) {
    EXPECT_EQ(expect_all_run(exec, pool, 0, without_limit<deep_tree<Form>>{body}, options, 2 * levels), 1);
  }
  options.capacity = levels / 4;
  expect_all_run(exec, pool, 0, body, options, 2 * levels);
}

template <class Form, int Bytes, class Executor, class Pool>
void expect_large_tree(const Executor& exec, const Pool& pool, const task_options& options, int nodes) {
  SCOPED_TRACE(std::to_string(Bytes) + " bytes");
  const large_tree<Form, Bytes> body{nodes};
  const large_task<Bytes> root{};
  EXPECT_EQ(expect_all_run(exec, pool, root, body, options, nodes), 1) << "with the pool's own capacity";
  expect_all_run(exec, pool, root, body, with_capacity(options, 2), nodes);
  if constexpr (std::is_same_v<Form, tasks::in_step>) {
    EXPECT_EQ(expect_all_run(exec, pool, root, without_limit<large_tree<Form, Bytes>>{body}, options, nodes),
              1);
  }
}

/// A profiled run has a timeline of each worker, with as much idle time as the worker counts.
template <class Executor, class Pool>
void expect_profile(const Executor& exec, const Pool& pool, task_options options) {
  options.profile = true;
  const task_report report = expect_tree<tasks::each_thread>(exec, pool, 2000, 3, 1, options);
  ASSERT_EQ(report.timelines.size(), report.workers.size());
  bool has_begun = false;
  for (std::size_t worker = 0; worker < report.workers.size(); ++worker) {
    const tasks::worker_timeline& timeline = report.timelines[worker];
    if (report.workers[worker].run > 0) {
      EXPECT_GT(timeline.begin, 0);
      has_begun = true;
    }
    EXPECT_GE(timeline.end, timeline.begin);
    std::int64_t idle = 0;
    for (const std::int64_t part : timeline.idle) {
      EXPECT_GE(part, 0);
      EXPECT_LE(part, timeline.part_length());
      idle += part;
    }
    EXPECT_LE(idle, timeline.end - timeline.begin);
    if (report.rounds == 0) {
      EXPECT_EQ(idle, report.workers[worker].idle);
    }
  }
  EXPECT_TRUE(has_begun);
  EXPECT_GE(report.spins, 0);
  options.profile = false;
  if constexpr (!tasks::is_profiled<Pool>) {
    const task_report plain = expect_tree<tasks::each_thread>(exec, pool, 2000, 3, 1, options);
    EXPECT_TRUE(plain.timelines.empty());
    EXPECT_EQ(plain.spins + plain.failed_cas, 0);
  }
}

/// On cpu and cuda only the kernels of a profiled pool can be profiled.
template <class Executor, class Pool>
void expect_plain_is_not_profiled(const Executor& exec, const Pool& pool) {
  task_options options;
  options.profile = true;
  EXPECT_THROW(expect_tree<tasks::each_thread>(exec, pool, 10, 1, 1, options), invalid_argument);
}

template <class Executor, class Pool>
void expect_answers(const Executor& exec, const Pool& pool, const task_options& options, int n, int board,
                    std::uint64_t solutions, std::int64_t prefixes) {
  std::int64_t before = 0, number = 1; // fib(0), fib(1)
  for (int i = 1; i < n; ++i) before = std::exchange(number, number + before);
  const auto call = to_executor(exec, std::vector<int>{n});
  const task_report fib = run_tasks(exec, pool, call, searches::fibonacci{}, options);
  EXPECT_EQ(fib.sum, static_cast<std::uint64_t>(number));
  EXPECT_EQ(fib.run, 2 * (number + before) - 1);

  const auto empty = to_executor(exec, std::vector<searches::queens_task>(1));
  const task_report queens = run_tasks(exec, pool, empty, searches::queens::of(board), options);
  EXPECT_EQ(queens.sum, solutions);
  EXPECT_EQ(queens.run, prefixes);
}

/// Nodes and leaves, by a stack on the host.
inline std::pair<std::int64_t, std::uint64_t> counted_serially(const uts::parameters& of) {
  const std::vector<std::uint32_t> thresholds = uts::thresholds_of(of);
  const uts::rule children = uts::rule_of(of, thresholds.data());
  std::vector<std::pair<uts::node, int>> open{{uts::root_of(of.seed), 0}};
  std::int64_t nodes = 0;
  std::uint64_t leaves = 0;
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    ++nodes;
    const int count = children(node, depth);
    leaves += count == 0;
    for (int i = 0; i < count; ++i)
      open.emplace_back(uts::child_of(node, static_cast<std::uint32_t>(i)), depth + 1);
  }
  return {nodes, leaves};
}

template <class Executor, class Pool>
task_report search(const Executor& exec, const Pool& pool, const uts::parameters& of,
                   const task_options& options) {
  const auto thresholds = to_executor(exec, uts::thresholds_of(of));
  const auto root = to_executor(exec, std::vector<uts::task>{uts::root_task(of.seed)});
  return run_tasks(exec, pool, root, uts::search{uts::rule_of(of, thresholds.data())}, options);
}
template <class Executor, class Pool>
void expect_searches(const Executor& exec, const Pool& pool, const task_options& options) {
  using enum uts::tree;
  for (const uts::parameters& of : {uts::parameters{geometric, uts::shape::fixed, 4, 4, 0, 0, 19},
                                    {geometric, uts::shape::linear, 8, 3, 0, 0, 34},
                                    {geometric, uts::shape::cyclic, 3, 2, 0, 0, 502},
                                    {binomial, uts::shape::fixed, 0, 200, 0.2, 4, 42},
                                    {hybrid, uts::shape::linear, 6, 4, 0.2, 4, 1}}) {
    const auto [nodes, leaves] = counted_serially(of);
    const task_report found = search(exec, pool, of, options);
    EXPECT_EQ(found.run, nodes);
    EXPECT_EQ(found.sum, leaves);
  }
}

/// From nothing, and after a run with the same memory that was cancelled.
template <class Executor, class Pool>
void expect_ends(const Executor& exec, const Pool& pool, const task_options& options, int nodes) {
  const task_report nothing =
      run_tasks(exec, pool, std::vector<std::int64_t>(), searches::chain{10}, options);
  EXPECT_EQ(nothing.run, 0);
  EXPECT_EQ(nothing.left(), 0);
  expect_tree<tasks::each_thread>(exec, pool, nodes, 2, 1, options, nodes / 3);
  auto flag = to_executor(exec, std::vector<std::uint32_t>{1});
  task_options with = options;
  with.cancel = flag.data();
  const auto first = to_executor(exec, std::vector<std::int64_t>{0});
  const task_report stopped = run_tasks(exec, pool, first, searches::chain{std::int64_t{1} << 60}, with);
  EXPECT_EQ(stopped.outcome, tasks::task_outcome::cancelled);
  EXPECT_EQ(stopped.left(), 1);
}

} // namespace evenly::task_laws
