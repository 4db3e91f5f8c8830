// SPDX-License-Identifier: Apache-2.0
// Octrees by tasks in blocks of each size in the paper, under the pools of the paper. On a GPU each size has its own
// kernels, which only the study compiles.
#pragma once

#include "spatial/octree_bench.hpp"

namespace evenly::study {

using measure::bench, measure::executor_kind;
using spatial::octree_bench_options, spatial::octree_findings;

/// Like make_octree_bench. On cuda options.block_size may also be 8, 16, 32, 64, 128 or 512 threads; then the bench has
/// only the pools of the paper.
bench make_studied_octree_bench(executor_kind kind, const spatial::particle_cells& cells,
                                const octree_bench_options& options, octree_findings& findings);

/// Each file has two sizes.
bench make_cuda_octree_bench_of_part_warps(const spatial::particle_cells& cells,
                                           const octree_bench_options& options, octree_findings& findings);
bench make_cuda_octree_bench_of_small_blocks(const spatial::particle_cells& cells,
                                             const octree_bench_options& options, octree_findings& findings);
bench make_cuda_octree_bench_of_large_blocks(const spatial::particle_cells& cells,
                                             const octree_bench_options& options, octree_findings& findings);

} // namespace evenly::study
