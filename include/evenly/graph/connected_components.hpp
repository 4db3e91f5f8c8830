// SPDX-License-Identifier: Apache-2.0
// Connected components of an undirected graph. Of a directed graph: weakly connected components, as if each edge led
// both ways.
//
//   const auto labels = evenly::connected_components(g);  // labels[v]: the smallest vertex number in v's component
//   evenly::connected_components(g, labels);                      // in existing memory
//
// The labels are the same on every run and every executor.
//
// The algorithm. Vertices form trees in which each vertex leads to a lower one, its parent. An edge whose ends are in
// different trees links the root of one to a vertex of the other, by compare-and-swap. At the end roots are labels.
// 1. Link two neighbours of each vertex. In most graphs the greater part of a large component is one tree then.
// 2. Find a tree with many vertices by samples.
// 3. Link the other neighbours of all vertices outside this tree. Edges between its vertices are not read.
// Step 3 needs both directions of edges. In a graph with neither incoming edges nor a declaration that it is
// undirected, all edges are read instead.
//
// Source: Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling" (IPDPS
// 2018).
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

/// Trees of vertices. A parent is at most its child; a root is its own parent.
template <class Vertex> struct vertex_forest {
  Vertex* parents;

  /// The parent of v, or one that it had before: an ancestor either way. The scope of the load lets a multiprocessor
  /// read its own cache. Otherwise all would wait for the parents of few vertices. On the host simt does not observe
  /// the load, so host code needs no test for it.
  EVENLY_INLINE_FN Vertex parent(Vertex v) const {
#if defined(__CUDA_ARCH__)
    return atomic_ref(parents[v], scope::block{}).load(order::relaxed{});
#else
    return __atomic_load_n(parents + v, __ATOMIC_RELAXED);
#endif
  }
  EVENLY_INLINE_FN void set_parent(Vertex v, Vertex parent) const {
    atomic_ref(parents[v]).store(parent, order::relaxed{});
  }

  /// Joins the trees of u and v.
  EVENLY_FN void link(Vertex u, Vertex v) const {
    Vertex a = parent(u), b = parent(v);
    while (a != b) {
      const Vertex high = larger(a, b), low = smaller(a, b);
      Vertex above = parent(high);
      if (above == low) return;
      if (above == high) { // maybe a root
        if (atomic_ref(parents[high]).compare_exchange(above, low, order::relaxed{}) || above == low) return;
      }
      a = parent(above);
      b = parent(low);
    }
  }
  /// Makes the root of v its parent. Only the calling thread changes the parent of v, and no other becomes a root.
  EVENLY_FN void compress(Vertex v) const {
    Vertex above = parent(v);
    for (Vertex next = parent(above); next != above; next = parent(above)) {
      set_parent(v, next); // shortens the paths of vertices below
      above = next;
    }
  }
};

template <class Vertex> struct compress_path {
  vertex_forest<Vertex> forest;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t v) const {
    forest.compress(static_cast<Vertex>(v));
  }
};

/// The lower of a vertex and its first neighbour: the first parent, which needs no atomic operation.
template <class Vertex, class Edge> struct first_parent {
  adjacency<Vertex, Edge> out;
  EVENLY_FN Vertex operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    const Edge first = out.offsets[v];
    return first < out.offsets[v + 1] ? smaller(v, out.ends[first]) : v;
  }
};

/// The number of each vertex's neighbours that are linked first.
inline constexpr int sampled_neighbours = 2;

template <class Vertex, class Edge> struct link_sampled {
  adjacency<Vertex, Edge> out;
  vertex_forest<Vertex> forest;
  bool has_first_parents; ///< whether lower first neighbours are linked

  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    if constexpr (Block::is_serial) prefetch(v);
    const Edge begin = out.offsets[v];
    const Edge end = smaller(out.offsets[v + 1], static_cast<Edge>(begin + sampled_neighbours));
    for (Edge e = begin; e < end; ++e) {
      const Vertex to = out.ends[e];
      if (e > begin || to > v || !has_first_parents) forest.link(v, to);
    }
  }

 private:
  /// Prefetches the edges of a vertex ahead, and the parent of the neighbour of a nearer one.
  EVENLY_FN void prefetch(Vertex v) const {
    constexpr Vertex far = 32, near = 16;
    if (out.vertices - v <= far) return;
    prefetch_read(out.ends + out.offsets[v + far]);
    if (out.offsets[v + near] < out.edges) prefetch_read(forest.parents + out.ends[out.offsets[v + near]]);
  }
};

/// Writes the root of most of some vertices. All paths are compressed.
template <class Vertex> struct find_large_tree {
  static constexpr int samples = 256;

  struct slots {
    slot<Vertex> roots;
    slot<int> best; ///< the number of samples with a root, and one of them
  };

  const Vertex* parents;
  Vertex vertices;
  Vertex* root;

  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape) {
    return {layout.take<Vertex>(samples), layout.take<int>(1)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots in = lay_out(layout, block.shape());
    const auto roots = block.storage(in.roots);
    const auto best = block.storage(in.best);
    for (int i = block.rank(); i < samples; i += block.size())
      roots[i] = parents[static_cast<std::int64_t>(static_cast<double>(vertices) * i / samples)];
    if (block.rank() == 0) best[0] = 0;
    block.sync();
    for (int i = block.rank(); i < samples; i += block.size()) {
      const Vertex mine = roots[i];
      int equal = 0;
      for (int k = 0; k < samples; ++k) {
        const Vertex other = roots[k];
        equal += other == mine ? 1 : 0;
      }
      atomic_ref(best[0], scope::block{}).fetch_max(equal * samples + i, order::relaxed{});
    }
    block.sync();
    if (block.rank() == 0) {
      const int found = best[0];
      const Vertex chosen = roots[found % samples];
      *root = chosen;
    }
  }
};

/// Links the neighbours of each vertex outside a tree.
template <class Vertex, class Edge> struct link_outside {
  adjacency<Vertex, Edge> out, in; ///< in: no offsets if the graph is undirected
  vertex_forest<Vertex> forest;
  const Vertex* large_root;
  std::int64_t per_block;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const Vertex large = *large_root;
    const std::int64_t first = block.index() * per_block;
    const std::int64_t last = smaller(first + per_block, std::int64_t{out.vertices});
    const auto warp = this_warp(block);
    for (std::int64_t i = first + block.rank(); i - warp.rank() < last; i += block.size()) {
      const auto v = static_cast<Vertex>(i);
      const bool is_outside = i < last && forest.parent(v) != large;
      link_row(warp, out, v, is_outside, sampled_neighbours);
      if (in.offsets != nullptr) link_row(warp, in, v, is_outside, 0);
    }
  }

 private:
  /// Links the neighbours of v from number `from` on. All threads of the warp share those of a long row.
  template <class Block>
  EVENLY_INLINE_FN void link_row(const lanes<Block>& warp, const adjacency<Vertex, Edge>& of, Vertex v,
                                 bool is_outside, int from) const {
    const Edge begin = is_outside ? of.offsets[v] + static_cast<Edge>(from) : Edge{0};
    const Edge end = is_outside ? of.offsets[v + 1] : Edge{0};
    const bool is_long = !Block::is_serial && end - begin > warp.size();
    for (Edge e = begin; !is_long && e < end; ++e) forest.link(v, of.ends[e]);
    if constexpr (!Block::is_serial)
      for (lane_mask rows = warp.ballot(is_long); rows != 0; rows &= rows - 1) {
        const int lane = first_lane(rows);
        const Vertex whose = warp.shuffle(v, lane);
        const Edge first = warp.shuffle(begin, lane), last = warp.shuffle(end, lane);
        for (Edge e = first + static_cast<Edge>(warp.rank()); e < last; e += static_cast<Edge>(warp.size()))
          forest.link(whose, of.ends[e]);
      }
  }
};

template <class Vertex, class Edge> struct link_edge {
  const Vertex* ends;
  vertex_forest<Vertex> forest;
  EVENLY_FN void operator()(Vertex tile, Edge atom) const { forest.link(tile, ends[atom]); }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Finds connected components; of a directed graph the weakly connected ones.
///
/// - labels: one per vertex, on `exec`. labels[v] becomes the smallest vertex number in v's component.
/// - Complexity: O(vertices), in addition to the edges of vertices outside a large component. Without incoming edges,
///   unless the graph is declared undirected (graph::set_undirected, simple_graph), all edges are read.
/// - Memory: one vertex, or a plan if all edges are read.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if the size is wrong. The edges are not checked (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
void find_connected_components(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                               std::type_identity_t<std::span<Vertex>> labels) {
  const auto& out = graph.out;
  detail::require_for_vertices("labels", labels, out);
  if (out.vertices == 0) return;
  constexpr int each = 4; ///< vertices per thread
  const detail::vertex_forest<Vertex> forest{labels.data()};
  const auto compress = [&] {
    detail::for_each_index(exec, out.vertices, each, detail::compress_path<Vertex>{forest});
  };
  // Serial blocks visit vertices in order, so linking alone leaves short paths.
  if constexpr (Executor::serial_blocks) {
    tabulate(exec, out.vertices, detail::edge_number<Vertex>{}, labels.data());
  } else {
    tabulate(exec, out.vertices, detail::first_parent<Vertex, Edge>{out}, labels.data());
    compress();
  }
  detail::for_each_index(exec, out.vertices, each,
                         detail::link_sampled<Vertex, Edge>{out, forest, !Executor::serial_blocks});
  compress();
  if (graph.has_in_edges()) {
    const auto large_root = make_buffer<Vertex>(exec, 1);
    launch(exec, {1, 256}, detail::find_large_tree<Vertex>{labels.data(), out.vertices, large_root.data()});
    constexpr int block_size = 256;
    const std::int64_t per_block = items_per_block(exec, out.vertices, std::int64_t{each} * block_size);
    launch(exec, {block_count(out.vertices, per_block), block_size},
           detail::link_outside<Vertex, Edge>{out,
                                              graph.is_undirected() ? adjacency<Vertex, Edge>{} : graph.in,
                                              forest, large_root.data(), per_block});
    compress();
    exec.synchronize(); // the root is freed
  } else {
    auto plan = make_plan(exec, schedule_for_sums{}, assume_valid(out.tiles(), out.edges));
    for_each_atom(exec, plan, detail::link_edge<Vertex, Edge>{out.ends, forest});
    compress();
    exec.synchronize();
  }
}

/// The connected components: result[v] is the smallest vertex number in v's component.
///
/// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view (searches.hpp).
/// - Complexity: that of find_connected_components. Allocates and synchronises.
/// - Throws as bfs does for edges that do not end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto connected_components(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto labels = detail::make_values<detail::vertex_of<G>>(exec, view.out.vertices);
    find_connected_components(exec, view, {std::data(labels), std::size(labels)});
    return labels;
  });
}
/// The same in existing memory: `labels` has one element per vertex.
template <graph_like G, detail::contiguous_values Labels, environment_argument Env = environment<>>
void connected_components(const G& g, Labels&& labels, Env&& env = {}) {
  static_assert(std::is_same_v<decltype(std::data(labels)), detail::vertex_of<G>*>,
                "labels need elements of the type of vertices");
  const auto where = detail::environment_without_schedule(env);
  detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    find_connected_components(exec, view, {std::data(labels), std::size(labels)});
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::connected_components;

} // namespace evenly
