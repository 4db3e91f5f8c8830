// SPDX-License-Identifier: Apache-2.0
#include "python/graph_operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/executor.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

namespace {

constexpr std::size_t vertices_per_check = std::size_t{1} << 16; // for signals

template <class Vertex> std::size_t at(Vertex v) { return static_cast<std::size_t>(v); }

template <class T> made_array kept(std::vector<T> values) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return {owner, owner->data(), std::ssize(*owner)};
}

template <class Vertex, class Edge>
std::span<const Vertex> ends_of(const adjacency<Vertex, Edge>& edges, Vertex u) {
  return {edges.ends + edges.offsets[u], edges.ends + edges.offsets[u + 1]};
}

template <class Vertex, class Edge>
std::vector<std::int64_t> search(const adjacency<Vertex, Edge>& edges, Vertex source, std::int64_t max_depth,
                                 std::span<Vertex> order, std::span<Vertex> parents) {
  std::vector<std::uint8_t> is_found(at(edges.vertices));
  is_found[at(source)] = 1;
  order[0] = parents[0] = source;
  std::size_t next = 0, size = 1;
  std::vector<std::int64_t> ends{1};
  while (std::ssize(ends) <= max_depth) {
    for (const std::size_t end = size; next < end; ++next) {
      if (next % vertices_per_check == 0) detail::check_interrupt();
      const Vertex u = order[next];
      for (const Vertex v : ends_of(edges, u)) {
        if (is_found[at(v)]) continue;
        is_found[at(v)] = 1;
        order[size] = v;
        parents[size++] = u;
      }
    }
    if (std::int64_t(size) == ends.back()) break;
    ends.push_back(std::int64_t(size));
  }
  return ends;
}

/// Vertices of equal distance are taken in the order of their entries. Those that edges of weight 0 lead to get theirs
/// while vertices of the same distance are taken: they come last.
template <class Weight, class Vertex, class Edge>
void reorder(const adjacency<Vertex, Edge>& edges, const Weight* weights, std::span<const Weight> distances,
             std::span<Vertex> order, std::span<Vertex> parents) {
  std::vector<Vertex> entered(at(edges.vertices), -1); // the number of the entry
  std::vector<Vertex> group;
  std::fill(parents.begin(), parents.end(), Vertex{-1});
  if (order.empty()) return;
  parents[at(order[0])] = order[0];
  entered[at(order[0])] = 0;
  Vertex entries = 1;
  std::size_t checked = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    const Weight distance = distances[at(order[begin])];
    std::size_t end = begin;
    group.clear();
    for (; end < order.size() && distances[at(order[end])] == distance; ++end)
      if (entered[at(order[end])] >= 0) group.push_back(order[end]);
    std::sort(group.begin(), group.end(),
              [&](Vertex a, Vertex b) { return entered[at(a)] < entered[at(b)]; });
    for (std::size_t next = 0; next < group.size(); ++next) {
      if (checked++ % vertices_per_check == 0) detail::check_interrupt();
      const Vertex u = group[next];
      order[begin + next] = u;
      for (Edge e = edges.offsets[u]; e < edges.offsets[u + 1]; ++e) {
        const Vertex v = edges.ends[e];
        if (parents[at(v)] >= 0 || static_cast<Weight>(distance + weights[e]) != distances[at(v)]) continue;
        parents[at(v)] = u;
        entered[at(v)] = entries++;
        if (distances[at(v)] == distance) group.push_back(v);
      }
    }
    require(group.size() == end - begin,
            [] { return std::string("the distances are not those of the graph"); });
    begin = end;
  }
}

} // namespace

std::vector<std::int64_t> bfs_in_order(const matrix_arrays& graph, int source, std::int64_t max_depth,
                                       const output& order, const output& parents) {
  std::vector<std::int64_t> ends;
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    ends = search(edges, Vertex{source}, max_depth, order.as<Vertex>(), parents.as<Vertex>());
  });
  return ends;
}

void order_paths(const matrix_arrays& graph, const input& distances, const output& order,
                 const output& parents) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    with_element<double, std::int64_t>("A", graph.values.type, [&]<class Weight>(Weight) {
      reorder(edges, graph.values.as<Weight>().data(), distances.as<Weight>(), order.as<Vertex>(),
              parents.as<Vertex>());
    });
  });
}

rows_of_edges make_rows(int vertices, const input& sources, const input& targets, bool is_undirected) {
  const std::span from = sources.as<int>(), to = targets.as<int>();
  require(from.size() == to.size(), [&] {
    return detail::concat("there are ", from.size(), " sources and ", to.size(),
                          " targets: each edge has one of each");
  });
  const std::size_t entries = from.size() * (is_undirected ? 2 : 1);
  std::vector<std::int64_t> offsets(std::size_t(vertices) + 1), last(entries);
  std::vector<int> columns(entries);
  const auto is_vertex = [&](int v) { return v >= 0 && v < vertices; };
  for (std::size_t e = 0; e < from.size(); ++e) {
    require(is_vertex(from[e]) && is_vertex(to[e]),
            [] { return std::string("an edge ends outside of the graph"); });
    ++offsets[at(from[e]) + 1];
    if (is_undirected && from[e] != to[e]) ++offsets[at(to[e]) + 1];
  }
  for (std::size_t v = 0; v < std::size_t(vertices); ++v) offsets[v + 1] += offsets[v];
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  const auto put = [&](int u, int v, std::size_t e) {
    const auto place = static_cast<std::size_t>(next[at(u)]++);
    columns[place] = v;
    last[place] = std::int64_t(e);
  };
  for (std::size_t e = 0; e < from.size(); ++e) {
    put(from[e], to[e], e);
    if (is_undirected && from[e] != to[e]) put(to[e], from[e], e);
  }
  // Parallel edges become one entry, at the place of the first, with the number of the last.
  std::vector<std::int64_t> place_of(std::size_t(vertices), -1);
  std::int64_t size = 0;
  for (std::size_t v = 0; v < std::size_t(vertices); ++v) {
    const std::int64_t begin = size;
    for (std::int64_t e = v == 0 ? 0 : next[v - 1]; e < next[v]; ++e) {
      auto& place = place_of[at(columns[at(e)])];
      if (place < begin) {
        place = size++;
        columns[at(place)] = columns[at(e)];
      }
      last[at(place)] = last[at(e)];
    }
    offsets[v + 1] = size;
  }
  columns.resize(at(size));
  last.resize(at(size));
  return {kept(std::move(offsets)), kept(std::move(columns)), kept(std::move(last))};
}

} // namespace evenly::python
