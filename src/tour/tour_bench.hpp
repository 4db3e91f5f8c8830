// SPDX-License-Identifier: Apache-2.0
// The benches of the tour: y = A x in float under few schedules that are known at compile time. Those of src/benches
// have every operation, type and schedule, and take much longer to compile.
#pragma once

#include "measure/bench.hpp"
#include "measure/problem.hpp"

namespace evenly::tour {

/// The schedules that differ on a CPU, `automatic`, and plain loops. `p` must be an spmv_problem<float> and outlive the
/// bench.
measure::bench make_cpu_bench(const measure::problem& p);

/// The schedules of measure::schedules_to_count(), by name, on the simulated GPU. `p` as above.
measure::bench make_simt_bench(const measure::problem& p, const measure::bench_options& options);

} // namespace evenly::tour
