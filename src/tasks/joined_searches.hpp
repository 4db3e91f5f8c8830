// SPDX-License-Identifier: Apache-2.0
// The searches of searches.hpp and uts.hpp as tasks that wait for their children. Each task returns the result of its
// subtree, the first task the answer. The number of tasks is the same, because continuations do not count.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/tasks/joining.hpp"
#include "tasks/searches.hpp"
#include "tasks/uts.hpp"

namespace evenly::searches {

/// Returns the Fibonacci number.
struct joined_fibonacci {
  static constexpr int max_children = 2;
  using result = std::uint64_t;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, int n, Sink& sink) const {
    if (n < 2) return sink.give(static_cast<std::uint64_t>(n));
    sink.fork_join(n, n - 1, n - 2);
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, int, const Results& results, Sink& sink) const {
    sink.give(results[0] + results[1]);
  }
};

/// The sum of the children's results.
template <class Results> EVENLY_INLINE_FN std::uint64_t total(const Results& results) {
  std::uint64_t sum = 0;
  for (int i = 0; i < results.size(); ++i) sum += results[i];
  return sum;
}

/// Returns the number of solutions with this beginning. A continuation keeps its own, 0 or 1, in `left`.
struct joined_queens {
  static constexpr int max_children = 2;
  using result = std::uint64_t;

  queens rule;

  template <class Team, class Sink>
  EVENLY_FN void operator()(Team&, const queens_task& task, Sink& sink) const {
    const queens::moves next = rule.after(task);
    if (!next.has_sibling && !next.has_child) return sink.give(next.is_solution);
    if (next.has_sibling) sink.push(next.sibling);
    if (next.has_child) sink.push(next.child);
    sink.join({0, 0, 0, static_cast<std::uint16_t>(next.is_solution)});
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, const queens_task& task, const Results& results, Sink& sink) const {
    sink.give(task.left + total(results));
  }
};

/// Returns the remaining length of the chain.
struct joined_chain {
  static constexpr int max_children = 1;
  using result = std::uint64_t;

  std::int64_t length;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, std::int64_t at, Sink& sink) const {
    if (at + 1 == length) return sink.give(1);
    sink.fork_join(at, at + 1);
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, std::int64_t, const Results& results, Sink& sink) const {
    sink.give(results[0] + 1);
  }
};

} // namespace evenly::searches

namespace evenly::uts {

/// Returns the number of nodes in the subtrees of its range.
struct joined_search {
  static constexpr int max_children = search::max_children;
  static constexpr int block_size = search::block_size;
  using result = std::uint64_t;

  rule children;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, const task& of, Sink& sink) const {
    const node mine = of.count == 0 ? of.parent : child_of(of.parent, of.first);
    const int below = children(mine, static_cast<int>(of.depth));
    const int others = of.count > 1 ? of.count - 1 : 0, near = (others + 1) / 2, far = others - near;
    if (others + below == 0) return sink.give(1);
    if (far > 0) sink.push(search::range(of.parent, of.depth, of.first + 1 + near, far));
    if (near > 0) sink.push(search::range(of.parent, of.depth, of.first + 1, near));
    if (below > 0) sink.push(search::range(mine, of.depth + 1, 0, below));
    sink.join({});
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, const task&, const Results& results, Sink& sink) const {
    sink.give(1 + searches::total(results));
  }
};

} // namespace evenly::uts
