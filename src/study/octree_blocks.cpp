// SPDX-License-Identifier: Apache-2.0
#include "study/octree_blocks.hpp"

namespace evenly::study {

using spatial::make_octree_bench;

bench make_studied_octree_bench(executor_kind kind, const spatial::particle_cells& cells,
                                const octree_bench_options& options, octree_findings& findings) {
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) {
    const int size = options.block_size;
    if (size == 8 || size == 16) return make_cuda_octree_bench_of_part_warps(cells, options, findings);
    if (size == 32 || size == 64) return make_cuda_octree_bench_of_small_blocks(cells, options, findings);
    if (size == 128 || size == 512) return make_cuda_octree_bench_of_large_blocks(cells, options, findings);
  }
#endif
  return make_octree_bench(kind, cells, options, findings);
}

} // namespace evenly::study
