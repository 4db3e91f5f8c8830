// SPDX-License-Identifier: Apache-2.0
// simt_checks: what an engine checks when a thread accesses storage or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/simulator/detail/memory_races.hpp"
#include "evenly/simulator/detail/place_numbers.hpp"
#include "evenly/simulator/detail/race_check.hpp"
#include "evenly/simulator/detail/report.hpp"
#include "evenly/simulator/detail/state.hpp"

namespace evenly::detail {

/// The part of an engine that threads call while they run, and that runs no other thread.
class simt_checks {
 public:
  void touch(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element, access_kind kind,
             std::source_location where) {
    if (!job_->check_races) return;
    access_conflict conflict{};
    if (!me.block->races.access(byte, static_cast<std::uint32_t>(bytes), me.rank, kind,
                                places_.number_of(where, me.caller), conflict))
      refuse_access(me, conflict, bytes, element, kind, where);
  }

  /// Checks an access to memory through `what`: "traced memory" (block/block.hpp), or "a view"
  /// (execution/memory.hpp).
  void touch_memory(simt_thread& me, std::uint64_t address, std::size_t bytes, std::int64_t element,
                    bool writes, std::source_location where, const char* what) {
    if (!job_->memory) return;
    const memory_access mine = access_of(me, writes, false, where);
    memory_access other;
    if (!job_->memory->access(me.block->order, address, bytes, mine, other))
      throw simulation_error(report::memory_race(me, mine, other, element_of(element, what), bytes));
  }

  /// Called before and after an atomic operation (execution/atomic.hpp).
  void begin_atomic(simt_thread& me, const atomic_operation& what) {
    const auto address = reinterpret_cast<std::uintptr_t>(what.object);
    if (job_->trace)
      me.block->trace.access(me.rank, traced_kind(what), address, what.bytes, what.bytes, what.by.where);
    if (!job_->memory) return;
    const memory_access mine = access_of(me, what.kind != atomic_kind::load, true, what.by.where);
    memory_access other;
    if (what.by.in_view) job_->memory->use();
    if (!what.in_storage() && !job_->memory->access(me.block->order, address, what.bytes, mine, other))
      throw simulation_error(report::memory_race(me, mine, other,
                                                 what.by.in_view ? element_of(what.by.element, "a view")
                                                                 : "a traced value must be in traced memory",
                                                 what.bytes));
    job_->memory->release(me.block->order, me.rank, what);
  }
  void end_atomic(simt_thread& me, const atomic_operation& what) {
    if (job_->memory) job_->memory->acquire(me.block->order, me.rank, what);
  }

  /// Counts an access in pieces of `piece` bytes, in storage or memory, if the launch is traced.
  void count(simt_thread& me, traced_access kind, std::uint64_t address, std::size_t bytes,
             std::uint32_t piece, std::source_location where) {
    if (job_->trace) me.block->trace.access(me.rank, kind, address, bytes, piece, where);
  }
  /// Counts a load or store (execution/atomic.hpp) or an access to an element of a view. Accesses to the thread's
  /// own stack do not count.
  void count(simt_thread& me, const counted_access& what) {
    const auto address = reinterpret_cast<std::uintptr_t>(what.object);
    if (me.on->holds(address)) return;
    if (job_->trace)
      me.block->trace.access(me.rank, what.writes ? traced_access::global_store : traced_access::global_load,
                             address, what.bytes, what.piece, what.where);
    if (what.in_view) touch_memory(me, address, what.bytes, what.element, what.writes, what.where, "a view");
  }

  void out_of_range(const simt_thread& me, int element, int count, std::source_location where) {
    throw simulation_error(report::out_of_range(me, element, count, {where, me.caller}));
  }
  void outside_view(const simt_thread& me, std::int64_t element, std::size_t count,
                    std::source_location where) {
    throw simulation_error(report::outside_view(me, element, count, {where, me.caller}));
  }
  void outside_storage(const simt_thread& me, std::size_t end, std::source_location where) {
    throw simulation_error(report::outside_storage(me, end, job_->storage_bytes, {where, me.caller}));
  }

 private:
  [[noreturn, gnu::noinline]] void refuse_access(const simt_thread& me, const access_conflict& conflict,
                                                 std::size_t bytes, int element, access_kind kind,
                                                 std::source_location where) {
    throw simulation_error(
        report::access(me, conflict, places_[conflict.where], bytes, element, kind, {where, me.caller}));
  }
  static std::string element_of(std::int64_t element, const char* what) {
    return "element " + std::to_string(element) + " of " + what;
  }
  static traced_access traced_kind(const atomic_operation& what) {
    if (what.in_storage() || what.kind == atomic_kind::change) return traced_access::atomic;
    return what.kind == atomic_kind::load ? traced_access::atomic_load : traced_access::atomic_store;
  }
  static memory_access access_of(const simt_thread& me, bool writes, bool atomic,
                                 std::source_location where) {
    return {me.block->order.now(),
            {where, me.caller},
            me.block->index,
            static_cast<std::int16_t>(me.rank),
            writes,
            atomic};
  }

 protected:
  const simt_job* job_ = nullptr;
  place_numbers places_;
};

} // namespace evenly::detail
