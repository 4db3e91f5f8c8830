// SPDX-License-Identifier: Apache-2.0
// minimum_spanning_forest: in each connected component of an undirected graph, the edges of least total weight that
// connect it.
//
//   const auto edges = evenly::minimum_spanning_forest(g);         // numbers of edges, in ascending order
//
// Of edges with equal weights, the one of lowest number comes first. So there is one minimum forest, and the result is
// the same on every run and every executor.
//
// Method (Boruvka 1926). At first each vertex is a tree. In each round, every tree finds its lightest edge to another
// tree, by a 64-bit minimum of weight and position. These edges join the forest, and trees that they connect become
// one: a tree's root gets the other root as parent, and paths are compressed. Edges within a tree are removed. The
// number of trees that still have edges is at least halved. If a graph has many edges per vertex, the light ones are
// processed first. Most of the others are within a tree then. Sources: Osipov, Sanders and Singler (ALENEX 2009); on
// GPUs Fallin, Gonzalez, Seo and Burtscher (SC 2023).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/connected_components.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/detail/element_at.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

/// An edge between the roots of two trees. `number`: its position among all candidates.
template <class Vertex> struct forest_edge {
  Vertex a, b;
  std::uint32_t weight; ///< in the order of weights
  std::uint32_t number;
};

/// Finds weights that are not a number.
template <class Weight, class Vertex, class Edge> struct check_is_number {
  using report = seen_edge<Weight>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;

  EVENLY_FN std::int64_t count() const { return out.edges; }
  EVENLY_FN bool bad(std::int64_t e) const { return weights[e] != weights[e]; }
  EVENLY_FN report report_of(std::int64_t at) const {
    return at == no_fault ? report{at, 0, 0, {}} : see_edge(out, at, weights[at]);
  }
};

/// Weights of 64 bits may have the values of a type of 32 bits.
template <class Weight> using half_weight = std::conditional_t<std::integral<Weight>, int, float>;
template <class Weight> struct is_inexact {
  const Weight* weights;
  EVENLY_FN int operator()(std::int64_t e) const {
    using half = half_weight<Weight>;
    const Weight weight = weights[e];
    if constexpr (std::integral<Weight>) {
      return weight < std::numeric_limits<half>::lowest() || weight > std::numeric_limits<half>::max() ? 1
                                                                                                       : 0;
    } else {
      const Weight size = weight < 0 ? -weight : weight;
      if (size > std::numeric_limits<half>::max()) return size <= std::numeric_limits<Weight>::max() ? 1 : 0;
      return static_cast<Weight>(static_cast<half>(weight)) != weight ? 1 : 0;
    }
  }
};

/// The weight of edge e as an unsigned number of the same order. One of both arrays, or none: all weights are equal.
template <class Weight> struct order_of_weight {
  const Weight* weights = nullptr; ///< with values of half_weight
  const std::uint32_t* ranks = nullptr;
  EVENLY_FN std::uint32_t operator()(std::int64_t e) const {
    if (ranks != nullptr) return ranks[e];
    if (weights == nullptr) return 0;
    using half = std::conditional_t<sizeof(Weight) <= 4, Weight, half_weight<Weight>>;
    return radix_of(static_cast<half>(weights[e]));
  }
};
template <class Weight> struct key_of_weight {
  const Weight* weights;
  EVENLY_FN std::uint64_t operator()(std::int64_t e) const { return radix_of(weights[e]); }
};
/// The weight of one of `samples` candidates.
template <class Weight, class Edge> struct sampled_weight {
  static constexpr int samples = 256;
  const Edge* edges;
  std::int64_t count;
  order_of_weight<Weight> weight;
  EVENLY_FN std::uint32_t operator()(std::int64_t i) const { return weight(edges[count / samples * i]); }
};
template <class Edge> struct write_rank_of_weight {
  const Edge* order;
  std::uint32_t* ranks;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    ranks[order[i]] = static_cast<std::uint32_t>(i);
  }
};

/// The number of an edge that may be in a forest; -1 for others: self-loops, and the second direction.
template <class Vertex, class Edge> struct candidate_edge {
  const Vertex* sources;
  const Vertex* ends;
  bool has_both_directions;
  EVENLY_FN Edge operator()(std::int64_t e) const {
    const bool is_one = has_both_directions ? sources[e] < ends[e] : sources[e] != ends[e];
    return is_one ? static_cast<Edge>(e) : Edge{-1};
  }
};
template <class Edge> struct chosen_edge {
  const Edge* edges;
  const std::uint8_t* chosen;
  EVENLY_FN Edge operator()(std::int64_t i) const { return chosen[i] != 0 ? edges[i] : Edge{-1}; }
};
struct is_an_edge {
  template <class Edge> EVENLY_FN bool operator()(Edge e) const { return e >= 0; }
};

/// Candidate i between the roots of its ends.
template <class Weight, class Vertex, class Edge> struct candidate_between_roots {
  const Edge* edges;
  const Vertex* sources;
  const Vertex* ends;
  const Vertex* roots;
  order_of_weight<Weight> weight;
  EVENLY_FN forest_edge<Vertex> operator()(std::int64_t i) const {
    const Edge e = edges[i];
    return {roots[sources[e]], roots[ends[e]], weight(e), static_cast<std::uint32_t>(i)};
  }
};
/// The same for chosen candidates.
template <class Weight, class Vertex, class Edge> struct listed_between_roots {
  candidate_between_roots<Weight, Vertex, Edge> candidate;
  const std::uint32_t* list;
  EVENLY_FN forest_edge<Vertex> operator()(std::int64_t i) const { return candidate(list[i]); }
};
template <class Vertex> struct edge_between_roots {
  const forest_edge<Vertex>* edges;
  const Vertex* roots;
  EVENLY_FN forest_edge<Vertex> operator()(std::int64_t i) const {
    const forest_edge<Vertex> e = edges[i];
    return {roots[e.a], roots[e.b], e.weight, e.number};
  }
};
/// Whether an edge connects two trees, and its weight is in [least, most].
struct connects_trees {
  std::uint32_t least, most;
  template <class Vertex> EVENLY_FN bool operator()(const forest_edge<Vertex>& e) const {
    return e.a != e.b && e.weight >= least && e.weight <= most;
  }
};

template <class Weight, class Vertex, class Edge> struct candidate_connects_trees {
  candidate_between_roots<Weight, Vertex, Edge> candidate;
  connects_trees connects;
  EVENLY_FN bool operator()(std::uint32_t i) const { return connects(candidate(i)); }
};

inline constexpr std::uint64_t no_lightest = ~std::uint64_t{0};

/// Finds for each root the lightest of its edges: its weight in the higher bits, its position in the lower ones.
template <class Vertex> struct find_lightest {
  const forest_edge<Vertex>* edges;
  std::uint64_t* lightest;

  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    const forest_edge<Vertex> e = edges[i];
    const std::uint64_t key = std::uint64_t{e.weight} << 32 | static_cast<std::uint64_t>(i);
    lower(e.a, key);
    lower(e.b, key);
  }

 private:
  EVENLY_FN void lower(Vertex root, std::uint64_t key) const {
    const atomic_ref least(lightest[root]);
    if (least.load(order::relaxed{}) > key) least.fetch_min(key, order::relaxed{});
  }
};

/// Joins each root's tree to the tree at the other end of its lightest edge. Of two trees with the same lightest edge
/// the lower root remains one.
template <class Vertex> struct join_trees {
  const forest_edge<Vertex>* edges;
  const Vertex* roots;
  const std::uint64_t* lightest;
  vertex_forest<Vertex> forest;
  std::uint8_t* chosen;

  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    const Vertex root = roots[i];
    const std::uint64_t key = lightest[root];
    if (key == no_lightest) return;
    const forest_edge<Vertex> e = edges[key & 0xffffffffu];
    const Vertex other = e.a == root ? e.b : e.a;
    const bool is_common = lightest[other] == key;
    if (!is_common || root < other) chosen[e.number] = 1;
    if (!is_common || root > other) forest.set_parent(root, other);
  }
};
template <class Vertex> struct compress_root {
  const Vertex* roots;
  vertex_forest<Vertex> forest;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    forest.compress(roots[i]);
  }
};
/// Whether a root is one still, and had an edge in the last round.
template <class Vertex> struct is_joinable_root {
  const Vertex* parents;
  const std::uint64_t* lightest;
  EVENLY_FN bool operator()(Vertex v) const { return parents[v] == v && lightest[v] != no_lightest; }
};
template <class Vertex> struct is_own_parent {
  const Vertex* parents;
  EVENLY_FN bool operator()(Vertex v) const { return parents[v] == v; }
};
template <class Vertex> struct forget_lightest {
  const Vertex* roots;
  std::uint64_t* lightest;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    lightest[roots[i]] = no_lightest;
  }
};

/// The edges of a minimum spanning forest: the first `count` of `edges`.
template <class Edge> struct forest_edges {
  buffer<Edge> edges;
  std::int64_t count = 0;
};

/// Finds a minimum spanning forest.
template <class Executor, class Weight, class Vertex, class Edge> class forest_finder {
  static constexpr int each = 4; ///< elements per thread

 public:
  forest_finder(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph)
      : exec_(exec), graph_(graph), out_(graph.out) {}

  forest_edges<Edge> run() {
    find_candidates();
    order_weights();
    const auto vertices = static_cast<std::size_t>(out_.vertices);
    parents_ = make_buffer<Vertex>(exec_, vertices);
    roots_ = make_buffer<Vertex>(exec_, vertices);
    next_roots_ = make_buffer<Vertex>(exec_, vertices);
    lightest_ = make_buffer<std::uint64_t>(exec_, vertices);
    chosen_ = make_buffer<std::uint8_t>(exec_, static_cast<std::size_t>(candidates_));
    exec_.fill_zero(chosen_.data(), chosen_.size());
    tabulate(exec_, out_.vertices, edge_number<Vertex>{}, parents_.data());
    constexpr std::uint32_t max = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t light = greatest_light_weight();
    connect(0, light);
    if (light < max) {
      // The paths of all vertices are compressed, which edges not yet seen start from.
      for_each_index(exec_, out_.vertices, each, compress_path<Vertex>{{parents_.data()}});
      connect(light + 1, max);
    }
    return chosen_edges();
  }

 private:
  /// The candidates' numbers, in ascending order.
  void find_candidates() {
    sources_ = make_buffer<Vertex>(exec_, static_cast<std::size_t>(out_.edges));
    tabulate_edges(exec_, out_, the_source{}, sources_.data());
    const bool both = graph_.is_undirected();
    candidate_numbers_ =
        make_buffer<Edge>(exec_, static_cast<std::size_t>(both ? out_.edges / 2 + 1 : out_.edges));
    candidates_ = select(exec_, generated{candidate_edge<Vertex, Edge>{sources_.data(), out_.ends, both}},
                         out_.edges, is_an_edge{}, candidate_numbers_.data());
    require(candidates_ <= std::int64_t{std::numeric_limits<std::uint32_t>::max()},
            [&] { return concat(candidates_, " edges: a spanning forest is found among fewer than 2^32"); });
  }

  void order_weights() {
    if constexpr (std::is_arithmetic_v<Weight>) {
      if (graph_.weights == nullptr) return;
      if constexpr (std::floating_point<Weight>) {
        const auto seen =
            first_fault(exec_, check_is_number<Weight, Vertex, Edge>{out_, graph_.weights}, out_.edges);
        require(seen.at == no_fault, [&] {
          return concat(edge_name(seen), ", has weight NaN: weights of a spanning forest must be numbers");
        });
      }
      if constexpr (sizeof(Weight) == 8) {
        if (reduce(exec_, generated{is_inexact<Weight>{graph_.weights}}, std::int64_t{out_.edges},
                   maximum<int>{}) > 0) {
          rank_weights();
          return;
        }
      }
      weight_.weights = graph_.weights;
    }
  }
  void rank_weights() {
    require(std::int64_t{out_.edges} <= std::int64_t{std::numeric_limits<std::uint32_t>::max()},
            [&] { return concat(out_.edges, " edges: weights of 64 bits are ranked for fewer than 2^32"); });
    const auto edges = static_cast<std::size_t>(out_.edges);
    const auto keys = make_buffer<std::uint64_t>(exec_, edges),
               sorted = make_buffer<std::uint64_t>(exec_, edges);
    const auto numbers = make_buffer<Edge>(exec_, edges), order = make_buffer<Edge>(exec_, edges);
    tabulate(exec_, out_.edges, key_of_weight<Weight>{graph_.weights}, keys.data());
    tabulate(exec_, out_.edges, edge_number<Edge>{}, numbers.data());
    workspace memory;
    sort_numbers(exec_, keys.data(), numbers.data(), out_.edges, sorted.data(), order.data(), memory);
    ranks_ = make_buffer<std::uint32_t>(exec_, edges);
    for_each_index(exec_, out_.edges, each, write_rank_of_weight<Edge>{order.data(), ranks_.data()});
    exec_.synchronize();
    weight_.ranks = ranks_.data();
  }

  /// If there are many edges per vertex: a weight that about `light_edges` edges per vertex do not exceed, by samples.
  std::uint32_t greatest_light_weight() const {
    constexpr std::int64_t many_edges = 8, light_edges = 3;
    using sampled = sampled_weight<Weight, Edge>;
    constexpr int samples = sampled::samples;
    constexpr std::uint32_t max = std::numeric_limits<std::uint32_t>::max();
    const bool is_weighted = weight_.weights != nullptr || weight_.ranks != nullptr;
    if (!is_weighted || candidates_ < samples || candidates_ / many_edges < std::int64_t{out_.vertices})
      return max;
    const auto some = make_buffer<std::uint32_t>(exec_, samples);
    tabulate(exec_, samples, sampled{candidate_numbers_.data(), candidates_, weight_}, some.data());
    auto weights = to_host(exec_, some);
    std::ranges::sort(weights);
    const std::int64_t at = samples * light_edges * std::int64_t{out_.vertices} / candidates_;
    return weights[static_cast<std::size_t>(smaller<std::int64_t>(at, samples - 1))];
  }

  /// Connects trees by edges with a weight in [least, most].
  void connect(std::uint32_t least, std::uint32_t most) {
    const auto numbers = static_cast<std::size_t>(candidates_);
    const candidate_between_roots<Weight, Vertex, Edge> candidate{candidate_numbers_.data(), sources_.data(),
                                                                  out_.ends, parents_.data(), weight_};
    if (chosen_candidates_.size() < numbers) chosen_candidates_ = make_buffer<std::uint32_t>(exec_, numbers);
    std::int64_t left = select(exec_, generated{edge_number<std::uint32_t>{}}, candidates_,
                               candidate_connects_trees<Weight, Vertex, Edge>{candidate, {least, most}},
                               chosen_candidates_.data());
    if (left == 0) return;
    for (auto* const edges : {&edges_, &next_edges_})
      if (edges->size() < static_cast<std::size_t>(left))
        *edges = make_buffer<forest_edge<Vertex>>(exec_, static_cast<std::size_t>(left));
    tabulate(exec_, left, listed_between_roots<Weight, Vertex, Edge>{candidate, chosen_candidates_.data()},
             edges_.data());
    tabulate(exec_, out_.vertices, edge_number<Vertex>{}, next_roots_.data());
    std::int64_t trees = select(exec_, next_roots_.data(), out_.vertices,
                                is_own_parent<Vertex>{parents_.data()}, roots_.data());
    const vertex_forest<Vertex> forest{parents_.data()};
    while (left > 0) {
      for_each_index(exec_, trees, each, forget_lightest<Vertex>{roots_.data(), lightest_.data()});
      for_each_index(exec_, left, each, find_lightest<Vertex>{edges_.data(), lightest_.data()});
      for_each_index(
          exec_, trees, each,
          join_trees<Vertex>{edges_.data(), roots_.data(), lightest_.data(), forest, chosen_.data()});
      for_each_index(exec_, trees, each, compress_root<Vertex>{roots_.data(), forest});
      left = select(exec_, generated{edge_between_roots<Vertex>{edges_.data(), parents_.data()}}, left,
                    connects_trees{0, std::numeric_limits<std::uint32_t>::max()}, next_edges_.data());
      std::swap(edges_, next_edges_);
      trees = select(exec_, roots_.data(), trees, is_joinable_root<Vertex>{parents_.data(), lightest_.data()},
                     next_roots_.data());
      std::swap(roots_, next_roots_);
    }
  }

  forest_edges<Edge> chosen_edges() const {
    forest_edges<Edge> found;
    const std::int64_t most = smaller<std::int64_t>(larger<std::int64_t>(out_.vertices - 1, 0), candidates_);
    found.edges = make_buffer<Edge>(exec_, static_cast<std::size_t>(most));
    found.count = select(exec_, generated{chosen_edge<Edge>{candidate_numbers_.data(), chosen_.data()}},
                         candidates_, is_an_edge{}, found.edges.data());
    return found;
  }

  Executor exec_;
  graph_view<Weight, Vertex, Edge> graph_;
  adjacency<Vertex, Edge> out_;
  buffer<Vertex> sources_;
  buffer<Edge> candidate_numbers_;
  std::int64_t candidates_ = 0;
  buffer<std::uint32_t> chosen_candidates_; ///< positions among the candidates
  buffer<std::uint32_t> ranks_;
  order_of_weight<Weight> weight_;
  buffer<Vertex> parents_, roots_, next_roots_;
  buffer<std::uint64_t> lightest_;
  buffer<std::uint8_t> chosen_;
  buffer<forest_edge<Vertex>> edges_, next_edges_;
};

template <class Executor, class Weight, class Vertex, class Edge>
forest_edges<Edge> find_forest(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph) {
  if (graph.out.vertices == 0 || graph.out.edges == 0) return {};
  return forest_finder<Executor, Weight, Vertex, Edge>(exec, graph).run();
}

} // namespace evenly::detail

namespace evenly::graphs {

/// The edges of a minimum spanning forest: their numbers, in ascending order.
///
/// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view (searches.hpp). Edges lead both ways,
///   whether the graph has both directions or one. Self-loops are ignored. A graph without weights has equal ones.
///   Weights may be negative or infinite.
/// - If the graph is declared undirected (graph::set_undirected, simple_graph), both directions of an edge must have
///   one weight, and the number returned is that of the direction from the lower to the higher end. In other graphs
///   each direction counts as an edge of its own.
/// - Returns vertices - components numbers. Of edges of equal weight, those with lower numbers are preferred.
/// - Complexity: O(edges log(vertices)); usually few rounds. Weights of 64 bits whose values are not those of a type of
///   32 bits are sorted before.
/// - Memory: 21 bytes per vertex, a vertex per edge of the graph, 9 bytes per edge in one direction, and 32 bytes per
///   edge that is processed at once, for numbers of 32 bits: all edges, or about three per vertex if there are many.
/// - Allocates and synchronises.
/// - Throws invalid_argument for a weight that is NaN, for 2^32 edges or more, and as bfs does for edges that do not
///   end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto minimum_spanning_forest(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    const auto found = detail::find_forest(exec, view);
    using edge = std::remove_cvref_t<decltype(view.out.edges)>;
    auto edges = detail::make_values<edge>(exec, found.count);
    tabulate(exec, found.count, detail::element_at<edge>{found.edges.data()}, std::data(edges));
    exec.synchronize();
    return edges;
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::minimum_spanning_forest;

} // namespace evenly
