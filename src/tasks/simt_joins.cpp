// SPDX-License-Identifier: Apache-2.0
// Recursions that wait for their children, on the simulated GPU, under every pool.
#include "evenly/execution/simt.hpp"
#include "tasks/join_pools.hpp"

namespace evenly::cli {

template std::vector<candidate> join_candidates(const simt&, const fibonacci_workload&,
                                                const task_bench_options&, const task_answer&,
                                                task_findings&);
template std::vector<candidate> join_candidates(const simt&, const queens_workload&,
                                                const task_bench_options&, const task_answer&,
                                                task_findings&);

} // namespace evenly::cli
