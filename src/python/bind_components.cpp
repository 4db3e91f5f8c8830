// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/graph_components.hpp"

namespace evenly::python {

void bind_components(nb::module_& m) {
  m.def(
      "dfs",
      [](const csr& graph, int source, const written_array& parents, const written_array& order) {
        const auto to_parents = output_of("parents", parents), to_order = output_of("order", order);
        const running others_run;
        dfs(graph.arrays(), source, to_parents, to_order);
      },
      "graph"_a, "source"_a, "parents"_a, "order"_a);
  m.def(
      "reachable",
      [](const csr& graph, int source, const written_array& reached) {
        const auto to = output_of("reached", reached);
        const running others_run;
        reachable(graph.arrays(), source, to);
      },
      "graph"_a, "source"_a, "reached"_a);
  const auto def_components = [&](const char* name, void (*find)(const matrix_arrays&, const output&)) {
    m.def(
        name,
        [find](const csr& graph, const written_array& labels) {
          const auto to = output_of("labels", labels);
          const running others_run;
          find(graph.arrays(), to);
        },
        "graph"_a, "labels"_a);
  };
  def_components("strong_components", strong_components);
  def_components("connected_components", connected_components);
}

} // namespace evenly::python
