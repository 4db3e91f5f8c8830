// SPDX-License-Identifier: Apache-2.0
// A segmented scan with a user-defined monoid: savings accounts with interest.
//
// An account's balance follows a recurrence: each month it grows by a rate, and an amount is paid in. A value is such a
// step, x -> rate x + amount. The composition of two steps is a step, so composition is an associative operation. It is
// not commutative. One segmented scan computes all balances of all accounts: an account is a tile, a month an atom.
// Accounts may have any number of months.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

/// x -> rate x + amount
struct month {
  double rate;
  double amount;
};

/// One step and then another.
struct one_after_another {
  using value_type = month;
  EVENLY_FN month identity() const { return {1, 0}; }
  EVENLY_FN month operator()(const month& first, const month& second) const {
    return {first.rate * second.rate, first.amount * second.rate + second.amount};
  }
};
static_assert(evenly::monoid<one_after_another>);

/// The balances after each month, of accounts that begin empty.
template <class Executor, class Schedule>
bool balances_are_right(const Executor& exec, const Schedule& schedule) {
  const std::vector<int> offsets{0, 3, 3, 4, 6}; // four accounts; the second is new
  const std::vector<month> months{{1, 100}, {1.5, 0}, {2, 50}, {1, 7}, {1, 8}, {0.5, 1}};
  const std::vector<double> expected{100, 150, 350, 7, 8, 5};
  std::vector<double> balances(expected.size());
  const auto step = evenly::view(exec, months);
  const auto balance = evenly::view(exec, balances);
  evenly::scan_tiles(
      exec, schedule, evenly::csr_tiles(offsets), [=] EVENLY_FN(int k) { return step[k]; },
      one_after_another{}, [=] EVENLY_FN(int k, const month& so_far) { balance[k] = so_far.amount; });
  if (balances == expected) return true;
  for (const double each : balances) std::printf("%g\n", each);
  return false;
}

int main() {
  const bool right = balances_are_right(evenly::simt(), evenly::merge_path{}) &&
                     balances_are_right(evenly::simt(), evenly::warp_mapped{}) &&
                     balances_are_right(evenly::cpu(), evenly::merge_path{});
  return right ? 0 : 1;
}
