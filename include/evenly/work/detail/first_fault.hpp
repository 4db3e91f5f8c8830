// SPDX-License-Identifier: Apache-2.0
// Finds the first of many entries that breaks a rule, on the executor, and reports it to the host.
//
// A check is a trivially copyable struct whose members run on the executor:
//   std::int64_t count() const      the number of entries
//   bool bad(i) const               whether entry i breaks a rule
//   report report_of(i) const       the report for the host about entry i, the first bad one, or no_fault
#pragma once

#include <cstdint>
#include <limits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::detail {

inline constexpr std::int64_t no_fault = std::numeric_limits<std::int64_t>::max();

template <class Report> struct fault_record {
  std::int64_t first;
  Report seen;
};

template <class Check> struct find_fault {
  Check check;
  std::int64_t per_block;
  fault_record<typename Check::report>* record;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * per_block;
    const std::int64_t end = smaller(begin + per_block, check.count());
    std::int64_t first = no_fault;
    if constexpr (Block::is_serial) {
      if (all_good(begin, end)) return;
    }
    for (std::int64_t i = begin + block.rank(); i < end; i += block.size())
      if (check.bad(i)) first = smaller(first, i);
    if (first != no_fault) atomic_ref(record->first).fetch_min(first);
  }

 private:
  /// One number is the only result, so that compilers vectorise the loop. (gcc 12 does not for a bool.)
  EVENLY_FN bool all_good(std::int64_t begin, std::int64_t end) const {
    int any = 0;
    for (std::int64_t i = begin; i < end; ++i) any |= static_cast<int>(check.bad(i));
    return any == 0;
  }
};

template <class Check> struct write_fault {
  Check check;
  fault_record<typename Check::report>* record;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() == 0) record->seen = check.report_of(record->first);
  }
};

/// Checks all entries; there are at most `max`. Allocates and waits.
template <class Executor, class Check>
typename Check::report first_fault(const Executor& exec, const Check& check, std::int64_t max) {
  fault_record<typename Check::report> record{};
  record.first = no_fault;
  const auto result = make_buffer<fault_record<typename Check::report>>(exec, 1);
  exec.copy_from_host(result.data(), &record, sizeof(record));
  const std::int64_t per_block = items_per_block(exec, max, 1024);
  launch(exec, {block_count(max, per_block), 256}, find_fault<Check>{check, per_block, result.data()});
  launch(exec, {1, 1}, write_fault<Check>{check, result.data()});
  exec.copy_to_host(&record, result.data(), sizeof(record));
  return record.seen;
}

} // namespace evenly::detail
