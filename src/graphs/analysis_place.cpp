// SPDX-License-Identifier: Apache-2.0
#include "graphs/analysis_place.hpp"

namespace evenly::graphs {

std::unique_ptr<analysis_place> place_for_analysis(executor_kind kind, const graph_view<double>& graph,
                                                   const place_options& options) {
  return measure::with_executor(kind,
                                [&]<class Executor>() { return analysis_on<Executor>(graph, options); });
}

} // namespace evenly::graphs
