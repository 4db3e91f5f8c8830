// SPDX-License-Identifier: Apache-2.0
// What a skeleton is made of.
//
// WRONG=1 says: the worker of a skeleton needs a handler (sharing::team<G>, const team_part<tile, atom>&) for whole
// WRONG=2 says: the worker of a skeleton needs a handler (sharing::run<Cut>, const Run&) for consecutive atoms
// WRONG=3 says: the worker of a skeleton needs a handler (sharing::batch<G>, const Run&) for batches of whole tiles
// WRONG=4 says: the worker of a skeleton must have a constant wants_empty_tiles: whether it receives tiles without

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/uniform.hpp"

struct nothing {
  static constexpr bool is_copyable = true;

  template <class Block, class Slots, class Forms> struct worker {
#if WRONG != 4
    static constexpr bool wants_empty_tiles = false;
#endif
    const nothing& work;
    Block& block;
    const Slots& slots;

#if WRONG != 1
    template <int G>
    EVENLY_FN void operator()(evenly::sharing::team<G>, const evenly::team_part<int, int>&) const {}
#endif
#if WRONG != 2
    template <bool Cut, class Run> EVENLY_FN void operator()(evenly::sharing::run<Cut>, const Run&) const {}
#endif
#if WRONG != 3
    template <int G, class Run> EVENLY_FN void operator()(evenly::sharing::batch<G>, const Run&) const {}
#endif
  };
};

int main() {
  const evenly::cpu exec;
  const auto plan = evenly::make_plan(exec, evenly::merge_path{}, evenly::uniform_tiles(3, 2));
  evenly::launch_skeleton(exec, plan.launch(), nothing{});
}
