// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/vertex_values.hpp"

namespace evenly::python {

void bind_vertex_values(nb::module_& m) {
  m.def(
      "pagerank",
      [](const csr& graph, double damping, double tolerance, std::int64_t max_iterations, bool is_weighted,
         bool is_undirected, const read_array& personalization, const written_array& scores) {
        const auto personal = input_of("personalization", personalization);
        const auto to = output_of("scores", scores);
        ranking_totals totals;
        {
          const running others_run;
          totals = pagerank(graph.arrays(),
                            {damping, tolerance, max_iterations, is_weighted, is_undirected, personal}, to);
        }
        return nb::make_tuple(totals.iterations, totals.error, totals.converged);
      },
      "graph"_a, "damping"_a, "tolerance"_a, "max_iterations"_a, "is_weighted"_a, "is_undirected"_a,
      "personalization"_a, "scores"_a);
  m.def(
      "core_numbers",
      [](const csr& graph, bool simple, const written_array& numbers) {
        const auto to = output_of("numbers", numbers);
        const running others_run;
        core_numbers(graph.arrays(), simple, to);
      },
      "graph"_a, "simple"_a, "numbers"_a);
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
