// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/graph_operations.hpp"

namespace evenly::python {

void bind_graphs(nb::module_& m) {
  define(m, "dfs", &dfs, "graph"_a, "source"_a, "parents"_a, "order"_a);
  define(m, "reachable", &reachable, "graph"_a, "source"_a, "reached"_a);
  define(m, "strong_components", &strong_components, "graph"_a, "labels"_a);
  define(m, "connected_components", &connected_components, "graph"_a, "labels"_a);
  define(m, "pagerank", &pagerank, "graph"_a, "damping"_a, "tolerance"_a, "max_iterations"_a, "is_weighted"_a,
         "is_undirected"_a, "is_symmetric"_a, "personalization"_a, "scores"_a);
  define(m, "core_numbers", &core_numbers, "graph"_a, "simple"_a, "numbers"_a);
  define(m, "triangles", &triangles, "graph"_a, "simple"_a, "counts"_a);
  define(m, "clustering", &clustering, "graph"_a, "simple"_a, "shares"_a);
  define(m, "betweenness", &betweenness, "graph"_a, "sources"_a, "simple"_a, "undirected"_a, "normalized"_a,
         "scores"_a);
  define(m, "spanning_forest", &spanning_forest, "graph"_a, "is_symmetric"_a, "edges"_a);
  define(m, "colour", &colour, "graph"_a, "simple"_a, "by_degree"_a, "seed"_a, "colours"_a);
  define(m, "independent_set", &independent_set, "graph"_a, "simple"_a, "seed"_a, "members"_a);
  define(m, "colour_in_order", &colour_in_order, "graph"_a, "order"_a, "colours"_a);
}

} // namespace evenly::python
