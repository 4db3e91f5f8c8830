// SPDX-License-Identifier: Apache-2.0
// An octree by tasks (Cederman & Tsigas, "On dynamic load balancing on graphics processors", 2008, section 5). A task
// is an octant with more than `max_per_leaf` points: it counts those of its eight children, moves the points of each
// child together, and makes a task of each child that has too many. The others are leaves, and their points are added
// to a counter: when that is the number of points, the work is over. This is the application's end test; the pool has
// its own, the tasks that are left. Both must say the same, or the tree is refused.
//
// Points go to and fro between two arrays, a level each time, and from there to where leaves have them. They keep the
// order in which they came. Which task was run first shows nowhere: octants that were split are sorted by depth and
// first point, which makes the nodes those of octree_in_bulk.
//
// A task is run by a warp. Its lanes look at a point each; ballots say which child it falls into, and how many before
// it do. In the paper the first task has all points, so for so long one worker is at work. Here octants of very many
// points are cut into slices, which are tasks of their own, unless options say otherwise (detail/octant_tasks.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "evenly/spatial/detail/octant_tasks.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/report.hpp"
#include "evenly/tasks/run_tasks.hpp"

namespace evenly {

struct octree_options {
  static constexpr int cut_as_suits = -1;

  int max_per_leaf = 20; ///< points of a leaf, if it is not one cell; 1 or more
  /// Octants of more points are cut among workers. 0: none, as the paper has it.
  int cut = cut_as_suits;
  task_options tasks;
};

/// A tree, and what the run of tasks tells: none was run where the root is a leaf.
struct octree_by_tasks {
  octree tree;
  task_report report;
  std::int64_t splits = 0;  ///< octants that were split: as many as tasks, unless some were cut
  std::int64_t counted = 0; ///< by the application's end test: all points
};

/// Points of an octant that is not cut on an executor, where options leave it open.
template <class Executor> constexpr int default_octree_cut() {
  if constexpr (Executor::serial_blocks)
    return 1 << 16;
  else
    return Executor::on_host ? 64 : 1 << 12;
}

namespace detail {

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
  sort_numbers(exec, keys.data(), numbers.data(), count, keys_out.data(), numbers_out.data(), memory, 37);
  tabulate(exec, 9 * std::int64_t{count}, sorted_begin{begins, numbers_out.data()}, sorted.data());
  const auto above = make_buffer<int>(exec, octree_levels + 1);
  tabulate(exec, octree_levels + 1, splits_above{keys_out.data(), count}, above.data());
  return {std::move(sorted), to_host(exec, above)};
}

/// Memory for octants that are cut. At each depth they have at most all points, and more than `max_per_leaf` each.
template <class Executor> class cut_octant_memory {
 public:
  cut_octant_memory(const Executor& exec, int count, int max_per_leaf) {
    cut_.max_per_leaf = max_per_leaf;
    if (!cut_.cuts(count)) {
      cut_.max_per_leaf = 0;
      return;
    }
    cut_.slice = ceil_div(max_per_leaf, 2);
    const std::int64_t octants = 1 + std::int64_t{octree_levels} * (count / max_per_leaf);
    const std::int64_t slices = octants + std::int64_t{octree_levels} * ceil_div(count, cut_.slice);
    octants_ = make_buffer<cut_octant>(exec, static_cast<std::size_t>(octants));
    counts_ = make_buffer<int>(exec, 8 * static_cast<std::size_t>(slices));
    cut_.octants = octants_.data();
    cut_.counts = counts_.data();
  }
  const cut_octants& view() const { return cut_; }

  /// The task of all points, and its counters, from which a run begins.
  octant_task first(const Executor& exec, int count, octree_counters* counters) const {
    octree_counters begun{};
    octant_task all{0, count, 0};
    if (cut_.max_per_leaf > 0) {
      const int slices = ceil_div(count, cut_.slice);
      const cut_octant root{0, count, 0, 0, slices, 0, 0, {}};
      exec.copy_from_host(octants_.data(), &root, sizeof(root));
      begun.cut = 1;
      begun.slices = slices;
      all = {0, slices, 0, 0};
    }
    exec.copy_from_host(counters, &begun, sizeof(begun));
    return all;
  }

 private:
  cut_octants cut_;
  buffer<cut_octant> octants_;
  buffer<int> counts_;
};

/// Octants that are split for which there is room at first: as many as evenly spread points need, and some. Points
/// all over a cube or in a tube, 10^4 to 10^6 of them, split an octant for each 26 to 37.
constexpr std::int64_t likely_splits(std::int64_t points, int max_per_leaf) {
  return 16 + 2 * points / (max_per_leaf + 1);
}

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
  detail::check_max(options.max_per_leaf);
  const octree_box box = fit_box(exec, points);
  const auto count = static_cast<int>(points.count);
  const auto size = static_cast<std::size_t>(count);
  auto keys = make_buffer<std::uint64_t>(exec, size), even = make_buffer<std::uint64_t>(exec, size),
       odd = make_buffer<std::uint64_t>(exec, size);
  auto order = make_buffer<int>(exec, size), even_order = make_buffer<int>(exec, size),
       odd_order = make_buffer<int>(exec, size);
  if (count <= options.max_per_leaf) {
    tabulate(exec, count, detail::point_key<T>{points, box}, keys.data());
    tabulate(exec, count, detail::own_number{}, order.data());
    return {detail::finish_octree(exec, nullptr, std::vector<int>(octree_levels + 1, 0), options.max_per_leaf,
                                  std::move(order), std::move(keys), box),
            {},
            0,
            count};
  }
  const int max_whole = options.cut < 0 ? default_octree_cut<Executor>() : options.cut;
  const detail::cut_octant_memory<Executor> cut(exec, count, max_whole);
  const auto first = make_buffer<detail::octant_task>(exec, 1);
  const auto counters = make_buffer<detail::octree_counters>(exec, 1);
  task_workspace memory;
  for (std::int64_t room = detail::likely_splits(count, options.max_per_leaf);;) {
    tabulate(exec, count, detail::point_key<T>{points, box}, even.data());
    tabulate(exec, count, detail::own_number{}, even_order.data());
    const detail::octant_task root = cut.first(exec, count, counters.data());
    exec.copy_from_host(first.data(), &root, sizeof(root));
    const auto begins = make_buffer<int>(exec, 9 * static_cast<std::size_t>(room));
    const auto depths = make_buffer<int>(exec, static_cast<std::size_t>(room));
    run_tasks(exec, pool, first,
              detail::octant_body<BlockSize>{{even.data(), even_order.data()},
                                             {odd.data(), odd_order.data()},
                                             {keys.data(), order.data()},
                                             options.max_per_leaf,
                                             begins.data(),
                                             depths.data(),
                                             room,
                                             counters.data(),
                                             cut.view()},
              options.tasks, memory);
    const task_report report = finish(exec, memory);
    const detail::octree_counters found = to_host(exec, counters).front();
    const std::int64_t counted = found.splits - found.cut + found.tasks_of_cut;
    if (report.outcome == task_outcome::complete && (found.done != count || counted != report.run))
      throw error("the octree is inconsistent: " + std::to_string(found.done) + " of " +
                  std::to_string(count) + " points were counted, by " + std::to_string(counted) + " of " +
                  std::to_string(report.run) + " tasks after the last task");
    require(report.outcome == task_outcome::complete, [&] {
      return "the octree was cancelled after " + std::to_string(report.run) + " tasks, with " +
             std::to_string(report.left()) + " left";
    });
    if (std::exchange(room, found.splits) < found.splits) continue;
    const auto [sorted, splits_of] =
        detail::sort_splits(exec, begins.data(), depths.data(), static_cast<int>(found.splits));
    return {detail::finish_octree(exec, sorted.data(), splits_of, options.max_per_leaf, std::move(order),
                                  std::move(keys), box),
            report, found.splits, found.done};
  }
}

/// The same under batched_stealing.
template <class Executor, coordinate T>
octree_by_tasks build_octree(const Executor& exec, const point_view<T>& points,
                             const octree_options& options = {}) {
  return build_octree(exec, batched_stealing{}, points, options);
}

} // namespace evenly
