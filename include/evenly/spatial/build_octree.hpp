// SPDX-License-Identifier: Apache-2.0
// An octree by tasks (Cederman & Tsigas, "On dynamic load balancing on graphics processors", 2008, section 5). A task
// is an octant with more than `most` points: it counts those of its eight children, moves the points of each child
// together, and makes a task of each child that has too many. The others are leaves, and their points are added to a
// counter: when that is the number of points, the work is over. This is the application's end test; the pool has its
// own, the tasks that are left. Both must say the same, or the tree is refused.
//
// Points go to and fro between two arrays, a level each time, and from there to where leaves have them. They keep the
// order in which they came. Which task was run first shows nowhere: octants that were split are sorted by depth and
// first point, which makes the nodes those of octree_in_bulk.
//
// A task is run by a warp. Its lanes look at a point each; ballots say which child it falls into, and how many before
// it do. The first task has all points, so for so long one worker is at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/block/lanes.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/report.hpp"
#include "evenly/tasks/run_tasks.hpp"

namespace evenly {

struct octree_options {
  int most = 20; ///< points of a leaf, if it is not one cell; 1 or more
  task_options tasks;
};

/// A tree, and what the run of tasks tells: none was run where the root is a leaf.
struct octree_by_tasks {
  octree tree;
  task_report report;
  std::int64_t counted = 0; ///< by the application's end test: all points
};

namespace detail {

/// An octant whose points are [begin, end) of the array of its depth.
struct octant_task {
  int begin;
  int end;
  int depth;
};

struct octree_counters {
  std::int64_t done; ///< points in leaves
  std::int64_t splits;
};

struct octant_points {
  std::uint64_t* keys;
  int* order;
};

template <int BlockSize> struct octant_body {
  static constexpr int most_children = 8;
  static constexpr int block_size = BlockSize;
  using form = each_warp;
  using task = octant_task;

  octant_points at_even;   ///< depths
  octant_points at_odd;    ///< depths
  octant_points of_leaves; ///< where they end
  int most;
  int* begins; ///< as of octree_splits, in any order
  int* depths; ///< of splits
  std::int64_t room;
  octree_counters* counters;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& warp, const task& now, Sink& sink) const {
    const octant_points from = now.depth % 2 == 0 ? at_even : at_odd,
                        next = now.depth % 2 == 0 ? at_odd : at_even;
    int count[8] = {};
    count_points(warp, from, now, count);
    int begin[9] = {now.begin};
    int to[8];
    int in_leaves = 0;
    unsigned leaves = 0;
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) {
      to[c] = begin[c];
      begin[c + 1] = begin[c] + count[c];
      if (count[c] <= most || now.depth + 1 == octree_levels) {
        leaves |= 1u << c;
        in_leaves += count[c];
      }
    }
    move(warp, from, now, next, leaves, to);
    warp.sync(); // all points have arrived before the tasks that look at them are there
    if (warp.rank() != 0) return;
    record(begin, now.depth);
    if (in_leaves > 0) atomic_ref(counters->done).fetch_add(in_leaves, order::relaxed{});
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c)
      if ((leaves >> c & 1) == 0) sink.push(task{begin[c], begin[c + 1], now.depth + 1});
  }

 private:
  /// visit(how many of the lanes' points each child has, point or -1, its child, those before it in that child), by all
  /// lanes.
  template <class Team, class Visit>
  EVENLY_INLINE_FN static void for_each_point(Team& warp, const octant_points& from, const task& now,
                                              const Visit& visit) {
    const lane_mask before = first_lanes(warp.rank());
    for (int base = now.begin; base < now.end; base += warp.size()) {
      const int i = base + warp.rank();
      const int child = i < now.end ? octant_of_key(from.keys[i], now.depth) : 8;
      int here[8], rank = 0;
      EVENLY_UNROLL
      for (int c = 0; c < 8; ++c) {
        const lane_mask with = warp.ballot(child == c);
        here[c] = lanes_in(with);
        if (child == c) rank = lanes_in(with & before);
      }
      visit(here, i < now.end ? i : -1, child, rank);
    }
  }

  template <class Team>
  static constexpr bool is_alone = std::remove_cvref_t<decltype(std::declval<Team&>().block())>::is_serial;

  template <class Team>
  EVENLY_INLINE_FN static void count_points(Team& warp, const octant_points& from, const task& now,
                                            int (&count)[8]) {
    if constexpr (is_alone<Team>) {
      for (int i = now.begin; i < now.end; ++i) ++count[octant_of_key(from.keys[i], now.depth)];
    } else {
      for_each_point(warp, from, now, [&](const int(&here)[8], int, int, int) {
        EVENLY_UNROLL
        for (int c = 0; c < 8; ++c) count[c] += here[c];
      });
    }
  }

  template <class Team>
  EVENLY_INLINE_FN void move(Team& warp, const octant_points& from, const task& now,
                             const octant_points& next, unsigned leaves, int (&to)[8]) const {
    const auto put = [&](int i, int child, int place) {
      const bool ends = (leaves >> child & 1) != 0;
      (ends ? of_leaves.keys : next.keys)[place] = from.keys[i];
      (ends ? of_leaves.order : next.order)[place] = from.order[i];
    };
    if constexpr (is_alone<Team>) {
      for (int i = now.begin; i < now.end; ++i) {
        const int child = octant_of_key(from.keys[i], now.depth);
        put(i, child, to[child]++);
      }
    } else {
      for_each_point(warp, from, now, [&](const int(&here)[8], int i, int child, int rank) {
        int place = 0;
        EVENLY_UNROLL
        for (int c = 0; c < 8; ++c) {
          if (child == c) place = to[c] + rank;
          to[c] += here[c];
        }
        if (i >= 0) put(i, child, place);
      });
    }
  }

  EVENLY_INLINE_FN void record(const int (&begin)[9], int depth) const {
    const std::int64_t split = atomic_ref(counters->splits).fetch_add(1, order::relaxed{});
    if (split >= room) return; // counted all the same: the next try has room
    depths[split] = depth;
    EVENLY_UNROLL
    for (int c = 0; c < 9; ++c) begins[9 * split + c] = begin[c];
  }
};

struct split_key {
  const int* begins;
  const int* depths;
  EVENLY_FN std::uint64_t operator()(std::int64_t i) const {
    return static_cast<std::uint64_t>(depths[i]) << 32 | static_cast<std::uint32_t>(begins[9 * i]);
  }
};
struct sorted_begin {
  const int* begins;
  const int* from;
  EVENLY_FN int operator()(std::int64_t i) const { return begins[9 * std::int64_t{from[i / 9]} + i % 9]; }
};
/// How many splits are less deep.
struct splits_above {
  const std::uint64_t* keys;
  int count;
  EVENLY_FN int operator()(std::int64_t depth) const {
    const std::uint64_t* const sorted = keys;
    return first_past<int>(0, count,
                           [&](int i) { return sorted[i] >> 32 >= static_cast<std::uint64_t>(depth); });
  }
};

/// Splits in the order of nodes, and how many are less deep than 0, ..., 21.
template <class Executor>
std::pair<buffer<int>, std::vector<int>> sort_splits(const Executor& exec, const int* begins,
                                                     const int* depths, int count) {
  const auto size = static_cast<std::size_t>(count);
  auto sorted = make_buffer<int>(exec, 9 * size);
  const auto keys = make_buffer<std::uint64_t>(exec, size), keys_out = make_buffer<std::uint64_t>(exec, size);
  const auto numbers = make_buffer<int>(exec, size), numbers_out = make_buffer<int>(exec, size);
  tabulate(exec, count, split_key{begins, depths}, keys.data());
  tabulate(exec, count, own_number{}, numbers.data());
  workspace memory;
  sort_by_key(exec, static_cast<const std::uint64_t*>(keys.data()), static_cast<const int*>(numbers.data()),
              count, keys_out.data(), numbers_out.data(), memory, 37);
  tabulate(exec, 9 * std::int64_t{count}, sorted_begin{begins, numbers_out.data()}, sorted.data());
  const auto above = make_buffer<int>(exec, octree_levels + 1);
  tabulate(exec, octree_levels + 1, splits_above{keys_out.data(), count}, above.data());
  return {std::move(sorted), to_host(exec, above)};
}

/// Octants that are split for which there is room at first: as many as evenly spread points need, and some. Points
/// all over a cube or in a tube, 10^4 to 10^6 of them, split an octant for each 26 to 37.
constexpr std::int64_t likely_splits(std::int64_t points, int most) { return 16 + 2 * points / (most + 1); }

} // namespace detail

/// The octree of points on `exec` by tasks under a pool, node by node that of octree_in_bulk. Points of a leaf are in
/// the order of their numbers. Waits for the executor; allocates 48 bytes for each point and what the pool takes.
/// Throws invalid_argument as fit_box does, and for options that cannot be; task_overflow, which says what was needed,
/// if there was no room for a task; error if the two end tests differ. Where octants that are split are far more than
/// evenly spread points have, all is done a second time, with room for them. BlockSize: threads of a block, for which
/// cuda is compiled.
template <int BlockSize = 256, class Executor, task_pool Pool, coordinate T>
octree_by_tasks build_octree(const Executor& exec, const Pool& pool, const point_view<T>& points,
                             const octree_options& options = {}) {
  detail::check_most(options.most);
  const octree_box box = fit_box(exec, points);
  const auto count = static_cast<int>(points.count);
  const auto size = static_cast<std::size_t>(count);
  auto keys = make_buffer<std::uint64_t>(exec, size), even = make_buffer<std::uint64_t>(exec, size),
       odd = make_buffer<std::uint64_t>(exec, size);
  auto order = make_buffer<int>(exec, size), even_order = make_buffer<int>(exec, size),
       odd_order = make_buffer<int>(exec, size);
  if (count <= options.most) {
    tabulate(exec, count, detail::point_key<T>{points, box}, keys.data());
    tabulate(exec, count, detail::own_number{}, order.data());
    return {detail::finish_octree(exec, nullptr, std::vector<int>(octree_levels + 1, 0), options.most,
                                  std::move(order), std::move(keys), box),
            {},
            count};
  }
  const auto first = to_executor(exec, std::vector<detail::octant_task>{{0, count, 0}});
  const auto counters = make_buffer<detail::octree_counters>(exec, 1);
  task_workspace memory;
  for (std::int64_t room = detail::likely_splits(count, options.most);;) {
    tabulate(exec, count, detail::point_key<T>{points, box}, even.data());
    tabulate(exec, count, detail::own_number{}, even_order.data());
    exec.fill_zero(counters.data(), sizeof(detail::octree_counters));
    const auto begins = make_buffer<int>(exec, 9 * static_cast<std::size_t>(room));
    const auto depths = make_buffer<int>(exec, static_cast<std::size_t>(room));
    run_tasks(exec, pool, first,
              detail::octant_body<BlockSize>{{even.data(), even_order.data()},
                                             {odd.data(), odd_order.data()},
                                             {keys.data(), order.data()},
                                             options.most,
                                             begins.data(),
                                             depths.data(),
                                             room,
                                             counters.data()},
              options.tasks, memory);
    const task_report report = finish(exec, memory);
    const detail::octree_counters found = to_host(exec, counters).front();
    if (report.outcome == task_outcome::complete && (found.done != count || found.splits != report.run))
      throw error("the end tests of an octree differ: " + std::to_string(found.done) + " of " +
                  std::to_string(count) + " points were counted, by " + std::to_string(found.splits) +
                  " of " + std::to_string(report.run) + " tasks, when none was left");
    require(report.outcome == task_outcome::complete, [&] {
      return "the octree was cancelled after " + std::to_string(report.run) + " tasks, with " +
             std::to_string(report.left()) + " left";
    });
    if (std::exchange(room, found.splits) < found.splits) continue;
    const auto [sorted, splits_of] =
        detail::sort_splits(exec, begins.data(), depths.data(), static_cast<int>(found.splits));
    return {detail::finish_octree(exec, sorted.data(), splits_of, options.most, std::move(order),
                                  std::move(keys), box),
            report, found.done};
  }
}

/// The same under batched_stealing.
template <class Executor, coordinate T>
octree_by_tasks build_octree(const Executor& exec, const point_view<T>& points,
                             const octree_options& options = {}) {
  return build_octree(exec, batched_stealing{}, points, options);
}

} // namespace evenly
