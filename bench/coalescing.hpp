// SPDX-License-Identifier: Apache-2.0
// The GPU's side of bench_coalescing.
#pragma once

#include <string>
#include <vector>

namespace evenly::bench {

/// Runs every kernel of tests/trace/accesses.hpp once on the GPU, in order; returns the names of those whose results
/// are wrong. Then each arm of arm_loads.hpp, whose sums are to be those of arms_on_simt. Throws device_error.
std::vector<std::string> wrong_on_gpu(const std::vector<std::vector<float>>& arms_on_simt);

} // namespace evenly::bench
