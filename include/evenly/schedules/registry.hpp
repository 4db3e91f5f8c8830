// SPDX-License-Identifier: Apache-2.0
// Every schedule by name, for the program's comparisons and the tests. A new schedule is one header and one line here.
#pragma once

#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/block_search.hpp"
#include "evenly/schedules/cta_warp_scan.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/local_warp_search.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/schedules/two_phase.hpp"

namespace evenly {

/// Calls visit(name, schedule) for each schedule, with default parameters.
template <class Visit> void for_each_schedule(Visit&& visit) {
  visit("thread_mapped", thread_mapped{});
  visit("group_per_tile<2>", group_per_tile<2>{});
  visit("group_per_tile<4>", group_per_tile<4>{});
  visit("group_per_tile<8>", group_per_tile<8>{});
  visit("group_per_tile<16>", group_per_tile<16>{});
  visit("group_per_tile", group_per_tile<any_size>{});
  visit("warp_mapped", warp_mapped{});
  visit("block_mapped", block_mapped{});
  visit("dynamic_group_per_tile", dynamic_group_per_tile{});
  visit("cta_warp_scan", cta_warp_scan{});
  visit("direct_search", direct_search<>{});
  visit("local_warp_search<storage>", local_warp_search<offsets_in::storage>{});
  visit("local_warp_search<registers>", local_warp_search<offsets_in::registers>{});
  visit("block_search", block_search<>{});
  visit("two_phase", two_phase<>{});
  visit("streamed", streamed{});
  visit("multi_phase", multi_phase<>{});
  visit("merge_path", merge_path<>{});
  visit("nonzero_split", nonzero_split<>{});
  visit("group_mapped", group_mapped<any_size>{});
  visit("group_mapped<32>", group_mapped<32>{});
  visit("group_mapped<block>", group_mapped<whole_block>{});
  visit("binned", binned{});
}

} // namespace evenly
