// SPDX-License-Identifier: Apache-2.0
// The laws of run_fork_join (tasks/fork_join.hpp), for any executor, pool, form of body and number of frames.
//
//   1. Each task is called once, and what joins goes on once, when all that it waits for has given.
//   2. Results are those of the children, in the order in which they were pushed.
//   3. initial + pushed = run + left, where only tasks count; and continuations are counted too.
//   4. After a run each frame that was used is free once: none is lost, none is free twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/fork_join.hpp"

namespace evenly::join_laws {

/// What a call is for.
enum class step { begin, first_join, second_join, extra, detached };

/// Node n has the children fan n + 1, ..., fan n + fan, as far as there are such nodes.
struct node_task {
  int node = 0;
  step what = step::begin;
  std::int64_t sum = 0; ///< what a second join has so far
};
struct node_value {
  int node = -1;
  step what = step::begin;
  std::int64_t count = 0; ///< nodes and extra tasks
};

/// Which nodes do what: the others with children join once and give, and those without just give.
struct tree_shape {
  int nodes;
  int fan;

  EVENLY_FN bool has_child(int node, int i) const { return fan * std::int64_t{node} + i < nodes; }
  EVENLY_FN bool has_children(int node) const { return fan > 0 && has_child(node, 1); }
  EVENLY_FN bool joins_nothing(int node) const { return !has_children(node) && node % 5 == 0; }
  EVENLY_FN bool detaches(int node) const { return !has_children(node) && node % 5 == 1; }
  EVENLY_FN bool joins(int node) const { return has_children(node) || joins_nothing(node); }
  EVENLY_FN bool joins_again(int node) const { return joins(node) && node % 3 == 0; }
};

/// What bodies count, where the executor can write.
struct tree_counts {
  int runs = 0;
  int resumes = 0;
  int pushes = 0;
  int wrong = 0;
};

template <class Form> struct joined_tree {
  static constexpr int max_children = 4;
  static constexpr int block_size = 64;
  using form = Form;
  using result = node_value;

  tree_shape shape;
  tree_counts* counts;
  int* begun;  ///< [node]
  int* joined; ///< [node]: the joins that went on
  int cancel_at = -1;

  template <class Team, class Sink>
  EVENLY_FN void operator()(Team& team, const node_task& task, Sink& sink) const {
    if constexpr (std::is_same_v<Form, tasks::in_step>)
      if (!team.has_task()) return;
    count(counts->runs);
    if (task.node == cancel_at) sink.cancel();
    if (task.what != step::begin) {
      sink.add(task.what == step::detached);
      return sink.give({task.node, task.what, 1});
    }
    if (count(begun[task.node]) != 0) fail();
    for (int i = 1; i <= shape.fan; ++i)
      if (shape.has_child(task.node, i)) push(sink, {shape.fan * task.node + i, step::begin, 0});
    if (shape.joins(task.node)) return sink.join({task.node, step::first_join, 0});
    if (shape.detaches(task.node)) push(sink, {task.node, step::detached, 0});
    sink.give({task.node, step::begin, 1});
  }

  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team& team, const node_task& task, const Results& results, Sink& sink) const {
    if constexpr (std::is_same_v<Form, tasks::in_step>)
      if (!team.has_task()) return;
    count(counts->resumes);
    count(joined[task.node]);
    if (task.what == step::first_join) {
      std::int64_t sum = 1;
      int child = 0;
      for (int i = 1; i <= shape.fan; ++i)
        if (shape.has_child(task.node, i))
          sum += value_of(results, child++, shape.fan * task.node + i, step::begin);
      if (child != results.size()) fail();
      if (!shape.joins_again(task.node)) return sink.give({task.node, step::begin, sum});
      push(sink, {task.node, step::extra, 0});
      push(sink, {task.node, step::extra, 0});
      sink.join({task.node, step::second_join, sum});
    } else {
      if (task.what != step::second_join || results.size() != 2) fail();
      const std::int64_t extra =
          value_of(results, 0, task.node, step::extra) + value_of(results, 1, task.node, step::extra);
      sink.give({task.node, step::begin, task.sum + extra});
    }
  }

 private:
  template <class Results>
  EVENLY_FN std::int64_t value_of(const Results& results, int child, int node, step what) const {
    const node_value value = results[child];
    if (value.node != node || value.what != what) fail();
    return value.count;
  }
  template <class Sink> EVENLY_FN void push(Sink& sink, const node_task& task) const {
    count(counts->pushes);
    sink.push(task);
  }
  EVENLY_FN static int count(int& of) { return atomic_ref(of).fetch_add(1, order::relaxed{}); }
  EVENLY_FN void fail() const { atomic_ref(counts->wrong).store(1, order::relaxed{}); }
};

/// run_fork_join with a pool, and the memory that it leaves.
template <class Form>
using joined_run = std::function<join_report(const std::vector<node_task>&, const joined_tree<Form>&,
                                             std::vector<node_value>&, const join_options&, join_workspace&)>;
template <class Form, class Executor, class Pool>
joined_run<Form> run_on(const Executor& exec, const Pool& pool) {
  return [=](const std::vector<node_task>& first, const joined_tree<Form>& body,
             std::vector<node_value>& found, const join_options& options, join_workspace& memory) {
    const auto tasks = to_executor(exec, first);
    auto results = to_executor(exec, found);
    run_fork_join(exec, pool, tasks.span(), body, results.span(), options, memory);
    const join_report report = finish(exec, memory);
    found = to_host(exec, results);
    return report;
  };
}

/// Law 4, after a run that is complete.
template <class Executor>
void expect_frames_free(const Executor& exec, const join_workspace& memory, const join_report& report) {
  const detail::frame_pool& pool = memory.pool;
  const auto copy = [&]<class T>(const T* from, std::size_t count) {
    return to_host(exec, std::span<const T>(from, count));
  };
  std::vector<int> free(static_cast<std::size_t>(report.frames_used));
  const auto note = [&](std::uint32_t frame) {
    ASSERT_LT(frame, free.size());
    ++free[frame];
  };
  const auto rows = copy(pool.rows, report.workers.size());
  for (std::size_t w = 0; w < rows.size(); ++w) {
    ASSERT_LE(rows[w].free, pool.list);
    for (const std::uint32_t frame : copy(pool.lists + w * pool.list, static_cast<std::size_t>(rows[w].free)))
      note(frame);
  }
  const auto words = copy(pool.words, 1)[0];
  const auto nodes = static_cast<std::size_t>(words.nodes_begun.value);
  ASSERT_LE(nodes * static_cast<std::size_t>(pool.batch), static_cast<std::size_t>(pool.frames));
  const auto next = copy(pool.next, nodes);
  for (auto link = static_cast<std::uint32_t>(words.full.value); link != 0; link = next[link - 1])
    for (const std::uint32_t frame :
         copy(pool.contents + std::size_t{link - 1} * pool.batch, static_cast<std::size_t>(pool.batch)))
      note(frame);
  EXPECT_EQ(std::ranges::count(free, 1), report.frames_used) << "a frame was lost, or freed twice";
}

/// A run of `roots` trees of the shape, or of one whose nodes are roots where the fan is 0.
template <class Form, class Executor>
join_report expect_joined(const Executor& exec, const joined_run<Form>& run, const tree_shape& shape,
                          const join_options& options, int cancel_at = -1) {
  const auto nodes = static_cast<std::size_t>(shape.nodes);
  std::vector<node_task> first(shape.fan == 0 ? nodes : 1);
  for (std::size_t i = 0; i < first.size(); ++i) first[i].node = static_cast<int>(i);
  const auto begun = to_executor(exec, std::vector<int>(nodes)),
             joined = to_executor(exec, std::vector<int>(nodes));
  const auto counts = to_executor(exec, std::vector<tree_counts>(1));
  std::vector<node_value> found(first.size());
  join_workspace memory;
  const join_report report =
      run(first, joined_tree<Form>{shape, counts.data(), begun.data(), joined.data(), cancel_at}, found,
          options, memory);

  const tree_counts counted = to_host(exec, counts)[0];
  EXPECT_EQ(counted.wrong, 0) << "a task was called twice, or went on with wrong results";
  EXPECT_EQ(report.run, counted.runs);
  EXPECT_EQ(report.resumed, counted.resumes);
  EXPECT_EQ(report.pushed, counted.pushes);
  tasks::worker_statistics sums;
  for (const tasks::worker_statistics& worker : report.workers)
    sums.run += worker.run, sums.pushed += worker.pushed;
  EXPECT_EQ(sums.run, report.run);
  EXPECT_EQ(sums.pushed, report.pushed);
  if (cancel_at >= 0) {
    EXPECT_EQ(report.outcome, tasks::task_outcome::cancelled);
    EXPECT_GE(report.left(), 0);
    return report;
  }
  std::vector<std::int64_t> sizes(nodes);
  std::uint64_t detached = 0;
  const std::vector<int> begins = to_host(exec, begun), joins = to_host(exec, joined);
  for (int node = shape.nodes - 1; node >= 0; --node) {
    sizes[node] += 1 + (shape.joins_again(node) ? 2 : 0);
    if (shape.fan > 0 && node > 0) sizes[(node - 1) / shape.fan] += sizes[node];
    detached += shape.detaches(node);
    EXPECT_EQ(begins[node], 1) << "node " << node;
    EXPECT_EQ(joins[node], shape.joins(node) + shape.joins_again(node)) << "node " << node;
  }
  std::int64_t tasks = static_cast<std::int64_t>(detached);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].node, static_cast<int>(i));
    EXPECT_EQ(found[i].count, sizes[i]);
    tasks += sizes[i];
  }
  EXPECT_EQ(report.outcome, tasks::task_outcome::complete);
  EXPECT_EQ(report.run, tasks);
  EXPECT_EQ(report.left(), 0);
  EXPECT_EQ(report.sum, detached);
  expect_frames_free(exec, memory, report);
  return report;
}

/// Trees, a chain, a single task, and many roots.
template <class Form, class Executor>
void expect_trees(const Executor& exec, const joined_run<Form>& run, const join_options& options, int nodes) {
  for (const tree_shape shape :
       {tree_shape{nodes, 2}, {nodes, 3}, {nodes, 4}, {nodes / 8 + 1, 1}, {1, 2}, {nodes, 0}}) {
    SCOPED_TRACE(std::to_string(shape.nodes) + " nodes, fan " + std::to_string(shape.fan));
    expect_joined<Form>(exec, run, shape, options);
    if (testing::Test::HasFailure()) return;
  }
}

/// Level n waits for a leaf and for level n + 1: newest first, a leaf of each level waits for its turn.
struct deep_join {
  static constexpr int max_children = 2;
  static constexpr int block_size = 64;
  static constexpr int leaf = -1;
  using result = std::int64_t;

  int levels;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, int level, Sink& sink) const {
    if (level == leaf) return sink.give(1);
    sink.push(int{leaf});
    if (level + 1 < levels) sink.push(level + 1);
    sink.join(level);
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, int, const Results& results, Sink& sink) const {
    std::int64_t sum = 1;
    for (int child = 0; child < results.size(); ++child) sum += results[child];
    sink.give(sum);
  }
};
/// With room in the pool, on the smallest stacks.
template <class Executor, class Pool>
void expect_deep_join(const Executor& exec, const Pool& pool, join_options options, int levels) {
  options.capacity = std::int64_t{levels} * 64 * std::max(options.blocks, 8);
  options.frames = 8 * std::int64_t{levels};
  const auto first = to_executor(exec, std::vector<int>{0});
  auto found = to_executor(exec, std::vector<std::int64_t>(1));
  const join_report report =
      run_fork_join(exec, pool, first.span(), deep_join{levels}, found.span(), options);
  EXPECT_EQ(report.run, 2 * levels);
  EXPECT_EQ(to_host(exec, found)[0], 2 * levels);
}

/// Twice as many frames as a tree is deep, where one worker goes depth-first; and less than its depth.
template <class Form, class Executor>
void expect_few_frames(const Executor& exec, const joined_run<Form>& run, join_options options) {
  options.blocks = 1;
  options.frames = 20; // a tree of 1,000 nodes has 9 levels with children, and a node without may join too
  const join_report done = expect_joined<Form>(exec, run, {1000, 2}, options);
  EXPECT_EQ(done.frames, 20);
  for (const int frames : {1, 2, 5}) {
    options.frames = frames;
    try {
      expect_joined<Form>(exec, run, {1000, 2}, options);
      ADD_FAILURE() << frames << " frames were enough";
    } catch (const tasks::frame_overflow& what) {
      EXPECT_EQ(what.frames, frames);
      EXPECT_GE(what.run, frames + 1);
      EXPECT_NE(std::string(what.what())
                    .find("no free frame for a waiting task after " + std::to_string(what.run) + " were run"),
                std::string::npos);
    }
  }
}

} // namespace evenly::join_laws
