// SPDX-License-Identifier: Apache-2.0
#include "graphs/place.hpp"

#include "graphs/analysis_place.hpp"
#include "graphs/ranked_place.hpp"

namespace evenly::graphs {

using measure::with_executor;

std::unique_ptr<search_place> place_graph(executor_kind kind, const graph_problem& graph,
                                          const place_options& options) {
  if (options.bench.ranks != 0) return place_on_ranks(graph, options);
  return with_executor(kind, [&]<class Executor>() {
    return std::visit([&](const auto& view) { return place_on<Executor>(view, options); }, graph);
  });
}

std::unique_ptr<analysis_place> place_for_analysis(executor_kind kind, const graph_view<double>& graph,
                                                   const place_options& options) {
  if (options.bench.ranks != 0) return place_for_analysis_on_ranks(graph, options);
  return with_executor(kind, [&]<class Executor>() { return analysis_on<Executor>(graph, options); });
}

} // namespace evenly::graphs
