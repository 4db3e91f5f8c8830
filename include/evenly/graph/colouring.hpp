// SPDX-License-Identifier: Apache-2.0
// Greedy colourings and maximal independent sets of undirected graphs.
//
//   const auto colours = evenly::colour(g);                        // of adjacent vertices different, from 0
//   const auto chosen = evenly::maximal_independent_set(g);        // numbers of vertices, in ascending order
//
// Vertices have priorities, by a hash of their number and the seed. The results are those of the serial greedy
// algorithms by descending priority: a vertex gets the least colour that no neighbour of higher priority has, and joins
// the set if none of these did. So they are the same for a seed on every run and every executor.
//
// Method (Jones and Plassmann 1993; Luby 1986). A vertex waits for its neighbours of higher priority. When one of them
// is resolved, it sets the bit of its colour at the waiting vertex. The last of them finds the least free colour. A
// round resolves all vertices that wait no longer, and each edge is visited once in each direction. Few rounds are
// needed in expectation (Hasenplaug, Kaler, Schardl and Leiserson, SPAA 2014; Blelloch, Fineman and Shun, SPAA 2012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/frontier.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/triangles.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "evenly/primitives/detail/element_at.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"

namespace evenly::graphs {

/// The priorities of vertices. largest_first: by degree, which needs fewer colours; among equal degrees by a hash.
enum class colour_order : std::uint8_t { largest_first, random };

struct colour_options {
  std::uint64_t seed = 0;
  colour_order order = colour_order::largest_first;
};

} // namespace evenly::graphs

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

/// Of two vertices the one with the greater key has the higher priority, and the lower number if keys are equal.
template <class Edge> struct priority_key {
  const Edge* offsets;
  graphs::colour_options options;
  EVENLY_FN std::uint64_t operator()(std::int64_t v) const {
    constexpr int half = 32;
    const std::uint64_t hash = scattered(scattered(options.seed) + static_cast<std::uint64_t>(v));
    if (options.order == graphs::colour_order::random) return hash;
    const auto degree = static_cast<std::uint64_t>(offsets[v + 1] - offsets[v]);
    return smaller(degree, ~std::uint64_t{0} >> half) << half | hash >> half;
  }
};
template <class Vertex> struct vertex_priorities {
  const std::uint64_t* keys;
  EVENLY_FN bool precedes(Vertex a, Vertex b) const {
    const std::uint64_t of_a = keys[a], of_b = keys[b];
    return of_a != of_b ? of_a > of_b : a < b;
  }
};
/// Whether an edge leads to a vertex of higher priority.
template <class Vertex, class Edge> struct leads_up {
  const Vertex* ends;
  vertex_priorities<Vertex> priorities;
  EVENLY_FN Vertex operator()(Vertex tile, Edge atom) const {
    return priorities.precedes(ends[atom], tile) ? 1 : 0;
  }
};
template <class Vertex> struct waits_no_longer {
  const Vertex* waiting; ///< of each vertex the unresolved neighbours of higher priority
  EVENLY_FN bool operator()(Vertex v) const { return waiting[v] == 0; }
};

/// Visits the edges of vertices that have just been coloured.
template <class Frontier, class Vertex, class Edge> struct colour_visit {
  static constexpr int bits = 64; ///< of a word

  Frontier frontier;
  const Edge* offsets;
  const Vertex* ends;
  vertex_priorities<Vertex> priorities;
  Vertex* waiting;
  Vertex* colours;
  std::uint64_t* taken; ///< a bit for each colour below the degree of a vertex

  /// The number of words of `taken`. A vertex has at least degree / bits of them, rounded up.
  static constexpr std::int64_t words(std::int64_t vertices, std::int64_t edges) {
    return edges / bits + vertices;
  }

  EVENLY_FN std::optional<Vertex> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const auto from = static_cast<Vertex>(frontier.source(tile));
    const Vertex to = read_only(ends + frontier.source_atom(tile, atom));
    if (!priorities.precedes(from, to)) return {};
    const Vertex colour = colours[from];
    const Edge first = offsets[to];
    std::uint64_t* const of_end = taken + (first / bits + to);
    if (colour < offsets[to + 1] - first)
      atomic_ref(of_end[colour / bits]).fetch_or(std::uint64_t{1} << colour % bits, order::relaxed{});
    // Orders the bits before the last one reads them.
    if (atomic_ref(waiting[to]).fetch_sub(Vertex{1}) != 1) return {};
    colours[to] = lowest_free(of_end, offsets[to + 1] - first);
    return to;
  }

 private:
  EVENLY_FN static Vertex lowest_free(std::uint64_t* words, Edge degree) {
    Vertex colour = 0;
    for (; colour < degree; colour += bits) {
      const std::uint64_t free = ~atomic_ref(words[colour / bits]).load(order::relaxed{});
      if (free != 0) return static_cast<Vertex>(colour + first_lane(free));
    }
    return colour;
  }
};

/// 0: undecided.
inline constexpr int in_the_set = 1, out_of_the_set = 2;

/// Visits the edges of vertices that have just been decided. A vertex of the set excludes its neighbours. An excluded
/// one is not waited for any longer. No vertex is decided by both: it waits for its neighbours in the set for ever.
template <class Frontier, class Vertex> struct membership_visit {
  Frontier frontier;
  const Vertex* ends;
  vertex_priorities<Vertex> priorities;
  Vertex* waiting;
  int* states;

  EVENLY_FN std::optional<Vertex> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const auto from = static_cast<Vertex>(frontier.source(tile));
    const Vertex to = read_only(ends + frontier.source_atom(tile, atom));
    if (!priorities.precedes(from, to)) return {};
    const atomic_ref state(states[to]);
    if (atomic_ref(states[from]).load(order::relaxed{}) == in_the_set) {
      if (state.load(order::relaxed{}) != 0 || state.exchange(out_of_the_set, order::relaxed{}) != 0)
        return {};
      return to;
    }
    if (atomic_ref(waiting[to]).fetch_sub(Vertex{1}, order::relaxed{}) != 1) return {};
    state.store(in_the_set, order::relaxed{});
    return to;
  }
};
template <class Vertex> struct starting_state {
  const Vertex* waiting;
  EVENLY_FN int operator()(std::int64_t v) const { return waiting[v] == 0 ? in_the_set : 0; }
};
struct is_member {
  const int* states;
  template <class Vertex> EVENLY_FN bool operator()(Vertex v) const { return states[v] == in_the_set; }
};

/// Resolves vertices in rounds, by descending priority.
template <class Executor, class Vertex, class Edge> class priority_rounds {
 public:
  /// Throws invalid_argument for a directed graph, if it is not declared undirected.
  template <class Weight>
  priority_rounds(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                  const graphs::colour_options& options)
      : exec_(exec), out_(graph.out), keys_(make_buffer<std::uint64_t>(exec, size())),
        waiting_(make_buffer<Vertex>(exec, size())) {
    tabulate(exec, out_.vertices, priority_key<Edge>{out_.offsets, options}, keys_.data());
    auto plan = make_plan(exec, schedule_for_sums{}, assume_valid(out_.tiles(), out_.edges));
    if (!graph.is_undirected()) require_reverse_edges(exec, out_, plan);
    reduce_tiles(exec, plan, leads_up<Vertex, Edge>{out_.ends, priorities()}, plus<Vertex>{},
                 write_of_tile<Vertex, Vertex>{waiting_.data()});
    exec.synchronize(); // the plan is freed
  }

  /// Returns the number of rounds.
  std::int64_t colour(std::span<Vertex> colours) {
    using visit = colour_visit<frontier, Vertex, Edge>;
    const auto taken =
        make_buffer<std::uint64_t>(exec_, static_cast<std::size_t>(visit::words(out_.vertices, out_.edges)));
    exec_.fill_zero(taken.data(), taken.size() * sizeof(std::uint64_t));
    exec_.fill_zero(colours.data(), colours.size_bytes());
    return run([&](const frontier& now, std::int64_t) {
      return visit{now, out_.offsets, out_.ends, priorities(), waiting_.data(), colours.data(), taken.data()};
    });
  }
  /// Returns the number of members, which are in `members` then, in ascending order.
  std::int64_t independent_set(std::span<Vertex> members) {
    const auto states = make_buffer<int>(exec_, size());
    tabulate(exec_, out_.vertices, starting_state<Vertex>{waiting_.data()}, states.data());
    run([&](const frontier& now, std::int64_t) {
      return membership_visit<frontier, Vertex>{now, out_.ends, priorities(), waiting_.data(), states.data()};
    });
    return select(exec_, generated{vertex_number<Vertex>{}}, std::int64_t{out_.vertices},
                  is_member{states.data()}, members.data());
  }

 private:
  using loop = graphs::frontier_loop<Executor, schedule_for_sums, Vertex, Edge>;
  using frontier = typename loop::frontier_type;

  std::size_t size() const { return static_cast<std::size_t>(out_.vertices); }
  vertex_priorities<Vertex> priorities() const { return {keys_.data()}; }

  template <class VisitOf> std::int64_t run(const VisitOf& visit_of) {
    loop rounds(exec_, schedule_for_sums{}, out_);
    rounds.start_where(waits_no_longer<Vertex>{waiting_.data()});
    return rounds.run(visit_of);
  }

  Executor exec_;
  graphs::adjacency<Vertex, Edge> out_;
  buffer<std::uint64_t> keys_;
  buffer<Vertex> waiting_;
};

/// Writes the colour of each vertex. Returns the number of rounds.
template <class Executor, class Weight, class Vertex, class Edge>
std::int64_t find_colours(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                          const graphs::colour_options& options, std::span<Vertex> colours) {
  if (graph.out.vertices == 0) return 0;
  return priority_rounds<Executor, Vertex, Edge>(exec, graph, options).colour(colours);
}
/// Writes the members of a maximal independent set to the first elements, of one per vertex. Returns their number.
template <class Executor, class Weight, class Vertex, class Edge>
std::int64_t find_independent_set(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                                  std::uint64_t seed, std::span<Vertex> members) {
  if (graph.out.vertices == 0) return 0;
  return priority_rounds<Executor, Vertex, Edge>(exec, graph, {seed, graphs::colour_order::random})
      .independent_set(members);
}

} // namespace evenly::detail

namespace evenly::graphs {

/// A colour for each vertex of an undirected graph, from 0: those of adjacent vertices differ.
///
/// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view (searches.hpp), in which each edge has a
///   reverse edge. Self-loops and parallel edges count in degrees only.
/// - At most one colour more than the greatest degree is used. Colours are the same for a seed on every executor.
/// - Complexity: O(vertices + edges), in rounds.
/// - Memory: 40 bytes per vertex and a bit per edge, for vertices of 32 bits, and a plan.
/// - Allocates and synchronises.
/// - Throws invalid_argument for a directed graph (if it is not declared undirected), and as bfs does for edges that do
///   not end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto colour(const G& g, const colour_options& options = {}, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto colours = detail::make_values<detail::vertex_of<G>>(exec, view.out.vertices);
    detail::find_colours(exec, view, options, detail::span_of_output(colours));
    exec.synchronize();
    return colours;
  });
}

/// The numbers of vertices, in ascending order, of which no two are adjacent, and to which no other can be added.
///
/// - g, complexity, errors: as for colour. The set is that of the vertices with colour 0 under colour_order::random,
///   and the same for a seed on every executor.
/// - Memory: 40 bytes per vertex, and a plan.
/// - Allocates and synchronises.
template <graph_like G, environment_argument Env = environment<>>
auto maximal_independent_set(const G& g, std::uint64_t seed = 0, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    using vertex = detail::vertex_of<G>;
    const auto found = make_buffer<vertex>(exec, static_cast<std::size_t>(view.out.vertices));
    const std::int64_t count = detail::find_independent_set(exec, view, seed, found.span());
    auto members = detail::make_values<vertex>(exec, count);
    tabulate(exec, count, detail::element_at<vertex>{found.data()}, std::data(members));
    exec.synchronize();
    return members;
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::colour, graphs::maximal_independent_set;

} // namespace evenly
