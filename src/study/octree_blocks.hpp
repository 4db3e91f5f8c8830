// SPDX-License-Identifier: Apache-2.0
// Octrees by tasks in blocks of each size in the paper, under the pools of the paper. A warp runs a task, or a block.
#pragma once

#include "spatial/octree_bench.hpp"

namespace evenly::study {

using measure::bench, measure::executor_kind;
using spatial::octree_bench_options, spatial::octree_findings;

/// Like make_octree_bench, for two more cases that have only the pools of the paper:
/// * options.by_block: a block runs a task. Not on cpu.
/// * options.block_size is 8, 16, 32, 64, 128 or 512 threads, on cuda.
bench make_studied_octree_bench(executor_kind kind, const spatial::particle_cells& cells,
                                const octree_bench_options& options, octree_findings& findings);

/// Its benches on simt and cuda (studied_octree.hpp). On a GPU a block of one warp runs tasks as a warp does.
template <class Executor, int BlockSize, class Form>
bench studied_octree_bench(const spatial::particle_cells& cells, const octree_bench_options& options,
                           octree_findings& findings);

} // namespace evenly::study
