// SPDX-License-Identifier: Apache-2.0
// Unbalanced trees on the simulated GPU, under every pool.
#include "evenly/execution/simt.hpp"
#include "tasks/pools.hpp"

namespace evenly::cli {

template std::vector<candidate> pool_candidates(const simt&, const uts::parameters&,
                                                const task_bench_options&, const task_answer&,
                                                task_findings&);

} // namespace evenly::cli
