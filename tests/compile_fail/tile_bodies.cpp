// SPDX-License-Identifier: Apache-2.0
// Functions for whole tiles and for rows, and the schedules that tiles stay whole under.
//
// WRONG=1 says: for_each_tile needs a schedule that keeps tiles whole, but this one distributes atoms across tile
// WRONG=2 says: for_each_tile needs a schedule that keeps tiles whole, but this one distributes atoms across tile
// WRONG=3 says: body must accept body(team, tile, begin, end, storage...), with const auto& for the team and its
// WRONG=4 says: body must be trivially copyable, because it is copied to the device: capture pointers and numbers by
// WRONG=5 says: elements of a team's storage must be trivially copyable and aligned to at most 16 bytes
// WRONG=6 says: map must accept map(atom, column) or map(tile, atom, column) for reduce_tiles_wide
// WRONG=7 says: map must have concrete parameter types, as in [=](int atom, int column), instead of auto
// WRONG=8 says: store must accept store(tile, column, value) for reduce_tiles_wide
// WRONG=9 says: the operation must be a monoid, such as evenly::plus<float>{}

#include <functional>
#include <string>
#include <vector>

#include "evenly/algorithms/for_each_tile.hpp"
#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/uniform.hpp"

int main() {
  const evenly::cpu exec;
  const auto tiles = evenly::uniform_tiles(3, 2);
  const evenly::plus<float> sum;
  auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, tiles);
  std::vector<float> values(60), sums(30);
  const auto body = [to = sums.data()](const auto&, int t, int begin, int end, const auto& storage) {
    storage[0] = static_cast<float>(end - begin);
    to[t] = storage[0];
  };
  const evenly::team_storage<float> one{.elements = 1};
  evenly::for_each_tile(exec, plan, body, one);
  const auto map = [v = values.data()](int a, int column) { return v[10 * a + column]; };
  const auto store = [to = sums.data()](int t, int column, float x) { to[10 * t + column] = x; };
  evenly::reduce_tiles_wide(exec, plan, 10, map, sum, store);
#if WRONG == 1
  evenly::for_each_tile(exec, evenly::merge_path{}, tiles, body, one);
#elif WRONG == 2
  evenly::for_each_tile(exec, evenly::nonzero_split{}, tiles, body, one);
#elif WRONG == 3
  evenly::for_each_tile(exec, plan, body);
#elif WRONG == 4
  evenly::for_each_tile(exec, plan, [values](const auto&, int, int, int) {});
#elif WRONG == 5
  evenly::for_each_tile(exec, plan, body, evenly::team_storage<std::string>{.elements = 1});
#elif WRONG == 6
  evenly::reduce_tiles_wide(exec, plan, 10, [](int) { return 1.0f; }, sum, store);
#elif WRONG == 7
  evenly::reduce_tiles_wide(exec, plan, 10, [](auto, auto) { return 1.0f; }, sum, store);
#elif WRONG == 8
  evenly::reduce_tiles_wide(exec, plan, 10, map, sum, [to = sums.data()](int t, float x) { to[t] = x; });
#elif WRONG == 9
  evenly::reduce_tiles_wide(exec, plan, 10, map, std::plus<>{}, store);
#endif
}
