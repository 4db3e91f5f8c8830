// SPDX-License-Identifier: Apache-2.0
// Searches with known answers as bodies of tasks: Fibonacci numbers by definition, N queens, chains.
//
// A task is one node of the search. It pushes its first child, as the range of all its children, and the rest of its
// own range. A task therefore pushes at most two tasks.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/tasks/body.hpp"

namespace evenly::searches {

/// One call for each of n, n - 1, ...; the sum of the leaves is the number. 2 fib(n + 1) - 1 tasks.
struct fibonacci {
  static constexpr int max_children = 2;
  using form = tasks::in_step;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, int n, Sink& sink) const {
    const bool calls = team.has_task() && n >= 2;
    if (team.has_task() && !calls) sink.add(static_cast<unsigned>(n));
    sink.push(calls, n - 1, n - 2);
  }
};

/// A placement of queens in the first rows: the attacked columns of the next row, and the columns that this task has
/// yet to try.
struct alignas(8) queens_task {
  std::uint16_t columns = 0;
  std::uint16_t falling = 0;
  std::uint16_t rising = 0;
  std::uint16_t left = 0; ///< 0: the empty board
};

/// The sum is the number of solutions. One task per placement of queens in the first rows, including the empty one. n:
/// 1 to 16.
struct queens {
  static constexpr int max_children = 2;
  static constexpr int max_queens = 16;
  using form = tasks::in_step;

  unsigned board; ///< one bit per column

  static queens of(int n) { return {(1u << n) - 1}; }

  /// The tasks after a placement.
  struct moves {
    bool is_solution, has_sibling, has_child;
    queens_task sibling, child;
  };
  EVENLY_INLINE_FN moves after(const queens_task& task) const {
    const unsigned left = task.left, here = left & (0u - left);
    const unsigned columns = task.columns | here;
    const unsigned falling = (task.falling | here) << 1 & board, rising = (task.rising | here) >> 1;
    const unsigned next = board & ~(columns | falling | rising);
    return {columns == board, left != here, next != 0,
            word(task.columns, task.falling, task.rising, left ^ here), word(columns, falling, rising, next)};
  }

  template <class Team, class Sink>
  EVENLY_FN void operator()(Team& team, const queens_task& task, Sink& sink) const {
    const moves next = after(task);
    if (team.has_task() && next.is_solution) sink.add(1);
    sink.push(team.has_task() && next.has_sibling, next.sibling);
    sink.push(team.has_task() && next.has_child, next.child);
  }

 private:
  EVENLY_FN static queens_task word(unsigned columns, unsigned falling, unsigned rising, unsigned left) {
    return {static_cast<std::uint16_t>(columns), static_cast<std::uint16_t>(falling),
            static_cast<std::uint16_t>(rising), static_cast<std::uint16_t>(left)};
  }
};

/// One task per number below `length`, each pushed by its predecessor. The sum is the length.
struct chain {
  static constexpr int max_children = 1;
  std::int64_t length;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, std::int64_t at, Sink& sink) const {
    sink.add(1);
    if (at + 1 < length) sink.push(at + 1);
  }
};

/// One task that pushes all others. The sum is their number.
struct burst {
  using form = tasks::in_step;
  std::int64_t count;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, std::int64_t at, Sink& sink) const {
    if (team.has_task() && at != 0) sink.add(1);
    const bool first = team.any(team.has_task() && at == 0);
    for (std::int64_t i = 1; first && i <= count; i += team.size())
      sink.push(i + team.rank() <= count, i + team.rank());
  }
};

} // namespace evenly::searches
