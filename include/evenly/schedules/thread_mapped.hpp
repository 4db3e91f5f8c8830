// SPDX-License-Identifier: Apache-2.0
// thread_mapped: each thread takes a tile.
//
// Source: Bell & Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors" (SC
// 2009), CSR scalar. It is the "work-items to threads" of Busato & Bombieri (TPDS 2017).
//
// For N tiles and W atoms, of which the longest tile has M:
//   work                O(W)
//   parallel complexity O(M)
//   threads             N
//   offsets coalesced   yes
//   atoms coalesced     no: consecutive threads are a tile's size apart
//   extra memory        none; nothing to prepare
// Limits: non-coalesced accesses; warp divergence: a warp takes as long as its longest tile.
// Wins when tiles are short and of nearly one size.
#pragma once

#include "evenly/schedules/group_per_tile.hpp"

namespace evenly {

/// A thread per tile.
using thread_mapped = group_per_tile<1>;

} // namespace evenly
