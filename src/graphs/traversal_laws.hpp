// SPDX-License-Identifier: Apache-2.0
// Properties of a correct depth-first search, and of correct components, for any algorithm. Serially on the host, in
// time proportional to the graph (of connected components nearly).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evenly/graph/graph_view.hpp"
#include "graphs/laws.hpp"

namespace evenly::graphs {

/// The properties of dfs; label(vertex) is the name of a vertex in messages:
///   the source is its own parent, and first in the order
///   an edge from a reached vertex ends at a reached vertex
///   the parent of any other reached vertex has an edge to it and comes earlier in the order
///   the order numbers the reached vertices from 0
///   unreached vertices have no parent and no place in the order
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_dfs(const adjacency<Vertex, Edge>& out, Vertex source,
                         const std::vector<Vertex>& parents, const std::vector<Vertex>& order,
                         const Label& label = {}) {
  const auto name = [&](Vertex v) { return "vertex " + label(v); };
  const auto size = static_cast<std::size_t>(out.vertices);
  if (parents.size() != size || order.size() != size)
    return say("the numbers of parents, places in the order and vertices differ");
  if (parents[source] != source || order[source] != 0)
    return say("the source is not its own parent, or not first in the order");
  std::vector<bool> has_edge(size);
  has_edge[source] = true;
  if (complaint found = first_complaint(out, [&](Vertex from, Vertex to, Edge) -> complaint {
        if (parents[from] < 0) return {};
        if (parents[to] < 0)
          return say(name(to), " is not reached, but it has an edge from ", name(from), ", which is");
        if (parents[to] == from) has_edge[to] = true;
        return {};
      }))
    return found;
  std::vector<bool> is_taken(size);
  std::size_t reached = 0;
  for (Vertex v = 0; v < out.vertices; ++v) {
    if (parents[v] < 0 || parents[v] >= out.vertices) {
      if (parents[v] != -1 || order[v] != -1)
        return say(name(v), " has parent ", parents[v], " and place ", order[v], " in the order");
      continue;
    }
    ++reached;
    if (!has_edge[v]) return say(name(v), " has no edge from its parent ", label(parents[v]));
    if (order[v] < 0 || order[v] >= out.vertices || is_taken[order[v]])
      return say(name(v), " has place ", order[v], " in the order, which is taken or none");
    is_taken[order[v]] = true;
    if (v != source && order[parents[v]] >= order[v])
      return say(name(v), " has place ", order[v], " in the order, but its parent ", label(parents[v]),
                 " has ", order[parents[v]]);
  }
  for (std::size_t place = 0; place < reached; ++place)
    if (!is_taken[place]) return say("no vertex has place ", place, " in the order");
  return {};
}

/// The edges in the opposite direction.
template <class Vertex, class Edge> struct reversed_edges {
  std::vector<Edge> offsets;
  std::vector<Vertex> ends;

  explicit reversed_edges(const adjacency<Vertex, Edge>& out)
      : offsets(static_cast<std::size_t>(out.vertices) + 1), ends(static_cast<std::size_t>(out.edges)) {
    for (Edge e = 0; e < out.edges; ++e) ++offsets[out.ends[e] + 1];
    for (Vertex v = 0; v < out.vertices; ++v) offsets[v + 1] += offsets[v];
    std::vector<Edge> next(offsets.begin(), offsets.end() - 1);
    for (Vertex v = 0; v < out.vertices; ++v)
      for (Edge e = out.offsets[v]; e < out.offsets[v + 1]; ++e) ends[next[out.ends[e]]++] = v;
  }
};

/// Marks the vertices labelled `root` to which a path of such vertices leads from `root`.
template <class Vertex, class Edge>
void mark_component(Vertex root, const std::vector<Edge>& offsets, const std::vector<Vertex>& ends,
                    const std::vector<Vertex>& labels, std::vector<bool>& is_marked,
                    std::vector<Vertex>& pending) {
  is_marked[root] = true;
  pending.assign(1, root);
  while (!pending.empty()) {
    const Vertex v = pending.back();
    pending.pop_back();
    for (Edge e = offsets[v]; e < offsets[v + 1]; ++e) {
      const Vertex to = ends[e];
      if (labels[to] != root || is_marked[to]) continue;
      is_marked[to] = true;
      pending.push_back(to);
    }
  }
}

/// The properties of strong components:
///   a label is the smallest vertex number with this label
///   paths within a component lead from its label to each of its vertices, and back
///   the edges between components form no cycle
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_components(const adjacency<Vertex, Edge>& out, const std::vector<Vertex>& labels,
                                const Label& label = {}) {
  const auto name = [&](Vertex v) { return "vertex " + label(v); };
  const auto size = static_cast<std::size_t>(out.vertices);
  if (labels.size() != size) return say("the numbers of labels and vertices differ");
  for (Vertex v = 0; v < out.vertices; ++v)
    if (labels[v] < 0 || labels[v] > v || labels[labels[v]] != labels[v])
      return say(name(v), " has label ", labels[v],
                 ", which is not the smallest vertex number of a component");
  const reversed_edges<Vertex, Edge> in(out);
  const std::vector<Edge> offsets(out.offsets, out.offsets + out.vertices + 1);
  const std::vector<Vertex> ends(out.ends, out.ends + out.edges);
  std::vector<bool> is_reached(size), reaches(size);
  std::vector<Vertex> pending;
  for (Vertex v = 0; v < out.vertices; ++v) {
    if (labels[v] != v) continue;
    mark_component(v, offsets, ends, labels, is_reached, pending);
    mark_component(v, in.offsets, in.ends, labels, reaches, pending);
  }
  for (Vertex v = 0; v < out.vertices; ++v)
    if (!is_reached[v] || !reaches[v])
      return say(name(v), " is labelled with ", label(labels[v]), ", but there is no path ",
                 is_reached[v] ? "back" : "to it", " within the component");
  // Components without incoming edges from others are removed until none is left, or a cycle.
  std::vector<std::int64_t> arriving(size);
  std::vector<Vertex> next_member(size, -1); // of each component a list that begins at its label
  for (Vertex v = 0; v < out.vertices; ++v) {
    if (labels[v] != v) next_member[v] = std::exchange(next_member[labels[v]], v);
    for (Edge e = offsets[v]; e < offsets[v + 1]; ++e)
      if (labels[ends[e]] != labels[v]) ++arriving[labels[ends[e]]];
  }
  std::size_t removed = 0, components = 0;
  for (Vertex v = 0; v < out.vertices; ++v) {
    if (labels[v] != v) continue;
    ++components;
    if (arriving[v] == 0) pending.push_back(v);
  }
  while (!pending.empty()) {
    const Vertex component = pending.back();
    pending.pop_back();
    ++removed;
    for (Vertex v = component; v != -1; v = next_member[v])
      for (Edge e = offsets[v]; e < offsets[v + 1]; ++e)
        if (const Vertex to = labels[ends[e]]; to != component && --arriving[to] == 0) pending.push_back(to);
  }
  if (removed != components) return say("the edges between components form a cycle");
  return {};
}

/// The properties of connected components: both ends of an edge have the same label, and a label is the smallest vertex
/// number of its component, found by trees whose paths are halved (Tarjan and van Leeuwen, J. ACM 1984).
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_connected_components(const adjacency<Vertex, Edge>& out,
                                          const std::vector<Vertex>& labels, const Label& label = {}) {
  if (labels.size() != static_cast<std::size_t>(out.vertices))
    return say("the numbers of labels and vertices differ");
  std::vector<Vertex> parents(labels.size());
  for (Vertex v = 0; v < out.vertices; ++v) parents[v] = v;
  const auto root = [&](Vertex v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  for (Vertex from = 0; from < out.vertices; ++from)
    for (Edge e = out.offsets[from]; e < out.offsets[from + 1]; ++e) {
      const Vertex a = root(from), b = root(out.ends[e]);
      parents[a < b ? b : a] = a < b ? a : b;
    }
  for (Vertex v = 0; v < out.vertices; ++v)
    if (labels[v] != root(v))
      return say("vertex ", label(v), " has label ", labels[v],
                 ", but the smallest vertex number of its component is ", label(root(v)));
  return {};
}

} // namespace evenly::graphs
