// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches of one graph, each of which is one launch that stays until it is done: resident_bfs.hpp.
//
//   bfs_search search(exec, graph.view());   // allocates, and looks at the edges that arrive
//   search.run(source, levels, parents);     // asynchronous on cuda
//   search.totals().levels;                  // waits
//
// The results are those of bfs under a schedule (bfs.hpp), bit for bit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/resident_bfs.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

namespace detail {

/// Finds edges that end at a lower number than the one before them, of the same vertex.
template <class Vertex, class Edge> struct check_order_of_ends {
  struct report {
    std::int64_t at;
  };

  adjacency<Vertex, Edge> edges;

  EVENLY_FN std::int64_t count() const { return edges.edges; }
  EVENLY_FN bool bad(std::int64_t e) const {
    if (e == 0 || edges.ends[e] >= edges.ends[e - 1]) return false;
    const Vertex next =
        first_past(Vertex{0}, edges.vertices, [&](Vertex v) { return edges.offsets[v] >= e; });
    return edges.offsets[next] != e;
  }
  EVENLY_FN report tell(std::int64_t at) const { return {at}; }
};

/// Pairs of an edge that arrives at a vertex and one that leaves it.
template <class Edge> struct ways_through {
  const Edge *in, *out;
  EVENLY_FN double operator()(std::int64_t v) const {
    return static_cast<double>(in[v + 1] - in[v]) * static_cast<double>(out[v + 1] - out[v]);
  }
};

/// Throws invalid_argument unless there is a value for each vertex.
template <class Vertex, class Edge, class T>
void require_for_vertices(const char* name, std::span<T> values, const adjacency<Vertex, Edge>& edges) {
  require(values.size() == static_cast<std::size_t>(edges.vertices), [&] {
    return std::string(name) + " has " + std::to_string(values.size()) + " elements, the graph has " +
           std::to_string(edges.vertices) + " vertices";
  });
}

/// Bits of the edges in a word that counts them and vertices.
template <class Vertex, class Edge> int bits_of_atoms(const adjacency<Vertex, Edge>& out) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(out.edges));
  require(bits + std::bit_width(static_cast<std::uint64_t>(out.vertices)) <= 64, [&] {
    return std::to_string(out.vertices) + " vertices and " + std::to_string(out.edges) +
           " edges: a search counts both in one number of 64 bits";
  });
  return bits;
}

/// On executors whose blocks are one thread: more have too little to do to meet.
template <class Vertex, class Edge> int most_serial_blocks(const adjacency<Vertex, Edge>& out) {
  constexpr std::int64_t share = 1 << 15; // vertices and edges of a block
  return static_cast<int>(
      smaller<std::int64_t>(max_block_size, 1 + (std::int64_t{out.vertices} + out.edges) / share));
}

} // namespace detail

/// The launch of a search; 0: as many blocks as run at the same time, of a tuned size. On cuda blocks have 256 or 1,024
/// threads.
struct search_shape {
  int blocks = 0;
  int block_size = 0;
};

/// Move-only. One search at a time.
template <class Executor, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
class bfs_search {
  using work_type = resident_bfs_work<Vertex, Edge>;
  template <int Size> using kernel_of = resident_bfs_kernel<Vertex, Edge, Size>;
  using lists_type = resident_lists<Vertex, Edge>;

 public:
  /// The edges lie on `exec`, keep the laws (check_edges), and outlive this. Where the graph has edges that arrive, and
  /// those of each vertex are in the order of their sources, searches also go bottom-up. tells: whether levels() can be
  /// asked for. Allocates and waits. Throws invalid_argument if vertices and edges together take more than 64 bits.
  template <class Weight>
  bfs_search(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
             const search_rule& rule = {}, bool tells = false, const search_shape& shape = {})
      : exec_(exec), atom_bits_(detail::bits_of_atoms(graph.out)),
        lists_(make_buffer<listed_tile<Vertex, Edge>>(exec, 2 * vertices_of(graph))),
        bits_(make_buffer<std::uint64_t>(exec, 2 * words_of(graph))),
        ends_(make_buffer<std::byte>(exec, lists_type::bytes_of_ends)), alone_(make_buffer<place>(exec, 1)),
        totals_(make_buffer<search_totals>(exec, 1)),
        told_(make_buffer<search_level>(exec, tells ? vertices_of(graph) : 0)) {
    work_.out = graph.out;
    if (graph.has_in_edges() && is_in_order(graph.in)) work_.in = graph.in;
    work_.rule = rule;
    work_.memory = {{lists_.data(), lists_.data() + vertices_of(graph), ends_.data(), atom_bits_},
                    {},
                    bits_.data(),
                    alone_.data(),
                    totals_.data()};
    work_.told = tells ? told_.data() : nullptr;
    choose(shape);
    const bool few = mean_degree() < few_edges;
    work_.alone_after = few ? 1 : 8;
    work_.growth = few ? 2 : edges_onwards(graph);
    const std::int64_t room = std::int64_t{shape_.blocks} *
                              resident_frontier_slots<Vertex, Edge, Vertex>::most_kept(storage_shape());
    work_.twice_a_block = 2.0f / static_cast<float>(shape_.blocks);
    work_.steady = smaller<std::int64_t>(room / work_.growth, graph.out.vertices / search_rule::least_share);
  }

  /// Whether searches also go bottom-up.
  bool goes_up() const { return work_.in.offsets != nullptr; }

  /// levels[v] = the least number of edges on a way from `source` to v, -1 if there is none. parents[v] = of the
  /// vertices on the level before v with an edge to v the one of lowest number, -1 for unreached vertices; the source's
  /// is itself. levels, parents: one for each vertex, on the executor; without parents an empty span. Asynchronous on
  /// cuda. Throws invalid_argument if the source is no vertex, or a size is wrong.
  void run(Vertex source, std::span<Vertex> levels, std::span<Vertex> parents = {}) {
    require_source(work_.out, source);
    detail::require_for_vertices("levels", levels, work_.out);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, work_.out);
    work_type work = work_;
    work.source = source;
    work.levels = levels.data();
    work.parents = parents.empty() ? nullptr : parents.data();
    workspace::lease lease(memory_);
    work.memory.totals = {lease.take(exec_, totals_memory::bytes).kept.data()};
    with_kernel(work, [&](const auto& kernel) {
      launch(exec_, {.blocks = shape_.blocks, .block_size = shape_.block_size, .co_resident = true}, kernel);
    });
  }

  /// Of the last search. Waits.
  search_totals totals() const { return to_host(exec_, totals_).front(); }
  /// How each level of the last search was done. Waits. Requires that the search tells.
  std::vector<search_level> levels() const {
    const auto count = static_cast<std::size_t>(totals().levels);
    return to_host(exec_, std::span<const search_level>(told_.data(), count));
  }
  /// Bytes that this has beside graph and result, without what it tells.
  std::size_t bytes() const {
    return lists_.size() * sizeof(listed_tile<Vertex, Edge>) + bits_.size() * sizeof(std::uint64_t) +
           ends_.size() + sizeof(place) + sizeof(search_totals) + totals_memory::bytes;
  }

 private:
  using place = typename resident_bfs_memory<Vertex, Edge>::place;
  /// Threads of a block: narrow frontiers gain by few, which meet sooner, wide ones by many, which have more on its
  /// way.
  static constexpr int small_block = 256, large_block = 1024;
  /// Graphs of fewer edges a vertex have many narrow frontiers.
  static constexpr int few_edges = 6;

  std::int64_t mean_degree() const {
    return ceil_div<std::int64_t>(work_.out.edges, larger<std::int64_t>(work_.out.vertices, 1));
  }
  /// How many edges leave the vertex at the end of an edge, in the mean over all edges.
  template <class View> int edges_onwards(const View& graph) const {
    double mean = static_cast<double>(mean_degree());
    if (graph.has_in_edges())
      mean = reduce(exec_, generated{detail::ways_through<Edge>{graph.in.offsets, graph.out.offsets}},
                    std::int64_t{graph.out.vertices}, plus<double>{}) /
             static_cast<double>(graph.out.edges);
    return static_cast<int>(smaller(larger(mean, 1.0), 65536.0));
  }
  block_shape storage_shape() const {
    if constexpr (Executor::serial_blocks)
      return {};
    else
      return exec_.shape_of(shape_.block_size);
  }
  template <class View> static std::size_t vertices_of(const View& graph) {
    return static_cast<std::size_t>(graph.out.vertices);
  }
  template <class View> static std::size_t words_of(const View& graph) {
    return ceil_div<std::size_t>(vertices_of(graph), 64);
  }
  bool is_in_order(const adjacency<Vertex, Edge>& in) const {
    if (in.edges == 0) return true;
    return detail::first_fault(exec_, detail::check_order_of_ends<Vertex, Edge>{in}, in.edges).at ==
           detail::no_fault;
  }
  void choose(const search_shape& wanted) {
    shape_ = wanted;
    if (shape_.block_size == 0)
      shape_.block_size = Executor::serial_blocks ? 1 : mean_degree() < few_edges ? small_block : large_block;
    if (shape_.blocks > 0) return;
    int room = 0;
    with_kernel(work_, [&](const auto& kernel) { room = resident_blocks(exec_, kernel, shape_.block_size); });
    shape_.blocks = smaller(room, grid_totals<detail::any_kernel>::most_blocks);
    if constexpr (Executor::serial_blocks)
      shape_.blocks = smaller(shape_.blocks, detail::most_serial_blocks(work_.out));
  }
  /// On a GPU there is a kernel for each of two sizes of blocks.
  template <class Do> void with_kernel(const work_type& work, const Do& call) const {
    if constexpr (!Executor::on_host)
      if (shape_.block_size == small_block) return call(kernel_of<small_block>{work});
    call(kernel_of<large_block>{work});
  }

  Executor exec_;
  int atom_bits_;
  buffer<listed_tile<Vertex, Edge>> lists_;
  buffer<std::uint64_t> bits_;
  buffer<std::byte> ends_;
  buffer<place> alone_;
  buffer<search_totals> totals_;
  buffer<search_level> told_;
  work_type work_{};
  search_shape shape_;
  workspace memory_;
};

template <class Executor, class Weight, class Vertex, class Edge, class... Rest>
bfs_search(const Executor&, const graph_view<Weight, Vertex, Edge>&, const Rest&...)
    -> bfs_search<Executor, Vertex, Edge>;

/// One search; allocates and waits. Returns how many levels there are. report(frontier_report): called on the host for
/// each, when all is done. The edges are not checked (check_edges).
template <class Executor, class Weight, class Vertex, class Edge, class Report = no_reports>
std::int64_t bfs(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                 std::type_identity_t<Vertex> source, std::type_identity_t<std::span<Vertex>> levels,
                 std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  constexpr bool reports = !std::is_same_v<Report, no_reports>;
  require_source(graph.out, source);
  bfs_search search(exec, graph, search_rule{}, reports);
  search.run(source, levels, parents);
  if constexpr (reports) {
    std::int64_t number = 0;
    for (const search_level& each : search.levels())
      report(frontier_report{number++, each.vertices, each.edges});
    return number;
  } else {
    return search.totals().levels;
  }
}

} // namespace evenly
