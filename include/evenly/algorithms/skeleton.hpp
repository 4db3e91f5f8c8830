// SPDX-License-Identifier: Apache-2.0
// The common base of all skeletons: the kernel that connects a mapping with a consumer, and the rules for consumers.
//
// A skeleton is a consumer, a struct with these members:
//   static constexpr bool is_copyable               whether all of it may be copied to a kernel
//                                                     (core/annotations.hpp)
//   template <class Block, class Slots, class Forms> struct worker    each thread of a block constructs
//                                                     worker{consumer, block, slots}
//     static constexpr bool wants_empty_tiles         whether it handles tiles without atoms
//     operator()(sharing::team<G>, const team_part<tile, atom>&)
//     operator()(sharing::run<Cut>, const Run&)
//     operator()(sharing::batch<G>, const Run&)       the three required forms (schedules/launches.hpp); they return
//                                                     void
//
// Optional members:
//   template <class Form> static constexpr bool takes                 the refinements that its worker also handles
//   lay_out(sharing::list<...>, storage_layout&, block_shape)         its storage for the forms that it will handle
//   for_blocks(int cutting) const                     EVENLY_FN: a copy for `cutting` blocks that cut tiles; for tile
//                                                     sets sized on the device
//   worker::finish()                                  called once, after all parts, by all threads of the block
//   static constexpr bool worker::runs_need_no_storage                whether runs and striped runs use no storage
//
// `Forms` is form_kinds of that list. tests/algorithms/first_match.hpp is a complete example.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/lowering.hpp"
#include "evenly/algorithms/detail/sized_kernel.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"

namespace evenly {

/// How a worker holds its consumer. On a serial block it is a copy: a kernel's stores cannot alias a local copy, so the
/// host compiler keeps it in registers. On other blocks it stays in the kernel's arguments.
template <class Consumer, class Block>
using worker_copy = std::conditional_t<Block::is_serial, const Consumer, const Consumer&>;

/// The slots of a consumer without storage.
struct no_slots {};

namespace detail {

template <class Form> inline constexpr bool is_team = false;
template <int G> inline constexpr bool is_team<sharing::team<G>> = true;
template <class Form> inline constexpr bool is_batch = false;
template <int G> inline constexpr bool is_batch<sharing::batch<G>> = true;

template <class Forms> struct kinds_of;
template <class... Forms> struct kinds_of<sharing::list<Forms...>> {
  template <bool Has, class Form>
  using one_if = std::conditional_t<Has, sharing::list<Form>, sharing::list<>>;
  using type = typename joined_lists<one_if<(is_team<Forms> || ...), sharing::team<1>>,
                                     one_if<(is_batch<Forms> || ...), sharing::batch<1>>,
                                     one_if<(sharing::cuts<Forms> || ...), sharing::run<true>>>::type;
};

} // namespace detail

/// One form for each kind in a list: team<1> for teams, batch<1> for batches, run<true> for forms that cut tiles.
/// Workers know only these kinds, so mappings with the same kinds share the code of their handlers.
template <class Forms> using form_kinds = typename detail::kinds_of<Forms>::type;

namespace detail {

/// A run<Cut> or batch<G> of no schedule, for testing workers.
template <tile_set Tiles> struct any_run {
  atom_type<Tiles> first_atom, last_atom;
  EVENLY_FN const Tiles& tiles() const;
  template <class Visit> EVENLY_FN void for_each(Visit) const;
};

template <class W, class Tiles>
concept handles_teams =
    std::invocable<W&, sharing::team<32>, const team_part<tile_type<Tiles>, atom_type<Tiles>>&>;
template <class W, class Tiles>
concept handles_runs = std::invocable<W&, sharing::run<true>, const any_run<Tiles>&> &&
                       std::invocable<W&, sharing::run<false>, const any_run<Tiles>&>;
template <class W, class Tiles>
concept handles_batches = std::invocable<W&, sharing::batch<32>, const any_run<Tiles>&>;
template <class W>
concept says_of_empty_tiles = requires {
  { W::wants_empty_tiles } -> std::convertible_to<bool>;
};

/// Each rule has its own assertion, so that an error names the broken rule.
template <class Worker, tile_set Tiles> struct handles_required_forms {
  static_assert(says_of_empty_tiles<Worker>, "the worker of a skeleton must have a constant "
                                             "wants_empty_tiles: whether it receives tiles without atoms");
  static_assert(handles_teams<Worker, Tiles>, "the worker of a skeleton needs a handler (sharing::team<G>, "
                                              "const team_part<tile, atom>&) for whole tiles");
  static_assert(
      handles_runs<Worker, Tiles>,
      "the worker of a skeleton needs a handler (sharing::run<Cut>, const Run&) for consecutive atoms");
  static_assert(
      handles_batches<Worker, Tiles>,
      "the worker of a skeleton needs a handler (sharing::batch<G>, const Run&) for batches of whole tiles");
  static constexpr bool all = true;
};

} // namespace detail

/// A worker of a skeleton, one per thread of a block. It handles the three required forms.
template <class W, class Tiles>
concept skeleton_worker =
    tile_set<Tiles> && detail::says_of_empty_tiles<W> && detail::handles_teams<W, Tiles> &&
    detail::handles_runs<W, Tiles> && detail::handles_batches<W, Tiles>;

/// The storage of a mapping, a lowering and a consumer.
template <class Mapping, class ConsumerSlots> struct skeleton_slots {
  typename Mapping::slots mapping;
  lowering_slots<tile_type<typename Mapping::tiles_type>> lowering;
  ConsumerSlots consumer;
};

/// Runs a block's part of a skeleton. All threads of the block call it. The storage is free after the block has
/// synchronised.
template <class Block, class Mapping, class Consumer, class ConsumerSlots>
EVENLY_FN void run_consumer(Block& block, const Mapping& mapping, const Consumer& consumer,
                            const skeleton_slots<Mapping, ConsumerSlots>& slots) {
  using kinds = form_kinds<lowered_forms<Consumer, typename Mapping::sharings>>;
  using worker_type = typename Consumer::template worker<Block, ConsumerSlots, kinds>;
  static_assert(detail::handles_required_forms<worker_type, typename Mapping::tiles_type>::all);
  worker_type worker{consumer, block, slots.consumer};
  constexpr bool lowers = detail::lowered_list<Consumer, typename Mapping::sharings>::changed ||
                          (Block::is_serial && !takes_form<Consumer, sharing::blocked_run<1>>);
  if constexpr (lowers) {
    lowering<Consumer, worker_type, Block, decltype(slots.lowering)> adapter{worker, block, slots.lowering};
    mapping.distribute(block, slots.mapping, adapter);
  } else {
    mapping.distribute(block, slots.mapping, worker);
  }
  if constexpr (requires { worker.finish(); }) worker.finish();
}

/// One launch of a skeleton under a mapping.
template <class Mapping, class Consumer> struct skeleton_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  /// How many blocks of that size should fit on a multiprocessor: the mapping's number, for values of at most 8 bytes.
  static constexpr int min_blocks = [] {
    if constexpr (requires {
                    Mapping::min_blocks;
                    sizeof(typename Consumer::value);
                  })
      return sizeof(typename Consumer::value) <= 8 ? Mapping::min_blocks : 0;
    else
      return 0;
  }();
  static constexpr bool is_copyable = std::is_trivially_copyable_v<Mapping> && Consumer::is_copyable;
  static constexpr bool parts_are_noted = true; ///< by the skeleton, before the launch (execution/memory.hpp)
  using mapping_type = Mapping;
  using consumer_type = Consumer;
  using tiles_type = typename Mapping::tiles_type;
  using forms = lowered_forms<Consumer, typename Mapping::sharings>;

  Mapping mapping;
  Consumer consumer;

  EVENLY_FN constexpr auto lay_out_consumer(storage_layout& layout, block_shape shape) const {
    if constexpr (requires { consumer.lay_out(forms{}, layout, shape); })
      return consumer.lay_out(forms{}, layout, shape);
    else
      return no_slots{};
  }
  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    const auto own = Mapping::lay_out(layout, shape);
    const auto found =
        lowering_slots<tile_type<tiles_type>>::template lay_out<Consumer, typename Mapping::sharings>(layout,
                                                                                                      shape);
    const auto mine = lay_out_consumer(layout, shape);
    return skeleton_slots<Mapping, std::remove_const_t<decltype(mine)>>{own, found, mine};
  }

  /// Returns the same kernel for a mapping with known sizes, of whose blocks `cutting` cut tiles.
  EVENLY_FN skeleton_kernel for_sizes(const Mapping& of_sizes, [[maybe_unused]] int cutting) const {
    if constexpr (requires { consumer.for_blocks(cutting); })
      return {of_sizes, consumer.for_blocks(cutting)};
    else
      return {of_sizes, consumer};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    run_consumer(block, mapping, consumer, lay_out(layout, block.shape()));
  }
};

/// Runs a consumer under a plan's launch.
template <class Executor, class Mapping, class Consumer>
void launch_skeleton(const Executor& exec, const launch_of<Mapping>& each, const Consumer& consumer) {
  if (each.shape.blocks == 0) return;
  const skeleton_kernel<Mapping, Consumer> kernel{each.mapping, consumer};
  if constexpr (sized_on_device<typename Mapping::tiles_type>)
    launch_sized(exec, each, sized_kernel<skeleton_kernel<Mapping, Consumer>>{kernel, each.max_size});
  else
    launch(exec, each.shape, kernel);
}

/// Returns how many of a launch's blocks, the first ones, cut tiles. For tile sets sized on the device: the maximum.
template <class Mapping> int cutting_blocks(const launch_of<Mapping>& each) {
  return cutting_blocks(each.mapping, each.shape.blocks);
}
/// Returns how many blocks may cut tiles, for any tile set that the plan has room for.
template <class Mapping> int max_cutting_blocks(const launch_of<Mapping>& each) {
  if constexpr (!sharing::any_cuts<typename Mapping::sharings>)
    return 0;
  else
    return larger(cutting_blocks(each), each.max_blocks);
}

} // namespace evenly
