// SPDX-License-Identifier: Apache-2.0
// Octrees on a GPU, with tasks in blocks of 8 or 16 threads.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "spatial/ways.hpp"
#include "study/octree_blocks.hpp"
#include "study/studied_pools.hpp"

namespace evenly::study {

using measure::device_timer;
using spatial::octree_bench;

bench make_cuda_octree_bench_of_part_warps(const spatial::particle_cells& cells,
                                           const octree_bench_options& options, octree_findings& findings) {
  auto time = std::make_unique<device_timer>(options.bench.warm);
  if (options.block_size == 8)
    return octree_bench<8>(evenly::cuda(), std::move(time), cells, options, findings, for_each_studied_pool);
  return octree_bench<16>(evenly::cuda(), std::move(time), cells, options, findings, for_each_studied_pool);
}

} // namespace evenly::study
