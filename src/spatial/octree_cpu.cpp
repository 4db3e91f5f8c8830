// SPDX-License-Identifier: Apache-2.0
// Octrees on the cores of this machine.
#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "spatial/ways.hpp"

namespace evenly::spatial {

using measure::host_timer;

bench make_cpu_octree_bench(const particle_cells& cells, const octree_bench_options& options,
                            octree_findings& findings) {
  const cpu exec(options.bench.threads);
  return octree_bench(exec, std::make_unique<host_timer>(exec.threads()), cells, options, findings);
}

} // namespace evenly::spatial
