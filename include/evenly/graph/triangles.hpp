// SPDX-License-Identifier: Apache-2.0
// Triangles of an undirected graph: three vertices with an edge between any two of them.
//
//   const auto counts = evenly::triangles(g);                  // counts[v]: the triangles that v belongs to
//   evenly::triangles(g, counts);                              // in existing memory; returns the number in the graph
//   const std::int64_t all = evenly::count_triangles(g);       // less work than the counts
//
// The algorithm:
// 1. Vertices are ranked by descending degree. Each edge is kept once, in the list of its end of higher rank number,
//    which has the lower degree. The lists are sorted. No list is longer than the square root of twice the edges.
// 2. A wedge is a pair of entries w < v in the list of a vertex u. It is a triangle if w is in the list of v.
// 3. The wedges of a vertex v with many lower neighbours u share one table of the list of v, in the storage of a block,
//    and each wedge is one read of the table. Blocks have equal numbers of neighbours u.
// 4. The other wedges are the atoms of a tile set whose tiles are the edges (u, v), distributed evenly. Each is one
//    binary search in the longer of two lists.
//
// Sources: ranking by degree after Chiba and Nishizeki (SIAM J. Comput., 1985); tables after Bisson and Fatica (IEEE
// TPDS, 2017).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/detail/element_at.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/scanned.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The ranked graph: vertices are ranks from here on.

namespace evenly::detail {

/// The lists of each vertex v: upper, its neighbours of lower rank number, sorted; lower, its other neighbours.
template <class Vertex, class Edge> struct ranked_edges {
  Vertex vertices;
  Edge edges;
  const Edge* lower_offsets;
  const Vertex* lower;
  const Edge* upper_offsets;
  const Vertex* upper;
  const Vertex* sources; ///< of each edge in `upper` its vertex

  EVENLY_FN Edge upper_degree(Vertex v) const { return upper_offsets[v + 1] - upper_offsets[v]; }
};

/// A key that sorts vertices by descending degree.
template <class Edge> struct degree_key {
  const Edge* offsets;
  Edge max_degree;
  EVENLY_FN Edge operator()(std::int64_t v) const { return max_degree - (offsets[v + 1] - offsets[v]); }
};

template <class Vertex> struct write_rank {
  const Vertex* order;
  Vertex* ranks;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    ranks[order[i]] = static_cast<Vertex>(i);
  }
};

/// Whether an edge leads to a vertex of higher rank number.
template <class Vertex, class Edge> struct leads_lower {
  const Vertex* ends;
  const Vertex* ranks;
  EVENLY_FN Edge operator()(Vertex tile, Edge atom) const { return ranks[ends[atom]] > ranks[tile] ? 1 : 0; }
};
template <class Tile, class Value> struct write_of_tile {
  Value* values;
  EVENLY_FN void operator()(Tile tile, Value value) const { values[tile] = value; }
};
template <class Vertex, class Edge> struct in_rank_order {
  const Edge* counts;
  const Vertex* order;
  Vertex vertices;
  EVENLY_FN Edge operator()(std::int64_t i) const { return i < vertices ? counts[order[i]] : 0; }
};

/// Copies an edge to the list of its end of lower rank number.
template <class Vertex, class Edge> struct place_lower {
  const Vertex* ends;
  const Vertex* ranks;
  Edge* cursors; ///< of each vertex the next free place
  Vertex* lower;
  Vertex* owners; ///< of each place the vertex of the list
  EVENLY_FN void operator()(Vertex tile, Edge atom) const {
    const Vertex from = ranks[tile], to = ranks[ends[atom]];
    if (to <= from) return;
    const Edge place = atomic_ref(cursors[from]).fetch_add(1, order::relaxed{});
    lower[place] = to;
    owners[place] = from;
  }
};

/// Finds an edge that equals the next one.
template <class Vertex, class Edge> struct check_parallel {
  struct report {
    std::int64_t at, from, to;
  };

  ranked_edges<Vertex, Edge> graph;
  const Vertex* order;

  EVENLY_FN std::int64_t count() const { return graph.edges - 1; }
  EVENLY_FN bool bad(std::int64_t e) const {
    return graph.sources[e] == graph.sources[e + 1] && graph.upper[e] == graph.upper[e + 1];
  }
  EVENLY_FN report report_of(std::int64_t at) const {
    if (at == no_fault) return {at, 0, 0};
    const Vertex a = order[graph.sources[at]], b = order[graph.upper[at]];
    return {at, smaller(a, b), larger(a, b)};
  }
};

/// A hash of an edge, the negative for its reverse. The sum over all edges of an undirected graph is 0.
template <class Vertex, class Edge> struct hash_of_direction {
  const Vertex* ends;
  EVENLY_FN std::uint64_t operator()(Vertex tile, Edge atom) const {
    const Vertex to = ends[atom];
    if (to == tile) return 0;
    const std::uint64_t hash = mixed(mixed(static_cast<std::uint64_t>(smaller(tile, to))) ^
                                     static_cast<std::uint64_t>(larger(tile, to)));
    return tile < to ? hash : ~hash + 1;
  }

 private:
  /// The finalizer of splitmix64 (Steele, Lea & Flood, OOPSLA 2014).
  EVENLY_FN static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

/// Throws invalid_argument if an edge has no reverse. A directed graph passes with a probability of 2^-64.
template <class Executor, class Vertex, class Edge, class Plan>
void require_reverse_edges(const Executor& exec, const adjacency<Vertex, Edge>& edges, Plan& plan) {
  const auto sums = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(edges.vertices));
  reduce_tiles(exec, plan, hash_of_direction<Vertex, Edge>{edges.ends}, plus<std::uint64_t>{},
               write_of_tile<Vertex, std::uint64_t>{sums.data()});
  require(reduce(exec, sums.data(), edges.vertices, plus<std::uint64_t>{}) == 0,
          [] { return "the graph is directed: an edge has no reverse edge. Make the simple graph first"; });
}

/// Owns the ranked graph.
template <class Executor, class Vertex, class Edge> class ranked_graph {
 public:
  /// Throws invalid_argument for parallel edges, and for a directed graph if it is not declared undirected.
  template <class Weight>
  ranked_graph(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph)
      : vertices_(static_cast<std::size_t>(graph.out.vertices)), order_(make_buffer<Vertex>(exec, vertices_)),
        ranks_(make_buffer<Vertex>(exec, vertices_)), lower_offsets_(make_buffer<Edge>(exec, vertices_ + 1)),
        upper_offsets_(make_buffer<Edge>(exec, vertices_ + 1)) {
    const auto& out = graph.out;
    workspace memory;
    rank_vertices(exec, out, memory);
    Edge edges = 0;
    auto owners = copy_lower(exec, graph, edges, memory);
    sources_ = make_buffer<Vertex>(exec, static_cast<std::size_t>(edges));
    upper_ = make_buffer<Vertex>(exec, static_cast<std::size_t>(edges));
    sort_numbers(exec, lower_.data(), owners.data(), edges, sources_.data(), upper_.data(), memory,
                 bits_of(out.vertices));
    tabulate(exec, std::int64_t{out.vertices} + 1, first_arriving<Vertex, Edge>{sources_.data(), edges},
             upper_offsets_.data());
    view_ = {out.vertices,          edges,         lower_offsets_.data(), lower_.data(),
             upper_offsets_.data(), upper_.data(), sources_.data()};
    exec.synchronize(); // the owners are freed
    if (edges < 2) return;
    const auto seen = first_fault(exec, check_parallel<Vertex, Edge>{view_, order_.data()}, view_.edges - 1);
    require(seen.at == no_fault, [&] {
      return concat("vertices ", seen.from, " and ", seen.to,
                    " have parallel edges: make the simple graph first");
    });
  }

  const ranked_edges<Vertex, Edge>& view() const { return view_; }
  const Vertex* ranks() const { return ranks_.data(); }

 private:
  static int bits_of(std::int64_t max) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(max)));
  }

  void rank_vertices(const Executor& exec, const adjacency<Vertex, Edge>& out, workspace& memory) {
    const Edge max_degree =
        -reduce(exec, generated{degree_key<Edge>{out.offsets, 0}}, out.vertices, minimum<Edge>{});
    const auto keys = make_buffer<Edge>(exec, vertices_), sorted = make_buffer<Edge>(exec, vertices_);
    const auto numbers = make_buffer<Vertex>(exec, vertices_);
    tabulate(exec, out.vertices, degree_key<Edge>{out.offsets, max_degree}, keys.data());
    tabulate(exec, out.vertices, edge_number<Vertex>{}, numbers.data());
    sort_numbers(exec, keys.data(), numbers.data(), out.vertices, sorted.data(), order_.data(), memory,
                 bits_of(larger<Edge>(max_degree, 1)));
    for_each_index(exec, out.vertices, 4, write_rank<Vertex>{order_.data(), ranks_.data()});
    exec.synchronize();
  }

  /// Makes the lower lists. Returns the owners of their places.
  template <class Weight>
  buffer<Vertex> copy_lower(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                            Edge& edges, workspace& memory) {
    const auto& out = graph.out;
    auto plan = make_plan(exec, schedule_for_sums{}, assume_valid(out.tiles(), out.edges));
    if (!graph.is_undirected()) require_reverse_edges(exec, out, plan);
    auto counts = make_buffer<Edge>(exec, vertices_ + 1); // then the cursors
    reduce_tiles(exec, plan, leads_lower<Vertex, Edge>{out.ends, ranks_.data()}, plus<Edge>{},
                 write_of_tile<Vertex, Edge>{counts.data()});
    exclusive_scan(exec, generated{in_rank_order<Vertex, Edge>{counts.data(), order_.data(), out.vertices}},
                   std::int64_t{out.vertices} + 1, plus<Edge>{}, lower_offsets_.data(), memory);
    exec.copy_to_host(&edges, lower_offsets_.data() + out.vertices, sizeof(Edge));
    lower_ = make_buffer<Vertex>(exec, static_cast<std::size_t>(edges));
    auto owners = make_buffer<Vertex>(exec, static_cast<std::size_t>(edges));
    tabulate(exec, out.vertices, element_at<Edge>{lower_offsets_.data()}, counts.data());
    for_each_atom(
        exec, plan,
        place_lower<Vertex, Edge>{out.ends, ranks_.data(), counts.data(), lower_.data(), owners.data()});
    exec.synchronize();
    return owners;
  }

  std::size_t vertices_;
  buffer<Vertex> order_, ranks_;
  buffer<Edge> lower_offsets_, upper_offsets_;
  buffer<Vertex> lower_, sources_, upper_;
  ranked_edges<Vertex, Edge> view_{};
};

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// Wedges of vertices with many lower neighbours: tables.
//
// A table has an entry for each vertex modulo its size. If the vertices of the list of v are below the size, the table
// is exact. Otherwise a search in the list confirms each entry that the table contains.

namespace evenly::detail {

inline constexpr int table_size = 1 << 16;
/// The neighbours u of one vertex that a block visits with one table; they fit into a count of 16 bits.
inline constexpr int table_visits = 1024;

/// The number of parts of table_visits lower neighbours; 0 for vertices without a table.
template <class Vertex, class Edge> struct parts_with_table {
  ranked_edges<Vertex, Edge> graph;
  Edge min_lower, min_upper; ///< with fewer neighbours the table takes longer than searches

  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (i >= graph.vertices) return 0;
    const auto v = static_cast<Vertex>(i);
    const Edge lower = graph.lower_offsets[v + 1] - graph.lower_offsets[v];
    return lower < min_lower || graph.upper_degree(v) < min_upper
               ? 0
               : ceil_div<std::int64_t>(lower, table_visits);
  }
};

template <class Vertex, class Edge> struct table_kernel {
  /// The first vertices: parallel blocks count their triangles in storage.
  static constexpr int counted_in_storage = 8192;

  struct slots {
    slot<std::uint8_t> members; ///< serial blocks: whether a vertex is in the list of v
    slot<std::uint16_t> hits;   ///< serial blocks: triangles of each vertex in the list of v
    slot<std::uint32_t> bits;   ///< other blocks: members, one bit each
    slot<std::uint32_t> sums;   ///< other blocks: triangles of the first vertices
  };

  ranked_edges<Vertex, Edge> graph;
  const std::int64_t* parts; ///< of each vertex the number of its first part
  std::int64_t per_block;
  bool per_vertex;      ///< count triangles at all three vertices, otherwise only at the lowest
  std::int64_t* counts; ///< per vertex

  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    const bool serial = shape.size == 1;
    return {layout.take<std::uint8_t>(serial ? table_size : 0),
            layout.take<std::uint16_t>(serial ? table_size : 0),
            layout.take<std::uint32_t>(serial ? 0 : table_size / 32),
            layout.take<std::uint32_t>(serial ? 0 : counted_in_storage)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots in = lay_out(layout, block.shape());
    if constexpr (Block::is_serial) // entries of vertices that there are
      std::fill_n(block.storage(in.members).data(), smaller<std::int64_t>(table_size, graph.vertices), 0);
    const std::int64_t first = block.index() * per_block,
                       last = smaller(first + per_block, parts[graph.vertices]);
    Vertex v = first_past(Vertex{0}, graph.vertices, [&](Vertex each) { return parts[each + 1] > first; });
    for (std::int64_t i = first; i < last; ++i) {
      while (parts[v + 1] <= i) ++v;
      const Edge begin = graph.lower_offsets[v] + static_cast<Edge>((i - parts[v]) * table_visits);
      const Edge end = smaller(static_cast<Edge>(begin + table_visits), graph.lower_offsets[v + 1]);
      if constexpr (Block::is_serial)
        visit_alone(block, in, v, begin, end);
      else
        visit_together(block, in, v, begin, end);
    }
  }

 private:
  EVENLY_FN void add(Vertex v, std::int64_t triangles) const {
    if (triangles > 0) atomic_ref(counts[v]).fetch_add(triangles, order::relaxed{});
  }
  EVENLY_FN static int entry(Vertex v) { return static_cast<int>(v % table_size); }
  /// Whether w is in the list of v.
  EVENLY_FN bool is_confirmed(Vertex v, Vertex w) const {
    const Edge end = graph.upper_offsets[v + 1];
    const Edge found = first_past(graph.upper_offsets[v], end, [&](Edge i) { return graph.upper[i] >= w; });
    return found < end && graph.upper[found] == w;
  }

  /// Counts the triangles of v with its lower neighbours [first, last), by one thread.
  template <class Block>
  EVENLY_FN void visit_alone(Block& block, const slots& in, Vertex v, Edge first, Edge last) const {
    std::uint8_t* const members = block.storage(in.members).data();
    std::uint16_t* const hits = block.storage(in.hits).data();
    const bool is_exact = v <= table_size;
    const Edge begin = graph.upper_offsets[v], end = graph.upper_offsets[v + 1];
    for (Edge e = begin; e < end; ++e) {
      members[entry(graph.upper[e])] = 1;
      hits[entry(graph.upper[e])] = 0;
    }
    std::int64_t all = 0;
    for (Edge i = first; i < last; ++i) {
      constexpr Edge ahead = 8;
      if (i + 2 * ahead < graph.edges) {
        prefetch_read(graph.upper_offsets + graph.lower[i + 2 * ahead]);
        prefetch_read(graph.upper + graph.upper_offsets[graph.lower[i + ahead]]);
      }
      const Vertex u = graph.lower[i];
      const Vertex* w = graph.upper + graph.upper_offsets[u]; // v is in the list
      std::int64_t here = 0;
      if (!is_exact)
        for (; *w < v; ++w) {
          if (members[entry(*w)] == 0 || !is_confirmed(v, *w)) continue;
          ++here;
          if (per_vertex) add(*w, 1);
        }
      else if (per_vertex)
        for (; *w < v; ++w) {
          const std::uint8_t is_member = members[*w];
          here += is_member;
          hits[*w] = static_cast<std::uint16_t>(hits[*w] + is_member);
        }
      else
        for (; *w < v; ++w) here += members[*w];
      add(u, here);
      all += here;
    }
    for (Edge e = begin; e < end; ++e) {
      members[entry(graph.upper[e])] = 0;
      if (per_vertex && is_exact) add(graph.upper[e], hits[graph.upper[e]]);
    }
    if (per_vertex) add(v, all);
  }

  /// The same by all threads of a block.
  template <class Block>
  EVENLY_FN void visit_together(Block& block, const slots& in, Vertex v, Edge first, Edge last) const {
    const auto bits = block.storage(in.bits);
    const auto sums = block.storage(in.sums);
    const bool is_exact = v <= table_size;
    const int words = ceil_div(static_cast<int>(smaller<Vertex>(v, table_size)), 32);
    const int summed = per_vertex && is_exact ? static_cast<int>(smaller<Vertex>(v, counted_in_storage)) : 0;
    for (int i = block.rank(); i < words; i += block.size()) bits[i] = 0;
    for (int i = block.rank(); i < summed; i += block.size()) sums[i] = 0;
    block.sync();
    for (Edge e = graph.upper_offsets[v] + block.rank(); e < graph.upper_offsets[v + 1]; e += block.size()) {
      const int w = entry(graph.upper[e]);
      atomic_ref(bits[w / 32], scope::block{}).fetch_or(std::uint32_t{1} << (w % 32), order::relaxed{});
    }
    block.sync();
    const auto warp = this_warp(block);
    std::int64_t all = 0;
    for (Edge i = first + warp_of(block); i < last; i += block.shape().warps()) {
      const Vertex u = graph.lower[i];
      const Edge end = graph.upper_offsets[u + 1];
      int here = 0;
      for (Edge e = graph.upper_offsets[u] + warp.rank(); e < end; e += warp.size()) {
        const Vertex w = graph.upper[e];
        if (w >= v) break;
        const std::uint32_t word = bits[entry(w) / 32];
        if ((word >> (entry(w) % 32) & 1) == 0 || (!is_exact && !is_confirmed(v, w))) continue;
        ++here;
        if (w < summed)
          atomic_ref(sums[static_cast<int>(w)], scope::block{}).fetch_add(1, order::relaxed{});
        else if (per_vertex)
          add(w, 1);
      }
      here = warp.reduce(here, plus<int>{});
      if (warp.rank() == 0) add(u, here);
      all += here;
    }
    if (per_vertex && warp.rank() == 0) add(v, all);
    block.sync();
    for (int i = block.rank(); i < summed; i += block.size()) {
      const std::uint32_t sum = sums[i];
      add(static_cast<Vertex>(i), sum);
    }
    block.sync();
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// The other wedges: a tile set.

/// Edge e = (u, v) is a tile. Its atoms are the entries before v in the list of u, or, if it is shorter, the list of v.
template <class Vertex, class Edge> struct wedges : count_on_host<Edge> {
  using tile_type = Edge;
  using atom_type = std::int64_t;

  ranked_edges<Vertex, Edge> graph;
  const std::int64_t* parts; ///< as of table_kernel

  wedges(const ranked_edges<Vertex, Edge>& of, const std::int64_t* parts_with_table)
      : count_on_host<Edge>(of.edges), graph(of), parts(parts_with_table) {}
  EVENLY_FN std::int64_t size(Edge e) const {
    const Vertex v = graph.upper[e];
    if (parts[v + 1] > parts[v]) return 0;
    return smaller<Edge>(e - graph.upper_offsets[graph.sources[e]], graph.upper_degree(v));
  }
};

template <class Vertex, class Edge> struct visit_wedge {
  ranked_edges<Vertex, Edge> graph;
  bool per_vertex;
  std::int64_t* counts;

  EVENLY_FN void operator()(Edge e, std::int64_t, std::int64_t rank) const {
    const Vertex u = graph.sources[e], v = graph.upper[e];
    const Edge of_u = graph.upper_offsets[u], of_v = graph.upper_offsets[v],
               end_of_v = graph.upper_offsets[v + 1];
    const bool u_is_shorter = e - of_u <= end_of_v - of_v;
    const Vertex w = graph.upper[(u_is_shorter ? of_u : of_v) + static_cast<Edge>(rank)];
    const Edge end = u_is_shorter ? end_of_v : e;
    const Edge found =
        first_past(u_is_shorter ? of_v : of_u, end, [&](Edge i) { return graph.upper[i] >= w; });
    if (found == end || graph.upper[found] != w) return;
    add(u);
    if (!per_vertex) return;
    add(v);
    add(w);
  }

 private:
  EVENLY_FN void add(Vertex v) const { atomic_ref(counts[v]).fetch_add(1, order::relaxed{}); }
};

template <class Vertex> struct count_of_ranked {
  const std::int64_t* counts;
  const Vertex* ranks;
  EVENLY_FN std::int64_t operator()(std::int64_t v) const { return counts[ranks[v]]; }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// The maximum bytes that find_triangles allocates on cpu, for a graph with `edges` edges, each direction counted.
template <class Vertex = int, class Edge = int>
constexpr std::int64_t triangle_bytes(std::int64_t vertices, std::int64_t edges) {
  constexpr std::int64_t of_vertex = 3 * sizeof(Vertex) + 3 * sizeof(Edge) + 2 * sizeof(std::int64_t);
  constexpr std::int64_t of_pair = larger(6 * sizeof(Vertex), 3 * sizeof(Vertex) + 2 * sizeof(std::int64_t));
  constexpr std::int64_t of_tables = 1 << 17;
  return vertices * of_vertex + edges / 2 * of_pair + of_tables;
}

/// Counts the triangles of an undirected graph without parallel edges.
///
/// - counts: one per vertex, on `exec`, or empty. counts[v] becomes the number of triangles with vertex v.
/// - Returns the number of triangles of the graph.
/// - Self-loops belong to no triangle.
/// - Cost: a sort of the edges; one read per wedge of vertices with a table, one binary search per other wedge.
/// - Memory: triangle_bytes on cpu; on a GPU the sorts take what CUB requires.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument for parallel edges, for an edge without a reverse edge unless the graph is declared
///   undirected, and if the size is wrong. The ends of edges are not checked (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
std::int64_t find_triangles(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                            std::span<std::int64_t> counts) {
  const auto& out = graph.out;
  const bool per_vertex = !counts.empty();
  if (per_vertex) detail::require_for_vertices("counts", counts, out);
  if (out.vertices == 0) return 0;
  const detail::ranked_graph<Executor, Vertex, Edge> ranked(exec, graph);
  const detail::ranked_edges<Vertex, Edge>& edges = ranked.view();
  const auto sums = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(out.vertices));
  exec.fill_zero(sums.data(), sums.size() * sizeof(std::int64_t));

  using table_parts = detail::parts_with_table<Vertex, Edge>;
  const auto parts = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(out.vertices) + 1);
  workspace memory;
  table_parts sizes{edges, 32, 16};
  if constexpr (Executor::serial_blocks) sizes = {edges, 4, 2};
  exclusive_scan(exec, generated<table_parts>{sizes}, std::int64_t{out.vertices} + 1, plus<std::int64_t>{},
                 parts.data(), memory);
  std::int64_t all_parts = 0;
  exec.copy_to_host(&all_parts, parts.data() + out.vertices, sizeof(all_parts));
  std::int64_t per_block = 1;
  if constexpr (Executor::serial_blocks)
    per_block = ceil_div<std::int64_t>(all_parts, std::int64_t{blocks_of_thread} * exec.threads());
  if (all_parts > 0)
    launch(exec, {block_count(all_parts, per_block), 256},
           detail::table_kernel<Vertex, Edge>{edges, parts.data(), per_block, per_vertex, sums.data()});

  auto plan =
      make_plan(exec, schedule_for_sums{}, assume_valid(detail::wedges<Vertex, Edge>(edges, parts.data())));
  for_each_atom(exec, plan, detail::visit_wedge<Vertex, Edge>{edges, per_vertex, sums.data()});
  if (per_vertex)
    tabulate(exec, out.vertices, detail::count_of_ranked<Vertex>{sums.data(), ranked.ranks()}, counts.data());
  return reduce(exec, sums.data(), out.vertices, plus<std::int64_t>{}) / (per_vertex ? 3 : 1);
}

/// The triangles of each vertex: result[v], a std::int64_t, is the number of triangles with vertex v.
///
/// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view (searches.hpp); undirected and without
///   parallel edges, as simple_graph makes it.
/// - Cost, memory, synchronisation and errors: those of find_triangles.
template <graph_like G, environment_argument Env = environment<>> auto triangles(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto counts = detail::make_values<std::int64_t>(exec, view.out.vertices);
    find_triangles(exec, view, {std::data(counts), std::size(counts)});
    return counts;
  });
}
/// The same in existing memory: `counts` has one std::int64_t per vertex. Returns the number of triangles of the graph.
template <graph_like G, detail::contiguous_values Counts, environment_argument Env = environment<>>
std::int64_t triangles(const G& g, Counts&& counts, Env&& env = {}) {
  static_assert(std::is_same_v<decltype(std::data(counts)), std::int64_t*>,
                "counts need elements of std::int64_t");
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    detail::require_for_vertices("counts", std::span(std::data(counts), std::size(counts)), view.out);
    return find_triangles(exec, view, {std::data(counts), std::size(counts)});
  });
}

/// The number of triangles of a graph, without counts per vertex.
template <graph_like G, environment_argument Env = environment<>>
std::int64_t count_triangles(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(
      g, where, [&](const auto& exec, const auto& view) { return find_triangles(exec, view, {}); });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::count_triangles, graphs::triangles;

} // namespace evenly
