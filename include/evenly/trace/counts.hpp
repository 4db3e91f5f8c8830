// SPDX-License-Identifier: Apache-2.0
// The numbers of a trace (trace/trace.hpp). trace/detail/block_trace.hpp defines those of requests.
#pragma once

#include <cstdint>

#include "evenly/core/index.hpp"

namespace evenly {

/// The numbers of a trace.
struct trace_counts {
  std::int64_t launches = 0;        ///< launches of at least one block
  std::int64_t blocks = 0;          ///< sum over all launches
  std::int64_t threads = 0;         ///< p: maximum over all launches
  std::int64_t barriers = 0;        ///< calls of sync(), once for all threads of a block
  std::int64_t warp_operations = 0; ///< warp_sync, shuffles and votes, once for all lanes of a mask
  std::int64_t steps = 0;           ///< T
  std::int64_t operations = 0;      ///< W
  std::int64_t warp_steps = 0; ///< per warp, between two barriers: maximum of a lane's operations, summed

  std::int64_t request_lanes = 0; ///< lanes that take part in requests, of any kind
  std::int64_t global_load_requests = 0;
  std::int64_t global_load_sectors = 0;       ///< of 32 bytes
  std::int64_t global_load_lines = 0;         ///< of 128 bytes
  std::int64_t global_load_bytes = 0;         ///< different bytes that the lanes of a request access
  std::int64_t global_load_min_sectors = 0;   ///< minimum for these bytes
  std::int64_t global_load_scattered = 0;     ///< requests of more sectors than that: they are not coalesced
  std::int64_t global_load_block_sectors = 0; ///< different sectors per block, regardless of repetitions
  std::int64_t global_store_requests = 0;
  std::int64_t global_store_sectors = 0;
  std::int64_t global_store_lines = 0;
  std::int64_t global_store_bytes = 0;
  std::int64_t global_store_min_sectors = 0;
  std::int64_t global_store_scattered = 0;
  std::int64_t global_store_block_sectors = 0;
  std::int64_t storage_load_requests = 0;
  std::int64_t storage_load_wavefronts = 0;
  std::int64_t storage_load_conflicts = 0; ///< wavefronts in addition to the minimum for such requests
  std::int64_t storage_store_requests = 0;
  std::int64_t storage_store_wavefronts = 0;
  std::int64_t storage_store_conflicts = 0;
  std::int64_t atomics = 0; ///< atomic operations (execution/atomic.hpp), in storage and memory
  std::int64_t atomic_requests = 0;
  std::int64_t atomic_conflicts = 0;     ///< operations on an object that a lower lane of the request has
  std::int64_t atomic_load_requests = 0; ///< atomic requests that only load, from memory
  std::int64_t atomic_load_sectors = 0;
  std::int64_t atomic_store_requests = 0; ///< atomic requests that only store, to memory
  std::int64_t atomic_store_sectors = 0;

  /// C = p T: the operations that p threads could do in T steps.
  std::int64_t cost() const { return threads * steps; }
  /// C - W: the steps in which threads did nothing.
  std::int64_t idle() const { return cost() - operations; }
  std::int64_t bank_conflicts() const { return storage_load_conflicts + storage_store_conflicts; }
  /// Requests of any kind.
  std::int64_t requests() const {
    return global_load_requests + global_store_requests + storage_load_requests + storage_store_requests +
           atomic_requests;
  }
  /// Bytes between memory and multiprocessors, of loads and stores, without caches.
  std::int64_t bytes_moved() const { return 32 * (global_load_sectors + global_store_sectors); }
  std::int64_t bytes_wanted() const { return global_load_bytes + global_store_bytes; }
  /// The turns of a multiprocessor's memory unit: one for each line of a request to memory, for each wavefront of a
  /// request to storage, and for each atomic request and each of its conflicts.
  std::int64_t turns() const {
    return global_load_lines + global_store_lines + storage_load_wavefronts + storage_store_wavefronts +
           atomic_requests + atomic_conflicts;
  }

  /// Calls visit(name, member) for every count, with a pointer to the member.
  template <class Visit> static void members(Visit visit) {
    visit("launches", &trace_counts::launches);
    visit("blocks", &trace_counts::blocks);
    visit("threads", &trace_counts::threads);
    visit("barriers", &trace_counts::barriers);
    visit("warp_operations", &trace_counts::warp_operations);
    visit("steps", &trace_counts::steps);
    visit("operations", &trace_counts::operations);
    visit("warp_steps", &trace_counts::warp_steps);
    visit("request_lanes", &trace_counts::request_lanes);
    visit("global_load_requests", &trace_counts::global_load_requests);
    visit("global_load_sectors", &trace_counts::global_load_sectors);
    visit("global_load_lines", &trace_counts::global_load_lines);
    visit("global_load_bytes", &trace_counts::global_load_bytes);
    visit("global_load_least_sectors", &trace_counts::global_load_min_sectors);
    visit("global_load_scattered", &trace_counts::global_load_scattered);
    visit("global_load_block_sectors", &trace_counts::global_load_block_sectors);
    visit("global_store_requests", &trace_counts::global_store_requests);
    visit("global_store_sectors", &trace_counts::global_store_sectors);
    visit("global_store_lines", &trace_counts::global_store_lines);
    visit("global_store_bytes", &trace_counts::global_store_bytes);
    visit("global_store_least_sectors", &trace_counts::global_store_min_sectors);
    visit("global_store_scattered", &trace_counts::global_store_scattered);
    visit("global_store_block_sectors", &trace_counts::global_store_block_sectors);
    visit("storage_load_requests", &trace_counts::storage_load_requests);
    visit("storage_load_wavefronts", &trace_counts::storage_load_wavefronts);
    visit("storage_load_conflicts", &trace_counts::storage_load_conflicts);
    visit("storage_store_requests", &trace_counts::storage_store_requests);
    visit("storage_store_wavefronts", &trace_counts::storage_store_wavefronts);
    visit("storage_store_conflicts", &trace_counts::storage_store_conflicts);
    visit("atomics", &trace_counts::atomics);
    visit("atomic_requests", &trace_counts::atomic_requests);
    visit("atomic_conflicts", &trace_counts::atomic_conflicts);
    visit("atomic_load_requests", &trace_counts::atomic_load_requests);
    visit("atomic_load_sectors", &trace_counts::atomic_load_sectors);
    visit("atomic_store_requests", &trace_counts::atomic_store_requests);
    visit("atomic_store_sectors", &trace_counts::atomic_store_sectors);
  }

  bool operator==(const trace_counts&) const = default;

  /// Adds the counts of `other`. `threads` becomes the maximum of both.
  trace_counts& operator+=(const trace_counts& other) {
    const std::int64_t max = larger(threads, other.threads);
    members([&](const char*, auto member) { this->*member += other.*member; });
    threads = max;
    return *this;
  }
  /// Returns the counts since `before`, an earlier state of the same trace. `threads` remains the maximum over all
  /// launches.
  friend trace_counts operator-(trace_counts now, const trace_counts& before) {
    const std::int64_t max = now.threads;
    members([&](const char*, auto member) { now.*member -= before.*member; });
    now.threads = max;
    return now;
  }
};

} // namespace evenly
