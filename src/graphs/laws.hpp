// SPDX-License-Identifier: Apache-2.0
// Properties of a correct search result, for any algorithm. The check visits every edge or vertex once, serially on the
// host, and needs no search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"
#include "evenly/graph/weights.hpp"

namespace evenly::graphs {

/// The error as one line; nothing if the result is correct.
using complaint = std::optional<std::string>;

/// Labels each vertex by its number. Other callables of this form return the labels of a file.
struct vertex_number {
  template <class Vertex> std::string operator()(Vertex vertex) const { return std::to_string(vertex); }
};

/// Calls visit(from, to, edge) for all edges in order, until it returns a complaint.
template <class Vertex, class Edge, class Visit>
complaint first_complaint(const adjacency<Vertex, Edge>& out, const Visit& visit) {
  for (Vertex from = 0; from < out.vertices; ++from)
    for (Edge e = out.offsets[from]; e < out.offsets[from + 1]; ++e)
      if (complaint found = visit(from, out.ends[e], e)) return found;
  return {};
}

template <class... Parts> complaint say(const Parts&... parts) {
  std::string text;
  const auto add = [&](const auto& part) {
    if constexpr (requires { std::to_string(part); })
      text += std::to_string(part);
    else
      text += part;
  };
  (add(parts), ...);
  return text;
}

/// The properties of bfs; label(vertex) is the name of a vertex in messages:
///   the source is the only vertex on level 0, and its own parent
///   an edge from a reached vertex ends at a reached vertex, at most one level further
///   the parent of any other vertex is the lowest-numbered vertex on the previous level with an edge to it; under
///   parent_rule::any it is some such vertex
///   unreached vertices have no level and no parent
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_bfs(const adjacency<Vertex, Edge>& out, Vertex source, const std::vector<Vertex>& levels,
                         const std::vector<Vertex>& parents, const Label& label = {},
                         parent_rule rule = parent_rule::least) {
  const auto name = [&](Vertex v) { return "vertex " + label(v); };
  const auto parent = [&](Vertex v) { return v < 0 || v >= out.vertices ? std::to_string(v) : label(v); };
  const auto size = static_cast<std::size_t>(out.vertices);
  if (levels.size() != size || parents.size() != size)
    return say("the numbers of levels, parents and vertices differ");
  std::vector<Vertex> expected(size, -1);
  expected[source] = source;
  if (complaint found = first_complaint(out, [&](Vertex from, Vertex to, Edge) -> complaint {
        if (levels[from] < 0) return {};
        if (levels[to] < 0 || levels[to] > levels[from] + 1)
          return say(name(to), " is on level ", levels[to], ", but it has an edge from ", name(from),
                     " on level ", levels[from]);
        const bool fits = expected[to] < 0 || (rule == parent_rule::any && parents[to] == from);
        if (levels[to] == levels[from] + 1 && fits) expected[to] = from;
        return {};
      }))
    return found;
  for (Vertex v = 0; v < out.vertices; ++v) {
    if (v == source ? levels[v] != 0 : levels[v] == 0 || levels[v] < -1)
      return say(name(v), " is on level ", levels[v], ", but the source is ", label(source));
    if (levels[v] > 0 && expected[v] < 0)
      return say(name(v), " is on level ", levels[v], ", but it has no edge from the level before");
    if (parents[v] != expected[v])
      return say(name(v), " has parent ", parent(parents[v]), " but should have ", parent(expected[v]));
  }
  return {};
}

/// The properties of bfs for searches that run together: levels[v * sources.size() + s] is the level of vertex v in
/// search s. Visits each edge once for all searches.
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_bfs_together(const adjacency<Vertex, Edge>& out, const std::vector<Vertex>& sources,
                                  const std::vector<Vertex>& levels, const Label& label = {}) {
  const std::size_t searches = sources.size();
  if (levels.size() != static_cast<std::size_t>(out.vertices) * searches)
    return say("the number of levels is not vertices * searches");
  const auto what = [&](Vertex v, std::size_t s) {
    return "from " + label(sources[s]) + " vertex " + label(v) + " is on level " +
           std::to_string(levels[v * searches + s]);
  };
  std::vector<char> has_parent(levels.size());
  for (Vertex from = 0; from < out.vertices; ++from)
    for (Edge e = out.offsets[from]; e < out.offsets[from + 1]; ++e) {
      const Vertex* const here = &levels[from * searches];
      const Vertex* const there = &levels[out.ends[e] * searches];
      char* const is_child = &has_parent[out.ends[e] * searches];
      int wrong = 0;
      for (std::size_t s = 0; s < searches; ++s) {
        wrong += (here[s] >= 0) & ((there[s] < 0) | (there[s] > here[s] + 1));
        is_child[s] = static_cast<char>(is_child[s] | ((here[s] >= 0) & (there[s] == here[s] + 1)));
      }
      for (std::size_t s = 0; wrong > 0 && s < searches; ++s)
        if (here[s] >= 0 && (there[s] < 0 || there[s] > here[s] + 1))
          return say(what(out.ends[e], s), ", but it has an edge from ", label(from), " on level ", here[s]);
    }
  for (Vertex v = 0; v < out.vertices; ++v)
    for (std::size_t s = 0; s < searches; ++s) {
      const Vertex level = levels[v * searches + s];
      if (v == sources[s] ? level != 0 : level == 0 || level < -1) return what(v, s);
      if (level > 0 && !has_parent[v * searches + s])
        return say(what(v, s), ", but it has no edge from the level before");
    }
  return {};
}

/// Whether parents at the same distance as their children form no cycle.
template <class Vertex, class Distance, class Label>
complaint circle_of_parents(const std::vector<Distance>& distances, const std::vector<Vertex>& parents,
                            const Label& label) {
  std::vector<bool> leads_on(parents.size());
  std::vector<Vertex> way;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    way.clear();
    auto at = static_cast<Vertex>(v);
    while (!leads_on[at] && parents[at] >= 0 && parents[at] != at &&
           distances[parents[at]] == distances[at]) {
      if (way.size() > parents.size()) return say("parents go in a circle at vertex ", label(at));
      way.push_back(at);
      at = parents[at];
    }
    for (const Vertex each : way) leads_on[each] = true;
  }
  return {};
}

/// The properties of sssp:
///   the source is at distance 0, and its own parent
///   no edge from a reached vertex gives its end a smaller distance
///   the parent of any other vertex has a tight edge to it: the lowest-numbered such vertex at a smaller distance, or
/// if
///   there is none, a vertex at the same distance; such parents form no cycle
///   unreached vertices have no parent
template <class Distance, class Weight, class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_sssp(const graph_view<Weight, Vertex, Edge>& graph, Vertex source,
                          const std::vector<Distance>& distances, const std::vector<Vertex>& parents,
                          const Label& label = {}) {
  const auto name = [&](Vertex v) { return "vertex " + label(v); };
  const auto parent = [&](Vertex v) {
    return v < 0 || v >= graph.out.vertices ? std::to_string(v) : label(v);
  };
  const auto size = static_cast<std::size_t>(graph.out.vertices);
  if (distances.size() != size || parents.size() != size)
    return say("there is not one distance and parent for each vertex");
  if (distances[source] != Distance{} || parents[source] != source)
    return say("the source is at distance ", distances[source], ", not 0, or not its own parent");
  std::vector<Vertex> lowest(size, -1);
  std::vector<bool> parent_is_tight(size);
  if (complaint found = first_complaint(graph.out, [&](Vertex from, Vertex to, Edge e) -> complaint {
        if (!(distances[from] < unreached<Distance>)) return {};
        Distance sum{};
        if (!add_weight(distances[from], graph.weights[e], sum)) return {};
        if (sum < distances[to])
          return say(name(to), " is at distance ", distances[to], ", but a path over ", name(from),
                     " has length ", sum);
        if (sum != distances[to]) return {};
        if (distances[from] < distances[to] && lowest[to] < 0) lowest[to] = from;
        if (parents[to] == from) parent_is_tight[to] = true;
        return {};
      }))
    return found;
  for (Vertex v = 0; v < graph.out.vertices; ++v) {
    if (v == source) continue;
    const bool reached = distances[v] < unreached<Distance>;
    if (reached != (parents[v] >= 0) || parents[v] >= graph.out.vertices)
      return say(name(v), " is at distance ", distances[v], ", and its parent is ", parent(parents[v]));
    if (!reached) continue;
    if (!parent_is_tight[v]) return say(name(v), " has no tight edge from its parent ", label(parents[v]));
    if (lowest[v] >= 0 && parents[v] != lowest[v])
      return say(name(v), " has parent ", label(parents[v]), " but should have ", label(lowest[v]));
  }
  return circle_of_parents(distances, parents, label);
}

} // namespace evenly::graphs
