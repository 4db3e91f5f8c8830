// SPDX-License-Identifier: Apache-2.0
// merge_path<Items>: atoms and tile ends count as equal work, and every thread gets Items of them.
//
// Source: Green, McColl & Bader, "GPU merge path" (ICS 2012); Merrill & Garland, "Merge-based parallel sparse
// matrix-vector multiplication" (SC 2016). Merging the list of tile ends with the list of atoms gives one path of tiles
// + atoms steps. Cutting the path into equal parts balances any mixture of empty, short and giant tiles.
//
// For N tiles, W atoms, and chunks of C = block x Items steps:
//   work                O((N + W) / C log N) to partition, O(N + W) in a run
//   parallel complexity O(log N) + O(Items + log block)
//   threads             (N + W) / C to partition, (N + W) / Items in a run
//   offsets coalesced   no to partition, yes in a run
//   atoms coalesced     yes
//   extra memory        a tile number per chunk
// Limits: the partition, made with the plan, has non-coalesced accesses and divergence. In a run each atom passes
// through storage, with four barriers per chunk. So a group per tile is faster for very regular tiles.
// Wins when sizes differ much.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block b has the steps [b * steps_per_block, (b + 1) * steps_per_block) of the merge path. The first tile end among
/// them is that of tile starts[b].
template <tile_set Tiles, int Items> struct merge_path_mapping {
  using sharings = sharing::list<sharing::blocked_run<Items>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;
  /// This gives 56 registers per thread. (By default nvcc takes 61; sums then take 0 to 11% longer on an H200.)
  static constexpr int min_blocks = 9;

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
    const tile first_tile = counted_load(starts + block);
    const tile last_tile = counted_load(starts + block + 1);
    const auto first_atom = static_cast<atom>(all.first_atom + (begin - first_tile));
    const auto last_atom = static_cast<atom>(all.first_atom + (end - last_tile));
    return {tiles, first_tile, last_tile, first_atom, last_atom};
  }

  /// Returns the first tile to end in a block.
  template <class Search> EVENLY_FN tile start_of(std::int64_t block, const Search& search) const {
    const tile count = tiles.tiles();
    const std::int64_t diagonal = smaller(block * steps_per_block, all.atoms + count);
    if constexpr (knows_tile_of<Tiles>) {
      // The ends of earlier tiles precede an atom, so the step of an atom is its number plus the number of its tile.
      const auto is_at_or_behind = [&](std::int64_t k) {
        return k + tiles.tile_of(static_cast<atom>(all.first_atom + k)) >= diagonal;
      };
      return static_cast<tile>(diagonal -
                               search(std::int64_t{0}, smaller(diagonal, all.atoms), is_at_or_behind));
    } else {
      return merge_path_search(
          diagonal, count, all.atoms,
          [&](tile t) { return static_cast<std::int64_t>(tiles.end(t) - all.first_atom); }, search);
    }
  }
  EVENLY_FN sized_mapping<merge_path_mapping> sized(const capacity& max_size, block_shape) const {
    const sizes<Tiles> found = sizes_within(tiles, max_size);
    return {{tiles, found.all, steps_per_block, starts},
            static_cast<int>(ceil_div(found.all.atoms + found.tiles, steps_per_block))};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    consumer(sharing::blocked_run<Items>{}, chunk(block.index()));
  }
};

/// Finds the start of each block.
template <class Mapping> struct merge_path_partition {
  using tiles_type = typename Mapping::tiles_type;

  Mapping mapping;
  int blocks;
  typename Mapping::tile* starts;
  capacity max_size; ///< for tile sets sized on the device

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (sized_on_device<tiles_type>) {
      const auto here = mapping.sized(max_size, block.shape());
      if (here.blocks > 0) find(block, here.mapping, here.blocks);
    } else {
      find(block, mapping, blocks);
    }
  }

 private:
  template <class Block> EVENLY_FN void find(Block& block, const Mapping& of, int count) const {
    fill_by_search(block, starts, count + std::int64_t{1}, true,
                   [&](std::int64_t b, const auto& search) { return of.start_of(b, search); });
  }
};

/// 12 items per thread were fastest of {6, 8, 10, 11, 12, 13, 16}, each with as many blocks as registers allow, in the
/// geometric mean over ten workloads (float SpMV on an H200, 2026-11-25: docs/decisions/0041).
template <int Items = 12> struct merge_path {
  static_assert(Items >= 1 && Items <= 32, "a thread must have 1 to 32 items");

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const planning& how,
               buffer<tile_type<Tiles>> starts = {}) const {
    auto each = cut(exec, tiles, all);
    each.max_blocks =
        block_count(max_blocks(exec, how.max_size.atoms + how.max_size.tiles, parallel_steps()), 1);
    if (starts.size() == 0)
      starts = make_buffer<tile_type<Tiles>>(
          exec, static_cast<std::size_t>(larger(each.shape.blocks, each.max_blocks)) + 1);
    find_starts(exec, each, how.max_size, starts.data());
    return prepared(each, std::move(starts));
  }
  template <class Executor, tile_set Tiles>
  auto prepare_once(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    auto each = cut(exec, tiles, all);
    using mapping = searching_mapping<merge_path_mapping<Tiles, Items>, true>;
    buffer<tile_type<Tiles>> table;
    if (each.shape.blocks > max_searched_blocks) {
      table = make_buffer<tile_type<Tiles>>(exec, static_cast<std::size_t>(each.shape.blocks) + 1);
      find_starts(exec, each, {}, table.data());
    }
    return prepared(launch_of<mapping>{{each.mapping}, each.shape}, std::move(table));
  }
  /// For blocks that find their own starts.
  template <class Executor, tile_set Tiles>
  auto prepare_nothing(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                       const planning& how) const {
    const auto each = cut(exec, tiles, all);
    const int max =
        block_count(max_blocks(exec, how.max_size.atoms + how.max_size.tiles, parallel_steps()), 1);
    return prepared(
        launch_of<searching_mapping<merge_path_mapping<Tiles, Items>>>{{each.mapping}, each.shape, max});
  }

 private:
  std::int64_t parallel_steps() const { return static_cast<std::int64_t>(block_size) * Items; }

  /// Returns the launch without its table.
  template <class Executor, tile_set Tiles>
  launch_of<merge_path_mapping<Tiles, Items>> cut(const Executor& exec, const Tiles& tiles,
                                                  const extent<Tiles>& all) const {
    const std::int64_t steps = all.atoms + max_tiles(tiles);
    const std::int64_t per_block = items_per_block(exec, steps, parallel_steps());
    return {{tiles, all, per_block, nullptr}, {block_count(steps, per_block), block_size}};
  }
  template <class Executor, class Mapping>
  static void find_starts(const Executor& exec, launch_of<Mapping>& each, const capacity& max_size,
                          typename Mapping::tile* starts) {
    launch_partition(exec, each.shape.blocks + std::int64_t{1},
                     merge_path_partition<Mapping>{each.mapping, each.shape.blocks, starts, max_size});
    each.mapping.starts = starts;
  }
};
merge_path() -> merge_path<>;

} // namespace evenly
