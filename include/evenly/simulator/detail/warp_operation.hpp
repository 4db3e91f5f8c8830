// SPDX-License-Identifier: Apache-2.0
// Warp operations: which lanes of a warp have arrived, whether they agree, and the operation itself.
#pragma once

#include <bit>
#include <cstring>
#include <source_location>
#include <string>

#include "evenly/block/block.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/place.hpp"
#include "evenly/simulator/detail/race_check.hpp"
#include "evenly/simulator/detail/report.hpp"
#include "evenly/simulator/detail/state.hpp"

namespace evenly::detail {

/// Does a shuffle of the lanes of `mask`.
inline void exchange_values(simt_thread* lanes, lane_mask mask) {
  for (lane_mask rest = mask; rest; rest &= rest - 1) {
    simt_thread& to = lanes[std::countr_zero(rest)];
    std::memcpy(to.result, lanes[to.source].value, to.bytes);
  }
}

/// Does a ballot of the lanes of `mask`.
inline void count_votes(simt_thread* lanes, lane_mask mask) {
  lane_mask votes = 0;
  for (lane_mask rest = mask; rest; rest &= rest - 1)
    if (*static_cast<const bool*>(lanes[std::countr_zero(rest)].value)) votes |= rest & -rest;
  for (lane_mask rest = mask; rest; rest &= rest - 1)
    *static_cast<lane_mask*>(lanes[std::countr_zero(rest)].result) = votes;
}

/// Does the operation for the lanes of `mask`. `all_present`: they are all lanes of the warp.
inline void do_warp_operation(const simt_job& job, simt_thread& last, int warp, lane_mask mask,
                              bool all_present) {
  simt_block_state& block = *last.block;
  simt_thread* lanes = &block.thread(warp * job.shape.warp);
  if (job.trace) block.trace.warp_operation(warp, all_present);
  if (last.step == simt_step::warp_shuffle)
    exchange_values(lanes, mask);
  else if (last.step == simt_step::warp_ballot)
    count_votes(lanes, mask);
  else if (job.check_races) {
    block.races.warp_sync(warp, mask, all_present);
    block.order.warp_sync(warp * job.shape.warp, mask);
  }
}

[[noreturn, gnu::noinline]] inline void refuse_mask(const simt_thread& me, lane_mask mask, lane_mask mine,
                                                    lane_mask present) {
  if (!(mask & mine)) throw simulation_error(report::call_of(me, mask) + " without being in the mask");
  throw simulation_error(report::call_of(me, mask) + ", but its warp has the lanes " + report::hex(present) +
                         " only");
}
[[noreturn, gnu::noinline]] inline void refuse_call(const simt_thread& me, lane_mask mask,
                                                    const simt_thread& other) {
  throw simulation_error(report::disagreement(me, mask, other));
}

[[noreturn, gnu::noinline]] inline void refuse_source(const simt_thread& me, lane_mask mask, int source,
                                                      std::source_location where) {
  throw simulation_error(report::name(me) + " shuffles from lane " + std::to_string(source) +
                         ", which is not in the mask " + report::hex(mask) +
                         report::place({where, me.caller}));
}

/// Lane `lane` has arrived at an operation of the lanes of `mask`, and joins those that wait there. The last lane does
/// the operation. Returns the lanes that may continue: `mask` or none. Throws simulation_error if lanes disagree.
inline lane_mask join_lanes(const simt_job& job, simt_thread& me, int lane, lane_mask mask) {
  simt_block_state& block = *me.block;
  const int base = me.rank - lane, warp = base / job.shape.warp;
  const lane_mask mine = lane_mask{1} << lane;
  const lane_mask present = first_lanes(smaller(job.shape.warp, job.shape.size - base));
  lane_mask& waiting = block.waiting_lanes[static_cast<std::size_t>(warp)];
  if (!(mask & mine) || mask & ~present) refuse_mask(me, mask, mine, present);
  me.mask = mask;
  me.party = &me;
  me.joined = 0;
  for (lane_mask rest = mask & waiting; rest; rest &= rest - 1) {
    simt_thread& other = block.thread(base + std::countr_zero(rest));
    if (other.mask != mask && !(other.mask & mine)) continue; // it waits for other lanes
    if (other.mask != mask || other.step != me.step ||
        (me.step == simt_step::warp_shuffle && other.bytes != me.bytes) || !same_place(other.where, me.where))
      refuse_call(me, mask, other);
    me.party = other.party;
    break;
  }
  me.party->joined |= mine;
  waiting |= mine;
  if (me.party->joined != mask) return 0;
  waiting &= ~mask;
  do_warp_operation(job, me, warp, mask, mask == present);
  return mask;
}

} // namespace evenly::detail
