// SPDX-License-Identifier: Apache-2.0
// An octree built by tasks (Cederman & Tsigas, "On dynamic load balancing on graphics processors", 2008, section 5). A
// task is an octant with more than `max_per_leaf` points. It counts the points of its eight children, groups the points
// by child, and makes a task for each child with too many. The other children are leaves, and their points are added to
// a counter; the work ends when the counter has all points. The pool has its own end test, the number of remaining
// tasks. If the two tests disagree, the tree is refused.
//
// Points move between two arrays, once per level, and finally to the array of leaves. They keep their order. The result
// does not depend on the order of tasks: split octants are sorted by depth and first point, so the nodes are those of
// octree_in_bulk.
//
// A warp runs a task. Each of its lanes reads a point; ballots determine its child and the number of points before it
// there. In the paper a single task begins with all points, so one worker is busy alone for that long. Here octants of
// very many points are cut into slices, which are tasks of their own, unless options disable it
// (detail/octant_tasks.hpp).
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
#include "evenly/tasks/static_list.hpp"

namespace evenly::spatial {

struct octree_options {
  static constexpr int cut_as_suits = -1;

  int max_per_leaf = 20; ///< maximum points of a leaf with more than one cell; at least 1
  /// Octants of more points are cut among workers. 0: none are cut, as in the paper.
  int cut = cut_as_suits;
  task_options tasks;
};

/// A tree, and the report of the run of tasks; no task runs if the root is a leaf.
struct octree_by_tasks {
  octree tree;
  task_report report;
  std::int64_t splits = 0;  ///< number of split octants; equals the number of tasks unless some were cut
  std::int64_t counted = 0; ///< by the application's end test: all points
};

/// The maximum points of an octant that is not cut, if options do not set it.
template <class Executor> constexpr int default_octree_cut() {
  if constexpr (Executor::serial_blocks)
    return 1 << 16;
  else
    return Executor::on_host ? 64 : 1 << 12;
}

} // namespace evenly::spatial

namespace evenly::detail {

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
/// The number of splits at smaller depths.
struct splits_above {
  const std::uint64_t* keys;
  int count;
  EVENLY_FN int operator()(std::int64_t depth) const {
    const std::uint64_t* const sorted = keys;
    return first_past<int>(0, count,
                           [&](int i) { return sorted[i] >> 32 >= static_cast<std::uint64_t>(depth); });
  }
};

/// Splits in the order of nodes, and the number of splits at depths below 0, ..., 21.
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
  const auto above = make_buffer<int>(exec, spatial::octree_levels + 1);
  tabulate(exec, spatial::octree_levels + 1, splits_above{keys_out.data(), count}, above.data());
  return {std::move(sorted), to_host(exec, above)};
}

/// Memory for octants that are cut. Those of one depth have at most all points, and more than `max_per_leaf` each.
template <class Executor> class cut_octant_memory {
 public:
  cut_octant_memory(const Executor& exec, int count, int max_per_leaf) {
    cut_.max_per_leaf = max_per_leaf;
    if (!cut_.cuts(count)) {
      cut_.max_per_leaf = 0;
      return;
    }
    cut_.slice = ceil_div(max_per_leaf, 2);
    const std::int64_t octants = 1 + std::int64_t{spatial::octree_levels} * (count / max_per_leaf);
    const std::int64_t slices = octants + std::int64_t{spatial::octree_levels} * ceil_div(count, cut_.slice);
    octants_ = make_buffer<cut_octant>(exec, static_cast<std::size_t>(octants));
    counts_ = make_buffer<int>(exec, 8 * static_cast<std::size_t>(slices));
    cut_.octants = octants_.data();
    cut_.counts = counts_.data();
  }
  const cut_octants& view() const { return cut_; }

  /// The first task, of all points, with its counters.
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

/// The initial capacity for split octants: enough for evenly spread points, with a margin. 10^4 to 10^6 points in a
/// cube or a tube have one split octant per 26 to 37 points.
constexpr std::int64_t likely_splits(std::int64_t points, int max_per_leaf) {
  return 16 + 2 * points / (max_per_leaf + 1);
}

} // namespace evenly::detail

namespace evenly::spatial {

/// Builds the octree of points by tasks of a pool, with the same nodes as octree_in_bulk.
///
/// - points: on `exec`. Points of a leaf are in the order of their numbers.
/// - BlockSize: threads per block, for which cuda code is compiled.
/// - Form: a task is run by a warp, or by a block as in the paper (tasks::each_block).
/// - Memory: allocates 48 bytes per point, and the memory of the pool. If far more octants are split than of evenly
///   spread points, the build is repeated with more memory.
/// - Synchronisation: waits for the executor.
/// - Throws as fit_box does, and invalid_argument for invalid options; task_overflow, with the required size, if there
///   is no room for a task; error if the two end tests disagree.
template <int BlockSize = 256, class Form = tasks::each_warp, class Executor, tasks::task_pool Pool,
          coordinate T>
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
              detail::octant_body<BlockSize, Form>{{even.data(), even_order.data()},
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
    if (report.outcome == tasks::task_outcome::complete && (found.done != count || counted != report.run))
      throw error("the octree is inconsistent: " + std::to_string(found.done) + " of " +
                  std::to_string(count) + " points were counted, by " + std::to_string(counted) + " of " +
                  std::to_string(report.run) + " tasks after the last task");
    require(report.outcome == tasks::task_outcome::complete, [&] {
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

/// The same with the pool that suits the executor: batched_stealing on the host, static_list on a GPU. There a run of
/// up to 4 million points has one block per multiprocessor by default: on an H100, more blocks are slower for 10^6
/// points, and faster for 10^7.
template <class Executor, coordinate T>
octree_by_tasks build_octree(const Executor& exec, const point_view<T>& points, octree_options options = {}) {
  if constexpr (Executor::on_host) {
    return build_octree(exec, batched_stealing{}, points, options);
  } else {
    if (options.tasks.blocks == 0 && points.count <= 4'000'000) options.tasks.blocks = exec.multiprocessors();
    return build_octree(exec, static_list{}, points, options);
  }
}

} // namespace evenly::spatial

namespace evenly {

using spatial::octree_options, spatial::build_octree;

} // namespace evenly
