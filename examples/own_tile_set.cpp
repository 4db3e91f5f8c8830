// SPDX-License-Identifier: Apache-2.0
// A user-defined tile set: all pairs (i, j) with j < i. Tile i has i atoms, and nothing is stored.
//
// The program counts, for each number of a sequence, the earlier numbers that are close to it. Tiles have 0 to 1,000
// atoms, so a thread per tile would be badly balanced.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/tile_set.hpp"

/// begin and end cost a multiplication. The number of pairs of two billion numbers fits into 64 bits.
class pair_tiles {
 public:
  using tile_type = int;
  using atom_type = std::int64_t;

  EVENLY_FN explicit pair_tiles(int numbers) : numbers_(numbers) {}
  EVENLY_FN int tiles() const { return numbers_; }
  EVENLY_FN std::int64_t begin(int i) const { return std::int64_t{i} * (i - 1) / 2; }
  EVENLY_FN std::int64_t end(int i) const { return begin(i) + i; }

 private:
  int numbers_;
};
static_assert(evenly::tile_set<pair_tiles>);

/// 1 if number i and the other one of the pair are near each other.
template <class Executor> struct is_near {
  pair_tiles pairs;
  evenly::span_on<Executor, const float> numbers;
  EVENLY_FN int operator()(int i, std::int64_t pair) const {
    const auto j = pair - pairs.begin(i);
    const float distance = numbers[i] - numbers[j];
    return distance * distance < 0.01f;
  }
};

template <class Executor, class Schedule>
bool counts_are_right(const Executor& exec, const Schedule& schedule, const std::vector<float>& numbers) {
  const int n = static_cast<int>(numbers.size());
  const pair_tiles pairs(n);
  std::vector<int> near(numbers.size(), -1);
  const auto count = evenly::view(exec, near);
  const is_near<Executor> nearness{pairs, view(exec, numbers)};
  evenly::reduce_tiles(exec, schedule, pairs, nearness, evenly::plus<int>{},
                       [=] EVENLY_FN(int i, int sum) { count[i] = sum; });
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int j = 0; j < i; ++j) expected += nearness(i, pairs.begin(i) + j);
    if (near[i] != expected) {
      std::printf("number %d has %d near it, not %d\n", i, expected, near[i]);
      return false;
    }
  }
  return true;
}

int main() {
  std::vector<float> numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(std::sin(static_cast<float>(i * i)));
  const bool right = counts_are_right(evenly::simt(), evenly::merge_path{}, numbers) &&
                     counts_are_right(evenly::simt(), evenly::direct_search{}, numbers) &&
                     counts_are_right(evenly::cpu(), evenly::merge_path{}, numbers);
  return right ? 0 : 1;
}
