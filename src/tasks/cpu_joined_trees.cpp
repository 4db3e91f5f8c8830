// SPDX-License-Identifier: Apache-2.0
// Unbalanced trees and chains that wait for their children, on the cores of this machine, under every pool.
#include "evenly/execution/cpu.hpp"
#include "tasks/join_pools.hpp"

namespace evenly::cli {

template std::vector<candidate> join_candidates(const cpu&, const uts::parameters&, const task_bench_options&,
                                                const task_answer&, task_findings&);
template std::vector<candidate> join_candidates(const cpu&, const chain_workload&, const task_bench_options&,
                                                const task_answer&, task_findings&);

} // namespace evenly::cli
