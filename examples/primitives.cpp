// SPDX-License-Identifier: Apache-2.0
// The primitives with a user-defined monoid, on the readings of a thermometer for a day: reduce, scan, select,
// partition, reduce_by_key.
//
// The value of the monoid is the range and the number of readings. It is computed for all readings, for all prefixes,
// and for the readings of each hour. All calls share a workspace; without it each call allocates its own.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/partition.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"

struct readings {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  int count = 0;
  bool operator==(const readings&) const = default;
};

struct together {
  using value_type = readings;
  EVENLY_FN readings identity() const { return {}; }
  EVENLY_FN readings operator()(const readings& a, const readings& b) const {
    return {a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max, a.count + b.count};
  }
};
static_assert(evenly::monoid<together>);

template <class Executor> bool day_is_right(const Executor& exec) {
  constexpr int n = 24 * 60;
  std::vector<float> degrees(n);
  for (int i = 0; i < n; ++i) degrees[i] = static_cast<float>(10 + i / 120 - (i * 37 % 11));
  const auto value = evenly::view(exec, degrees);

  // An input may be a formula: no array of readings is made.
  const auto reading =
      evenly::generated([=] EVENLY_FN(std::int64_t i) { return readings{value[i], value[i], 1}; });
  const auto hour = evenly::generated([=] EVENLY_FN(std::int64_t minute) { return minute / 60; });
  const auto frost = [=] EVENLY_FN(std::int64_t minute) { return value[minute] < 1; };

  const readings day = evenly::reduce(exec, reading, n, together{});
  bool right = day == readings{0, 21, n};

  evenly::workspace memory;
  std::vector<readings> so_far(n);
  evenly::inclusive_scan(exec, reading, n, together{}, so_far.data(), memory);
  right = right && so_far[0] == readings{10, 10, 1} && so_far[2].count == 3 && so_far[n - 1] == day;
  evenly::exclusive_scan(exec, reading, n, together{}, so_far.data(), memory);
  right = right && so_far[0] == readings{} && so_far[n - 1].count == n - 1;

  std::vector<std::int64_t> minutes(n); // of frost, ascending
  const std::int64_t found = evenly::select(exec, evenly::counting(), n, frost, minutes.data());
  for (std::int64_t i = 0; i < found; ++i) right = right && value[minutes[i]] < 1;

  const std::int64_t same =
      evenly::partition(exec, evenly::counting(), n, frost, minutes.data()); // then all others
  right = right && found > 0 && same == found && value[minutes[found]] >= 1 && minutes[found] == 0;

  std::vector<std::int64_t> hours(n);
  std::vector<readings> of_hour(n);
  const std::int64_t runs =
      evenly::reduce_by_key(exec, hour, reading, n, together{}, hours.data(), of_hour.data());
  right =
      right && runs == 24 && hours[23] == 23 && of_hour[0] == readings{0, 10, 60} && of_hour[23].count == 60;
  if (!right) std::printf("wrong: %g to %g of %d\n", day.min, day.max, day.count);
  return right;
}

int main() { return day_is_right(evenly::cpu()) && day_is_right(evenly::simt()) ? 0 : 1; }
