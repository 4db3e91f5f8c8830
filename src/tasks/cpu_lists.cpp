// SPDX-License-Identifier: Apache-2.0
// Tasks in a row, and all at once on the cores of this machine, under every pool.
#include "evenly/execution/cpu.hpp"
#include "tasks/pools.hpp"

namespace evenly::cli {

template std::vector<candidate> pool_candidates(const cpu&, const chain_workload&, const task_bench_options&,
                                                const task_answer&, task_findings&);
template std::vector<candidate> pool_candidates(const cpu&, const burst_workload&, const task_bench_options&,
                                                const task_answer&, task_findings&);

} // namespace evenly::cli
