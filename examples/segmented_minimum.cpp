// SPDX-License-Identifier: Apache-2.0
// A user-defined monoid: the minimum of each segment and its index.
//
// A monoid is an associative operation with an identity. This one is also marked as commutative. So each of the threads
// of a warp that share a tile may combine every 32nd atom.
#include <cstdio>
#include <limits>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

/// A value and its index. Index -1 stands for no value.
struct place {
  float value;
  int index;
};

/// The lesser value; of two that are equal the one with the lesser index.
struct min_place {
  using value_type = place;
  static constexpr bool commutative = true;
  EVENLY_FN place identity() const { return {std::numeric_limits<float>::infinity(), -1}; }
  EVENLY_FN place operator()(const place& a, const place& b) const {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    if (a.value != b.value) return a.value < b.value ? a : b;
    return a.index < b.index ? a : b;
  }
};
static_assert(evenly::monoid<min_place>);

template <class Executor, class Schedule>
bool places_are_right(const Executor& exec, const Schedule& schedule) {
  const std::vector<int> offsets{0, 3, 3, 5, 6};
  const std::vector<float> values{4, 1, 1, -2, 7, 3};
  const std::vector<int> expected{1, -1, 3, 5}; // the second segment is empty, and gets the identity
  std::vector<int> found(expected.size(), -2);
  const auto value = evenly::view(exec, values);
  const auto index = evenly::view(exec, found);
  evenly::reduce_tiles(
      exec, schedule, evenly::csr_tiles(offsets), [=] EVENLY_FN(int k) { return place{value[k], k}; },
      min_place{}, [=] EVENLY_FN(int segment, const place& min) { index[segment] = min.index; });
  if (found == expected) return true;
  for (const int each : found) std::printf("%d\n", each);
  return false;
}

int main() {
  const bool right = places_are_right(evenly::simt(), evenly::merge_path{}) &&
                     places_are_right(evenly::simt(), evenly::warp_mapped{}) &&
                     places_are_right(evenly::cpu(), evenly::merge_path{});
  return right ? 0 : 1;
}
