// SPDX-License-Identifier: Apache-2.0
// Streaming: a plan's launch by blocks that stay and draw chunks (schedules/chunks.hpp), where that can be.
#pragma once

#include <cstdint>

#include "evenly/algorithms/detail/stream_kernel.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/primitives/resident_pass.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// Whether a launch can run as a stream: its mapping lets chunks be drawn, values need no tile, and are small.
template <class Executor, class Mapping, class Values>
inline constexpr bool can_stream = chunked_mapping<Mapping> && !Executor::serial_blocks && Values::by_atom &&
                                   stream_width<typename Values::value> > 0;

/// Runs a launch as a stream, if the storage of a block is enough for its block size. Whether it did.
template <stream_kind Kind, class Executor, class Mapping, class Map, class Op, class Store>
bool stream(const Executor& exec, const launch_of<Mapping>& each, const Map& map, const Op& op,
            const Store& store, workspace::lease& memory) {
  using tiles = typename Mapping::tiles_type;
  using kernel = stream_kernel<Kind, Mapping::chunk_items, tiles, Map, Op, Store>;
  const chunk_table<tiles> chunks = each.mapping.chunks();
  bool in_rows = false;
  if constexpr (kernel::has_rows) in_rows = map.template has_rows<kernel::width>(chunks.begin(0));
  kernel all{chunks, {chunks.tiles(), map}, op, store, in_rows, {}};
  const int block_size = each.shape.block_size;
  if (chunks.count() == 0 || storage_bytes(all, exec.shape_of(block_size)) > exec.most_storage())
    return false;
  const std::int64_t turns = ceil_div<std::int64_t>(chunks.count(), kernel::chunks_of_turn);
  all.turns = look_back<typename kernel::sum>::in(exec, memory, turns);
  launch_resident(exec, all, turns, block_size);
  return true;
}

} // namespace evenly
