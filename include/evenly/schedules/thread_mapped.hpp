// SPDX-License-Identifier: Apache-2.0
// thread_mapped: a tile per thread.
//
// Source: Bell & Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
// processors" (SC 2009), CSR scalar. Cost: no search, no extra memory; offsets coalesced, atoms not
// (neighbouring threads are a tile's size apart). Limit: a warp takes as long as its longest tile. Wins on
// short tiles of nearly one size.
#pragma once

#include "evenly/schedules/group_per_tile.hpp"

namespace evenly {

using thread_mapped = group_per_tile<1>;

} // namespace evenly
