// SPDX-License-Identifier: Apache-2.0
#include "study/octree_blocks.hpp"

#include "evenly/tasks/body.hpp"

namespace evenly {
class simt;
class cuda;
} // namespace evenly

namespace evenly::study {

using spatial::make_octree_bench;

#if defined(EVENLY_WITH_CUDA)
namespace {

template <int BlockSize>
bench on_cuda(const spatial::particle_cells& cells, const octree_bench_options& options,
              octree_findings& findings) {
  constexpr int warp = 32, usual = 256;
  if constexpr (BlockSize > warp)
    if (options.by_block)
      return studied_octree_bench<cuda, BlockSize, tasks::each_block>(cells, options, findings);
  if constexpr (BlockSize == usual)
    return make_octree_bench(executor_kind::cuda, cells, options, findings);
  else
    return studied_octree_bench<cuda, BlockSize, tasks::each_warp>(cells, options, findings);
}

} // namespace
#endif

bench make_studied_octree_bench(executor_kind kind, const spatial::particle_cells& cells,
                                const octree_bench_options& options, octree_findings& findings) {
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) switch (options.block_size) {
    case 8:
      return on_cuda<8>(cells, options, findings);
    case 16:
      return on_cuda<16>(cells, options, findings);
    case 32:
      return on_cuda<32>(cells, options, findings);
    case 64:
      return on_cuda<64>(cells, options, findings);
    case 128:
      return on_cuda<128>(cells, options, findings);
    case 512:
      return on_cuda<512>(cells, options, findings);
    default:
      return on_cuda<256>(cells, options, findings);
    }
#endif
  if (kind == executor_kind::simt && options.by_block)
    return studied_octree_bench<simt, 256, tasks::each_block>(cells, options, findings);
  return make_octree_bench(kind, cells, options, findings);
}

} // namespace evenly::study
