// SPDX-License-Identifier: Apache-2.0
// Unbalanced trees on a GPU, under every pool.
#include "evenly/execution/cuda.hpp"
#include "tasks/pools.hpp"

namespace evenly::cli {

template std::vector<candidate> pool_candidates(const cuda&, const uts::parameters&,
                                                const task_bench_options&, const task_answer&,
                                                task_findings&);

} // namespace evenly::cli
