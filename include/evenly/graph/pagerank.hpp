// SPDX-License-Identifier: Apache-2.0
// PageRank: the probability of being at each vertex for a walk that follows a random edge with probability `damping`,
// and otherwise jumps to a random vertex.
//
//   const auto ranks = evenly::pagerank(g);                        // ranks.scores sum to 1
//   const auto ranks = evenly::pagerank(g, {.damping = 0.9, .tolerance = 1e-8, .weighted = true});
//
// Method. Let A(v, u) be the probability that the walk goes from u to v, and p the distribution of jumps. An iteration
// computes y = damping A y + (1 - damping) p. At a vertex without edges the walk jumps. These jumps change the fixed
// point by a factor only, so they need no pass: the scores are y divided by its sum (Del Corso, Gulli and Romani,
// Internet Mathematics 2005).
//
// Each vertex pulls contributions over the incoming edges: reduce_tiles over vertices. A contribution is converted
// to a multiple of 2^-60, so sums of integers add them up exactly. Therefore the scores and the number of iterations
// are the same bits on every run, for any number of threads and under any schedule.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank_options.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::detail {

/// Numbers of [0, 2] as integers whose sums are exact: multiples of 2^-60.
struct fixed_point {
  static constexpr double one = 1152921504606846976.0;

  template <std::floating_point Real> EVENLY_FN static std::int64_t of(Real value) {
    return static_cast<std::int64_t>(value * static_cast<Real>(one));
  }
  EVENLY_FN static double to_double(std::int64_t value) { return static_cast<double>(value) / one; }
};

/// The contribution of each vertex to the ends of its edges, and the part of it that an edge carries; null: all.
template <class Real> struct vertex_contributions {
  const Real* of_vertex = nullptr;
  const Real* part_of_edge = nullptr;

  EVENLY_INLINE_FN std::int64_t operator()(std::int64_t vertex, std::int64_t edge) const {
    const Real whole = read_only(of_vertex + vertex);
    return fixed_point::of(part_of_edge == nullptr ? whole : whole * read_only(part_of_edge + edge));
  }
};

/// What an incoming edge adds to the score of its end. Contributions are float, or double if `wide` has them. One
/// function for both, so that each schedule is compiled once.
template <class Vertex, class Edge> struct rank_over_edge {
  const Vertex* sources;
  vertex_contributions<float> narrow;
  vertex_contributions<double> wide;

  EVENLY_FN std::int64_t operator()(Edge e) const { return from(read_only(sources + e), e); }
  EVENLY_FN std::int64_t streaming(Edge e) const { return from(load_streaming(sources + e), e); }
  /// On the CPU: where the contribution is that the edge gathers.
  EVENLY_FN const void* gathers_from(Edge e) const {
    const Vertex v = sources[e];
    return wide.of_vertex == nullptr ? static_cast<const void*>(narrow.of_vertex + v) : wide.of_vertex + v;
  }

 private:
  EVENLY_INLINE_FN std::int64_t from(Vertex v, Edge e) const {
    return wide.of_vertex != nullptr ? wide(v, e) : narrow(v, e);
  }
};

/// The share of the walk that jumps to a vertex in each iteration.
struct jump_share {
  double uniform;
  const double* personal; ///< per vertex; null: uniform
  EVENLY_FN double operator()(std::int64_t v) const { return personal == nullptr ? uniform : personal[v]; }
};

/// Stores the next rank of a vertex and its next contribution.
template <class Vertex> struct store_rank {
  jump_share jumps;
  double damping;
  const double* per_edge; ///< the part of a vertex's rank that an edge gets
  const Vertex* places;   ///< of the contribution of each vertex; null: its number
  double* ranks;
  float* narrow; ///< contributions; null if they are wide
  double* wide;

  EVENLY_FN void operator()(Vertex v, std::int64_t arriving) const {
    put(v, damping * fixed_point::to_double(arriving) + jumps(v));
  }
  EVENLY_FN void put(Vertex v, double rank) const {
    const double each = rank * per_edge[v];
    ranks[v] = rank;
    const Vertex at = places == nullptr ? v : places[v];
    if (narrow != nullptr)
      narrow[at] = static_cast<float>(each);
    else
      wide[at] = each;
  }
};

/// Stores the first rank of a vertex: its share of jumps, as if all of the walk jumped.
template <class Vertex> struct first_rank {
  store_rank<Vertex> store;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t v) const {
    store.put(static_cast<Vertex>(v), store.jumps(v) / (1 - store.damping));
  }
};

/// The greater, the fewer edges a vertex has. Beyond 2^32 - 1 edges all are equal.
template <class Edge> struct fewness_of_edges {
  const Edge* offsets;
  EVENLY_FN std::uint32_t operator()(std::int64_t v) const {
    const auto edges = static_cast<std::uint64_t>(offsets[v + 1] - offsets[v]);
    return ~static_cast<std::uint32_t>(smaller<std::uint64_t>(edges, 0xffffffff));
  }
};
template <class Vertex> struct number_places {
  const Vertex* order;
  Vertex* places;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t place) const {
    places[order[place]] = static_cast<Vertex>(place);
  }
};
template <class Vertex> struct place_of_end {
  const Vertex* ends;
  const Vertex* places;
  EVENLY_FN Vertex operator()(std::int64_t e) const { return places[ends[e]]; }
};
struct edges_of_place {
  const std::uint32_t* sorted; ///< fewness_of_edges of each place
  EVENLY_FN std::int64_t operator()(std::int64_t place) const { return ~sorted[place]; }
};

/// When contributions get places of their own. The gathers of an iteration on the graph kron of the GAP benchmark suite
/// (2^27 vertices, 2 * 10^9 edges; one H200) take half as long then; with 2^24 vertices a sixth less, with 2^22 an
/// eighth more.
struct pagerank_tuning {
  std::int64_t placed_bytes;  ///< the least bytes of contributions, which do not fit a cache
  int hub_share = 8;          ///< one of so many vertices is a hub
  double edges_of_hubs = 0.5; ///< the least part of all edges that hubs have

  template <class Executor> static constexpr pagerank_tuning of() {
    return {Executor::on_host ? std::numeric_limits<std::int64_t>::max() : std::int64_t{64} << 20};
  }
};

/// The sums of an iteration, in fixed point.
struct rank_sums {
  std::int64_t change, total;
};
struct add_rank_sums {
  using value_type = rank_sums;
  static constexpr bool commutative = true;
  EVENLY_FN constexpr rank_sums identity() const { return {0, 0}; }
  EVENLY_FN constexpr rank_sums operator()(const rank_sums& a, const rank_sums& b) const {
    return {a.change + b.change, a.total + b.total};
  }
};
struct rank_sums_of_vertex {
  const double* before;
  const double* now;
  EVENLY_FN rank_sums operator()(std::int64_t v) const {
    const double change = now[v] - before[v];
    return {fixed_point::of(change < 0 ? -change : change), fixed_point::of(now[v])};
  }
};

/// 1 / (number of edges); 0 without any.
template <class Edge> struct inverse_of_edges {
  const Edge* offsets;
  EVENLY_FN double operator()(std::int64_t v) const {
    const Edge edges = offsets[v + 1] - offsets[v];
    return edges == 0 ? 0.0 : 1.0 / static_cast<double>(edges);
  }
};
/// 1 if the edges of a vertex share its rank by their weights; 0 if these are 0.
struct has_weight {
  const double* sums;
  EVENLY_FN double operator()(std::int64_t v) const { return sums[v] > 0 ? 1.0 : 0.0; }
};

/// Weights are scaled, so that the sum of any number of them is finite.
template <class Weight, class Edge> struct scaled_weight {
  static constexpr double scale = 1.0 / fixed_point::one;

  const Weight* weights;
  EVENLY_FN double operator()(Edge e) const { return static_cast<double>(weights[e]) * scale; }
};
template <class Vertex> struct store_double {
  double* to;
  EVENLY_FN void operator()(Vertex v, double sum) const { to[v] = sum; }
};
/// The probability that the walk follows an edge from its source.
template <class Weight, class Vertex, class Edge> struct edge_probability {
  scaled_weight<Weight, Edge> weight;
  const Vertex* sources;
  const double* sums;
  EVENLY_FN double operator()(std::int64_t e) const {
    const double sum = sums[sources[e]];
    return sum > 0 ? weight(static_cast<Edge>(e)) / sum : 0.0;
  }
};

template <class Score> struct rank_to_score {
  const double* ranks;
  double total;
  EVENLY_FN Score operator()(std::int64_t v) const { return static_cast<Score>(ranks[v] / total); }
};

/// Throws invalid_argument if the graph lacks weights, or has one that is negative, NaN or infinite.
template <class Executor, class Weight, class Vertex, class Edge>
void require_weights(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph) {
  if constexpr (graphs::edge_weight<Weight>)
    graphs::check_weights(exec, graph);
  else
    throw invalid_argument("the graph has no weights");
}

/// The shares of jumps of a personalization, which is not all 0, in total `jumping`.
inline std::vector<double> personal_shares(std::span<const double> weights, double jumping) {
  const double greatest = std::ranges::max(weights);
  double sum = 0;
  for (const double w : weights) sum += w / greatest;
  std::vector<double> shares(weights.size());
  std::ranges::transform(weights, shares.begin(), [&](double w) { return w / greatest / sum * jumping; });
  return shares;
}

/// Contributions are float if their rounding, about 1e-7 in total, is less than the tolerance.
inline bool takes_wide_contributions(const graphs::pagerank_options& options) {
  constexpr double finest_of_float = 1e-6;
  return options.tolerance < finest_of_float;
}

} // namespace evenly::detail

namespace evenly::graphs {

/// An upper bound of the bytes that pagerank_solver allocates in addition to the graph and the scores. `has_in_edges`:
/// whether the graph has incoming edges, or is undirected; otherwise they are made, for which a sort needs more
/// memory than iterations do. On a GPU also one vertex per edge, if contributions exceed 64 MiB and an eighth of the
/// vertices has half of the edges.
template <class Vertex, class Edge>
std::int64_t pagerank_memory(std::int64_t vertices, std::int64_t edges, bool has_in_edges,
                             const pagerank_options& options = {}) {
  const std::int64_t real = detail::takes_wide_contributions(options) ? 8 : 4;
  const std::int64_t of_weight = options.weighted ? real : 0;
  constexpr std::int64_t number = sizeof(Edge), vertex = sizeof(Vertex), weight = 8;
  const std::int64_t per_vertex = 3 * 8 + 2 * real + (options.personalization.empty() ? 0 : 8) +
                                  (options.weighted ? 8 : 0) + (has_in_edges ? 0 : number);
  const std::int64_t kept_of_edge = of_weight + (has_in_edges ? 0 : vertex);
  const std::int64_t made_of_edge = 3 * number + 3 * vertex + (options.weighted ? weight : 0);
  const std::int64_t per_edge =
      has_in_edges ? kept_of_edge : larger(made_of_edge, kept_of_edge + (options.weighted ? weight : 0));
  constexpr std::int64_t others = 1 << 20; // plans, and sums of blocks
  return per_vertex * (vertices + 1) + per_edge * edges + others;
}

/// PageRank of one graph, any number of times. Move-only.
template <class Executor, class Schedule = automatic, signed_of_32_or_64_bits Vertex = int,
          signed_of_32_or_64_bits Edge = int>
class pagerank_solver {
 public:
  /// Prepares iterations. The graph lies on `exec`, is valid (check_edges), and outlives this object.
  ///
  /// - Allocates (pagerank_memory) and waits. Makes the incoming edges if the graph has none.
  /// - Throws invalid_argument for options out of range, and if they request weights that the graph lacks, or that are
  ///   negative, NaN or infinite.
  template <class Weight>
  pagerank_solver(const Executor& exec, const Schedule& schedule,
                  const graph_view<Weight, Vertex, Edge>& graph, const pagerank_options& options = {},
                  const detail::pagerank_tuning& tuning = detail::pagerank_tuning::of<Executor>())
      : pagerank_solver(exec, schedule, graph, options, tuning, made_in_edges(exec, graph, options)) {}

  /// Whether contributions are not in the order of vertices, but those of hubs first.
  bool has_places() const { return places_.size() > 0; }

  /// Iterates until the scores change by at most the tolerance, and writes them: one per vertex, on the executor. They
  /// sum to 1. Waits after each iteration. Throws invalid_argument if the size is wrong.
  template <std::floating_point Score> pagerank_totals run(std::span<Score> scores) {
    detail::require_for_vertices("scores", scores, in_);
    pagerank_totals totals;
    if (in_.vertices == 0) {
      totals.converged = true;
      return totals;
    }
    detail::for_each_index(exec_, in_.vertices, 8, detail::first_rank<Vertex>{store_to(next_)});
    double total = 1;
    while (!totals.converged && totals.iterations < options_.max_iterations) {
      std::swap(now_, next_);
      reduce_tiles(exec_, plan_, contributions(now_), plus<std::int64_t>{}, store_to(next_));
      const detail::rank_sums sums = sums_of_iteration();
      const double before = std::exchange(total, detail::fixed_point::to_double(sums.total));
      totals.error = (detail::fixed_point::to_double(sums.change) + std::abs(total - before)) / total;
      totals.converged = totals.error <= options_.tolerance;
      ++totals.iterations;
    }
    tabulate(exec_, in_.vertices, detail::rank_to_score<Score>{next_.ranks.data(), total}, scores.data());
    exec_.synchronize();
    return totals;
  }

 private:
  using tiles = csr_tile_set<Edge, Vertex>;

  /// The ranks before or after an iteration.
  struct step {
    buffer<double> ranks;
    buffer<float> narrow;
    buffer<double> wide;
  };

  /// Checks the options, and makes the incoming edges if the graph has none.
  template <class Weight>
  static detail::in_edges<Weight, Vertex, Edge> made_in_edges(const Executor& exec,
                                                              const graph_view<Weight, Vertex, Edge>& graph,
                                                              const pagerank_options& options) {
    detail::check_pagerank_options(options, graph.out.vertices);
    if (options.weighted) detail::require_weights(exec, graph);
    if (graph.has_in_edges()) return {};
    auto read = graph;
    if (!options.weighted) read.weights = nullptr;
    return detail::make_in_edges(exec, read);
  }

  template <class Weight>
  pagerank_solver(const Executor& exec, const Schedule& schedule,
                  const graph_view<Weight, Vertex, Edge>& graph, const pagerank_options& options,
                  const detail::pagerank_tuning& tuning, detail::in_edges<Weight, Vertex, Edge>&& made)
      : exec_(exec), options_(options), in_(graph.has_in_edges() ? graph.in : made.view()),
        made_offsets_(std::move(made.offsets)), made_sources_(std::move(made.sources)),
        plan_(make_plan(exec, schedule, in_.tiles())) {
    const std::int64_t vertices = graph.out.vertices;
    const auto rows = static_cast<std::size_t>(vertices);
    const bool is_wide = detail::takes_wide_contributions(options);
    for (step* each : {&now_, &next_}) {
      each->ranks = make_buffer<double>(exec, rows);
      each->narrow = make_buffer<float>(exec, is_wide ? 0 : rows);
      each->wide = make_buffer<double>(exec, is_wide ? rows : 0);
    }
    sums_ = make_buffer<detail::rank_sums>(exec, 1);
    per_edge_ = make_buffer<double>(exec, rows);
    if (!options.personalization.empty())
      personal_ = to_executor(exec, detail::personal_shares(options.personalization, 1 - options.damping));
    options_.personalization = {};
    if (options.weighted)
      divide_by_weight(graph, graph.has_in_edges() ? graph.in_weights : made.weights.data());
    else
      tabulate(exec, vertices, detail::inverse_of_edges<Edge>{graph.out.offsets}, per_edge_.data());
    const std::int64_t bytes = vertices * static_cast<std::int64_t>(is_wide ? sizeof(double) : sizeof(float));
    if (vertices > 0 && bytes >= tuning.placed_bytes) place_hubs_first(graph.out.offsets, tuning);
    exec.synchronize();
  }

  /// Contributions of vertices with many edges, which are gathered most often, come first, so that they share sectors.
  void place_hubs_first(const Edge* out_offsets, const detail::pagerank_tuning& tuning) {
    const std::int64_t vertices = in_.vertices;
    const auto rows = static_cast<std::size_t>(vertices);
    const auto fewness = make_buffer<std::uint32_t>(exec_, rows),
               sorted = make_buffer<std::uint32_t>(exec_, rows);
    const auto numbers = make_buffer<Vertex>(exec_, rows), order = make_buffer<Vertex>(exec_, rows);
    tabulate(exec_, vertices, detail::fewness_of_edges<Edge>{out_offsets}, fewness.data());
    tabulate(exec_, vertices, detail::edge_number<Vertex>{}, numbers.data());
    detail::sort_numbers(exec_, fewness.data(), numbers.data(), vertices, sorted.data(), order.data(),
                         memory_);
    const std::int64_t of_hubs =
        reduce(exec_, generated{detail::edges_of_place{sorted.data()}},
               ceil_div<std::int64_t>(vertices, tuning.hub_share), plus<std::int64_t>{});
    if (static_cast<double>(of_hubs) < tuning.edges_of_hubs * static_cast<double>(in_.edges)) return;
    places_ = make_buffer<Vertex>(exec_, rows);
    placed_sources_ = make_buffer<Vertex>(exec_, static_cast<std::size_t>(in_.edges));
    detail::for_each_index(exec_, vertices, 8, detail::number_places<Vertex>{order.data(), places_.data()});
    tabulate(exec_, in_.edges, detail::place_of_end<Vertex>{in_.ends, places_.data()},
             placed_sources_.data());
    exec_.synchronize(); // the order is freed
  }

  /// Finds the probability of each edge. Sums of weights are of whole tiles on cpu, in their order, so they do not
  /// depend on the number of threads.
  template <class Weight>
  void divide_by_weight(const graph_view<Weight, Vertex, Edge>& graph, const Weight* in_weights) {
    if constexpr (edge_weight<Weight>) {
      const auto sums = make_buffer<double>(exec_, per_edge_.size());
      reduce_tiles(exec_, schedule_for_whole_sums{}, graph.out.tiles(),
                   detail::scaled_weight<Weight, Edge>{graph.weights}, plus<double>{},
                   detail::store_double<Vertex>{sums.data()});
      const detail::edge_probability<Weight, Vertex, Edge> each{{in_weights}, in_.ends, sums.data()};
      if (now_.wide.size() == 0) {
        narrow_parts_ = make_buffer<float>(exec_, static_cast<std::size_t>(in_.edges));
        tabulate(exec_, in_.edges, each, narrow_parts_.data());
      } else {
        wide_parts_ = make_buffer<double>(exec_, static_cast<std::size_t>(in_.edges));
        tabulate(exec_, in_.edges, each, wide_parts_.data());
      }
      tabulate(exec_, in_.vertices, detail::has_weight{sums.data()}, per_edge_.data());
      exec_.synchronize();
    }
  }

  detail::rank_over_edge<Vertex, Edge> contributions(const step& from) const {
    return {placed_sources_.size() > 0 ? placed_sources_.data() : in_.ends,
            {from.narrow.data(), narrow_parts_.data()},
            {from.wide.data(), wide_parts_.data()}};
  }
  detail::store_rank<Vertex> store_to(const step& to) const {
    const double uniform = (1 - options_.damping) / static_cast<double>(in_.vertices);
    return {{uniform, personal_.data()},
            options_.damping,
            per_edge_.data(),
            places_.data(),
            to.ranks.data(),
            to.narrow.data(),
            to.wide.data()};
  }
  detail::rank_sums sums_of_iteration() {
    const detail::rank_sums_of_vertex each{now_.ranks.data(), next_.ranks.data()};
    reduce(exec_, generated{each}, in_.vertices, detail::add_rank_sums{}, sums_.data(), memory_);
    detail::rank_sums sums{};
    exec_.copy_to_host(&sums, sums_.data(), sizeof(sums));
    return sums;
  }

  Executor exec_;
  pagerank_options options_;
  adjacency<Vertex, Edge> in_;
  buffer<Edge> made_offsets_;
  buffer<Vertex> made_sources_;
  decltype(make_plan(std::declval<const Executor&>(), std::declval<const Schedule&>(),
                     std::declval<const tiles&>())) plan_;
  step now_, next_;
  buffer<double> per_edge_, personal_;
  buffer<Vertex> places_, placed_sources_; ///< empty: contributions are in the order of vertices
  buffer<float> narrow_parts_;
  buffer<double> wide_parts_;
  buffer<detail::rank_sums> sums_;
  workspace memory_;
};

template <class Executor, class Schedule, class Weight, class Vertex, class Edge>
pagerank_solver(const Executor&, const Schedule&, const graph_view<Weight, Vertex, Edge>&,
                const pagerank_options& = {}) -> pagerank_solver<Executor, Schedule, Vertex, Edge>;

/// The result of pagerank: one score per vertex, and how the iteration ended.
template <class Scores> struct ranked : pagerank_totals {
  Scores scores;
};

} // namespace evenly::graphs

namespace evenly::detail {

template <class Executor, class Weight, class Vertex, class Edge, class Score, class... Schedule>
graphs::pagerank_totals find_ranks(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& g,
                                   const graphs::pagerank_options& options, std::span<Score> scores,
                                   const Schedule&... schedule) {
  if constexpr (sizeof...(Schedule) == 0)
    return find_ranks(exec, g, options, scores, automatic{.work = work_kind::gathered_sums});
  else
    return graphs::pagerank_solver(exec, schedule..., g, options).run(scores);
}

} // namespace evenly::detail

namespace evenly::graphs {

/// PageRank of a graph: result.scores[v] is the score of v, a double. They sum to 1.
///
/// - g, env: as for bfs (searches.hpp). The graph is symmetric, or has incoming edges, or they are made.
/// - Each parallel edge and each self-loop counts as an edge. A vertex without outgoing edges, or with weights of 0
///   only, passes its score to all vertices in proportion to the jumps.
/// - If the scores have not converged after options.max_iterations, result.converged is false and result.error is the
///   change that was left.
/// - Complexity: per iteration one pass over the incoming edges and two over the vertices. In the long run the error
///   falls at least by the factor `damping` per iteration.
/// - Memory: pagerank_memory. Synchronisation: waits for the executor.
/// - Contributions have the precision of float if the tolerance is at least 1e-6, otherwise of double.
/// - Throws invalid_argument as pagerank_solver does.
template <graph_like G, environment_argument Env = environment<>>
auto pagerank(const G& g, const pagerank_options& options = {}, Env&& env = {}) {
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    auto scores = detail::make_values<double>(exec, view.out.vertices);
    const auto totals = detail::find_ranks(exec, view, options, detail::span_of_output(scores), schedule...);
    return ranked<decltype(scores)>{totals, std::move(scores)};
  });
}
/// The same in existing memory: `scores` has one float or double per vertex.
template <graph_like G, detail::contiguous_values Scores, environment_argument Env = environment<>>
pagerank_totals pagerank(const G& g, Scores&& scores, const pagerank_options& options = {}, Env&& env = {}) {
  static_assert(!std::is_const_v<std::remove_pointer_t<decltype(std::data(scores))>>,
                "scores must not be const");
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    return detail::find_ranks(exec, view, options, detail::span_of_output(scores), schedule...);
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::pagerank, graphs::pagerank_options;

} // namespace evenly
