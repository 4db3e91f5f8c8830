// SPDX-License-Identifier: Apache-2.0
// Runs a plan's launch by resident blocks that draw chunks (schedules/chunks.hpp), if possible.
#pragma once

#include <cstdint>

#include "evenly/algorithms/detail/persistent_chunks_kernel.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/primitives/persistent_pass.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// Whether resident blocks can run a launch: its mapping offers chunks, values need no tile, and values are small.
template <class Executor, class Mapping, class Values>
inline constexpr bool can_draw_chunks = chunked_mapping<Mapping> && !Executor::serial_blocks &&
                                        Values::by_atom && chunk_width<typename Values::value> > 0;

/// Returns the turns of a launch by resident blocks with `chunks` chunks.
template <class Kernel> EVENLY_FN constexpr std::int64_t turns_of(std::int64_t chunks) {
  return ceil_div<std::int64_t>(chunks, Kernel::chunks_of_turn);
}

/// Returns the memory that plan.reserve takes for values of type Value, if resident blocks can run the launch.
template <class Value, class Mapping> workspace::sizes memory_for_chunks(const launch_of<Mapping>& each) {
  if constexpr (chunked_mapping<Mapping> && chunk_width<Value> > 0) {
    constexpr int chunks_of_turn = chunk_rows * chunk_width<Value> / Mapping::chunk_items;
    // The launch has one block per chunk.
    const std::int64_t turns = ceil_div(larger(each.shape.blocks, each.max_blocks), chunks_of_turn);
    return {.kept = look_back<segmented<Value>>::bytes(turns)};
  } else {
    return {};
  }
}

/// The kernel of resident blocks for tile sets sized on the device (sized_kernel.hpp).
template <class Kernel, class Mapping> struct sized_persistent_chunks {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  static constexpr int min_blocks = Kernel::min_blocks;
  static constexpr bool is_copyable = Kernel::is_copyable;

  Kernel kernel;
  Mapping mapping;
  capacity max_size;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape shape) {
    return Kernel::lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto here = mapping.sized(max_size, block.shape());
    Kernel sized = kernel;
    sized.chunks = here.mapping.chunks();
    sized.turns.chunks = static_cast<std::uint32_t>(turns_of<Kernel>(sized.chunks.count()));
    if constexpr (Kernel::has_rows)
      sized.in_rows = kernel.in_rows && sized.chunks.begin(0) % Kernel::width == 0;
    if (sized.turns.chunks > 0)
      sized(block);
    else if (here.blocks > 0)
      sized.store_empty_tiles(block);
  }
};

/// Runs a launch by resident blocks, if a block has enough storage for its block size. Returns whether it did.
template <chunk_results Kind, class Executor, class Mapping, class Map, class Op, class Store>
bool draw_chunks(const Executor& exec, const launch_of<Mapping>& each, const Map& map, const Op& op,
                 const Store& store, workspace::lease& memory) {
  using tiles = typename Mapping::tiles_type;
  using kernel = persistent_chunks<Kind, Mapping::chunk_items, tiles, Map, Op, Store>;
  const chunk_table<tiles> chunks = each.mapping.chunks();
  bool in_rows = false;
  if constexpr (kernel::has_rows) in_rows = map.template has_rows<kernel::width>(chunks.begin(0));
  kernel all{chunks, {chunks.tiles(), map}, op, store, in_rows, {}};
  const int block_size = each.shape.block_size;
  if (chunks.count() == 0 || storage_bytes(all, exec.shape_of(block_size)) > exec.max_storage()) return false;
  const std::int64_t turns = turns_of<kernel>(chunks.count());
  const std::int64_t max = turns_of<kernel>(larger<std::int64_t>(chunks.count(), each.max_blocks));
  all.turns = look_back<typename kernel::sum>::in(exec, memory, turns, max);
  if constexpr (sized_on_device<tiles>)
    launch_persistent(exec, sized_persistent_chunks<kernel, Mapping>{all, each.mapping, each.max_size}, turns,
                      block_size);
  else
    launch_persistent(exec, all, turns, block_size);
  return true;
}

} // namespace evenly
