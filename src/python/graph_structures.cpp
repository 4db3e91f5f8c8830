// SPDX-License-Identifier: Apache-2.0
#include "python/graph_operations.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "evenly/graph/clustering.hpp"
#include "evenly/graph/colouring.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/spanning_forest.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

namespace {

/// The edges of a matrix with vertices of 32 bits and offsets of 64, for which these operations are compiled.
class wide_edges {
 public:
  explicit wide_edges(const matrix_arrays& of) : arrays_(with_narrow_columns(of, columns_)) {
    if (arrays_.offsets.type == element::int32) arrays_.offsets = widened(arrays_.offsets, offsets_);
  }
  adjacency<int, std::int64_t> view() const { return edges_of<int, std::int64_t>(arrays_); }

 private:
  buffer<int> columns_;
  buffer<std::int64_t> offsets_;
  matrix_arrays arrays_;
};

/// Calls body(view) with the graph or its simple graph.
template <class Body> void with_graph(const matrix_arrays& graph, bool is_simple, const Body& body) {
  const wide_edges edges(graph);
  const graph_view<float, int, std::int64_t> given{edges.view()};
  if (is_simple)
    body(simple_graph(given, executor()).view());
  else
    body(given);
}

} // namespace

std::int64_t spanning_forest(const matrix_arrays& graph, bool is_symmetric, const output& edges) {
  const wide_matrix rows(graph);
  std::int64_t count = 0;
  with_element<double, std::int64_t>("A", graph.values.type, [&]<class Weight>(Weight) {
    auto view = graphs::graph_view_of(executor(), rows.view<Weight>());
    if (is_symmetric) view.in = view.out;
    const auto found = detail::find_forest(executor(), view);
    const std::span numbers = edges.as<std::int64_t>();
    count = found.count;
    require(count <= std::ssize(numbers),
            [] { return "edges has fewer elements than the forest has edges"; });
    std::copy_n(found.edges.data(), count, numbers.data());
  });
  return count;
}

void colour(const matrix_arrays& graph, bool simple, bool by_degree, std::uint64_t seed,
            const output& colours) {
  with_graph(graph, simple, [&](const auto& view) {
    detail::find_colours(
        executor(), view,
        {seed, by_degree ? graphs::colour_order::largest_first : graphs::colour_order::random},
        colours.as<int>());
  });
}

std::int64_t independent_set(const matrix_arrays& graph, bool simple, std::uint64_t seed,
                             const output& members) {
  std::int64_t count = 0;
  with_graph(graph, simple, [&](const auto& view) {
    count = detail::find_independent_set(executor(), view, seed, members.as<int>());
  });
  return count;
}

void clustering(const matrix_arrays& graph, bool simple, const output& shares) {
  with_graph(graph, simple,
             [&](const auto& view) { detail::find_clustering(executor(), view, shares.as<double>()); });
}

void colour_in_order(const matrix_arrays& graph, const input& order, const output& colours) {
  const wide_edges edges(graph);
  const auto rows = edges.view();
  const std::span of_vertices = colours.as<int>();
  std::ranges::fill(of_vertices, -1);
  std::vector<int> taken_by(of_vertices.size() + 1,
                            -1); // for each colour the last vertex that may not have it
  for (const int v : order.as<int>()) {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (const int colour = of_vertices[rows.ends[e]]; colour >= 0) taken_by[colour] = v;
    int colour = 0;
    while (taken_by[colour] == v) ++colour;
    of_vertices[v] = colour;
  }
}

} // namespace evenly::python
