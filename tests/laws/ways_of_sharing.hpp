// SPDX-License-Identifier: Apache-2.0
// A schedule of each way in which tiles are shared: what is compiled where the schedule makes no difference beyond
// that.
#pragma once

#include "evenly/schedules/block_search.hpp"
#include "evenly/schedules/cta_warp_scan.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/thread_mapped.hpp"

namespace evenly::laws {

/// Calls visit(name, schedule) for each.
template <class Visit> void for_each_way_of_sharing(Visit&& visit) {
  visit("thread_mapped", thread_mapped{});                   // team<1>
  visit("dynamic_group_per_tile", dynamic_group_per_tile{}); // team<G>, piece
  visit("cta_warp_scan", cta_warp_scan{});                   // team<whole_block>, batch<G>
  visit("group_mapped<32>", group_mapped<32>{});             // batch<32>
  visit("block_search", block_search<>{});                   // run<true>
  visit("nonzero_split", nonzero_split<>{});                 // striped_run
  visit("merge_path", merge_path<>{});                       // blocked_run
}

} // namespace evenly::laws
