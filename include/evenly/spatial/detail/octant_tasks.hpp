// SPDX-License-Identifier: Apache-2.0
// The work of octree tasks (build_octree.hpp). A task is a whole octant, or some slices of an octant with very many
// points. Slices process their octant in two passes. First each counts its points of each child, and the last slice to
// finish computes the positions of all slices' points. Then each moves its points, and the last slice to finish makes
// tasks of the children. A task of several slices first makes tasks of parts of them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/block/lanes.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/spatial/morton.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/tasks/body.hpp"

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

  /// Each warp takes a range of the points. The counts of warps, and then their scan, are where the points will be
  /// moved to: nothing else is there before.
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
  /// Replaces the counts of `parts` parts by the sums of those before. `total`: of all parts. Called by all lanes.
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
  /// Whether the caller's slice is the last to finish, in all lanes; then the other slices' writes are visible.
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

  /// Calls visit(the number of the lanes' points per child, point or -1, its child, the number of points before it in
  /// that child, the result of ask(point)), by all lanes. A lane calls `ask` for several points ahead.
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
