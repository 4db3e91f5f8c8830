// SPDX-License-Identifier: Apache-2.0
// Betweenness centrality: for each vertex v, the sum over pairs of other vertices (s, t) of the share of shortest paths
// from s to t that pass through v. Edges have no weights here.
//
//   const auto scores = evenly::betweenness(g);                             // exact: all sources
//   const auto some = evenly::betweenness(g, sources);                      // of pairs whose s is in `sources`
//   evenly::betweenness(g, sources, evenly::graphs::betweenness_scale::normalized);
//
// The algorithm is that of Brandes (J. Math. Sociol., 2001), for each source:
// 1. A breadth-first search finds the levels (bfs_search.hpp), and a stable sort by level the list of each level.
// 2. Level by level from the source, each vertex adds up the path counts of its neighbours on the level before.
// 3. Level by level back to the source, each vertex v adds up (1 + dependency(w)) / paths(w) over its neighbours w on
//    the level after. Times paths(v), this is the dependency of the source on v, and part of its score.
// A level is one launch. Consecutive levels of few vertices are one launch together, of one block.
//
// Each vertex reads the values of its neighbours, so there are no atomic additions. The order of additions depends only
// on the graph and on the kind of executor: the bits of the scores are the same on every run, and on cpu for every
// number of threads.
//
// Path counts may exceed the range of a double, 2^1024: a grid of 3000 x 3000 vertices has about 2^5991 shortest paths
// between opposite corners. So a path count is a double with an additional exponent of 32 bits (wide_number).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/detail/team_rounds.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Numbers with a wide exponent.

namespace evenly::detail {

/// The number mantissa * 2^(512 * exponent). Counts of paths have mantissas in [1, 2^512), or are 0.
struct wide_number {
  static constexpr double base = 0x1p512, inverse_of_base = 0x1p-512;

  double mantissa = 0;
  std::int32_t exponent = 0;
};

/// The monoid of sums. If the exponents of two terms differ by 2 or more, their ratio is more than 2^512, and the
/// smaller term is below the rounding error of the sum. So it is ignored.
struct wide_sum {
  using value_type = wide_number;
  static constexpr bool commutative = true;

  EVENLY_FN constexpr wide_number identity() const { return {}; }
  EVENLY_FN constexpr wide_number operator()(const wide_number& a, const wide_number& b) const {
    if (a.exponent == b.exponent) return carried({a.mantissa + b.mantissa, a.exponent});
    if (a.mantissa == 0) return b;
    if (b.mantissa == 0) return a;
    return a.exponent > b.exponent ? sum(a, b) : sum(b, a);
  }

 private:
  EVENLY_FN static constexpr wide_number carried(const wide_number& x) {
    if (x.mantissa < wide_number::base) return x;
    return {x.mantissa * wide_number::inverse_of_base, x.exponent + 1};
  }
  EVENLY_FN static constexpr wide_number sum(const wide_number& greater, const wide_number& lesser) {
    if (greater.exponent - lesser.exponent > 1) return greater;
    return carried({greater.mantissa + lesser.mantissa * wide_number::inverse_of_base, greater.exponent});
  }
};

/// The product of a path count and a sum of inverse path counts, at most the number of vertices.
EVENLY_FN constexpr double product(const wide_number& a, const wide_number& b) {
  const double mantissas = a.mantissa * b.mantissa;
  const std::int32_t exponent = a.exponent + b.exponent;
  if (exponent == 0) return mantissas;
  return exponent == -1 ? mantissas * wide_number::inverse_of_base : 0; // 0: less than 2^-480
}

// --- details ---------------------------------------------------------------------------------------------------------
// The sums over the neighbours of each vertex of a level, or of several levels if there is one block.

template <class Vertex, class Edge> struct level_sums {
  /// Vertices with more edges are summed by whole blocks.
  static constexpr Edge max_team_edges = 1024;

  struct slots {
    slot<wide_number> warps;
  };

  adjacency<Vertex, Edge>
      edges;                  ///< to the neighbours: that arrive on the way out, that leave on the way back
  const Vertex* lists;        ///< vertices by level
  const std::int64_t* firsts; ///< of each level the place of its first vertex, and the end of the last one
  std::int64_t level_count;
  const Vertex* levels;
  wide_number* numbers; ///< of each vertex its path count; after step 3 the number that its neighbours add up
  double* dependencies;
  group_size group;           ///< threads per vertex
  bool has_long_lists;        ///< whether a vertex of the graph has more than max_team_edges edges
  bool is_way_back;           ///< step 3 instead of step 2
  std::int64_t level = 0;     ///< the first of those that are visited
  std::int64_t visited = 1;   ///< levels; the next one is level + 1, or level - 1 on the way back
  std::int64_t per_block = 0; ///< vertices of a level; 0: all

  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<wide_number>(larger(team_reduce_slots(whole_block, shape), 1))};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()).warps);
    for (std::int64_t i = 0; i < visited; ++i) {
      if (i > 0) block.sync();
      const std::int64_t at = is_way_back ? level - i : level + i;
      const std::int64_t begin = firsts[at], end = firsts[at + 1];
      const std::int64_t first = per_block == 0 ? begin : begin + block.index() * per_block;
      const std::int64_t last = per_block == 0 ? end : smaller(first + per_block, end);
      sum_vertices(block, scratch, lists + first, static_cast<int>(last - first),
                   neighbours_of(static_cast<Vertex>(at)));
    }
  }

 private:
  /// The level of the neighbours that count; -1: none.
  EVENLY_FN Vertex neighbours_of(Vertex at) const {
    if (!is_way_back) return at - 1;
    return at + 1 < level_count ? at + 1 : Vertex{-1};
  }

  template <class Block, class Scratch>
  EVENLY_FN void sum_vertices(Block& block, const Scratch& scratch, const Vertex* list, int here,
                              Vertex neighbours) const {
    if constexpr (Block::is_serial) {
      for (int i = 0; i < here; ++i) {
        const Vertex v = list[i];
        store(v, sum(v, neighbours, 0, 1));
      }
    } else {
      const team<any_size, Block> me(block, group);
      for_each_team(me, here, [&](bool has, int i) {
        const Vertex v = has ? list[i] : Vertex{0};
        const bool is_mine = has && degree(v) <= max_team_edges;
        const wide_number all = me.reduce(is_mine ? sum(v, neighbours, me.rank(), me.size()) : wide_number{},
                                          wide_sum{}, scratch);
        if (is_mine && me.rank() == 0) store(v, all);
      });
      if (!has_long_lists) return;
      const team<whole_block, Block> together(block);
      for (int i = 0; i < here; ++i) {
        const Vertex v = list[i];
        if (degree(v) <= max_team_edges) continue;
        const wide_number all =
            together.reduce(sum(v, neighbours, together.rank(), together.size()), wide_sum{}, scratch);
        if (together.rank() == 0) store(v, all);
      }
    }
  }

  EVENLY_FN Edge degree(Vertex v) const { return edges.offsets[v + 1] - edges.offsets[v]; }
  /// The sum over every step-th edge of v.
  EVENLY_FN wide_number sum(Vertex v, Vertex neighbours, int first, int step) const {
    wide_number all;
    if (neighbours < 0) return all;
    const Edge end = edges.offsets[v + 1];
    for (Edge e = edges.offsets[v] + first; e < end; e += step) {
      const Vertex at = read_only(edges.ends + e);
      if (read_only(levels + at) == neighbours) all = wide_sum{}(all, numbers[at]);
    }
    return all;
  }
  EVENLY_FN void store(Vertex v, const wide_number& all) const {
    if (!is_way_back) {
      numbers[v] = all;
      return;
    }
    const wide_number paths = numbers[v];
    const double dependency = product(paths, all);
    dependencies[v] += dependency;
    numbers[v] = {(1 + dependency) / paths.mantissa, -paths.exponent};
  }
};

template <class Edge> struct number_of_edges {
  const Edge* offsets;
  EVENLY_FN Edge operator()(std::int64_t v) const { return offsets[v + 1] - offsets[v]; }
};
/// A key that sorts vertices by level, those without a level last.
template <class Vertex> struct level_key {
  const Vertex* levels;
  Vertex last;
  EVENLY_FN Vertex operator()(std::int64_t v) const { return levels[v] < 0 ? last : levels[v]; }
};
/// The first place of each level.
template <class Vertex> struct first_of_level {
  const Vertex* sorted;
  std::int64_t vertices;
  EVENLY_FN std::int64_t operator()(std::int64_t level) const {
    return first_past(std::int64_t{0}, vertices, [&](std::int64_t i) { return sorted[i] >= level; });
  }
};
struct one_path {
  EVENLY_FN wide_number operator()(std::int64_t) const { return {1, 0}; }
};

/// The dependencies of one source at a time. Move-only.
template <class Executor, class Vertex, class Edge> class dependencies_of_source {
 public:
  /// `graph`: with incoming edges, on `exec`.
  template <class Weight>
  dependencies_of_source(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph)
      : exec_(exec), out_(graph.out), in_(graph.in), search_(exec, graph),
        size_(static_cast<std::size_t>(graph.out.vertices)), levels_(make_buffer<Vertex>(exec, size_)),
        keys_(make_buffer<Vertex>(exec, size_)), vertices_(make_buffer<Vertex>(exec, size_)),
        sorted_(make_buffer<Vertex>(exec, size_)), lists_(make_buffer<Vertex>(exec, size_)),
        numbers_(make_buffer<wide_number>(exec, size_)) {
    tabulate(exec, out_.vertices, edge_number<Vertex>{}, vertices_.data());
    const double degree =
        out_.vertices == 0 ? 0 : static_cast<double>(out_.edges) / static_cast<double>(out_.vertices);
    int threads = 1;
    while (threads < 32 && threads < degree) threads *= 2;
    group_ = group_size(threads);
    if constexpr (!Executor::serial_blocks)
      has_long_lists_ =
          max_edges(out_.offsets) > sums::max_team_edges || max_edges(in_.offsets) > sums::max_team_edges;
  }

  /// Adds the dependencies of `source` on all vertices.
  void run(Vertex source, double* dependencies) {
    search_.run(source, levels_.span());
    const std::int64_t levels = search_.totals().levels;
    const auto last = static_cast<Vertex>(levels);
    tabulate(exec_, out_.vertices, level_key<Vertex>{levels_.data(), last}, keys_.data());
    sort_numbers(exec_, keys_.data(), vertices_.data(), out_.vertices, sorted_.data(), lists_.data(), memory_,
                 static_cast<int>(std::bit_width(static_cast<std::uint64_t>(levels))));
    if (firsts_.size() < static_cast<std::size_t>(levels) + 1)
      firsts_ = make_buffer<std::int64_t>(exec_, 2 * static_cast<std::size_t>(levels) + 1);
    tabulate(exec_, levels + 1, first_of_level<Vertex>{sorted_.data(), out_.vertices}, firsts_.data());
    const auto firsts =
        to_host(exec_, std::span<const std::int64_t>(firsts_.data(), static_cast<std::size_t>(levels) + 1));
    tabulate(exec_, 1, one_path{}, numbers_.data() + source);
    for (const bool is_way_back : {false, true}) {
      sums kernel{is_way_back ? out_ : in_, lists_.data(), firsts_.data(), levels,          levels_.data(),
                  numbers_.data(),          dependencies,  group_,         has_long_lists_, is_way_back};
      const auto size_of = [&](std::int64_t visited) {
        const auto at = static_cast<std::size_t>(is_way_back ? levels - visited : visited);
        return firsts[at + 1] - firsts[at];
      };
      for (std::int64_t visited = 1; visited < levels; visited += kernel.visited) {
        kernel.level = is_way_back ? levels - visited : visited;
        kernel.visited = 0;
        while (visited + kernel.visited < levels && size_of(visited + kernel.visited) <= thin_level())
          ++kernel.visited;
        launch_sums(kernel, size_of(visited));
        kernel.visited = larger<std::int64_t>(kernel.visited, 1);
      }
    }
  }

 private:
  /// The maximum number of edges of a vertex.
  Edge max_edges(const Edge* offsets) const {
    return reduce(exec_, generated{number_of_edges<Edge>{offsets}}, out_.vertices, maximum<Edge>{});
  }
  using sums = level_sums<Vertex, Edge>;

  /// The maximum number of vertices of a level that one block visits together with the next level.
  std::int64_t thin_level() const {
    if constexpr (Executor::serial_blocks) {
      constexpr std::int64_t min_edges = 4096; ///< per block, about
      const std::int64_t degree = larger<std::int64_t>(out_.edges / larger<Vertex>(out_.vertices, 1), 1);
      return larger<std::int64_t>(min_edges / degree, 16);
    } else {
      return 2 * thin_block_size / group_.threads;
    }
  }
  /// `count`: vertices of the first level.
  void launch_sums(sums kernel, std::int64_t count) {
    constexpr int block_size = 256;
    if (kernel.visited > 1) {
      launch(exec_, {1, thin_block_size}, kernel);
      return;
    }
    kernel.visited = 1;
    if constexpr (Executor::serial_blocks)
      kernel.per_block = larger(
          ceil_div<std::int64_t>(count, std::int64_t{blocks_of_thread} * exec_.threads()), thin_level());
    else
      kernel.per_block = block_size / group_.threads;
    launch(exec_, {block_count(count, kernel.per_block), block_size}, kernel);
  }

  static constexpr int thin_block_size = 1024;

  Executor exec_;
  adjacency<Vertex, Edge> out_, in_;
  graphs::bfs_search<Executor, Vertex, Edge> search_;
  std::size_t size_;
  buffer<Vertex> levels_, keys_, vertices_, sorted_, lists_;
  buffer<wide_number> numbers_;
  buffer<std::int64_t> firsts_;
  group_size group_;
  bool has_long_lists_ = false;
  workspace memory_;
};

/// Adds up the dependencies of several sources, in their order.
struct add_dependencies {
  const double* const* of_sources;
  int sources;
  double* scores;
  EVENLY_FN double operator()(std::int64_t v) const {
    double sum = scores[v];
    for (int i = 0; i < sources; ++i) sum += of_sources[i][v];
    return sum;
  }
};

struct scaled {
  const double* scores;
  double factor;
  EVENLY_FN double operator()(std::int64_t v) const { return scores[v] * factor; }
};

/// A memory resource that several threads may use.
class locked_memory final : public std::pmr::memory_resource {
 public:
  explicit locked_memory(std::pmr::memory_resource* upstream) : upstream_(upstream) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard lock(guard_);
    return upstream_->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard lock(guard_);
    upstream_->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  std::mutex guard_;
};

/// Searches from several sources at a time, each on one thread. The sums have the same bits as from one at a time.
template <class Vertex, class Edge, class Weight>
void add_concurrently(const cpu& exec, int searches, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                      std::span<const Vertex> sources, std::span<double> scores) {
  locked_memory memory(exec.resource());
  const cpu alone(1, &memory);
  std::vector<std::unique_ptr<dependencies_of_source<cpu, Vertex, Edge>>> each;
  std::vector<buffer<double>> dependencies;
  std::vector<const double*> of_sources;
  for (int i = 0; i < searches; ++i) {
    each.push_back(std::make_unique<dependencies_of_source<cpu, Vertex, Edge>>(alone, graph));
    dependencies.push_back(make_buffer<double>(exec, scores.size()));
    of_sources.push_back(dependencies.back().data());
  }
  for (std::size_t first = 0; first < sources.size(); first += static_cast<std::size_t>(searches)) {
    const auto here =
        static_cast<int>(smaller<std::size_t>(static_cast<std::size_t>(searches), sources.size() - first));
    first_failure failure;
    for_each_block(exec.threads(), here, [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      try {
        std::ranges::fill(dependencies[at].span(), 0.0);
        each[at]->run(sources[first + at], dependencies[at].data());
      } catch (...) {
        failure.set(std::current_exception());
      }
    });
    failure.rethrow();
    tabulate(exec, graph.out.vertices, add_dependencies{of_sources.data(), here, scores.data()},
             scores.data());
  }
}

} // namespace evenly::detail

namespace evenly::graphs {

/// The scale of scores.
///
/// - sums: sums over ordered pairs (s, t) with s in the sources. In an undirected graph each pair counts twice if both
///   ends are sources.
/// - normalized: sums times vertices / (sources * (vertices - 1) * (vertices - 2)). With all sources this is the mean
///   over all pairs of vertices other than v.
enum class betweenness_scale { sums, normalized };

/// The number of searches that find_betweenness runs at the same time on cpu, each by one thread from a source of its
/// own; 1: all threads search from one source.
inline int concurrent_searches(int threads, std::int64_t vertices, std::int64_t sources) {
  constexpr std::int64_t max_vertices = std::int64_t{1} << 24; ///< of all searches together
  return sources >= threads && vertices <= max_vertices / threads ? threads : 1;
}
/// The maximum bytes that find_betweenness allocates on cpu.
template <class Vertex = int> constexpr std::int64_t betweenness_bytes(std::int64_t vertices, int searches) {
  constexpr std::int64_t of_vertex = 11 * sizeof(Vertex) + 2 * sizeof(double), of_search = 1 << 16;
  return searches * (vertices * of_vertex + of_search);
}

/// Computes the betweenness of each vertex.
///
/// - graph: its edges are on `exec`. Incoming edges are made if there are none. Parallel edges are different paths.
/// - sources: on the host. A source that is listed twice counts twice.
/// - scores: one per vertex, on `exec`.
/// - Cost: per source a breadth-first search, a sort of the vertices by level, and two reads of a level per edge.
/// - Memory: on cpu betweenness_bytes of concurrent_searches, in addition to incoming edges if there are none.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if a source is not a vertex, or if the size is wrong. The edges are not checked
///   (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
void find_betweenness(const Executor& exec, graph_view<Weight, Vertex, Edge> graph,
                      std::type_identity_t<std::span<const Vertex>> sources, betweenness_scale scale,
                      std::span<double> scores) {
  const auto& out = graph.out;
  detail::require_for_vertices("scores", scores, out);
  for (const Vertex source : sources) require_source(out, source);
  exec.fill_zero(scores.data(), scores.size_bytes());
  if (sources.empty()) return exec.synchronize();
  detail::in_edges<Weight, Vertex, Edge> arriving;
  if (!graph.has_in_edges()) {
    graph.weights = nullptr;
    arriving = detail::make_in_edges(exec, graph);
    graph.in = arriving.view();
  }
  int searches = 1;
  if constexpr (std::is_same_v<Executor, cpu>)
    searches = concurrent_searches(exec.threads(), out.vertices, std::ssize(sources));
  if (searches == 1) {
    detail::dependencies_of_source<Executor, Vertex, Edge> each(exec, graph);
    for (const Vertex source : sources) each.run(source, scores.data());
  } else if constexpr (std::is_same_v<Executor, cpu>) {
    detail::add_concurrently(exec, searches, graph, sources, scores);
  }
  const auto vertices = static_cast<double>(out.vertices);
  if (scale == betweenness_scale::normalized && out.vertices > 2)
    tabulate(exec, out.vertices,
             detail::scaled{scores.data(), vertices / (static_cast<double>(sources.size()) * (vertices - 1) *
                                                       (vertices - 2))},
             scores.data());
  exec.synchronize();
}

/// The betweenness of each vertex: result[v], a double, is the score of v.
///
/// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view (searches.hpp).
/// - sources: a range of vertices on the host.
/// - Complexity: O(vertices + edges) per source. Memory, synchronisation and errors: those of find_betweenness.
template <graph_like G, detail::contiguous_values Sources, environment_argument Env = environment<>>
auto betweenness(const G& g, const Sources& sources, betweenness_scale scale = betweenness_scale::sums,
                 Env&& env = {}) {
  using vertex = detail::vertex_of<G>;
  static_assert(std::is_same_v<detail::value_of<Sources>, vertex>,
                "sources need elements of the vertex type of the graph");
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto scores = detail::make_values<double>(exec, view.out.vertices);
    find_betweenness(exec, view, {std::data(sources), std::size(sources)}, scale,
                     {std::data(scores), std::size(scores)});
    return scores;
  });
}
/// The same with all vertices as sources: exact. Complexity: O(vertices * (vertices + edges)).
template <graph_like G, environment_argument Env = environment<>>
auto betweenness(const G& g, betweenness_scale scale = betweenness_scale::sums, Env&& env = {}) {
  using vertex = detail::vertex_of<G>;
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    std::vector<vertex> sources(static_cast<std::size_t>(view.out.vertices));
    std::iota(sources.begin(), sources.end(), vertex{0});
    auto scores = detail::make_values<double>(exec, view.out.vertices);
    find_betweenness(exec, view, sources, scale, {std::data(scores), std::size(scores)});
    return scores;
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::betweenness;

} // namespace evenly
