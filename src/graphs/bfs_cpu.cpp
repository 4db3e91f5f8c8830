// SPDX-License-Identifier: Apache-2.0
// Breadth-first search on the cores of this machine.
#include "evenly/execution/cpu.hpp"
#include "graphs/place_on.hpp"
#include "measure/host_timer.hpp"

namespace evenly::cli {

std::unique_ptr<search_place> place_on_cpu(const graph_view<std::monostate>& graph,
                                           const place_options& options) {
  const cpu exec(options.bench.threads);
  return place_on(exec, std::make_unique<host_timer>(exec.threads()), graph, options.memory);
}

} // namespace evenly::cli
