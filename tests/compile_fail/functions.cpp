// SPDX-License-Identifier: Apache-2.0
// The functions that a user gives to a skeleton: their parameters, and what they own.
//
// WRONG=1 says: visit must have concrete parameter types, as in [](int tile, int atom), instead of auto
// WRONG=2 says: visit must accept visit(tile, atom, rank) or visit(tile, atom)
// WRONG=3 says: map must have concrete parameter types, as in [=](int atom), instead of auto
// WRONG=4 says: map must accept map(atom), map(tile, atom) or map(tile, atom, rank)
// WRONG=5 says: store must have concrete parameter types, as in [=](int number, float value), instead of auto
// WRONG=6 says: store must accept store(tile, value) for reduce_tiles, store(atom, value) for scan_tiles
// WRONG=7 says: map must be trivially copyable, because it is copied to the device: capture pointers and numbers by
// WRONG=8 says: store must accept store(tile, value) for reduce_tiles, store(atom, value) for scan_tiles
// WRONG=9 says: visit must have concrete parameter types, as in [](int tile, int atom), instead of auto
// WRONG=10 says: a map's passing(atom) is now called streaming(atom)
// WRONG=11 says: the members least_blocks and most_blocks of a kernel are now called min_blocks and max_blocks
// WRONG=12 says: a map's beside(tile, atom, rank) is now called adjacent(tile, atom, rank)

#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/uniform.hpp"

struct map_of_before {
  EVENLY_FN float operator()(int) const { return 1; }
  EVENLY_FN float passing(int) const { return 1; }
};
struct tile_map_of_before {
  EVENLY_FN float operator()(int, int, int) const { return 1; }
  EVENLY_FN float beside(int, int, int) const { return 1; }
};
struct kernel_of_before {
  static constexpr int least_blocks = 2;
  template <class Block> EVENLY_FN void operator()(Block&) const {}
};

int main() {
  const evenly::cpu exec;
  const evenly::plus<float> sum;
  auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::uniform_tiles(3, 2));
  std::vector<float> values(6), sums(3);
  const auto map = [v = values.data()](int a) { return v[a]; };
  const auto store = [to = sums.data()](int t, float x) { to[t] = x; };
  evenly::reduce_tiles(exec, plan, map, sum, store);
#if WRONG == 1
  evenly::for_each_atom(exec, plan, [](auto, auto) {});
#elif WRONG == 2
  evenly::for_each_atom(exec, plan, [](int) {});
#elif WRONG == 3
  evenly::reduce_tiles(exec, plan, [v = values.data()](auto a) { return v[a]; }, sum, store);
#elif WRONG == 4
  evenly::reduce_tiles(exec, plan, [](const char*) { return 1.0f; }, sum, store);
#elif WRONG == 5
  evenly::reduce_tiles(exec, plan, map, sum, [to = sums.data()](auto t, auto x) { to[t] = x; });
#elif WRONG == 6
  evenly::reduce_tiles(exec, plan, map, sum, [to = sums.data()](int t) { to[t] = 1; });
#elif WRONG == 7
  evenly::scan_tiles(exec, plan, [values](int a) { return values[a]; }, sum, store);
#elif WRONG == 8
  evenly::scan_tiles(exec, plan, map, sum, [](const char*, float) {});
#elif WRONG == 9
  evenly::for_each_atom(exec, plan, [](int, auto) {});
#elif WRONG == 10
  evenly::reduce_tiles(exec, plan, map_of_before{}, sum, store);
#elif WRONG == 11
  launch(exec, {1, 1}, kernel_of_before{});
#elif WRONG == 12
  evenly::reduce_tiles(exec, plan, tile_map_of_before{}, sum, store);
#endif
}
