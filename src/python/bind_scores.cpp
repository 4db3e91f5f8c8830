// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/graph_scores.hpp"

namespace evenly::python {

void bind_scores(nb::module_& m) {
  m.def(
      "triangles",
      [](const csr& graph, bool simple, const written_array& counts) {
        const auto to = output_of("counts", counts);
        const running others_run;
        return triangles(graph.arrays(), simple, to);
      },
      "graph"_a, "simple"_a, "counts"_a);
  m.def(
      "betweenness",
      [](const csr& graph, const read_array& sources, bool simple, bool undirected, bool normalized,
         const written_array& scores) {
        const auto from = input_of("sources", sources);
        const auto to = output_of("scores", scores);
        const running others_run;
        betweenness(graph.arrays(), from, {simple, undirected, normalized}, to);
      },
      "graph"_a, "sources"_a, "simple"_a, "undirected"_a, "normalized"_a, "scores"_a);
}

} // namespace evenly::python
