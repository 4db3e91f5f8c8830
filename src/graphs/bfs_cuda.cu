// SPDX-License-Identifier: Apache-2.0
// Breadth-first search on a GPU.
#include "evenly/execution/cuda.hpp"
#include "graphs/place_on.hpp"
#include "measure/device_timer.hpp"

namespace evenly::cli {

std::unique_ptr<search_place> place_on_cuda(const graph_view<std::monostate>& graph,
                                            const place_options& options) {
  return place_on(evenly::cuda(), std::make_unique<device_timer>(options.bench.warm), graph, options.memory);
}

} // namespace evenly::cli
