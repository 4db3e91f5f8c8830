// SPDX-License-Identifier: Apache-2.0
// The consumer of reduce_tiles. Each form of sharing is handled once:
//   team<G>       each thread combines its atoms, the team combines its threads, rank 0 stores
//   run<Cut>      each thread combines its own atoms and stores the tiles that it has whole; a segmented scan combines
//                 threads
//   batch<G>      a segmented scan of the team over each batch (batches.hpp)
//   piece         as a team of the whole block, except for the store
//   blocked_run   atoms are evaluated in coalesced order and staged in storage, with a mark where a tile ends. Each
//                 thread combines consecutive atoms, a segmented scan combines threads, and each tile's sum replaces
//                 its last atom. Then tiles are stored in coalesced order. No search. A serial block goes tile by tile
//   striped_run   as blocked_run, with each atom's tile staged instead of the marks (staging.hpp has both)
//
// Tiles that blocks share go through open_tile.hpp and carries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/batches.hpp"
#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/detail/open_tile.hpp"
#include "evenly/algorithms/detail/short_tiles.hpp"
#include "evenly/algorithms/detail/staging.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Whether a form of sharing combines the threads of a block by a scan.
template <class Form> inline constexpr bool scans_block = sharing::cuts<Form>;
template <bool Cut> inline constexpr bool scans_block<sharing::run<Cut>> = true;
template <int G> inline constexpr bool scans_block<sharing::batch<G>> = true;

/// The slots of reduce_tiles, depending on how a mapping shares tiles. The slot for staged values is also used for the
/// values of warps and teams.
template <class T, class Tile> struct reduce_slots : staging_slots<T, Tile> {
  using staged = staging_slots<T, Tile>;

  carry_slots<T, Tile> carry; ///< for all forms that scan or cut tiles

  using staged::needs;
  template <int G> EVENLY_FN static constexpr staging_counts needs(sharing::team<G>, block_shape shape) {
    return {team_reduce_slots(G, shape), 0, 0};
  }
  EVENLY_FN static constexpr staging_counts needs(sharing::piece, block_shape shape) {
    return {team_reduce_slots(whole_block, shape), 0, 0};
  }
  template <int G> EVENLY_FN static constexpr staging_counts needs(sharing::batch<G>, block_shape shape) {
    return {wide_team_slots(G, shape), 0, 0};
  }
  template <bool Cut> EVENLY_FN static constexpr staging_counts needs(sharing::run<Cut>, block_shape) {
    return {};
  }

  /// `by_atom`: the function needs no tile.
  template <class... Sharings>
  EVENLY_FN static constexpr reduce_slots lay_out(storage_layout& layout, block_shape shape, bool by_atom) {
    const int chunk_items = by_atom ? 0 : (sharing::blocked_items<Sharings> + ...);
    const auto values = staged::lay_out(layout, shape, (needs(Sharings{}, shape) | ...), chunk_items);
    return {values, carry_slots<T, Tile>::lay_out(layout, shape, (scans_block<Sharings> || ...))};
  }
};

/// `Given`: atom_values or part_values. `Shared`: carries.
template <tile_set Tiles, class Map, monoid Op, class Store,
          class Given = atom_values<Tiles, Map, typename Op::value_type>,
          class Shared = carries<typename Op::value_type, tile_type<Tiles>>>
struct reduce_tiles_consumer : Given {
  using values_type = Given;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  using record = carry_record<value, tile>;
  static constexpr bool is_copyable = is_device_copyable<Map, Op, Store>;

  Op op;
  Store store;
  Shared shared;

  template <class Form> static constexpr bool takes = true;
  EVENLY_FN reduce_tiles_consumer for_blocks(int cutting) const {
    reduce_tiles_consumer same = *this;
    same.shared = shared.for_blocks(cutting);
    return same;
  }

  template <class... Sharings>
  EVENLY_FN static constexpr auto lay_out(sharing::list<Sharings...>, storage_layout& layout,
                                          block_shape shape) {
    return reduce_slots<value, tile>::template lay_out<Sharings...>(layout, shape, values_type::by_atom);
  }

  template <class Block, class Slots, class Sharings> struct worker {
    static constexpr bool wants_empty_tiles = true;

    worker_copy<reduce_tiles_consumer, Block> work;
    Block& block;
    const Slots& slots;
    open_tile<value, carry_back_end<value, tile>> mine{{}, work.op.identity()};

    template <int G> EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) {
      const auto me = team_of(block, form);
      const value sum = of_team(me, part.tile, part.begin, part.end);
      if (part.has_tile && me.rank() == 0) work.store(part.tile, sum);
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) {
      const value sum = of_team(team<whole_block, Block>(block), part.tile, part.begin, part.end);
      const bool whole = part.first && part.last;
      if (whole && block.rank() == 0) work.store(part.tile, sum);
      if (part.last)
        leave(whole ? work.op.identity() : sum, work.op.identity(), part.tile, true, !whole);
      else
        leave(work.op.identity(), sum, part.tile, false, false);
    }

    template <int Items>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) {
      if constexpr (Block::is_serial)
        sum_serially(chunk);
      else
        sum_chunk<Items>(chunk);
    }

    template <int Items, class Run> EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) {
      constexpr int together = reduce_slots<value, tile>::staged_items(Items);
      for_each_stage<Items, together>(block, run,
                                      [&](int first, int atoms) { sum_stage<together>(run, first, atoms); });
    }

    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) {
      value first = work.op.identity(); // sum of the first tile that ends with one of the thread's atoms
      value open = work.op.identity();  // sum of the tile that the thread is in
      tile first_tile{};
      tile current{};
      atom next = run.first_atom; // after the last visited atom
      bool any = false;
      bool ended = false;
      const auto end_tile = [&] {
        if (ended) {
          work.store(current, open);
        } else {
          first = open;
          first_tile = current;
          ended = true;
        }
        open = work.op.identity();
      };
      run.for_each([&](tile t, atom a) {
        if (any && t != current) end_tile();
        current = t;
        next = static_cast<atom>(a + 1);
        any = true;
        open = work.op(open, work.of_atom(t, a));
      });
      if (any && run.tiles().end(current) == next) end_tile();
      const auto scan = block_segmented_scan(block, segmented<value>{ended, open}, work.op,
                                             block.storage(slots.carry.warps));
      if (ended) first = work.op(scan.before.open, first);
      if constexpr (!Cut) {
        if (ended) work.store(first_tile, first);
      } else {
        const auto handed = block.storage(slots.carry.first);
        if (ended) {
          const bool head_open = !scan.before.ends && run.tiles().begin(first_tile) < run.first_atom;
          if (!head_open) work.store(first_tile, first);
          if (!scan.before.ends)
            handed[0] = record{first, work.op.identity(), first_tile,
                               record::ends | (head_open ? record::head_open : 0)};
        }
        block.sync();
        record head{};
        if (scan.total.ends) head = handed[0];
        leave(head.head, scan.total.open, head.tile, scan.total.ends != 0,
              (head.state & record::head_open) != 0);
      }
    }

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G> form, const Run& run) {
      for_each_prefix<false>(
          block, team_of(block, form), run, [&](tile t, atom a) { return work.of_atom(t, a); }, work.op,
          block.storage(slots.values), block.storage(slots.carry.warps),
          [&](bool, tile t, atom, bool ends, const tile_prefix<value>& prefix) {
            if (ends) work.store(t, prefix.with);
          });
    }

    EVENLY_FN void finish() const {
      if constexpr (sharing::any_cuts<Sharings>)
        work.shared.finish(block, slots.carry, mine.back.left(mine.open), work.op, work.store);
    }

   private:
    EVENLY_FN staging<values_type, Block> staged() const { return {work, block, slots}; }

    EVENLY_FN void sum_serially(const run_chunk<Tiles>& chunk) {
      atom begin = chunk.first_atom;
      tile t = chunk.first_tile;
      const bool ends = t < chunk.last_tile;
      const bool holds_back = ends && chunk.head_open();
      value head = work.op.identity();
      if (holds_back) {
        const atom end = work.tiles.end(t);
        head = work.template fold<Block>(work.op, t, begin, end);
        begin = end;
        ++t;
      }
      if constexpr (takes_short_tiles<values_type>) {
        while (chunk.last_tile - t >= short_tiles_together) {
          const auto behind = static_cast<tile>(t + short_tiles_together);
          const atom end = work.tiles.end(static_cast<tile>(behind - 1));
          if (end - begin <= short_tiles_together * short_tile_atoms)
            sum_short_tiles<Block>(work, work.op, work.store, t, begin, end, chunk.last_atom);
          else
            sum_tiles(t, behind, begin);
          t = behind;
          begin = end;
        }
      }
      begin = sum_tiles(t, chunk.last_tile, begin);
      leave(head, work.template fold<Block>(work.op, chunk.last_tile, begin, chunk.last_atom),
            chunk.first_tile, ends, holds_back);
    }

    /// Combines whole tiles, the first of which begins at `begin`. Returns the end of the last one.
    EVENLY_FN atom sum_tiles(tile t, tile last, atom begin) {
      for (; t < last; ++t) {
        const atom end = work.tiles.end(t);
        work.store(t, work.template fold<Block>(work.op, t, begin, end));
        begin = end;
      }
      return begin;
    }

    template <int Items> EVENLY_FN void sum_chunk(const run_chunk<Tiles>& chunk) {
      int last_atom[Items]; // of the tiles that this thread will store; -1: no atoms here
      const bool head_open = staged().template chunk<Items>(chunk, work.op.identity(), last_atom);
      const int tiles = static_cast<int>(chunk.last_tile - chunk.first_tile);
      const auto values = block.storage(slots.values);
      const auto total = sum_segments<Items, true>(values, staged().template ended<Items>());
      const bool holds_back = head_open && tiles > 0; // at rank 0
      value head = work.op.identity();
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int t = block.rank() + i * block.size();
        if (t >= tiles) break;
        const value sum = last_atom[i] < 0 ? work.op.identity() : static_cast<value>(values[last_atom[i]]);
        if (i == 0 && t == 0 && holds_back)
          head = sum; // rank 0 writes the record
        else
          work.store(static_cast<tile>(chunk.first_tile + t), sum);
      }
      leave(head, total.open, chunk.first_tile, tiles > 0, holds_back);
    }

    /// Combines `atoms` atoms of a striped_run from number `first` on, at most Items per thread. Synchronises the
    /// block.
    template <int Items, class Run> EVENLY_FN void sum_stage(const Run& run, int first, int atoms) {
      staged().template run<Items>(run, first, atoms, work.op.identity());
      const auto values = block.storage(slots.values);
      const auto tiles = block.storage(slots.tiles);
      const atom first_atom = static_cast<atom>(run.first_atom + first);
      const bool last_ends = run.tiles().end(tiles[atoms - 1]) == first_atom + atoms;
      const ends_by_tile<tile, std::remove_const_t<decltype(tiles)>> ends{tiles, atoms, last_ends};
      unsigned ended = 0;
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) ended |= static_cast<unsigned>(ends(block.rank() * Items + i)) << i;
      const auto total = sum_segments<Items, false>(values, ended);
      const tile first_tile = tiles[0];
      const bool holds_back = total.ends && first_atom > run.tiles().begin(first_tile);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k >= atoms) break;
        const tile t = tiles[k];
        if (!ends(k)) continue;
        if (t == first_tile && holds_back)
          values[0] = values[k]; // no other thread needs the first atom's place
        else
          work.store(t, static_cast<value>(values[k]));
      }
      block.sync();
      const value head = holds_back ? static_cast<value>(values[0]) : work.op.identity();
      leave(head, total.open, first_tile, total.ends != 0, holds_back);
    }

    /// Returns the combined atoms of one tile, valid at rank 0; in order unless the monoid is commutative. Called as
    /// team::reduce is.
    template <class Team> EVENLY_FN value of_team(const Team& me, tile t, atom begin, atom end) const {
      value sum = work.op.identity();
      if constexpr (Team::is_single) {
        if constexpr (Block::is_serial || values_type::by_parts)
          sum = work.template fold<Block>(work.op, t, begin, end);
        else
          sum = work.fold_adjacent(work.op, t, begin, end);
      } else if constexpr (is_commutative<Op> && values_type::by_parts) {
        if (me.rank() < end - begin) sum = work.of_part(t, begin + me.rank(), end, me.size());
      } else if constexpr (is_commutative<Op>) {
        // Several at a time, so that their loads are in flight together.
        constexpr bool small = sizeof(value) <= 8;
        constexpr int together = !small                                           ? 1
                                 : Team::wanted == whole_block                    ? 8
                                 : Team::wanted >= 32 || Team::wanted == any_size ? 4
                                                                                  : 1;
        atom left = end - begin - me.rank(); // from the thread's next atom on
        for (; left > (together - 1) * me.size(); left -= together * me.size()) {
          value each[together];
          EVENLY_UNROLL
          for (int i = 0; i < together; ++i) each[i] = work.of_atom(t, end - left + i * me.size());
          EVENLY_UNROLL
          for (int i = 0; i < together; ++i) sum = work.op(sum, each[i]);
        }
        for (; left > 0; left -= me.size()) sum = work.op(sum, work.of_atom(t, end - left));
      } else {
        // Consecutive parts keep the order.
        const atom share = ceil_div<atom>(end - begin, me.size());
        const auto skip = static_cast<atom>(
            smaller<std::int64_t>(static_cast<std::int64_t>(share) * me.rank(), end - begin));
        const atom mine_from = begin + skip;
        sum = work.template fold<Block>(work.op, t, mine_from,
                                        end - mine_from > share ? mine_from + share : end);
      }
      return me.reduce(sum, work.op, block.storage(slots.values));
    }

    /// Records a part's sum of its first tile, if that ends in the part (`head`), and its sum after the last end
    /// (`tail`).
    EVENLY_FN void leave(const value& head, const value& tail, tile first, bool ends, bool head_open) {
      if (ends) {
        mine.begin(first, head_open);
        mine.end(block, work.op, head, tail, work.store);
      } else {
        mine.append(work.op, tail);
      }
    }

    /// Bytes of a thread's values held in registers: all values are then read before the first write, which would delay
    /// the other reads. (Float SpMV on an H200, 2026-11-25. Stages of striped runs would need more registers than they
    /// have: 114, not 80.)
    static constexpr int max_bytes_ahead = 64;

    /// Combines the values of a chunk. `values` holds its atoms, then identities; bit i of `ended` is set if a tile
    /// ends with the thread's atom i of Items consecutive ones. For each such end k, writes to values[k] the
    /// combination of the atoms after the end before, up to k. Returns the block's ends and open sum. `Ahead`: whether
    /// values may be read ahead. All threads call; synchronises the block twice, the last time at its end.
    template <int Items, bool Ahead, class Values>
    EVENLY_FN segmented<value> sum_segments(const Values& values, unsigned ended) const {
      static_assert(Items <= 32);
      const int begin = block.rank() * Items;
      constexpr bool ahead = Ahead && Items * sizeof(value) <= max_bytes_ahead;
      value each[ahead ? Items : 1];
      if constexpr (ahead) {
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i) each[i] = values[begin + i];
      }
      value open = work.op.identity();
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        if constexpr (!ahead) each[0] = values[begin + i];
        open = work.op(open, each[ahead ? i : 0]);
        if (ended >> i & 1) {
          values[begin + i] = open;
          open = work.op.identity();
        }
      }
      const auto scan = block_segmented_scan(block, segmented<value>{ended != 0, open}, work.op,
                                             block.storage(slots.carry.warps));
      if (ended != 0) {
        const int first_end = begin + first_lane(ended);
        values[first_end] = work.op(scan.before.open, static_cast<value>(values[first_end]));
      }
      block.sync();
      return scan.total;
    }
  };
};

} // namespace evenly
