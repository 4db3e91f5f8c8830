// SPDX-License-Identifier: Apache-2.0
// Wrong monoids and values for the skeletons and reduce_by_key.
//
// WRONG=1 says: evenly::monoid_of(function, identity) makes one
// WRONG=2 says: evenly::monoid_of(function, identity) makes one
// WRONG=3 says: evenly::monoid_of(function, identity) makes one
// WRONG=4 says: the monoid's value_type would truncate values, as int does for float or std::int64_t: use plus<float>
// WRONG=5 says: the monoid's value_type would truncate values, as int does for float or std::int64_t: use plus<float>
// WRONG=6 says: values must be trivially copyable: replace std::pair, std::string and similar types by your own
// WRONG=7 says: values must be aligned to at most 16 bytes, as shared memory is
// WRONG=8 says: map must accept map(atom), map(tile, atom) or map(tile, atom, rank)
// WRONG=9 says: keys must be trivially copyable: replace std::pair and std::string by your own struct
// WRONG=10 says: evenly::monoid_of(function, identity) makes one
// WRONG=11 says: elements must be trivially copyable: replace std::pair and std::string by your own struct

#include <functional>
#include <utility>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

int main() {
  const evenly::cpu exec;
  const std::vector<int> offsets{0, 2, 3};
  const std::vector<std::pair<int, int>> pairs(3);
  std::vector<float> y(3);
  std::vector<int> keys{1, 1, 2};
  auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::csr_tiles(offsets));
  const auto halves = [](int k) { return 0.5f * k; };
  const auto store = [out = y.data()](int i, float value) { out[i] = value; };
  evenly::reduce_tiles(exec, plan, halves, evenly::monoid_of(std::plus<>{}, 0.0f), store);
  const auto ignore = [](auto...) {};
#if WRONG == 1
  evenly::reduce_tiles(exec, plan, halves, std::plus<>{}, store);
#elif WRONG == 2
  evenly::scan_tiles(exec, plan, halves, std::plus<float>{}, store);
#elif WRONG == 3
  evenly::scan_tiles_exclusive(
      exec, evenly::thread_mapped{}, evenly::csr_tiles(offsets), halves,
      [](float a, float b) { return a + b; }, store);
#elif WRONG == 4
  evenly::reduce_tiles(exec, plan, halves, evenly::plus<int>{}, store);
#elif WRONG == 5
  evenly::scan_tiles(exec, evenly::thread_mapped{}, evenly::csr_tiles(offsets), halves, evenly::plus<int>{},
                     store);
#elif WRONG == 6
  const auto first = evenly::monoid_of([](auto a, auto) { return a; }, pairs[0]);
  evenly::reduce_tiles(exec, plan, [](int k) { return std::pair(k, k); }, first, ignore);
#elif WRONG == 7
  struct alignas(64) line {
    int of[16];
  };
  const auto first = evenly::monoid_of([](line a, line) { return a; }, line{});
  evenly::reduce_tiles(exec, plan, [](int) { return line{}; }, first, ignore);
#elif WRONG == 8
  evenly::reduce_tiles(exec, plan, [](int, int, int, int) { return 1; }, evenly::plus<int>{}, store);
#elif WRONG == 9
  std::vector<std::pair<int, int>> keys_out(3);
  evenly::reduce_by_key(exec, pairs.data(), keys.data(), 3, evenly::plus<int>{}, keys_out.data(),
                        keys.data());
#elif WRONG == 10
  evenly::reduce_by_key(exec, keys.data(), y.data(), 3, std::plus<>{}, keys.data(), y.data());
#elif WRONG == 11
  std::vector<std::pair<int, int>> found(3);
  evenly::select(exec, pairs.data(), 3, [](const auto& p) { return p.first > 0; }, found.data());
#endif
  ignore(keys);
  return y[1] == 1 ? 0 : 1;
}
