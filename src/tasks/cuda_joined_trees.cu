// SPDX-License-Identifier: Apache-2.0
// Unbalanced trees and chains that wait for their children, on a GPU, under every pool.
#include "evenly/execution/cuda.hpp"
#include "tasks/join_pools.hpp"

namespace evenly::cli {

template std::vector<candidate> join_candidates(const cuda&, const uts::parameters&,
                                                const task_bench_options&, const task_answer&,
                                                task_findings&);
template std::vector<candidate> join_candidates(const cuda&, const chain_workload&, const task_bench_options&,
                                                const task_answer&, task_findings&);

} // namespace evenly::cli
