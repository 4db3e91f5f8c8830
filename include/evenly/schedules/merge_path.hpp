// SPDX-License-Identifier: Apache-2.0
// merge_path<Items>: atoms and tile ends count as equal work, and every thread gets Items of them.
//
// Source: Green, McColl & Bader, "GPU merge path" (ICS 2012); Merrill & Garland, "Merge-based parallel sparse
// matrix-vector multiplication" (SC 2016). Merging the list of tile ends with the list of atoms gives one path of
// tiles + atoms steps; cutting it into equal parts balances any mixture of empty, short and giant tiles.
//
// For N tiles, W atoms, and chunks of C = block x Items steps:
//   work                O((N + W) / C log N) to partition, O(N + W) in a run
//   parallel complexity O(log N) + O(Items + log block)
//   threads             (N + W) / C to partition, (N + W) / Items in a run
//   offsets coalesced   no to partition, yes in a run
//   atoms coalesced     yes
//   extra memory        a tile number for each chunk
// Limits: non-coalesced accesses and divergence of the partition, which is in the plan; storage, which every atom goes
// through, and four barriers a chunk, so that very regular tiles are faster with a group each.
// Wins when sizes differ much.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/detail/chunk_starts.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block b has the steps [b * steps_per_block, (b + 1) * steps_per_block) of the merge path; the first tile
/// end among them is that of tile starts[b].
template <tile_set Tiles, int Items> struct merge_path_mapping {
  using sharings = sharing::list<sharing::blocked_run<Items>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;
  /// With 56 registers a thread. (At 61, which is what nvcc takes by itself, sums take 0 to 11% longer on an H200.)
  static constexpr int least_blocks = 9;

  Tiles tiles;
  extent<Tiles> all;
  std::int64_t steps_per_block;
  const tile* starts;

  struct slots {};
  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

  EVENLY_FN run_chunk<Tiles> chunk(int block) const {
    const std::int64_t steps = all.atoms + tiles.tiles();
    const std::int64_t begin = block * steps_per_block;
    const std::int64_t end = smaller(begin + steps_per_block, steps);
    const tile first_tile = starts[block];
    const tile last_tile = starts[block + 1];
    const auto first_atom = static_cast<atom>(all.first_atom + (begin - first_tile));
    const auto last_atom = static_cast<atom>(all.first_atom + (end - last_tile));
    const bool head_open = first_tile < tiles.tiles() && first_atom > tiles.begin(first_tile);
    return {tiles, first_tile, last_tile, first_atom, last_atom, head_open};
  }

  EVENLY_FN sized_mapping<merge_path_mapping> sized(const capacity& most, block_shape) const {
    const sizes<Tiles> found = sizes_within(tiles, most);
    return {{tiles, found.all, steps_per_block, starts},
            static_cast<int>(ceil_div(found.all.atoms + found.tiles, steps_per_block))};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    consumer(sharing::blocked_run<Items>{}, chunk(block.index()));
  }
};

/// Finds where each block starts.
template <tile_set Tiles> struct merge_path_partition {
  using tiles_type = Tiles;

  Tiles tiles;
  extent<Tiles> all;
  std::int64_t steps_per_block;
  std::int64_t boundaries;
  tile_type<Tiles>* starts;
  capacity most; ///< of tiles that are sized on the device

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (sized_on_device<Tiles>) {
      const sizes<Tiles> found = sizes_within(tiles, most);
      find(block, found.all, ceil_div(found.all.atoms + found.tiles, steps_per_block) + 1);
    } else {
      find(block, all, boundaries);
    }
  }

 private:
  template <class Block>
  EVENLY_FN void find(Block& block, const extent<Tiles>& all, std::int64_t boundaries) const {
    if (sized_on_device<Tiles> && boundaries == 1) return;
    const tile_type<Tiles> count = tiles.tiles();
    const auto end = [&](tile_type<Tiles> t) {
      return static_cast<std::int64_t>(tiles.end(t) - all.first_atom);
    };
    fill_by_search(block, starts, boundaries, true, [&](std::int64_t b, const auto& search) {
      const std::int64_t diagonal = smaller(b * steps_per_block, all.atoms + count);
      return merge_path_search(diagonal, count, all.atoms, end, search);
    });
  }
};

/// Of 3, 4, 5, 7, 8, 9, 11, 13 and 15 items, 13 take the least time, or within 1.5% of it, on seven of the ten
/// workloads of docs/performance.md and within 7% on the others (float SpMV on an H200, 2026-11-20).
template <int Items = 13> struct merge_path {
  static_assert(Items >= 1 && Items <= 32, "a thread has 1 to 32 items");

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const planning& how,
               buffer<tile_type<Tiles>> starts = {}) const {
    using mapping = merge_path_mapping<Tiles, Items>;
    const std::int64_t steps = all.atoms + most_tiles(tiles);
    const std::int64_t parallel = static_cast<std::int64_t>(block_size) * Items;
    const std::int64_t per_block = items_per_block(exec, steps, parallel);
    const int blocks = block_count(steps, per_block);
    const int most = block_count(most_blocks(exec, how.most.atoms + how.most.tiles, parallel), 1);
    if (starts.size() == 0) starts = make_buffer<tile_type<Tiles>>(exec, most + std::size_t{1});
    const std::int64_t boundaries = blocks + std::int64_t{1};
    launch_partition(exec, boundaries,
                     merge_path_partition<Tiles>{tiles, all, per_block, boundaries, starts.data(), how.most});
    const launch_of<mapping> only{{tiles, all, per_block, starts.data()}, {blocks, block_size}, most};
    return prepared(only, std::move(starts));
  }
};
merge_path() -> merge_path<>;

} // namespace evenly
