// SPDX-License-Identifier: Apache-2.0
// Names and numbers of profile sites in explanations.
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
/// Requested bytes over moved bytes of loads and stores; 1 if none moved.
double used_part(const trace_counts& counts);
/// Sectors in addition to the minimum for these requests.
std::int64_t sectors_too_many(const trace_counts& counts);
/// Loads and stores with such sectors, in descending order of their number.
std::vector<site_profile> scattered_sites(const launch_profile& launch);

} // namespace evenly::detail
