// SPDX-License-Identifier: Apache-2.0
// What a schedule and its mapping are made of.
//
// WRONG=1 says: a schedule needs a member int block_size
// WRONG=2 says: a schedule needs a member parameters(visit) const, which calls visit(name, value) for each parameter
// WRONG=3 says: a schedule needs a member template prepare(exec, tiles, extent) const, which returns
// WRONG=4 says: a mapping needs a member type tiles_type, its tile set
// WRONG=5 says: a mapping needs a member type sharings, a sharing::list of the forms in which it distributes work
// WRONG=6 says: a mapping needs a member type slots and a static lay_out(storage_layout&, block_shape) that returns
// WRONG=7 says: a mapping needs a constant tuned_block_size, the block size with specialized kernels
// WRONG=8 says: a mapping needs a member template distribute(block, slots, consumer) const
// WRONG=9 says: a mapping must be trivially copyable, because it is copied to the device
// WRONG=10 says: a schedule needs a member int block_size

#include <string>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/uniform.hpp"

/// One thread has all tiles.
template <evenly::tile_set Tiles> struct one_thread_mapping {
#if WRONG != 4
  using tiles_type = Tiles;
#endif
#if WRONG != 5
  using sharings = evenly::sharing::list<evenly::sharing::team<1>>;
#endif
#if WRONG != 6
  struct slots {};
  static constexpr slots lay_out(evenly::storage_layout&, evenly::block_shape) { return {}; }
#endif
#if WRONG != 7
  static constexpr int tuned_block_size = 32;
#endif
#if WRONG == 9
  std::string owner;
#endif
  Tiles tiles;

#if WRONG != 8
  template <class Block, class Slots, class Consumer>
  void distribute(Block& block, const Slots&, Consumer& consumer) const {
    if (block.index() != 0 || block.rank() != 0) return;
    for (int t = 0; t < tiles.tiles(); ++t)
      consumer(evenly::sharing::team<1>{},
               evenly::team_part<int, int>{true, t, tiles.begin(t), tiles.end(t)});
  }
#endif
};

struct one_thread {
#if WRONG != 1
  int block_size = 32;
#endif
#if WRONG != 2
  template <class Visit> void parameters(Visit visit) const { visit("one", 1); }
#endif
#if WRONG != 3
  template <class Executor, evenly::tile_set Tiles>
  auto prepare(const Executor&, const Tiles& tiles, const evenly::extent<Tiles>&) const {
    one_thread_mapping<Tiles> made;
    made.tiles = tiles;
    return evenly::prepared(evenly::launch_of<one_thread_mapping<Tiles>>{made, {1, 32}});
  }
#endif
};

int main() {
  const evenly::cpu exec;
  auto plan = evenly::make_plan(exec, one_thread{}, evenly::uniform_tiles(3, 2));
  evenly::for_each_atom(exec, plan, [](int, int) {});
#if WRONG == 10
  evenly::make_plan(exec, 7, evenly::uniform_tiles(3, 2));
#endif
}
