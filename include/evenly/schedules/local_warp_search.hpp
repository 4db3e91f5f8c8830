// SPDX-License-Identifier: Apache-2.0
// local_warp_search<Where>: a warp reads the offsets of as many tiles as it has threads. Each thread finds the tile of
// its next atom among them, batch after batch until the warp's atoms are done.
//
// Sources: Busato & Bombieri (TPDS 2017), section 2.4.2, for offsets in storage; the same, "BFS-4K: an efficient
// implementation of BFS for Kepler GPU architectures" (TPDS 2015), for offsets in registers, searched by shuffles.
//
// For N tiles and W atoms:
//   work                O(W log warp)
//   parallel complexity O(S / warp * log warp); S is the maximum number of atoms of 32 consecutive tiles
//   threads             N
//   offsets coalesced   yes
//   atoms coalesced     yes
//   extra memory        none; nothing to prepare. Storage for an offset per thread, or none. No barrier of the block
// Limits: arithmetic, because the search is repeated for every batch (a thread skips it if its tile does not change).
// Batches begin at any atom, so they touch two lines of memory. The work of warps and blocks differs as S does.
// Wins when tiles are short and unequal, and 32 consecutive ones together are nearly equal.
//
// The warp is a group of 32. A warp of 64 has two such groups. In smaller warps groups are wide, and both forms have
// their offsets in storage.
#pragma once

#include "evenly/schedules/detail/group_run.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The schedule. `Where`: where the offsets are.
template <offsets_in Where = offsets_in::registers> struct local_warp_search {
  static constexpr int group = 32;

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("group", group);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    return prepare_group_runs<offsets_by::reading, Where>(exec, tiles, all, block_size,
                                                          sharing::batch<group>{});
  }
};

} // namespace evenly
