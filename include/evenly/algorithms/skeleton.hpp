// SPDX-License-Identifier: Apache-2.0
// What all skeletons have in common: the kernel that joins a mapping with a consumer, and how functions are called.
//
// A skeleton is a consumer: a struct with
//   static constexpr bool parts_checked                          whether all of it may be copied to a kernel
//   lay_out(sharing::list<...>, storage_layout&, block_shape)    its storage, for the ways in which a mapping shares
//   template <class Block, class Slots, class Sharings> struct worker    made by each thread of a block, with
//     operator()(Sharing, part)                                  one overload for each way of sharing
//     finish()                                                   called once, after all parts
//     static constexpr bool wants_empty_tiles
//     static constexpr bool runs_need_no_storage             if it is so for striped_run and sequential_run
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/sharing.hpp"

namespace evenly {

/// How a worker holds its consumer. A serial block copies it: what a kernel stores cannot alias a local copy, so the
/// host compiler keeps it in registers. Elsewhere it stays in the kernel's arguments.
template <class Consumer, class Block>
using worker_copy = std::conditional_t<Block::is_serial, const Consumer, const Consumer&>;

/// One launch of a skeleton under a mapping.
template <class Mapping, class Consumer> struct skeleton_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  /// How many blocks of that size a multiprocessor shall have room for: what the mapping wants for values of up to 8 bytes.
  static constexpr int least_blocks = [] {
    if constexpr (requires {
                    Mapping::least_blocks;
                    sizeof(typename Consumer::value);
                  })
      return sizeof(typename Consumer::value) <= 8 ? Mapping::least_blocks : 0;
    else
      return 0;
  }();
  static constexpr bool parts_checked = std::is_trivially_copyable_v<Mapping> && Consumer::parts_checked;

  Mapping mapping;
  Consumer consumer;

  EVENLY_FN constexpr std::size_t storage_bytes(block_shape shape) const {
    storage_layout layout;
    lay_out(layout, shape);
    return layout.bytes();
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto slots = lay_out(layout, block.shape());
    typename Consumer::template worker<Block, decltype(slots.consumer), typename Mapping::sharings> worker{
        consumer, block, slots.consumer};
    mapping.distribute(block, slots.mapping, worker);
    worker.finish();
  }

 private:
  struct all_slots {
    typename Mapping::slots mapping;
    decltype(std::declval<Consumer>().lay_out(typename Mapping::sharings{}, std::declval<storage_layout&>(),
                                              block_shape{})) consumer;
  };
  EVENLY_FN constexpr all_slots lay_out(storage_layout& layout, block_shape shape) const {
    const auto own = Mapping::lay_out(layout, shape);
    return {own, consumer.lay_out(typename Mapping::sharings{}, layout, shape)};
  }
};

/// Calls body(launch_of<...>) for each launch of a plan, in order.
template <class Plan, class Body> void for_each_launch(const Plan& plan, const Body& body) {
  std::apply([&](const auto&... each) { (..., body(each)); }, plan.launches());
}

/// Runs a consumer under one launch of a plan.
template <class Executor, class Mapping, class Consumer>
void launch_skeleton(const Executor& exec, const launch_of<Mapping>& each, const Consumer& consumer) {
  if (each.shape.blocks > 0)
    launch(exec, each.shape, skeleton_kernel<Mapping, Consumer>{each.mapping, consumer});
}

/// Whether a sharing leaves pieces of tiles to other blocks.
template <class Sharing> inline constexpr bool is_run = false;
template <> inline constexpr bool is_run<sharing::piece> = true;
template <int Items> inline constexpr bool is_run<sharing::blocked_run<Items>> = true;
template <int Items> inline constexpr bool is_run<sharing::striped_run<Items>> = true;
template <> inline constexpr bool is_run<sharing::sequential_run<true>> = true;
template <class Sharings> inline constexpr bool any_run = false;
template <class... Sharings>
inline constexpr bool any_run<sharing::list<Sharings...>> = (is_run<Sharings> || ...);

/// How many of a launch's blocks, the first ones, cut tiles.
template <class Mapping> int cutting_blocks(const launch_of<Mapping>& each) {
  if constexpr (!any_run<typename Mapping::sharings>)
    return 0;
  else if constexpr (requires { each.mapping.cutting_blocks(each.shape.blocks); })
    return each.mapping.cutting_blocks(each.shape.blocks);
  else
    return each.shape.blocks;
}

} // namespace evenly
