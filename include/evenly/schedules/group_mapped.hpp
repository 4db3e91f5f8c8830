// SPDX-License-Identifier: Apache-2.0
// group_mapped<G>: a group of G threads takes G tiles, scans their sizes in storage, and distributes their atoms evenly
// among its threads, which find the tiles by search.
//
// Source: Osama, Porumbescu & Owens, "A programming model for GPU load balancing" (PPoPP 2023), section 5.2.3. G is any
// number of threads: a power of two or whole_block as a type, or given at run time.
//
// For N tiles and W atoms:
//   work                O(N log G + W log G)
//   parallel complexity O(log G + S / G * log G); S is the maximum number of atoms of G consecutive tiles
//   threads             N
//   offsets coalesced   yes
//   atoms coalesced     in runs of G
//   extra memory        none; nothing to prepare. Storage for an offset per thread. Groups wider than a warp use two
//                       barriers of the block for the scan
// Limits: arithmetic, because the search is repeated for every batch (a thread skips it if its tile does not change);
// barriers in wide groups. The work of groups and blocks differs as S does.
// Wins when tiles are short and unequal: the wider the group, the more unequal they may be.
#pragma once

#include "evenly/block/team.hpp"
#include "evenly/schedules/detail/group_run.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// `G`: 1 to 1024, a power of two; or whole_block. group_mapped<any_size> takes any number at run time.
template <int G = any_size> struct group_mapped {
  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("group", G == whole_block ? block_size : G);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    return prepare_group_runs<offsets_by::scanning, offsets_in::storage>(exec, tiles, all, block_size,
                                                                         sharing::batch<G>{});
  }
};

/// The schedule with a group size given at run time.
template <> struct group_mapped<any_size> {
  int block_size = default_block_size;
  int group = 32; ///< threads, and tiles; in smaller blocks, all of the block

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("g", group);
  }

  /// Throws invalid_argument if a group has fewer than 1 or more than 1024 threads.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    require_group(group);
    return prepare_group_runs<offsets_by::scanning, offsets_in::storage>(
        exec, tiles, all, block_size, sharing::batch<any_size>{group_size(group)});
  }
};
group_mapped() -> group_mapped<any_size>;

} // namespace evenly
