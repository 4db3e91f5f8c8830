// SPDX-License-Identifier: Apache-2.0
// The interface of the simulated GPU to kernels and executors, without its implementation. Programs that link
// evenly::runtime use its compiled bodies (core/annotations.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/simulator/detail/access_kind.hpp"
#include "evenly/simulator/detail/thread.hpp"
#include "evenly/trace/detail/traced_access.hpp"

namespace evenly {
class trace;
}

namespace evenly::detail {

class simt_engines;

EVENLY_RUNTIME_FN std::shared_ptr<simt_engines> make_simt_engines(std::size_t stack_bytes);

/// Runs the job on up to `threads` operating-system threads, all blocks together or one after the other. If it
/// succeeds, and `to` is not null, adds the job's counts to it. `slots`: the number of blocks that have room at the
/// same time.
EVENLY_RUNTIME_FN void run_simt_job(simt_engines& engines, int threads, trace* to, simt_job job,
                                    bool together, int slots);

/// The functions of simt_engine for threads, under the same names as there (engine.hpp, engine.hpp).
EVENLY_RUNTIME_FN void sync_block(simt_thread& me, std::source_location where);
EVENLY_RUNTIME_FN void sync_warp(simt_thread& me, lane_mask mask, std::source_location where);
/// Copies the `bytes` bytes at `value` of the lane `source` to `result`.
EVENLY_RUNTIME_FN void shuffle_warp(simt_thread& me, lane_mask mask, const void* value, void* result,
                                    std::size_t bytes, int source, std::source_location where);
EVENLY_RUNTIME_FN lane_mask ballot_warp(simt_thread& me, lane_mask mask, bool predicate,
                                        std::source_location where);
EVENLY_RUNTIME_FN void fence_thread(simt_thread& me);
/// One iteration of a loop that waits for another block. `step`: backoff or grid_sync.
EVENLY_RUNTIME_FN void back_off(simt_thread& me, simt_step step, std::source_location where);
/// Check an access to storage that begins at its byte `byte`, and an access to memory through traced()
/// (block/block.hpp).
EVENLY_RUNTIME_FN void check_storage(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element,
                                     access_kind kind, std::source_location where);
EVENLY_RUNTIME_FN void check_memory(simt_thread& me, std::uint64_t address, std::size_t bytes,
                                    std::int64_t element, bool writes, std::source_location where);
/// Counts an access in pieces of `piece` bytes, if the launch is traced.
EVENLY_RUNTIME_FN void count_access_of(simt_thread& me, traced_access kind, std::uint64_t address,
                                       std::size_t bytes, std::uint32_t piece, std::source_location where);
/// know_pointers records the pointers of a part of the library. report_raw_pointers examines a kernel or function
/// object of the user, whose type has this mangled name. It writes to standard error how many raw pointers the object
/// holds, without those of `part` or, if that is null, of all recorded parts (call_bodies.hpp).
EVENLY_RUNTIME_FN void know_pointers(const void* part, std::size_t bytes);
EVENLY_RUNTIME_FN void report_raw_pointers(const char* mangled, const void* object, std::size_t bytes,
                                           const void* part, std::size_t part_bytes);
/// Throw simulation_error.
EVENLY_RUNTIME_FN void refuse_element(const simt_thread& me, int element, int count,
                                      std::source_location where);
EVENLY_RUNTIME_FN void refuse_slot(const simt_thread& me, std::size_t end, std::source_location where);

} // namespace evenly::detail
