// SPDX-License-Identifier: Apache-2.0
// An octree built in bulk: sorts Morton keys and derives the tree from them, level by level. A scan counts the split
// octants of a level; binary search finds where their children begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/spatial/points.hpp"

namespace evenly::detail {

struct own_number {
  EVENLY_FN int operator()(std::int64_t i) const { return static_cast<int>(i); }
};
struct copied_number {
  const int* from;
  EVENLY_FN int operator()(std::int64_t i) const { return from[i]; }
};

/// Returns the j-th octant of a level that is split. ranks[i]: how many of the first i octants of the level are split.
struct open_octants {
  octree_splits above;
  const int* ranks;
  std::int64_t first; ///< the first node of ranks
  std::int64_t ends;  ///< of ranks
  EVENLY_FN spatial::octree_node operator()(std::int64_t j) const {
    const std::int64_t past = first_past<std::int64_t>(0, ends, [&](std::int64_t i) { return ranks[i] > j; });
    return above.node(first + past - 1);
  }
};
/// The begin of a child, by the sorted keys.
struct child_begin {
  const spatial::octree_node* open;
  const std::uint64_t* keys;
  int depth;
  EVENLY_FN int operator()(std::int64_t i) const {
    const spatial::octree_node of = open[i / 9];
    const int child = static_cast<int>(i % 9), level = depth;
    const std::uint64_t* const sorted = keys;
    if (child == 8) return of.end;
    return first_past<int>(of.begin, of.end,
                           [&](int at) { return spatial::octant_of_key(sorted[at], level) >= child; });
  }
};

/// begins[9 s + c] of octree_splits, growing as needed.
template <class Executor> struct split_list {
  buffer<int> begins;
  int count = 0;

  void make_room(const Executor& exec, int more) {
    const auto needed = 9 * (static_cast<std::size_t>(count) + static_cast<std::size_t>(more));
    if (needed <= begins.size()) return;
    auto wider = make_buffer<int>(exec, larger(needed, 2 * begins.size()));
    tabulate(exec, 9 * std::int64_t{count}, copied_number{begins.data()}, wider.data());
    exec.synchronize();
    begins = std::move(wider);
  }
};

} // namespace evenly::detail

namespace evenly::spatial {

/// Builds the octree of points, which are fitted to cells (points.hpp).
///
/// - points: on `exec`. Points of a leaf are in the order of their keys, then of their numbers.
/// - max_per_leaf: the maximum points of a leaf with more than one cell; at least 1.
/// - Cost: a sort of 63 bits; per level a scan of its nodes, and per split octant 7 binary searches.
/// - Memory: allocates 24 bytes per point, as much again for the sort, and 20 bytes per node.
/// - Synchronisation: waits for the executor.
/// - Throws as fit_box does.
template <class Executor, coordinate T>
octree octree_in_bulk(const Executor& exec, const point_view<T>& points, int max_per_leaf = 20) {
  detail::check_max(max_per_leaf);
  const octree_box box = fit_box(exec, points);
  const auto count = static_cast<int>(points.count);
  const auto size = static_cast<std::size_t>(count);
  auto keys = make_buffer<std::uint64_t>(exec, size);
  auto order = make_buffer<int>(exec, size);
  {
    const auto unsorted = make_buffer<std::uint64_t>(exec, size);
    const auto numbers = make_buffer<int>(exec, size);
    tabulate(exec, count, detail::point_key<T>{points, box}, unsorted.data());
    tabulate(exec, count, detail::own_number{}, numbers.data());
    workspace memory;
    detail::sort_numbers(exec, unsorted.data(), numbers.data(), count, keys.data(), order.data(), memory, 63);
    exec.synchronize();
  }

  detail::split_list<Executor> splits;
  std::vector<int> splits_of(octree_levels + 1, 0);
  auto open = to_executor(exec, std::vector<octree_node>{{0, count, 1}});
  int found = count > max_per_leaf ? 1 : 0;
  for (int depth = 0; depth < octree_levels; ++depth) {
    splits_of[static_cast<std::size_t>(depth)] = splits.count;
    if (found == 0) continue;
    splits.make_room(exec, found);
    tabulate(exec, 9 * std::int64_t{found}, detail::child_begin{open.data(), keys.data(), depth},
             splits.begins.data() + 9 * std::int64_t{splits.count});
    const int before = splits.count;
    splits.count += found;
    const std::int64_t children = 8 * std::int64_t{found}, first = 1 + 8 * std::int64_t{before};
    const detail::octree_splits above{splits.begins.data(), splits.count, count, max_per_leaf,
                                      depth == octree_levels - 1 ? 0 : splits.count};
    const auto flags = make_buffer<int>(exec, static_cast<std::size_t>(children));
    const auto ranks = make_buffer<int>(exec, static_cast<std::size_t>(children) + 1);
    tabulate(exec, children, detail::split_flag{above, first}, flags.data());
    exec.fill_zero(ranks.data(), sizeof(int));
    inclusive_scan(exec, static_cast<const int*>(flags.data()), children, plus<int>{}, ranks.data() + 1);
    exec.copy_to_host(&found, ranks.data() + children, sizeof(int));
    if (found == 0) continue;
    open = make_buffer<octree_node>(exec, static_cast<std::size_t>(found));
    tabulate(exec, found, detail::open_octants{above, ranks.data(), first, children + 1}, open.data());
    exec.synchronize();
  }
  splits_of.back() = splits.count;
  return detail::finish_octree(exec, splits.begins.data(), splits_of, max_per_leaf, std::move(order),
                               std::move(keys), box);
}

} // namespace evenly::spatial

namespace evenly {

using spatial::octree_in_bulk;

} // namespace evenly
