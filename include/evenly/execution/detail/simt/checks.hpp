// SPDX-License-Identifier: Apache-2.0
// What an engine looks at where a thread accesses storage or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "evenly/core/errors.hpp"
#include "evenly/execution/detail/simt/place.hpp"
#include "evenly/execution/detail/simt/race_check.hpp"
#include "evenly/execution/detail/simt/report.hpp"
#include "evenly/execution/detail/simt/state.hpp"

namespace evenly::detail {

/// The part of an engine that threads call while they run, and that lets no other thread go on.
class simt_checks {
 public:
  void touch(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element, access_kind kind,
             std::source_location where) {
    if (!job_->check_races) return;
    access_conflict conflict{};
    if (!me.block->races.access(byte, static_cast<std::uint32_t>(bytes), me.rank, kind,
                                places_.number_of(where, me.caller), conflict))
      throw simulation_error(
          report::access(me, conflict, places_[conflict.where], bytes, element, kind, {where, me.caller}));
  }

  /// Counts an access to a T at `address`, in storage or memory, if the launch is traced.
  template <class T>
  void count(simt_thread& me, traced_access kind, std::uint64_t address, std::source_location where) {
    if (job_->trace) me.block->trace.access<T>(me.rank, kind, address, where);
  }

  void out_of_range(const simt_thread& me, int element, int count, std::source_location where) {
    throw simulation_error(report::out_of_range(me, element, count, {where, me.caller}));
  }
  void outside_storage(const simt_thread& me, std::size_t end, std::source_location where) {
    throw simulation_error(report::outside_storage(me, end, job_->storage_bytes, {where, me.caller}));
  }

  const simt_job& job() const { return *job_; }

 protected:
  const simt_job* job_ = nullptr;
  place_numbers places_;
};

} // namespace evenly::detail
