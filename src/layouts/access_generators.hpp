// SPDX-License-Identifier: Apache-2.0
// Workloads of `evenly reorganize` from other files than workload.cpp, which parses their names.
#pragma once

#include <cstdint>
#include <vector>

#include "generate/random.hpp"
#include "layouts/access_workload.hpp"
#include "measure/workload_words.hpp"

namespace evenly::layouts {

using measure::words_of_workload;

inline constexpr std::int64_t max_references = std::int64_t{1} << 33; ///< 32 GiB of indices

/// The parameter `seed`, 1 by default.
std::uint64_t seed_of(words_of_workload& words);
/// 0, ..., n - 1 in random order.
std::vector<int> random_numbers(std::int64_t n, std::uint64_t seed);

// ---- meshes.cpp ----
access_workload make_irreg(words_of_workload& words);
access_workload make_nbf(words_of_workload& words);
access_workload make_cfd(words_of_workload& words);

// ---- images.cpp ----
access_workload make_unwrap(words_of_workload& words);
access_workload make_nn(words_of_workload& words);

} // namespace evenly::layouts
