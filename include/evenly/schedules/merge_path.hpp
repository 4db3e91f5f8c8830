// SPDX-License-Identifier: Apache-2.0
// merge_path<Items>: atoms and tile ends count as equal work, and every thread gets Items of them.
//
// Source: Green, McColl & Bader, "GPU merge path" (ICS 2012); Merrill & Garland, "Merge-based parallel sparse
// matrix-vector multiplication" (SC 2016). Merging the list of tile ends with the list of atoms gives one
// path of tiles + atoms steps; cutting it into equal parts balances any mixture of empty, short and giant
// tiles. Cost: one search over all offsets per block, done once in the plan; one search in storage per
// thread; a tile number per block of memory. Offsets and atoms are read coalesced. Limit: every atom goes
// through storage and every block through three barriers, so very regular short tiles are faster with a group
// each. Wins when sizes differ much.
#pragma once

#include <cstdint>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block b has the steps [b * steps_per_block, (b + 1) * steps_per_block) of the merge path; the first tile
/// end among them is that of tile starts[b].
template <tile_set Tiles, int Items> struct merge_path_mapping {
  using tiles_type = Tiles;
  using sharings = sharing::list<sharing::blocked_run<Items>>;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  extent<Tiles> all;
  std::int64_t steps_per_block;
  const tile* starts;

  /// The ends of the block's tiles, counted from its first atom.
  struct slots {
    slot<int> ends;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<int>(shape.size * Items)};
  }

  EVENLY_FN run_chunk<tile, atom> chunk(int block) const {
    const std::int64_t steps = all.atoms + tiles.tiles();
    const std::int64_t begin = block * steps_per_block;
    const std::int64_t end = smaller(begin + steps_per_block, steps);
    const tile first_tile = starts[block];
    const tile last_tile = starts[block + 1];
    const auto first_atom = static_cast<atom>(all.first_atom + (begin - first_tile));
    const auto last_atom = static_cast<atom>(all.first_atom + (end - last_tile));
    const bool head_open = first_tile < tiles.tiles() && first_atom > tiles.begin(first_tile);
    return {first_tile, last_tile, first_atom, last_atom, head_open};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const auto mine = chunk(block.index());
    if constexpr (Block::is_serial)
      consumer(sharing::serial_run{}, mine);
    else
      consumer(sharing::blocked_run<Items>{}, parallel_run<Block>{block, *this, place, mine});
  }

  /// The chunk of a block of many threads: a run_chunk, and the way through it for each thread.
  template <class Block> struct parallel_run {
    Block& block;
    const merge_path_mapping& mapping;
    const slots& place;
    run_chunk<tile, atom> chunk;

    /// Calls on_atom(i, k, t) and on_end(i, t) for the thread's steps in order, where i in [0, Items) numbers
    /// the step, k the chunk's atoms and t its tiles (k from first_atom, t from first_tile). Called by all
    /// threads; synchronises the block once, before the first call.
    template <class OnAtom, class OnEnd> EVENLY_FN void walk(OnAtom on_atom, OnEnd on_end) const {
      const auto ends = block.storage(place.ends);
      const int tile_count = static_cast<int>(chunk.last_tile - chunk.first_tile);
      const int atom_count = static_cast<int>(chunk.last_atom - chunk.first_atom);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int t = block.rank() + i * block.size();
        if (t < tile_count)
          ends[t] = static_cast<int>(mapping.tiles.end(chunk.first_tile + t) - chunk.first_atom);
      }
      block.sync();
      const int steps = tile_count + atom_count;
      const int begin = smaller(block.rank() * Items, steps);
      int t =
          merge_path_search(begin, tile_count, atom_count, [&](int i) { return static_cast<int>(ends[i]); });
      int k = begin - t;
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (begin + i >= steps) break;
        // A tile that ends in a later chunk has no entry: all that is left are its atoms.
        if (t < tile_count && ends[t] <= k)
          on_end(i, t++);
        else
          on_atom(i, k++, t);
      }
    }
  };
};

/// Finds where each block starts.
template <tile_set Tiles> struct merge_path_partition {
  Tiles tiles;
  extent<Tiles> all;
  std::int64_t steps_per_block;
  std::int64_t boundaries;
  tile_type<Tiles>* starts;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t stride = static_cast<std::int64_t>(block.count()) * block.size();
    for (std::int64_t b = static_cast<std::int64_t>(block.index()) * block.size() + block.rank();
         b < boundaries; b += stride) {
      const std::int64_t diagonal = smaller(b * steps_per_block, all.atoms + tiles.tiles());
      starts[b] = merge_path_search(diagonal, tiles.tiles(), all.atoms, [&](tile_type<Tiles> t) {
        return static_cast<std::int64_t>(tiles.end(t) - all.first_atom);
      });
    }
  }
};

template <int Items = 7> struct merge_path {
  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    using mapping = merge_path_mapping<Tiles, Items>;
    const std::int64_t steps = all.atoms + tiles.tiles();
    const std::int64_t per_block =
        items_per_block(exec, steps, static_cast<std::int64_t>(block_size) * Items);
    const int blocks = block_count(steps, per_block);
    auto starts = make_buffer<tile_type<Tiles>>(exec, blocks + std::size_t{1});
    launch(exec, {block_count(blocks + std::int64_t{1}, 128), 128},
           merge_path_partition<Tiles>{tiles, all, per_block, blocks + std::int64_t{1}, starts.data()});
    const launch_of<mapping> only{{tiles, all, per_block, starts.data()}, {blocks, block_size}};
    return prepared(only, std::move(starts));
  }
};
merge_path()->merge_path<>;

} // namespace evenly
