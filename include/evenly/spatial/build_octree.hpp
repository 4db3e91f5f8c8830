// SPDX-License-Identifier: Apache-2.0
// An octree built by tasks (Cederman & Tsigas, "On dynamic load balancing on graphics processors", 2008, section 5). A
// task is an octant with more than `max_per_leaf` points. It counts the points of its eight children, groups the points
// by child, and makes a task for each child with too many. The other children are leaves, and their points are added to
// a counter. The work ends when the counter has all points. The pool ends when no task is left. If these two end tests
// disagree, the tree is refused.
//
// Points move between two arrays, once per level, and finally to the array of leaves. They keep their order. Split
// octants are sorted by depth and first point. So the nodes are those of octree_in_bulk, in any order of tasks.
//
// A warp runs a task. Each of its lanes reads a point; ballots determine its child and the number of points before it
// there. The first task has all points, and one worker would run it alone. Therefore octants of very many points are
// cut into slices, which are tasks of their own. octree_options::cut = 0 disables this, as in the paper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "evenly/spatial/morton.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/report.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "evenly/tasks/static_list.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The work of octree tasks. A task is a whole octant, or some slices of an octant with very many points. Slices
// process their octant in two passes. First each counts its points of each child, and the last slice to finish
// computes the positions of all slices' points. Then each moves its points, and the last slice to finish makes tasks
// of the children. A task of several slices first makes tasks of parts of them.

namespace evenly::detail {

/// A whole octant with points [begin, end) of the array of its depth; or slices [begin, end) of a cut octant.
struct octant_task {
  static constexpr int whole = -1;

  int begin;
  int end;
  int depth;       ///< of a whole octant; of slices: 0 to count, 1 to move
  int cut = whole; ///< of slices: the number of their octant
};

/// An octant whose points are cut into slices.
struct cut_octant {
  int begin;
  int end;
  int depth;
  int first_slice; ///< its first slice, numbered over all octants
  int slices;
  int counted;  ///< number of slices that have counted
  int moved;    ///< number of slices that have moved their points
  int child[9]; ///< the begins of the children's points, and the end
};

struct octree_counters {
  std::int64_t done; ///< number of points in leaves
  std::int64_t splits;
  std::int64_t cut;          ///< number of octants that are cut
  std::int64_t slices;       ///< number of their slices
  std::int64_t tasks_of_cut; ///< number of tasks of slices that were run
};

struct octant_points {
  std::uint64_t* keys;
  int* order;
};

/// Octants that are cut, and for each of their slices the number of its points per child; after the last count, the
/// number of these points in preceding slices.
struct cut_octants {
  int max_per_leaf = 0; ///< maximum points of an octant that is not cut; 0: none is cut
  int slice = 1;        ///< points of a slice
  cut_octant* octants = nullptr;
  int* counts = nullptr;

  EVENLY_FN bool cuts(int points) const { return max_per_leaf > 0 && points > max_per_leaf; }
};

/// `Form`: a task is run by a warp, or by a block as in the paper.
template <int BlockSize, class Form = tasks::each_warp> struct octant_body {
  static constexpr int max_children = 8;
  static constexpr int block_size = BlockSize;
  using form = Form;
  using task = octant_task;

  octant_points at_even;   ///< of even depths
  octant_points at_odd;    ///< of odd depths
  octant_points of_leaves; ///< the final positions
  int max_per_leaf;
  int* begins; ///< as in octree_splits, in any order
  int* depths; ///< of the splits
  std::int64_t room;
  octree_counters* counters;
  cut_octants cut;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, const task& now, Sink& sink) const {
    if constexpr (std::is_same_v<Form, tasks::each_block>) {
      auto warp = this_warp(team.block());
      if (now.cut == octant_task::whole && team.block().shape().warps() > 1)
        split_by_block(team.block(), warp, now, sink);
      else if (warp_of(team.block()) == 0)
        run_by_warp(warp, now, sink);
    } else {
      run_by_warp(team, now, sink);
    }
  }

 private:
  template <class Team, class Sink>
  EVENLY_INLINE_FN void run_by_warp(Team& warp, const task& now, Sink& sink) const {
    if (now.cut == octant_task::whole) return split(warp, now, sink);
    if (warp.rank() == 0) atomic_ref(counters->tasks_of_cut).fetch_add(std::int64_t{1}, order::relaxed{});
    if (now.end - now.begin > 1) {
      if (warp.rank() == 0) spread(now, sink);
    } else if (now.depth == 0) {
      count_slice(warp, now, sink);
    } else {
      move_slice(warp, now, sink);
    }
  }

  /// Each warp counts and moves a range of the points. The counts of the warps, and later their scan, are stored in the
  /// part of the other array to which the points move afterwards.
  template <class Block, class Team, class Sink>
  EVENLY_FN void split_by_block(Block& block, Team& warp, const task& now, Sink& sink) const {
    const int points = now.end - now.begin;
    const int warps = larger(smaller(block.shape().warps(), points / larger(block.shape().warp, 16)), 1);
    const int each = ceil_div(points, warps), mine = warp_of(block);
    const int first = smaller(now.begin + mine * each, now.end), last = smaller(first + each, now.end);
    int count[8] = {}, begin[9] = {now.begin}, to[8];
    count_points(warp, first, last, now.depth, count);
    int* const counts = points_at(now.depth + 1).order + now.begin; // 8 of each warp, and the sums
    if (warps > 1) {
      if (warp.rank() == 0 && mine < warps) store_counts(counts + 8 * mine, count);
      block.sync();
      if (mine == 0) {
        scan_counts(warp, counts, warps, count);
        if (warp.rank() == 0) store_counts(counts + 8 * warps, count);
      }
      block.sync();
    }
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) {
      begin[c + 1] = begin[c] + (warps > 1 ? counts[8 * warps + c] : count[c]);
      to[c] = begin[c] + (warps > 1 && mine < warps ? counts[8 * mine + c] : 0);
    }
    block.sync(); // the counts are read
    move(warp, first, last, now.depth, leaves_of(begin, now.depth), to);
    block.sync(); // all points are written before the tasks that read them are made
    if (block.rank() != 0) return;
    record(begin, now.depth);
    finish(begin, now.depth, sink);
  }
  EVENLY_INLINE_FN static void store_counts(int* at, const int (&count)[8]) {
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) atomic_ref(at[c]).store(count[c], order::relaxed{});
  }
  /// Replaces the counts of each part by their sums over the preceding parts. `total`: the sums over all parts. Called
  /// by all lanes.
  template <class Team>
  EVENLY_INLINE_FN static void scan_counts(Team& warp, int* counts, int parts, int (&total)[8]) {
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) total[c] = 0;
    for (int first = 0; first < parts; first += warp.size()) {
      const int part = first + warp.rank();
      int* const at = counts + 8 * std::int64_t{part};
      EVENLY_UNROLL
      for (int c = 0; c < 8; ++c) {
        int here = 0;
        if (part < parts) here = atomic_ref(at[c]).load(order::relaxed{});
        int upto = here, all = here;
        if constexpr (!is_alone<Team>) {
          upto = warp.scan(here, plus<int>{});
          all = warp.shuffle(upto, warp.size() - 1);
        }
        if (part < parts) atomic_ref(at[c]).store(total[c] + upto - here, order::relaxed{});
        total[c] += all;
      }
    }
  }

  template <class Team, class Sink> EVENLY_FN void split(Team& warp, const task& now, Sink& sink) const {
    int count[8] = {};
    count_points(warp, now.begin, now.end, now.depth, count);
    int begin[9] = {now.begin};
    int to[8];
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) {
      to[c] = begin[c];
      begin[c + 1] = begin[c] + count[c];
    }
    move(warp, now.begin, now.end, now.depth, leaves_of(begin, now.depth), to);
    warp.sync(); // all points are written before the tasks that read them are made
    if (warp.rank() != 0) return;
    record(begin, now.depth);
    finish(begin, now.depth, sink);
  }

  /// Bit c: child c is a leaf.
  EVENLY_INLINE_FN unsigned leaves_of(const int (&begin)[9], int depth) const {
    unsigned leaves = 0;
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c)
      if (begin[c + 1] - begin[c] <= max_per_leaf || depth + 1 == spatial::octree_levels) leaves |= 1u << c;
    return leaves;
  }

  /// Counts the points of children that are leaves, and makes tasks of the others. Called by one thread.
  template <class Sink> EVENLY_INLINE_FN void finish(const int (&begin)[9], int depth, Sink& sink) const {
    const unsigned leaves = leaves_of(begin, depth);
    int in_leaves = 0;
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c)
      if ((leaves >> c & 1) != 0) in_leaves += begin[c + 1] - begin[c];
    if (in_leaves > 0) atomic_ref(counters->done).fetch_add(in_leaves, order::relaxed{});
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c)
      if ((leaves >> c & 1) == 0) sink.push(task_of(begin[c], begin[c + 1], depth + 1));
  }
  EVENLY_INLINE_FN task task_of(int begin, int end, int depth) const {
    const int points = end - begin;
    if (!cut.cuts(points)) return {begin, end, depth};
    const int slices = ceil_div(points, cut.slice);
    const auto number = atomic_ref(counters->cut).fetch_add(std::int64_t{1}, order::relaxed{});
    const auto first = atomic_ref(counters->slices).fetch_add(std::int64_t{slices}, order::relaxed{});
    cut.octants[number] = {begin, end, depth, static_cast<int>(first), slices, 0, 0, {}};
    return {0, slices, 0, static_cast<int>(number)};
  }

  template <class Sink> EVENLY_INLINE_FN static void spread(const task& now, Sink& sink) {
    const int each = ceil_div(now.end - now.begin, max_children);
    for (int from = now.begin; from < now.end; from += each)
      sink.push(task{from, smaller(from + each, now.end), now.depth, now.cut});
  }

  struct slice_points {
    int begin;
    int end;
  };
  EVENLY_INLINE_FN slice_points points_of_slice(const cut_octant& of, int slice) const {
    const int begin = of.begin + slice * cut.slice;
    return {begin, smaller(begin + cut.slice, of.end)};
  }
  EVENLY_INLINE_FN int* counts_of_slice(const cut_octant& of, int slice) const {
    return cut.counts + 8 * (std::int64_t{of.first_slice} + slice);
  }
  /// Returns to all lanes whether the caller's slice is the last to finish. If so, the writes of the other slices are
  /// visible.
  template <class Team> EVENLY_INLINE_FN static bool is_last(Team& warp, int& done, int slices) {
    warp.sync();
    int before = 0;
    if (warp.rank() == 0) before = atomic_ref(done).fetch_add(1);
    if constexpr (!is_alone<Team>) before = warp.shuffle(before, 0);
    warp.sync();
    return before + 1 == slices;
  }

  template <class Team, class Sink>
  EVENLY_INLINE_FN void count_slice(Team& warp, const task& now, Sink& sink) const {
    cut_octant& of = cut.octants[now.cut];
    const slice_points mine = points_of_slice(of, now.begin);
    int count[8] = {};
    count_points(warp, mine.begin, mine.end, of.depth, count);
    if (warp.rank() == 0) store_counts(counts_of_slice(of, now.begin), count);
    if (!is_last(warp, of.counted, of.slices)) return;
    scan_counts(warp, counts_of_slice(of, 0), of.slices, count);
    warp.sync(); // all data are written before the tasks that read them are made
    if (warp.rank() != 0) return;
    int begin[9] = {of.begin};
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) begin[c + 1] = begin[c] + count[c];
    EVENLY_UNROLL
    for (int c = 0; c < 9; ++c) of.child[c] = begin[c];
    record(begin, of.depth);
    sink.push(task{0, of.slices, 1, now.cut});
  }

  template <class Team, class Sink>
  EVENLY_INLINE_FN void move_slice(Team& warp, const task& now, Sink& sink) const {
    cut_octant& of = cut.octants[now.cut];
    const slice_points mine = points_of_slice(of, now.begin);
    const int* const before = counts_of_slice(of, now.begin);
    int begin[9], to[8];
    EVENLY_UNROLL
    for (int c = 0; c < 9; ++c) begin[c] = of.child[c];
    EVENLY_UNROLL
    for (int c = 0; c < 8; ++c) to[c] = begin[c] + before[c];
    move(warp, mine.begin, mine.end, of.depth, leaves_of(begin, of.depth), to);
    if (is_last(warp, of.moved, of.slices) && warp.rank() == 0) finish(begin, of.depth, sink);
  }

  EVENLY_INLINE_FN const octant_points& points_at(int depth) const {
    return depth % 2 == 0 ? at_even : at_odd;
  }

  template <class Team>
  static constexpr bool is_alone = std::remove_cvref_t<decltype(std::declval<Team&>().block())>::is_serial;

  /// Calls visit(here, has, child, rank, asked) in all lanes, for a point of each lane at a time. here[c]: the number
  /// of these points in child c. has: whether the lane has a point. rank: the number of points before it in its child.
  /// asked: the result of ask(point), which a lane calls for several points ahead.
  template <class Team, class Ask, class Visit>
  EVENLY_INLINE_FN static void for_each_point(Team& warp, int begin, int end, int depth, const Ask& ask,
                                              const Visit& visit) {
    constexpr int ahead = 4;
    const lane_mask before = first_lanes(warp.rank());
    for (int base = begin; base < end; base += ahead * warp.size()) {
      decltype(ask(0)) asked[ahead];
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u) {
        const int i = base + u * warp.size() + warp.rank();
        asked[u] = ask(i < end ? i : begin);
      }
      EVENLY_UNROLL
      for (int u = 0; u < ahead; ++u) {
        if (base + u * warp.size() >= end) break;
        const int i = base + u * warp.size() + warp.rank();
        const int child = i < end ? spatial::octant_of_key(asked[u].key, depth) : 8;
        int here[8], rank = 0;
        EVENLY_UNROLL
        for (int c = 0; c < 8; ++c) {
          const lane_mask with = warp.ballot(child == c);
          here[c] = lanes_in(with);
          if (child == c) rank = lanes_in(with & before);
        }
        visit(here, i < end, child, rank, asked[u]);
      }
    }
  }

  struct key_only {
    std::uint64_t key;
  };
  struct key_and_number {
    std::uint64_t key;
    int number;
  };

  template <class Team>
  EVENLY_INLINE_FN void count_points(Team& warp, int begin, int end, int depth, int (&count)[8]) const {
    const std::uint64_t* const keys = points_at(depth).keys;
    if constexpr (is_alone<Team>) {
      for (int i = begin; i < end; ++i) ++count[spatial::octant_of_key(keys[i], depth)];
    } else {
      for_each_point(
          warp, begin, end, depth, [&](int i) { return key_only{keys[i]}; },
          [&](const int(&here)[8], bool, int, int, const key_only&) {
            EVENLY_UNROLL
            for (int c = 0; c < 8; ++c) count[c] += here[c];
          });
    }
  }

  template <class Team>
  EVENLY_INLINE_FN void move(Team& warp, int begin, int end, int depth, unsigned leaves, int (&to)[8]) const {
    const octant_points from = points_at(depth), next = points_at(depth + 1);
    const auto put = [&](const key_and_number& point, int child, int place) {
      const bool ends = (leaves >> child & 1) != 0;
      (ends ? of_leaves.keys : next.keys)[place] = point.key;
      (ends ? of_leaves.order : next.order)[place] = point.number;
    };
    const auto ask = [&](int i) { return key_and_number{from.keys[i], from.order[i]}; };
    if constexpr (is_alone<Team>) {
      octant_points of[8];
      for (int c = 0; c < 8; ++c) of[c] = (leaves >> c & 1) != 0 ? of_leaves : next;
      for (int i = begin; i < end; ++i) {
        const key_and_number point = ask(i);
        const int child = spatial::octant_of_key(point.key, depth);
        const int place = to[child]++;
        of[child].keys[place] = point.key;
        of[child].order[place] = point.number;
      }
    } else {
      for_each_point(warp, begin, end, depth, ask,
                     [&](const int(&here)[8], bool has, int child, int rank, const key_and_number& point) {
                       int place = 0;
                       EVENLY_UNROLL
                       for (int c = 0; c < 8; ++c) {
                         if (child == c) place = to[c] + rank;
                         to[c] += here[c];
                       }
                       if (has) put(point, child, place);
                     });
    }
  }

  EVENLY_INLINE_FN void record(const int (&begin)[9], int depth) const {
    const std::int64_t split = atomic_ref(counters->splits).fetch_add(1, order::relaxed{});
    if (split >= room) return; // counted nevertheless: the next try has room
    depths[split] = depth;
    EVENLY_UNROLL
    for (int c = 0; c < 9; ++c) begins[9 * split + c] = begin[c];
  }
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// build_octree: see the head of this file.

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
/// - Cost: a point moves once per level of the tree above it. Each split octant is a task, or several if it has very
///   many points.
/// - Memory: allocates 48 bytes per point, and the memory of the pool. If far more octants are split than for
///   evenly spread points, the build is repeated with more memory.
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

/// The same with the pool that suits the executor: batched_stealing on the host, static_list on a GPU. On a GPU a run
/// of up to 4 million points has one block per multiprocessor by default: on an H200, all blocks are slower for 10^6.
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
