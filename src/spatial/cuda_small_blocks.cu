// SPDX-License-Identifier: Apache-2.0
// Octrees on a GPU, with tasks in blocks of 32 or 64 threads.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "spatial/ways.hpp"

namespace evenly::cli {

bench make_cuda_octree_bench_of_small_blocks(const particle_cells& cells, const octree_bench_options& options,
                                             octree_findings& findings) {
  const auto pools = [](const auto& visit) { for_each_pool_of_the_paper(visit); };
  auto time = std::make_unique<device_timer>(options.bench.warm);
  if (options.block_size == 32)
    return octree_bench<32>(evenly::cuda(), std::move(time), cells, options, findings, pools);
  return octree_bench<64>(evenly::cuda(), std::move(time), cells, options, findings, pools);
}

} // namespace evenly::cli
