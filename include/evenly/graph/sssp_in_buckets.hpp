// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source (SSSP) by one persistent kernel with buckets.
//
//   sssp(roads, source, distances, parents);   // of graph/searches.hpp
//   sssp_buckets search(exec, roads, {.method = path_method::delta_stepping, .delta = 100});   // for several sources
//   search.run(source, distances, parents);
//
// Vertices wait in buckets by their distance: delta-stepping (Meyer & Sanders, J. Algorithms 2003) without a
// distinction of light and heavy edges. All blocks run one loop with one grid barrier per frontier
// (detail/paths_kernel.hpp). Related methods are settings of the same kernel:
//
//   method          width of a bucket                    opens the next bucket when
//   automatic       automatic_delta                      too few vertices are left to keep the executor busy; on cpu
//                   (detail/path_rules.hpp)              none is left
//   delta_stepping  maximum weight / mean degree         none is left (Meyer & Sanders)
//   near_far        32 mean weights / mean degree        none is left (Davidson et al., IPDPS 2014: their far pile is
//                                                        the buckets behind the open ones, so it is not searched)
//   bellman_ford    infinite: one bucket                 never
//
// Distances are the smallest sums, added from the source on, so they are the same bits on every run (sssp.hpp). So are
// parents: a distance of 32 bits and its parent are one word, which only falls. The parent of lowest number wins among
// those at smaller distances. For longer distances, and if a weight of 0 leads to a vertex, parents are found
// afterwards (detail/path_parents.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/growing_memory.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_rules.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/detail/paths_kernel.hpp"
#include "evenly/graph/detail/persistent_queues.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The persistent kernel of a bucketed search for shortest paths on cpu, with blocks of one thread.
//
// Each block has its own lists of waiting vertices, by bucket (graph/detail/persistent_queues.hpp). A block
// loads the word of an edge's end (path_words.hpp), and lowers it if the path through the edge is shorter. If the
// distance fell, it puts the vertex into the bucket of the new distance. A block processes its new entries of the open
// bucket alone while they are few. If all waiting entries are only a few, as on a path, block 0 continues alone. An
// entry is dead if the distance of its vertex has fallen since.

namespace evenly::detail {

/// A vertex with edges to visit.
template <class Distance> struct waiting_vertex {
  Distance distance; ///< of the vertex when the entry was made
  std::uint32_t vertex;
};

template <class Weight, class Vertex, class Edge, class Distance, class Out> struct cores_paths_work {
  using weight_type = Weight;
  using vertex_type = Vertex;
  using edge_type = Edge;
  using distance_type = Distance;
  using word = path_word<Distance>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  std::uint64_t* words; ///< one per vertex
  path_buckets<Distance> buckets;
  int rounds; ///< maximum rounds of a block between two barriers
  graphs::queue_lists<waiting_vertex<Distance>>* lists;
  Vertex source;
  Out* distances;
  Vertex* parents;                        ///< null if not wanted, or if words have none
  path_outcome* outcomes;                 ///< one per block
  std::vector<graphs::queue_totals>* log; ///< null if there is no log
};

template <class Block, class Work> class cores_paths {
  using vertex = typename Work::vertex_type;
  using edge = typename Work::edge_type;
  using distance = typename Work::distance_type;
  using word = typename Work::word;
  using entry = waiting_vertex<distance>;
  /// The maximum number of entries that a block processes alone; more are shared.
  static constexpr std::size_t max_single_block = 512;
  /// If at most this many entries wait in all, block 0 continues alone. It stops at four times as many.
  static constexpr std::int64_t few = 16;

 public:
  cores_paths(const Work& work, Block& block) : work_(work), block_(block), queues_(block, *work.lists) {}

  void run() {
    begin();
    const auto go = [&](const entry* first, std::int64_t count) {
      if (queues_.is_only())
        visit<false>(first, count);
      else
        visit<true>(first, count);
    };
    for (graphs::queue_totals now = queues_.sync(); now.entries > 0;) {
      const std::int64_t entries = now.entries;
      edges_ = 0;
      if (queues_.is_only() || entries > few || now.behind > 0) {
        queues_.visit_open(entries, go);
        queues_.go_on(work_.rounds, max_single_block, go);
      } else if (block_.index() == 0) {
        queues_.run_single_block([&](const entry* first, std::int64_t count) { visit<false>(first, count); },
                                 [&] { return queues_.waits() <= 4 * few; });
      }
      now = queues_.sync(edges_);
      ++outcome_.frontiers;
      if (block_.index() == 0 && work_.log != nullptr)
        work_.log->push_back({.entries = entries, .counted = {now.counted[0]}});
    }
    end();
  }

 private:
  void begin() {
    for (std::int64_t v = first(); v < last(); ++v)
      work_.words[v] = v == work_.source ? source_word() : word::none();
    if (block_.index() == 0) queues_.put(0, {distance{0}, static_cast<std::uint32_t>(work_.source)});
  }
  void end() {
    const bool lacks = write_paths<distance>(work_.words, last(), work_.distances, work_.parents, first(), 1);
    outcome_.lacks_parents = lacks ? 1 : 0;
    work_.outcomes[block_.index()] = outcome_;
  }
  std::uint64_t source_word() const {
    return word::of(distance{0}, static_cast<std::uint32_t>(work_.source));
  }
  std::int64_t per_block() const { return ceil_div<std::int64_t>(work_.out.vertices, block_.count()); }
  std::int64_t first() const {
    return smaller<std::int64_t>(per_block() * block_.index(), work_.out.vertices);
  }
  std::int64_t last() const { return smaller<std::int64_t>(first() + per_block(), work_.out.vertices); }

  template <bool Shared> void visit(const entry* list, std::int64_t count) {
    constexpr std::int64_t ahead = 8;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i + ahead < count) {
        prefetch(work_.words + list[i + ahead].vertex);
        prefetch(work_.out.offsets + list[i + ahead].vertex);
      }
      const entry now = list[i];
      if (word::distance(look<Shared>(work_.words[now.vertex])) == now.distance) relax<Shared>(now);
    }
  }
  template <bool Shared> void relax(const entry& now) {
    const edge begin = work_.out.offsets[now.vertex], end = work_.out.offsets[std::int64_t{now.vertex} + 1];
    edges_ += end - begin;
    for (edge e = begin; e < end; ++e) {
      distance sum{};
      if (!graphs::add_weight(now.distance, work_.weights[e], sum)) {
        outcome_.too_far = 1;
        continue;
      }
      const auto to = static_cast<std::uint32_t>(work_.out.ends[e]);
      const std::uint64_t wanted = word::reached(now.distance, sum, now.vertex);
      std::uint64_t seen = look<Shared>(work_.words[to]);
      if (wanted >= seen || !lower<Shared>(work_.words[to], seen, wanted)) continue;
      if (word::distance(seen) != sum) queues_.put(work_.buckets.of(sum), {sum, to});
    }
  }
  template <bool Shared> static std::uint64_t look(std::uint64_t& at) {
    if constexpr (Shared) return std::atomic_ref(at).load(std::memory_order_relaxed);
    return at;
  }
  /// Lowers `at` to `wanted`. Returns whether it did; seen: the value before.
  template <bool Shared> static bool lower(std::uint64_t& at, std::uint64_t& seen, std::uint64_t wanted) {
    if constexpr (!Shared) {
      at = wanted;
      return true;
    }
    const std::atomic_ref shared(at);
    while (wanted < seen)
      if (shared.compare_exchange_weak(seen, wanted, std::memory_order_relaxed)) return true;
    return false;
  }

  const Work& work_;
  Block& block_;
  graphs::persistent_queues<Block, entry> queues_;
  std::int64_t edges_ = 0; ///< visited since the last barrier
  path_outcome outcome_{};
};

template <class Weight, class Vertex, class Edge, class Distance, class Out> struct cores_paths_kernel {
  using work_type = cores_paths_work<Weight, Vertex, Edge, Distance, Out>;
  work_type work;

  template <class Block> void operator()(Block& block) const {
    cores_paths<Block, work_type>(work, block).run();
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// The two forms of a bucketed persistent search for shortest paths: blocks of many threads (paths_kernel.hpp), and
// blocks of one thread. Each owns its memory and launches the kernel.

/// The problem and the parameters of a search.
template <class Weight, class Vertex, class Edge> struct path_problem {
  graph_view<Weight, Vertex, Edge> graph;
  graphs::path_settings settings;
  path_tuning tuning;
  path_facts facts;

  template <class Found> planned_buckets<Found> plan() const {
    return plan_buckets<Found>(settings, tuning, facts);
  }
};

template <class Executor, class Weight, class Vertex, class Edge> class paths_in_blocks {
  using problem = path_problem<Weight, Vertex, Edge>;

 public:
  explicit paths_in_blocks(const Executor& exec) : exec_(exec) {}

  /// Searches with distances of type `Found`, again with more memory until lists and log are large enough.
  template <class Found, class Distance>
  path_outcome search(const problem& of, Vertex source, std::span<Distance> distances,
                      std::span<Vertex> parents, bool logs) {
    while (true) {
      const auto outcome = search_once<Found>(of, source, distances, parents, logs ? log_size_ : 0);
      if (outcome.exhausted != 0)
        room_ *= 2;
      else if (logs && outcome.frontiers > log_size_)
        log_size_ = 2 * outcome.frontiers;
      else
        return outcome;
    }
  }

  /// Reports the frontiers of the last search, which must have logged them.
  template <class Report> void report_frontiers(std::uint32_t frontiers, const Report& report) {
    const auto logged =
        to_host(exec_, std::span<const path_frontier>(log_.template of<path_frontier>(exec_, 0), frontiers));
    for (std::size_t i = 0; i < logged.size(); ++i)
      report(graphs::frontier_report{static_cast<std::int64_t>(i),
                                     static_cast<std::int64_t>(logged[i].entries),
                                     static_cast<std::int64_t>(logged[i].edges)});
  }

  std::size_t bytes() const {
    return words_.bytes() + entries_.bytes() + table_.bytes() + control_.bytes() + log_.bytes();
  }

 private:
  static constexpr int line = words_of_line;

  template <class Found, class Distance>
  path_outcome search_once(const problem& of, Vertex source, std::span<Distance> distances,
                           std::span<Vertex> parents, std::uint32_t log_size) {
    using kernel_type = paths_kernel<Weight, Vertex, Edge, Found, Distance>;
    using entry = typename kernel_type::entry;
    const auto planned = of.template plan<Found>();
    const std::int64_t vertices = of.graph.out.vertices;
    kernel_type kernel{};
    kernel.out = of.graph.out;
    kernel.weights = of.graph.weights;
    kernel.words = words_.template of<std::uint64_t>(exec_, vertices);
    kernel.buckets = planned.buckets;
    kernel.rules = planned.rules;
    kernel.lists = size_lists<entry>(planned.rules, of.tuning, vertices, of.graph.out.edges, room_);
    auto& lists = kernel.lists;
    lists.entries = entries_.template of<entry>(exec_, std::int64_t{lists.chunks} << lists.chunk_log);
    const std::int64_t cells = std::int64_t{lists.lists} * lists.row,
                       ring = std::int64_t{lists.ring_mask} + 1;
    lists.table = table_.template of<std::uint32_t>(exec_, cells + ring + lists.count_words() + 2 * line);
    lists.ring = lists.table + cells;
    lists.counts = lists.ring + ring;
    lists.taken = lists.counts + lists.count_words();
    lists.exhausted = lists.taken + line;
    kernel.control = control_.template of<path_control>(exec_, 1);
    kernel.source = source;
    kernel.distances = distances.data();
    kernel.parents = parents.empty() || !kernel_type::word::has_parent ? nullptr : parents.data();
    kernel.log = log_.template of<path_frontier>(exec_, log_size);
    kernel.log_size = log_size;
    launch_with_barrier(exec_, kernel, barriers_);
    return to_host(exec_, std::span<const path_outcome>(&kernel.control->outcome, 1)).front();
  }

  Executor exec_;
  std::int64_t room_ = 1; ///< factor on the initial capacity
  std::uint32_t log_size_ = 4096;
  growing_memory words_, entries_, table_, control_, log_;
  workspace barriers_;
};

/// The form for cpu, with the interface of paths_in_blocks.
template <class Executor, class Weight, class Vertex, class Edge> class paths_on_cores {
  using problem = path_problem<Weight, Vertex, Edge>;
  template <class Found> using lists_of = graphs::queue_lists<waiting_vertex<Found>>;

 public:
  explicit paths_on_cores(const Executor& exec)
      : exec_(exec), lists_(exec.resource(), exec.resource(), exec.resource(), exec.resource()) {}

  template <class Found, class Distance>
  path_outcome search(const problem& of, Vertex source, std::span<Distance> distances,
                      std::span<Vertex> parents, bool logs) {
    const auto planned = of.template plan<Found>();
    const int blocks = smaller(exec_.threads(), max_serial_blocks(of.graph.out, of.tuning.per_core));
    std::vector<path_outcome> outcomes(static_cast<std::size_t>(blocks));
    auto& lists = std::get<lists_of<Found>>(lists_);
    lists.begin(blocks, planned.rules.buckets);
    log_.clear();
    launch(exec_, {.blocks = blocks, .block_size = 1, .co_resident = blocks > 1},
           cores_paths_kernel<Weight, Vertex, Edge, Found, Distance>{
               {.out = of.graph.out,
                .weights = of.graph.weights,
                .words = words_.template of<std::uint64_t>(exec_, of.graph.out.vertices),
                .buckets = planned.buckets,
                .rounds = of.settings.rounds > 0 ? of.settings.rounds : std::numeric_limits<int>::max(),
                .lists = &lists,
                .source = source,
                .distances = distances.data(),
                .parents = parents.empty() || !path_word<Found>::has_parent ? nullptr : parents.data(),
                .outcomes = outcomes.data(),
                .log = logs ? &log_ : nullptr}});
    path_outcome all = outcomes.front();
    for (const path_outcome& each : outcomes) {
      all.too_far |= each.too_far;
      all.lacks_parents |= each.lacks_parents;
    }
    return all;
  }
  template <class Report> void report_frontiers(std::uint32_t, const Report& report) const {
    std::int64_t number = 0;
    for (const graphs::queue_totals& each : log_)
      report(graphs::frontier_report{number++, each.entries, each.counted[0]});
  }
  std::size_t bytes() const {
    return words_.bytes() + std::apply([](const auto&... each) { return (each.bytes() + ...); }, lists_);
  }

 private:
  Executor exec_;
  growing_memory words_;
  std::tuple<lists_of<std::int32_t>, lists_of<std::int64_t>, lists_of<float>, lists_of<double>> lists_;
  std::vector<graphs::queue_totals> log_;
};

template <class Executor, class Weight, class Vertex, class Edge>
using paths_form = std::conditional_t<Executor::serial_blocks, paths_on_cores<Executor, Weight, Vertex, Edge>,
                                      paths_in_blocks<Executor, Weight, Vertex, Edge>>;

// ---------------------------------------------------------------------------------------------------------------------
// sssp_in_buckets: see the head of this file.

template <class Weight> struct weight_as_number {
  const Weight* weights;
  EVENLY_FN double operator()(std::int64_t e) const { return static_cast<double>(weights[e]); }
};

template <class Edge> struct degree_as_number {
  const Edge* offsets;
  EVENLY_FN double operator()(std::int64_t v) const {
    return static_cast<double>(offsets[v + 1] - offsets[v]);
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Searches of one graph, one after the other, with their memory. Allocates only when a search needs more memory than
/// all before. Move-only.
template <class Executor, edge_weight Weight, signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
class sssp_buckets {
 public:
  /// Prepares searches of `graph` by two passes over the weights and one over the degrees; waits for them.
  ///
  /// - graph: lies on `exec`, is valid (check_edges, check_weights), has fewer than 2^31 vertices, and outlives this
  ///   object.
  /// - Throws invalid_argument if there are more vertices, or if a setting is negative or NaN.
  sssp_buckets(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
               const path_settings& settings = {},
               const detail::path_tuning& tuning = detail::path_tuning::of<Executor>())
      : exec_(exec), problem_{graph, settings, tuning, facts_of(exec, graph)}, form_(exec),
        parents_(exec, graph) {
    detail::check_settings(settings);
    detail::require_short_vertices(graph.out);
  }

  /// Shortest paths from `source`.
  ///
  /// - distances, parents: one per vertex, on the executor; parents may be empty. They get the values of sssp_loop
  ///   (sssp.hpp), the same on every run.
  /// - report(frontier_report): called on the host for each frontier, at the end of the search. `vertices` counts the
  ///   entries of the frontier: a vertex with many edges has several, and more each time its distance falls again.
  ///   `edges` counts the visits until the next grid barrier.
  /// - Returns the number of frontiers.
  /// - Cost: one launch, one number read back. Edges are visited each time the distance of their start falls.
  /// - Synchronisation: waits for the executor.
  /// - Throws as sssp_loop does.
  template <class Distance, class Report = no_reports>
  std::int64_t run(Vertex source, std::span<Distance> distances, std::span<Vertex> parents = {},
                   const Report& report = {}) {
    static_assert(distance_for<Distance, Weight>,
                  "distances must be integers if and only if weights are, and at least as wide as weights");
    require_source(problem_.graph.out, source);
    detail::require_for_vertices("distances", distances, problem_.graph.out);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, problem_.graph.out);
    constexpr bool logs = !std::is_same_v<Report, no_reports>;
    constexpr bool may_be_short = std::integral<Distance> && sizeof(Distance) > sizeof(std::int32_t) &&
                                  sizeof(Weight) == sizeof(std::int32_t);
    detail::path_outcome outcome{.too_far = 1};
    if constexpr (may_be_short) { // sums of 32 bits suffice for most graphs, and share a word with the parent
      outcome = form_.template search<std::int32_t>(problem_, source, distances, parents, logs);
      if (outcome.too_far == 0) parents_.template find<std::int32_t>(outcome, source, distances, parents);
    }
    if (!may_be_short || outcome.too_far != 0) {
      outcome = form_.template search<Distance>(problem_, source, distances, parents, logs);
      parents_.template find<Distance>(outcome, source, distances, parents);
    }
    if constexpr (logs) form_.report_frontiers(outcome.frontiers, report);
    return outcome.frontiers;
  }

  /// Bytes in addition to the graph and the result: the largest amount so far.
  std::size_t bytes() const { return form_.bytes() + parents_.bytes(); }

 private:
  static detail::path_facts facts_of(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph) {
    const std::int64_t edges = graph.out.edges;
    if (edges == 0) return {};
    const generated weights{detail::weight_as_number<Weight>{graph.weights}};
    const double sum = reduce(exec, weights, edges, plus<double>{});
    return {.vertices = static_cast<double>(graph.out.vertices),
            .mean_weight = sum / static_cast<double>(edges),
            .max_weight = reduce(exec, weights, edges, maximum<double>{}),
            .mean_degree = static_cast<double>(edges) / static_cast<double>(graph.out.vertices),
            .max_degree = reduce(exec, generated{detail::degree_as_number<Edge>{graph.out.offsets}},
                                 std::int64_t{graph.out.vertices}, maximum<double>{})};
  }

  Executor exec_;
  detail::path_problem<Weight, Vertex, Edge> problem_;
  detail::paths_form<Executor, Weight, Vertex, Edge> form_;
  detail::path_parents<Executor, Weight, Vertex, Edge> parents_;
};

template <class Executor, class Weight, class Vertex, class Edge, class... Settings>
sssp_buckets(const Executor&, const graph_view<Weight, Vertex, Edge>&, const Settings&...)
    -> sssp_buckets<Executor, Weight, Vertex, Edge>;

template <class Executor, class Weight, class Vertex, class Edge, class Distance, class Report = no_reports>
[[deprecated("use search.run(source, distances, parents, report)")]] std::int64_t
sssp(const Executor&, sssp_buckets<Executor, Weight, Vertex, Edge>& search,
     std::type_identity_t<Vertex> source, std::span<Distance> distances,
     std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  return search.run(source, distances, parents, report);
}
template <class Executor, class Weight, class Vertex, class Edge, class Distance, class Report = no_reports>
[[deprecated("use sssp(graph, source, distances, parents, exec) of graph/searches.hpp")]] std::int64_t
sssp(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph, std::type_identity_t<Vertex> source,
     std::span<Distance> distances, std::type_identity_t<std::span<Vertex>> parents = {},
     const path_settings& settings = {}, const Report& report = {}) {
  check_weights(exec, graph);
  return sssp_buckets(exec, graph, settings).run(source, distances, parents, report);
}

} // namespace evenly::graphs

namespace evenly {

using graphs::sssp_buckets, graphs::sssp;

} // namespace evenly
