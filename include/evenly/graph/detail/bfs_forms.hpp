// SPDX-License-Identifier: Apache-2.0
// The two forms of a persistent breadth-first search: blocks of many threads (persistent_bfs.hpp), and cores
// (bfs_on_cores.hpp). Each owns its memory and launches the kernel. Their caller checks the arguments.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/bfs_on_cores.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/persistent_bfs.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly::graphs {

/// The launch of a search. 0: as many blocks as are resident, of a tuned size. On cuda blocks have 256 or 512 threads.
struct search_shape {
  int blocks = 0;
  int block_size = 0;
};

} // namespace evenly::graphs

namespace evenly::detail {

/// Finds edges that end at a lower vertex than the previous edge of the same vertex.
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

/// Descents: edges that end at a lower vertex than the edge before them, of the same vertex or another.
template <class Vertex> struct is_descent {
  const Vertex* ends;
  EVENLY_FN int at(std::int64_t e) const { return ends[e] < ends[e - 1]; }
  EVENLY_FN int operator()(std::int64_t i) const { return at(i + 1); }
};
/// Whether the first edge of a vertex is a descent.
template <class Vertex, class Edge> struct is_descent_of_vertex {
  adjacency<Vertex, Edge> edges;
  EVENLY_FN int operator()(std::int64_t v) const {
    const Edge first = edges.offsets[v];
    if (first == 0 || first == edges.offsets[v + 1]) return 0;
    return is_descent<Vertex>{edges.ends}.at(first);
  }
};
/// Whether the edges of each vertex are in the order of their ends. Allocates and waits.
template <class Executor, class Vertex, class Edge>
bool ends_in_order(const Executor& exec, const adjacency<Vertex, Edge>& edges) {
  if (edges.edges == 0) return true;
  if constexpr (Executor::serial_blocks) { // cores take long to find the vertices of all descents
    const auto sum = plus<std::int64_t>{};
    return reduce(exec, generated{is_descent<Vertex>{edges.ends}}, std::int64_t{edges.edges} - 1, sum) ==
           reduce(exec, generated{is_descent_of_vertex<Vertex, Edge>{edges}}, std::int64_t{edges.vertices},
                  sum);
  } else {
    return first_fault(exec, check_order_of_ends<Vertex, Edge>{edges}, edges.edges).at == no_fault;
  }
}

/// The number of pairs of an edge that arrives at a vertex and an edge that leaves it.
template <class Edge> struct ways_through {
  const Edge *in, *out;
  EVENLY_FN double operator()(std::int64_t v) const {
    return static_cast<double>(in[v + 1] - in[v]) * static_cast<double>(out[v + 1] - out[v]);
  }
};

/// Throws invalid_argument unless there is one value per vertex.
template <class Vertex, class Edge, class T>
void require_for_vertices(const char* name, std::span<T> values, const adjacency<Vertex, Edge>& edges) {
  require(values.size() == static_cast<std::size_t>(edges.vertices), [&] {
    return std::string(name) + " has " + std::to_string(values.size()) + " elements, but the graph has " +
           std::to_string(edges.vertices) + " vertices";
  });
}

/// The bits of the edge count in a word that also counts vertices. Blocks request some thousand edges beyond the last
/// one before they know that there are none. So these numbers must fit too.
template <class Vertex, class Edge> int bits_of_atoms(const adjacency<Vertex, Edge>& out) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out.edges)));
  require(bits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out.vertices))) <= 64, [&] {
    return std::to_string(out.vertices) + " vertices and " + std::to_string(out.edges) +
           " edges: their sum must fit into 64 bits";
  });
  constexpr auto max = std::numeric_limits<Edge>::max() - 4096;
  require(out.edges <= max, [&] {
    return std::to_string(out.edges) + " edges: a search needs 64-bit edge numbers from " +
           std::to_string(max + 1) + " on";
  });
  return bits;
}

/// The maximum number of blocks of one thread; with more, blocks have too little work between barriers. share: vertices
/// and edges of a block.
template <class Vertex, class Edge>
int max_serial_blocks(const adjacency<Vertex, Edge>& out, std::int64_t share = 1 << 15) {
  return static_cast<int>(
      smaller<std::int64_t>(max_block_size, 1 + (std::int64_t{out.vertices} + out.edges) / share));
}

template <class Executor, class Vertex, class Edge> class bfs_in_blocks {
  using work_type = graphs::persistent_bfs_work<Vertex, Edge>;
  template <int Size> using kernel_of = graphs::persistent_bfs_kernel<Vertex, Edge, Size>;
  using lists_type = graphs::persistent_lists<Vertex, Edge>;

 public:
  /// in: without offsets if searches do not go bottom-up. level_log: one entry per level, or null.
  template <class View>
  bfs_in_blocks(const Executor& exec, const View& graph, const adjacency<Vertex, Edge>& in,
                const graphs::search_rule& rule, graphs::search_level* level_log, graphs::search_totals* done,
                const graphs::search_shape& shape)
      : exec_(exec), atom_bits_(bits_of_atoms(graph.out)),
        lists_(make_buffer<graphs::listed_tile<Vertex, Edge>>(exec, 2 * vertices_of(graph))),
        bits_(make_buffer<std::uint64_t>(exec, 3 * words_of(graph))),
        ends_(make_buffer<std::byte>(exec, lists_type::bytes_of_ends)), alone_(make_buffer<place>(exec, 1)) {
    work_.out = graph.out;
    work_.in = in;
    work_.rule = rule;
    work_.memory = {{lists_.data(), lists_.data() + vertices_of(graph), ends_.data(), atom_bits_},
                    {},
                    bits_.data(),
                    alone_.data(),
                    done};
    work_.level_log = level_log;
    choose(shape);
    const bool few = mean_degree() < few_edges;
    work_.single_block_after = few ? 1 : 8;
    work_.growth = few ? 2 : edges_onwards(graph);
    const int max = graphs::persistent_frontier_slots<Vertex, Edge, Vertex>::max_kept(storage_shape());
    work_.kept_edges_per_block = max / (2 * work_.growth); // / 2, as blocks differ
    work_.twice_a_block = 2.0f / static_cast<float>(shape_.blocks);
    work_.steady = graph.out.vertices / graphs::search_rule::min_fraction;
  }

  void run(Vertex source, Vertex* levels, Vertex* parents) {
    work_type work = work_;
    work.source = source;
    work.levels = levels;
    work.parents = parents;
    workspace::lease lease(memory_);
    work.memory.totals = {lease.take(exec_, totals_memory::bytes).kept.data()};
    with_kernel(work, [&](const auto& kernel) {
      launch(exec_, {.blocks = shape_.blocks, .block_size = shape_.block_size, .co_resident = true}, kernel);
    });
  }
  std::size_t bytes() const {
    return lists_.size() * sizeof(graphs::listed_tile<Vertex, Edge>) + bits_.size() * sizeof(std::uint64_t) +
           ends_.size() + sizeof(place) + totals_memory::bytes;
  }

 private:
  using place = typename graphs::persistent_bfs_memory<Vertex, Edge>::place;
  /// Threads per block. Narrow frontiers are faster with few, since barriers are faster; wide ones with many, which
  /// have more loads in flight.
  static constexpr int small_block = 256, large_block = 512;
  /// Graphs with fewer edges per vertex have many narrow frontiers.
  static constexpr int few_edges = 6;

  std::int64_t mean_degree() const {
    return ceil_div<std::int64_t>(work_.out.edges, larger<std::int64_t>(work_.out.vertices, 1));
  }
  /// The mean over all edges of the number of edges that leave the edge's end.
  template <class View> int edges_onwards(const View& graph) const {
    double mean = static_cast<double>(mean_degree());
    if (graph.has_in_edges())
      mean = reduce(exec_, generated{ways_through<Edge>{graph.in.offsets, graph.out.offsets}},
                    std::int64_t{graph.out.vertices}, plus<double>{}) /
             static_cast<double>(graph.out.edges);
    return static_cast<int>(smaller(larger(mean, 1.0), 65536.0));
  }
  block_shape storage_shape() const { return exec_.shape_of(shape_.block_size); }
  template <class View> static std::size_t vertices_of(const View& graph) {
    return static_cast<std::size_t>(graph.out.vertices);
  }
  template <class View> static std::size_t words_of(const View& graph) {
    return ceil_div<std::size_t>(vertices_of(graph), 64);
  }
  void choose(const graphs::search_shape& wanted) {
    shape_ = wanted;
    if (shape_.block_size == 0) shape_.block_size = mean_degree() < few_edges ? small_block : large_block;
    if (shape_.blocks > 0) return;
    int room = 0;
    with_kernel(work_, [&](const auto& kernel) { room = resident_blocks(exec_, kernel, shape_.block_size); });
    shape_.blocks = smaller(room, grid_totals<any_kernel>::max_blocks);
  }
  /// Calls with the kernel of the block size; on a GPU there are kernels of two sizes.
  template <class Do> void with_kernel(const work_type& work, const Do& call) const {
    if constexpr (!Executor::on_host)
      if (shape_.block_size == small_block) return call(kernel_of<small_block>{work});
    call(kernel_of<large_block>{work});
  }

  Executor exec_;
  int atom_bits_;
  buffer<graphs::listed_tile<Vertex, Edge>> lists_;
  buffer<std::uint64_t> bits_;
  buffer<std::byte> ends_;
  buffer<place> alone_;
  work_type work_{};
  graphs::search_shape shape_;
  workspace memory_;
};

/// The form for cores, with the interface of bfs_in_blocks.
template <class Executor, class Vertex, class Edge> class bfs_on_cores {
  using work_type = cores_bfs_work<Vertex, Edge>;

 public:
  template <class View>
  bfs_on_cores(const Executor& exec, const View& graph, const adjacency<Vertex, Edge>& in,
               const graphs::search_rule& rule, graphs::search_level* level_log, graphs::search_totals* done,
               const graphs::search_shape& shape)
      : exec_(exec),
        blocks_(shape.blocks > 0 ? shape.blocks : smaller(exec.threads(), max_serial_blocks(graph.out))),
        lists_(exec.resource()),
        bits_(make_buffer<std::uint64_t>(
            exec, 3 * ceil_div<std::size_t>(static_cast<std::size_t>(graph.out.vertices), 64))) {
    bits_of_atoms(graph.out);
    work_.out = graph.out;
    work_.in = in;
    work_.rule = rule;
    work_.bits = bits_.data();
    work_.done = done;
    work_.level_log = level_log;
  }

  void run(Vertex source, Vertex* levels, Vertex* parents) {
    work_type work = work_;
    typename work_type::place alone{};
    work.source = source;
    work.levels = levels;
    work.parents = parents;
    work.lists = &lists_;
    work.alone = &alone;
    lists_.begin(blocks_, 2);
    launch(exec_, {.blocks = blocks_, .block_size = 1, .co_resident = blocks_ > 1},
           cores_bfs_kernel<Vertex, Edge>{work});
  }
  std::size_t bytes() const { return bits_.size() * sizeof(std::uint64_t) + lists_.bytes(); }

 private:
  Executor exec_;
  int blocks_;
  graphs::queue_lists<Vertex> lists_;
  buffer<std::uint64_t> bits_;
  work_type work_{};
};

template <class Executor, class Vertex, class Edge>
using bfs_form = std::conditional_t<Executor::serial_blocks, bfs_on_cores<Executor, Vertex, Edge>,
                                    bfs_in_blocks<Executor, Vertex, Edge>>;

} // namespace evenly::detail
