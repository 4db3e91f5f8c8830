// SPDX-License-Identifier: Apache-2.0
// Defines studied_octree_bench. CMakeLists.txt generates the sources that instantiate it: each block size has its own
// kernels, which only the study compiles.
#pragma once

#include "measure/executor_timer.hpp"
#include "spatial/ways.hpp"
#include "study/octree_blocks.hpp"
#include "study/studied_pools.hpp"

namespace evenly::study {

template <class Executor, int BlockSize, class Form>
bench studied_octree_bench(const spatial::particle_cells& cells, const octree_bench_options& options,
                           octree_findings& findings) {
  const auto exec = measure::make_executor<Executor>(options.bench);
  return spatial::octree_bench<BlockSize, Form>(exec, measure::make_timer(exec, options.bench), cells,
                                                options, findings, for_each_studied_pool);
}

} // namespace evenly::study
