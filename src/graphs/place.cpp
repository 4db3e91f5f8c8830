// SPDX-License-Identifier: Apache-2.0
#include "graphs/place.hpp"

namespace evenly::cli {

std::unique_ptr<search_place> place_graph(executor_kind kind, const graph_problem& graph,
                                          const place_options& options) {
  require_executor(kind);
  return std::visit(
      [&](const auto& view) {
        if (kind == executor_kind::cpu) return place_on_cpu(view, options);
#if defined(EVENLY_WITH_CUDA)
        if (kind == executor_kind::cuda) return place_on_cuda(view, options);
#endif
        return place_on_simt(view, options);
      },
      graph);
}

} // namespace evenly::cli
