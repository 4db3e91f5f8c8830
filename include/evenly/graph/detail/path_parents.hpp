// SPDX-License-Identifier: Apache-2.0
// The parents of shortest paths.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/detail/entry_lists.hpp"
#include "evenly/graph/detail/growing_memory.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Parents, once distances are known, by one persistent kernel; also finds the edge whose end is too far for a distance.
//
// An edge is tight if the distance at its start plus its weight equals the distance at its end. The parent is the
// vertex of lowest number with a tight edge from a smaller distance; one pass over all edges finds it. A vertex without
// such an edge got its distance over a weight of 0, or over one that is lost in the sum. Its parent is found
// breadth-first, over tight edges from equal distances, from vertices that have a parent. So parents form no cycle, and
// are the same on every run.

namespace evenly::detail {

/// The steps of a run of link_kernel.
struct link_steps {
  bool nearer = false;  ///< finds parents at smaller distances
  bool levels = false;  ///< finds parents at equal distances, where there are none yet; in a separate run
  bool too_far = false; ///< finds the first edge whose end is too far
};

/// The results of link_kernel, and words that all blocks use.
struct link_found {
  std::uint32_t sizes[3 * words_of_line]; ///< of three lists that take turns, each in a cache line of its own
  std::int64_t first_too_far;             ///< the lowest edge number whose end is too far for a distance
};

template <class Weight, class Vertex, class Edge, class Distance> struct link_kernel {
  static constexpr int tuned_block_size = 512;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 2;
  static constexpr int max_blocks = 2;

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  const Distance* distances;
  Vertex* parents;
  Vertex source;
  Vertex* levels; ///< per vertex: edges from a vertex with a nearer parent; then two lists as long
  link_found* found;
  grid_barrier barrier;
  link_steps steps;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.index() == 0 && block.rank() == 0) {
      for (Vertex level = 0; level < 3; ++level) size_of(level) = 0;
      found->first_too_far = all_within_range;
    }
    if (steps.nearer) for_vertices(block, [&](Vertex v) { parents[v] = v == source ? v : Vertex{-1}; });
    if (steps.levels)
      for_vertices(block, [&](Vertex v) { levels[v] = parents[v] >= 0 ? Vertex{0} : Vertex{-1}; });
    grid_sync(block, barrier);
    if (steps.nearer || steps.too_far) for_edges(block, [&](Vertex from, Edge e) { link(from, e); });
    if (steps.levels) link_levels(block);
  }

 private:
  enum class tightness { none, nearer, as_near, too_far };

  /// Compares the path over an edge with the distance at its end.
  EVENLY_INLINE_FN tightness tightness_of(Vertex from, Edge e, Vertex to) const {
    const Distance before = distances[from], at = distances[to];
    Distance sum{};
    if (!graphs::add_weight(before, read_only(weights + e), sum))
      return at < unreached<Distance> ? tightness::none : tightness::too_far;
    if (!(sum == at)) return tightness::none;
    return before < at ? tightness::nearer : tightness::as_near;
  }

  EVENLY_INLINE_FN void link(Vertex from, Edge e) const {
    if (!(distances[from] < unreached<Distance>)) return;
    const Vertex to = read_only(out.ends + e);
    const tightness how = tightness_of(from, e, to);
    if (how == tightness::nearer && steps.nearer) lower_parent(parents, to, from);
    if (how == tightness::too_far)
      atomic_ref(found->first_too_far).fetch_min(static_cast<std::int64_t>(e), order::relaxed{});
  }

  EVENLY_INLINE_FN std::uint32_t& size_of(Vertex level) const {
    return found->sizes[static_cast<int>(level % 3) * words_of_line];
  }
  EVENLY_INLINE_FN Vertex* list_of(Vertex level) const {
    return levels + (1 + level % 2) * std::int64_t{out.vertices};
  }

  template <class Block> EVENLY_FN void link_levels(Block& block) const {
    for_edges(block, [&](Vertex from, Edge e) {
      if (atomic_ref(levels[from]).load(order::relaxed{}) == 0) reach(from, e, Vertex{1});
    });
    for (Vertex level = 1;; ++level) {
      grid_sync(block, barrier);
      const std::uint32_t size = atomic_ref(size_of(level)).load(order::relaxed{});
      if (size == 0) return;
      if (block.index() == 0 && block.rank() == 0) atomic_ref(size_of(level + 2)).store(0, order::relaxed{});
      const Vertex* const list = list_of(level);
      const lanes<Block> warp = this_warp(block);
      const std::uint32_t warps = static_cast<std::uint32_t>(block.shape().warps());
      for (std::uint32_t i =
               static_cast<std::uint32_t>(block.index()) * warps + static_cast<std::uint32_t>(warp_of(block));
           i < size; i += warps * static_cast<std::uint32_t>(block.count())) {
        const Vertex from = list[i];
        for_strided(out.offsets[from], out.offsets[from + 1], warp.rank(), warp.size(),
                    [&](Edge e) { reach(from, e, level + 1); });
      }
    }
  }

  /// If the edge is tight and from an equal distance, sets the level and parent of its end. The first edge puts the end
  /// on the list.
  EVENLY_INLINE_FN void reach(Vertex from, Edge e, Vertex level) const {
    const Vertex to = read_only(out.ends + e);
    if (!(distances[from] < unreached<Distance>) || tightness_of(from, e, to) != tightness::as_near) return;
    const std::optional<Vertex> arrived = arrive(levels, parents, level, from, to);
    if (!arrived) return;
    const std::uint32_t place = atomic_ref(size_of(level)).fetch_add(1, order::relaxed{});
    list_of(level)[place] = to;
  }

  template <class Block, class Visit> EVENLY_FN void for_vertices(Block& block, const Visit& visit) const {
    const std::int64_t first = std::int64_t{block.index()} * block.size() + block.rank();
    const std::int64_t step = std::int64_t{block.count()} * block.size();
    for (std::int64_t v = first; v < out.vertices; v += step) visit(static_cast<Vertex>(v));
  }

  /// Calls visit(vertex, edge) for all edges. A warp has consecutive edges in a lane-strided order. Each lane searches
  /// for the vertex of its edge from the previous one on.
  template <class Block, class Visit> EVENLY_FN void for_edges(Block& block, const Visit& visit) const {
    const lanes<Block> warp = this_warp(block);
    const std::int64_t warps = std::int64_t{block.shape().warps()} * block.count();
    const std::int64_t mine = std::int64_t{block.index()} * block.shape().warps() + warp_of(block);
    const std::int64_t per_warp = ceil_div<std::int64_t>(out.edges, warps);
    const auto begin = static_cast<Edge>(smaller<std::int64_t>(per_warp * mine, out.edges));
    const auto end = static_cast<Edge>(smaller<std::int64_t>(begin + per_warp, out.edges));
    Vertex from = 0;
    for_strided(begin, end, warp.rank(), warp.size(), [&](Edge e) {
      if (out.offsets[from + 1] <= e)
        from = first_past(static_cast<Vertex>(from + 1), out.vertices,
                          [&](Vertex v) { return out.offsets[v + 1] > e; });
      visit(from, e);
    });
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// The work after the distances are known: missing parents, and the edge whose end is too far for a distance.

/// Launches a persistent kernel that synchronises by its `barrier`, with as many blocks as are resident.
template <class Executor, class Kernel>
void launch_with_barrier(const Executor& exec, Kernel& kernel, workspace& barriers) {
  workspace::lease lease(barriers);
  kernel.barrier = lease.take(exec, 0).barrier;
  int block_size = Kernel::tuned_block_size, max = std::numeric_limits<int>::max();
  if constexpr (Executor::on_host && !Executor::serial_blocks) { // a thread costs the host a stack
    block_size = 2 * exec.shape_of(1).warp;
    max = 3;
  }
  const int blocks = smaller(resident_blocks(exec, kernel, block_size), max);
  launch(exec, {.blocks = blocks, .block_size = block_size, .co_resident = true}, kernel);
}

/// The outcome of a search.
struct path_outcome {
  std::uint32_t frontiers = 0;
  std::uint32_t exhausted = 0;     ///< not 0: memory was too small, and there is no result
  std::uint32_t too_far = 0;       ///< not 0: some sum was too large for a distance
  std::uint32_t lacks_parents = 0; ///< not 0: some vertex has no parent at a smaller distance
};

template <class Executor, class Weight, class Vertex, class Edge> class path_parents {
 public:
  path_parents(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph)
      : exec_(exec), graph_(graph) {}

  /// Completes a search with words of type path_word<Found>, which has written all distances and the parents in its
  /// words. Throws distance_overflow if the end of an edge is too far.
  template <class Found, class Distance>
  void find(const path_outcome& outcome, Vertex source, std::span<Distance> distances,
            std::span<Vertex> parents) {
    const link_steps steps{.nearer = !parents.empty() && !path_word<Found>::has_parent,
                           .too_far = outcome.too_far != 0};
    if (steps.nearer || steps.too_far) link(steps, source, distances, parents);
    if (steps.nearer ? lacks(distances, parents) : outcome.lacks_parents != 0)
      link({.levels = true}, source, distances, parents);
  }

  std::size_t bytes() const { return levels_.bytes() + found_.bytes(); }

 private:
  template <class Distance> bool lacks(std::span<Distance> distances, std::span<Vertex> parents) const {
    const lacks_parent<Vertex, Distance> lacks_parents{{distances.data()}, parents.data()};
    return reduce(exec_, generated{lacks_parents}, graph_.out.vertices, plus<std::int64_t>{}) > 0;
  }

  template <class Distance>
  void link(const link_steps& steps, Vertex source, std::span<Distance> distances,
            std::span<Vertex> parents) {
    link_kernel<Weight, Vertex, Edge, Distance> kernel{};
    kernel.out = graph_.out;
    kernel.weights = graph_.weights;
    kernel.distances = distances.data();
    kernel.parents = parents.data();
    kernel.source = source;
    kernel.levels =
        levels_.template of<Vertex>(exec_, steps.levels ? 3 * std::int64_t{graph_.out.vertices} : 0);
    kernel.found = found_.template of<link_found>(exec_, 1);
    kernel.steps = steps;
    launch_with_barrier(exec_, kernel, barriers_);
    if (steps.too_far) require_near(exec_, graph_, distances.data(), &kernel.found->first_too_far);
  }

  Executor exec_;
  graph_view<Weight, Vertex, Edge> graph_;
  growing_memory levels_, found_;
  workspace barriers_;
};

} // namespace evenly::detail
