// SPDX-License-Identifier: Apache-2.0
// Octrees on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "spatial/ways.hpp"

namespace evenly::spatial {

using measure::device_timer;

bench make_cuda_octree_bench(const particle_cells& cells, const octree_bench_options& options,
                             octree_findings& findings) {
  return octree_bench(evenly::cuda(), std::make_unique<device_timer>(options.bench.warm), cells, options,
                      findings);
}

} // namespace evenly::spatial
