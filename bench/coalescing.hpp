// SPDX-License-Identifier: Apache-2.0
// The GPU's side of bench_coalescing.
#pragma once

#include <string>
#include <vector>

namespace evenly::bench {

/// Runs every kernel of tests/trace/accesses.hpp once on the GPU, in order; returns the names of those whose results
/// are wrong. Then each layout of layout_loads.hpp, whose sums are to be those of layouts_on_simt. Throws device_error.
std::vector<std::string> wrong_on_gpu(const std::vector<std::vector<float>>& layouts_on_simt);

} // namespace evenly::bench
