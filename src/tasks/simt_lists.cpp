// SPDX-License-Identifier: Apache-2.0
// Tasks in a row, and all at once on the simulated GPU, under every pool.
#include "evenly/execution/simt.hpp"
#include "tasks/pools.hpp"

namespace evenly::cli {

template std::vector<candidate> pool_candidates(const simt&, const chain_workload&, const task_bench_options&,
                                                const task_answer&, task_findings&);
template std::vector<candidate> pool_candidates(const simt&, const burst_workload&, const task_bench_options&,
                                                const task_answer&, task_findings&);

} // namespace evenly::cli
