// SPDX-License-Identifier: Apache-2.0
// streamed: atoms are distributed evenly, in chunks small enough that persistent blocks take one after another.
//
// Source: a combination of Merrill & Garland's single-pass scan (2016) and the partition of two_phase, by this library.
//
// reduce_tiles and scan_tiles with functions of the atom alone use a persistent kernel, whose blocks take one chunk
// after another (chunks.hpp). While a block combines a chunk, it loads the atoms of its next one. A look-back combines
// tiles that chunks share. All other skeletons run as under two_phase.
//
// For N tiles, W atoms, and chunks of C = block x 4 atoms:
//   work                O(W / C log N) to partition, O(W + N) in a run
//   parallel complexity O(log N) + O(W / resident threads)
//   threads             W / C to partition, as many as are resident in a run
//   offsets coalesced   no to partition, yes in a run
//   atoms coalesced     yes, if blocks draw chunks: else as in two_phase
//   extra memory        a tile number per chunk; 12 bytes per chunk and 4 bytes of a value
// Limits: one block processes the tiles of a chunk, even a million empty ones. Values must have 1, 2, 4 or 8 bytes
// (others: two_phase).
// Wins for segmented scans of any sizes, and for sums of plain arrays if sizes differ much. If sizes are similar, a
// team per tile is faster.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Atoms of a thread in a chunk.
inline constexpr int streamed_items = 4;

/// distributed: the chunks. starts[c] is the tile of the first atom of chunk c; starts[chunks] is the last atom's tile.
template <tile_set Tiles> struct streamed_mapping : two_phase_mapping<Tiles, streamed_items> {
  static constexpr int tuned_block_size = 512;
  static constexpr int chunk_items = streamed_items;

  EVENLY_FN sized_mapping<streamed_mapping> sized(const capacity& max_size, block_shape shape) const {
    const auto here = two_phase_mapping<Tiles, streamed_items>::sized(max_size, shape);
    return {{here.mapping}, here.blocks};
  }

  /// Skeletons may draw the chunks themselves (chunks.hpp).
  EVENLY_FN chunk_table<Tiles> chunks() const { return {this->distributed, this->starts}; }
};

/// The schedule. See the head of this file.
struct streamed {
  int block_size = 512;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", streamed_items);
  }

  /// On serial blocks, which find their tiles themselves, this is direct_search.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const planning& how,
               buffer<tile_type<Tiles>> starts = {}) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      const auto distributed =
          distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * streamed_items);
      return prepare_partitioned<streamed_mapping<Tiles>>(exec, distributed, block_size, how,
                                                          std::move(starts));
    }
  }
  template <class Executor, tile_set Tiles>
  auto prepare_nothing(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                       const planning& how) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      return prepare_searching<two_phase_mapping<Tiles, streamed_items>>(
          distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * streamed_items),
          block_size);
    }
  }
};

} // namespace evenly
