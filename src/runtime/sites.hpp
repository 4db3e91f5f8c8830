// SPDX-License-Identifier: Apache-2.0
// Places of a profile, in words and in the numbers that explanations have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evenly/trace/profile.hpp"

namespace evenly::detail {

/// `spmv.hpp:42:50`: file without folders, line, column.
std::string place_of(const site_profile& site);
/// load, store, storage load, storage store or atomic.
std::string kind_of(const site_profile& site);
/// Bytes wanted over bytes moved, of loads and stores; 1 where nothing was moved.
double used_part(const trace_counts& counts);
/// Sectors beyond the least that such requests could have had.
std::int64_t sectors_too_many(const trace_counts& counts);
/// Loads and stores of memory with such sectors, those with most first.
std::vector<site_profile> scattered_sites(const launch_profile& launch);

} // namespace evenly::detail
