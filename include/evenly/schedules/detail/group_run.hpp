// SPDX-License-Identifier: Apache-2.0
// A group has as many tiles as threads, and finds the tile of each of their atoms by search. This is common to
// local_warp_search and group_mapped.
//
// Each thread contributes the offset at which one tile ends, counted from the begin of the group's atoms. These offsets
// ascend, so the tile of atom k is the number of offsets up to k. The search takes log2(group) steps, in storage or, by
// shuffles, in the registers of a warp. A thread searches only if its next atom is beyond its current tile.
//
// A group wider than a warp has its offsets in storage, and shares the barriers of its block with the other groups.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Where a group keeps its offsets.
enum class offsets_in { storage, registers };
/// How a group gets its offsets: it reads them from the tile set, or scans the sizes of the tiles.
enum class offsets_by { reading, scanning };

/// Block b has the tiles [b * tiles, (b + 1) * tiles); `tiles` is the number of its threads in groups. The thread of
/// rank r in group g contributes the (g * size + r)-th of them.
template <tile_set Tiles, int G, offsets_by By, offsets_in In> struct group_run_mapping {
  using sharings = sharing::list<sharing::batch<G>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;

  struct slots {
    slot<atom> ends;  ///< of tiles, counted from the first atom of the group (wide groups: of the block)
    slot<atom> warps; ///< for a scan by the block
  };

  Tiles tiles;
  sharing::batch<G> form;

  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const bool wide = may_be_wide(G, shape);
    return {layout.take<atom>(wide || In == offsets_in::storage ? shape.size : 0),
            layout.take<atom>(wide && By == offsets_by::scanning ? block_scan_slots(shape) : 0)};
  }

  EVENLY_FN sized_mapping<group_run_mapping> sized(const capacity& max_size, block_shape shape) const {
    return {*this, static_cast<int>(ceil_div<std::int64_t>(sizes_within(tiles, max_size).tiles,
                                                           tiles_of_block(form, shape)))};
  }
  /// Returns the tiles of a block of this shape.
  EVENLY_FN static int tiles_of_block(const sharing::batch<G>& form, block_shape shape) {
    if constexpr (G == any_size) {
      const group_layout groups = group_layout::of(form.size, shape);
      return groups.count * groups.size;
    } else {
      return team_count(G, shape) * team_size(G, shape);
    }
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const auto me = team_of(block, form);
    const int tiles_of_all = me.count() * me.size();
    const std::int64_t skipped = static_cast<std::int64_t>(block.index()) * tiles_of_all;
    const int here = static_cast<int>(smaller<std::int64_t>(tiles_of_all, tiles.tiles() - skipped));
    const auto first = static_cast<tile>(skipped);
    const int place_of_mine = place_of(block, me);
    const auto t = static_cast<tile>(first + smaller(place_of_mine, here - 1));
    const own mine{tiles.begin(t), tiles.end(t), place_of_mine < here};
    if constexpr (Consumer::wants_empty_tiles)
      if (mine.counts && mine.begin == mine.end) consumer(sharing::team<1>{}, empty_tile(t, mine.begin));
    if (me.wide())
      by_block(block, place, consumer, me, first, mine);
    else if (me.has_thread() && me.index() * me.size() < here)
      by_group(block, place, consumer, me, static_cast<tile>(first + me.index() * me.size()), mine);
  }

 private:
  /// The tile of a thread. Past the last tile it is the last tile, which does not count then.
  struct own {
    atom begin;
    atom end;
    bool counts;

    EVENLY_FN atom size() const { return counts ? end - begin : 0; }
  };

  /// Returns the index, among the block's tiles, of the caller's tile; more than there are if the caller is in no
  /// group.
  template <class Block> EVENLY_FN static int place_of(const Block& block, const team<G, Block>& me) {
    if constexpr (G == any_size)
      return me.has_thread() ? me.index() * me.size() + me.rank() : max_block_size;
    else
      return block.rank();
  }

  /// Among the tiles of a group, the one with the thread's latest atom, and its end.
  struct place_among {
    int tile;
    atom end;
  };

  /// The offsets of a group in storage, from element `first` on.
  template <class Ends> struct offsets_in_storage {
    Ends ends;
    int first;
    int size;

    /// Moves `now` to the tile of atom k; k is not less than before.
    EVENLY_FN void tile_of(atom k, place_among& now) const {
      if (k < now.end) return;
      now.tile = count_up_to(k, size, [&](int i) -> atom { return ends[first + i]; });
      now.end = ends[first + now.tile];
    }
  };

  /// The offsets of a group in its registers: one per thread. All threads of the group call.
  template <class Block> struct offsets_in_registers {
    lanes<Block> group;
    atom end;

    EVENLY_FN void tile_of(atom k, place_among& now) const {
      if (!group.any(k >= now.end)) return;
      now.tile = count_up_to(k, group.size(), [&](int i) { return group.shuffle(end, i); });
      now.end = group.shuffle(end, now.tile);
    }
  };

  /// The batches of one team. Its atoms are [from, to), counted from `origin`.
  template <class Offsets> struct run {
    Offsets offsets;
    tile first; ///< of the team's tiles
    atom origin;
    atom from;
    atom to;
    atom batches;
    int rank;
    int size;

    /// Calls visit(has, tile, atom, ends): see launches.hpp.
    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      place_among now{0, from};
      atom left = to - from;
      for (atom batch = 0; batch < batches; ++batch) {
        const bool has = rank < left;
        const atom k = has ? to - left + rank : to - 1;
        offsets.tile_of(k, now);
        visit(has, static_cast<tile>(first + now.tile), static_cast<atom>(origin + k),
              has && k + 1 == now.end);
        left = larger<atom>(left - size, 0);
      }
    }
  };

  /// For the threads of a group within a warp that has a tile. `first`: the first of its tiles.
  template <class Block, class Consumer>
  EVENLY_FN void by_group(Block& block, const slots& place, Consumer& consumer, const team<G, Block>& me,
                          tile first, const own& mine) const {
    const lanes<Block> group = lanes_of(block, me);
    const atom origin = group.shuffle(mine.begin, 0);
    const atom end = By == offsets_by::scanning ? group.scan(mine.size(), plus<atom>{}) : mine.end - origin;
    const atom atoms = group.shuffle(end, group.size() - 1);
    const auto distribute = [&](const auto& offsets) {
      static_assert(tile_batch<run<std::remove_cvref_t<decltype(offsets)>>>);
      consumer(form, run<std::remove_cvref_t<decltype(offsets)>>{offsets, first, origin, 0, atoms,
                                                                 ceil_div<atom>(atoms, group.size()),
                                                                 group.rank(), group.size()});
    };
    if constexpr (In == offsets_in::registers) {
      distribute(offsets_in_registers<Block>{group, end});
    } else {
      const auto ends = block.storage(place.ends);
      ends[block.rank()] = end;
      group.sync();
      distribute(offsets_in_storage<decltype(block.storage(place.ends))>{ends, block.rank() - group.rank(),
                                                                         group.size()});
    }
  }

  /// For all threads of the block, with wide groups. `first`: the first of the block's tiles.
  template <class Block, class Consumer>
  EVENLY_FN void by_block(Block& block, const slots& place, Consumer& consumer, const team<G, Block>& me,
                          tile first, const own& mine) const {
    const auto ends = block.storage(place.ends);
    const atom origin = tiles.begin(first);
    atom mine_end = mine.end - origin;
    if constexpr (By == offsets_by::scanning)
      mine_end =
          block_scan(block, mine.size(), plus<atom>{}, block.storage(place.warps)).before + mine.size();
    if (const int at = place_of(block, me); G != any_size || at < block.size()) ends[at] = mine_end;
    block.sync();
    // Every group processes as many batches as the one with most atoms.
    atom from = 0, to = 0, max = 0, before = 0;
    for (int group = 0; group < me.count(); ++group) {
      const atom end = ends[(group + 1) * me.size() - 1];
      if (group == me.index()) {
        from = before;
        to = end;
      }
      max = larger(max, static_cast<atom>(end - before));
      before = end;
    }
    const int skipped = me.index() * me.size();
    consumer(form,
             run<offsets_in_storage<decltype(block.storage(place.ends))>>{{ends, skipped, me.size()},
                                                                          static_cast<tile>(first + skipped),
                                                                          origin,
                                                                          from,
                                                                          to,
                                                                          ceil_div<atom>(max, me.size()),
                                                                          me.rank(),
                                                                          me.size()});
  }
};

/// Returns the launch of a schedule of groups. On serial blocks, where groups have one thread, this is thread_mapped.
template <offsets_by By, offsets_in In, int G, class Executor, tile_set Tiles>
auto prepare_group_runs(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, int block_size,
                        const sharing::batch<G>& form) {
  if constexpr (Executor::serial_blocks) {
    return thread_mapped{block_size}.prepare(exec, tiles, all);
  } else {
    using mapping = group_run_mapping<Tiles, G, By, In>;
    const int per_block = mapping::tiles_of_block(form, exec.shape_of(block_size));
    return prepared(
        launch_of<mapping>{{tiles, form}, {block_count(max_tiles(tiles), per_block), block_size}});
  }
}

} // namespace evenly
