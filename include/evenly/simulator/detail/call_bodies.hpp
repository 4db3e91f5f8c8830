// SPDX-License-Identifier: Apache-2.0
// The implementation of calls.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <source_location>
#include <utility>
#include <vector>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/simulator/detail/calls.hpp"
#include "evenly/simulator/detail/engine.hpp"
#include "evenly/simulator/detail/engines.hpp"
#include "evenly/simulator/detail/launch_state.hpp"
#include "evenly/simulator/detail/memory_races.hpp"
#include "evenly/simulator/detail/raw_pointers.hpp"
#include "evenly/simulator/detail/state.hpp"
#include "evenly/trace/detail/block_trace.hpp"
#include "evenly/trace/trace.hpp"

namespace evenly::detail {

EVENLY_RUNTIME_FN std::shared_ptr<simt_engines> make_simt_engines(std::size_t stack_bytes) {
  return std::make_shared<simt_engines>(stack_bytes);
}

/// Runs the job's blocks, all together or one after the other. With a seed, the latter start in an order that the seed
/// determines.
inline void run_simt_blocks(simt_engines& engines, int threads, simt_job& job, bool together) {
  simt_launch_state state;
  if (together) {
    engines.run(job, state, 0, job.blocks, 0);
    return state.rethrow();
  }
  std::vector<int> order(job.seed != 0 ? static_cast<std::size_t>(job.blocks) : 0);
  std::iota(order.begin(), order.end(), 0);
  simt_random random{job.seed};
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  job.may_wait_outside = threads > 1 && job.blocks > 1;
  for_each_block(threads, job.blocks, [&](int) {
    check_interrupt();
    const int position = state.next_position();
    if (state.is_decided_before(position)) return;
    engines.run(job, state, job.seed != 0 ? order[static_cast<std::size_t>(position)] : position, 1,
                position);
  });
  state.rethrow();
}

EVENLY_RUNTIME_FN void run_simt_job(simt_engines& engines, int threads, trace* to, simt_job job,
                                    bool together, int slots) {
  const std::uint64_t launch = engines.next_launch();
  if (job.blocks == 0) return;
  if (job.seed != 0) job.seed = simt_random{job.seed ^ launch << 32}() | 1;
  memory_races races(together || threads == 1);
  if (job.check_races) job.memory = &races;
  launch_trace counts(job.blocks, job.shape, to && to->keeps_profiles() ? slots : 0);
  if (to) job.trace = &counts;
  const wants_notice watched(launches_that_watch, job.watches_atomics());
  const wants_notice counted(launches_that_count, to != nullptr);
  run_simt_blocks(engines, threads, job, together);
  if (to) to->add(counts.totals(), counts.take_profile());
}

EVENLY_RUNTIME_FN void sync_block(simt_thread& me, std::source_location where) {
  me.block->engine->sync(me, where);
}
EVENLY_RUNTIME_FN void sync_warp(simt_thread& me, lane_mask mask, std::source_location where) {
  me.block->engine->warp_sync(me, mask, where);
}
EVENLY_RUNTIME_FN void shuffle_warp(simt_thread& me, lane_mask mask, const void* value, void* result,
                                    std::size_t bytes, int source, std::source_location where) {
  me.block->engine->warp_shuffle(me, mask, value, result, bytes, source, where);
}
EVENLY_RUNTIME_FN lane_mask ballot_warp(simt_thread& me, lane_mask mask, bool predicate,
                                        std::source_location where) {
  return me.block->engine->warp_ballot(me, mask, predicate, where);
}
EVENLY_RUNTIME_FN void fence_thread(simt_thread& me) { me.block->engine->fence(me); }
EVENLY_RUNTIME_FN void back_off(simt_thread& me, simt_step step, std::source_location where) {
  me.block->engine->backoff(me, step, where);
}
EVENLY_RUNTIME_FN void check_storage(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element,
                                     access_kind kind, std::source_location where) {
  me.block->engine->touch(me, byte, bytes, element, kind, where);
}
EVENLY_RUNTIME_FN void check_memory(simt_thread& me, std::uint64_t address, std::size_t bytes,
                                    std::int64_t element, bool writes, std::source_location where) {
  me.block->engine->touch_memory(me, address, bytes, element, writes, where, "traced memory");
}
EVENLY_RUNTIME_FN void count_access_of(simt_thread& me, traced_access kind, std::uint64_t address,
                                       std::size_t bytes, std::uint32_t piece, std::source_location where) {
  me.block->engine->count(me, kind, address, bytes, piece, where);
}
EVENLY_RUNTIME_FN void refuse_element(const simt_thread& me, int element, int count,
                                      std::source_location where) {
  me.block->engine->out_of_range(me, element, count, where);
}
EVENLY_RUNTIME_FN void refuse_slot(const simt_thread& me, std::size_t end, std::source_location where) {
  me.block->engine->outside_storage(me, end, where);
}

} // namespace evenly::detail
