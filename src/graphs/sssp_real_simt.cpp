// SPDX-License-Identifier: Apache-2.0
// Shortest paths by real weights on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "graphs/place_on.hpp"
#include "measure/host_timer.hpp"

namespace evenly::cli {

std::unique_ptr<search_place> place_on_simt(const graph_view<double>& graph, const place_options& options) {
  const simt exec({.seed = options.bench.seed, .threads = options.bench.threads});
  return place_on(exec, std::make_unique<host_timer>(exec.threads(), true), graph, options.memory);
}

} // namespace evenly::cli
