// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/bench.hpp"

namespace evenly::study {

/// All techniques on cuda, compiled for the block sizes of the study. `p` must outlive the bench.
measure::bench make_compiled_bench(const measure::update_problem& p, const measure::bench_options& options);

} // namespace evenly::study
