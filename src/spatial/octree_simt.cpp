// SPDX-License-Identifier: Apache-2.0
// Octrees on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "spatial/ways.hpp"

namespace evenly::spatial {

using measure::host_timer;

bench make_simt_octree_bench(const particle_cells& cells, const octree_bench_options& options,
                             octree_findings& findings) {
  const simt exec({.seed = options.bench.seed, .threads = options.bench.threads});
  return octree_bench(exec, std::make_unique<host_timer>(exec.threads(), true), cells, options, findings);
}

} // namespace evenly::spatial
