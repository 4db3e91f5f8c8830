// SPDX-License-Identifier: Apache-2.0
// What the simulated GPU counts: launches, barriers, parallel steps and operations, and what memory and storage would
// have had to do for the accesses.
//
//   evenly::trace counts;
//   const evenly::simt exec({.trace = &counts});
//   ... launches on exec ...
//   const evenly::trace_counts seen = counts.totals();
//
// Operations are what a kernel says they are: it takes counted{op} for op (trace/counted.hpp). Accesses to storage are
// seen as they are, those to memory where they go through traced() (block/memory_view.hpp), all atomic operations.
//
// The measures are those of parallel algorithms on p processors: T steps, W operations, cost C = p T. Within a launch
// all blocks run at the same time, and between two barriers all their threads do: there the j-th operation of every
// thread is one step. trace/detail/requests.hpp says what a request is, and what it costs. The counts of a kernel whose
// threads do the same in any order are the same for every seed and any number of operating-system threads.
#pragma once

#include <cstdint>
#include <mutex>

#include "evenly/core/index.hpp"

namespace evenly {

struct trace_counts {
  std::int64_t launches = 0;        ///< those of at least one block
  std::int64_t blocks = 0;          ///< of all launches together
  std::int64_t threads = 0;         ///< p: those of the launch that has most
  std::int64_t barriers = 0;        ///< sync(), one for all threads of a block
  std::int64_t warp_operations = 0; ///< warp_sync, shuffles and votes, one for all lanes of a mask
  std::int64_t steps = 0;           ///< T
  std::int64_t operations = 0;      ///< W

  std::int64_t global_load_requests = 0;
  std::int64_t global_load_sectors = 0;
  std::int64_t global_store_requests = 0;
  std::int64_t global_store_sectors = 0;
  std::int64_t storage_load_requests = 0;
  std::int64_t storage_load_wavefronts = 0;
  std::int64_t storage_load_conflicts = 0; ///< wavefronts beyond the least possible for such requests
  std::int64_t storage_store_requests = 0;
  std::int64_t storage_store_wavefronts = 0;
  std::int64_t storage_store_conflicts = 0;
  std::int64_t atomics = 0; ///< atomic operations (execution/atomic.hpp), in storage and memory
  std::int64_t atomic_requests = 0;
  std::int64_t atomic_conflicts =
      0; ///< operations of a request on an object that a lower lane has, one after the other

  /// C = p T: what so many threads could have done in so many steps.
  std::int64_t cost() const { return threads * steps; }
  /// C - W: the steps in which a thread did nothing.
  std::int64_t idle() const { return cost() - operations; }
  std::int64_t bank_conflicts() const { return storage_load_conflicts + storage_store_conflicts; }

  /// Calls visit(name, member) for every count, with a pointer to the member.
  template <class Visit> static void members(Visit visit) {
    visit("launches", &trace_counts::launches);
    visit("blocks", &trace_counts::blocks);
    visit("threads", &trace_counts::threads);
    visit("barriers", &trace_counts::barriers);
    visit("warp_operations", &trace_counts::warp_operations);
    visit("steps", &trace_counts::steps);
    visit("operations", &trace_counts::operations);
    visit("global_load_requests", &trace_counts::global_load_requests);
    visit("global_load_sectors", &trace_counts::global_load_sectors);
    visit("global_store_requests", &trace_counts::global_store_requests);
    visit("global_store_sectors", &trace_counts::global_store_sectors);
    visit("storage_load_requests", &trace_counts::storage_load_requests);
    visit("storage_load_wavefronts", &trace_counts::storage_load_wavefronts);
    visit("storage_load_conflicts", &trace_counts::storage_load_conflicts);
    visit("storage_store_requests", &trace_counts::storage_store_requests);
    visit("storage_store_wavefronts", &trace_counts::storage_store_wavefronts);
    visit("storage_store_conflicts", &trace_counts::storage_store_conflicts);
    visit("atomics", &trace_counts::atomics);
    visit("atomic_requests", &trace_counts::atomic_requests);
    visit("atomic_conflicts", &trace_counts::atomic_conflicts);
  }

  bool operator==(const trace_counts&) const = default;

  /// Both, one after the other.
  trace_counts& operator+=(const trace_counts& other) {
    const std::int64_t most = larger(threads, other.threads);
    members([&](const char*, auto member) { this->*member += other.*member; });
    threads = most;
    return *this;
  }
  /// What has come since `before`, an earlier state of the same trace. The greatest launch remains that of all time.
  friend trace_counts operator-(trace_counts now, const trace_counts& before) {
    const std::int64_t most = now.threads;
    members([&](const char*, auto member) { now.*member -= before.*member; });
    now.threads = most;
    return now;
  }
};

/// Adds up what the launches of one or more executors count. A launch that throws adds nothing. Safe to use from
/// several operating-system threads; outlives the launches.
class trace {
 public:
  trace_counts totals() const {
    const std::lock_guard lock(guard_);
    return totals_;
  }
  /// Called by executors, once a launch.
  void add(const trace_counts& launch) {
    const std::lock_guard lock(guard_);
    totals_ += launch;
  }

 private:
  mutable std::mutex guard_;
  trace_counts totals_;
};

} // namespace evenly
