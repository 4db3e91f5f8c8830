// SPDX-License-Identifier: Apache-2.0
// reduce_tiles: combines the atoms of each tile into one value. It is the skeleton of SpMV and of segmented reduction.
//
// The plan determines the order in which values are combined. It is the order of atoms unless the monoid is marked as
// commutative.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/detail/persistent_chunks.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Sums of many tiles of few atoms by one core, without a branch that depends on a tile's size.
//
// Branch predictors mispredict the end of a loop over a tile's two or three atoms. Therefore the atoms of a group of
// consecutive tiles are first evaluated, in one loop, into an array that stays in the first-level cache. Then four
// tiles are processed at once: the first atoms of each are read from there, and bit masks replace those past its end by
// the identity. The few tiles with more atoms are folded as usual. So are tiles of even sizes, which are predicted.
//
// Operands and their association are those of atom_values::fold, so the result has the same bits.

namespace evenly {

/// Tiles that are processed together, and their maximum average number of atoms.
inline constexpr int short_tiles_together = 64;
inline constexpr int short_tile_atoms = 4;
/// How many atoms ahead is prefetched what a map gathers.
inline constexpr int prefetched_ahead = 256;

/// Whether atoms may be evaluated before their tiles are known, and kept.
template <class Values>
inline constexpr bool takes_short_tiles =
    Values::by_atom && !Values::by_parts && !Values::each_once && sizeof(typename Values::value) <= 16;

namespace detail {

/// Returns values[place] if all bits of `there` are set, `other` if none is.
template <class Value>
EVENLY_INLINE_FN Value value_or(const Value* values, int place, std::int32_t there, const Value& other) {
  if constexpr (std::is_arithmetic_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8)) {
    using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    const auto mask = static_cast<bits>(static_cast<std::int64_t>(there));
    return std::bit_cast<Value>(static_cast<bits>((std::bit_cast<bits>(values[place]) & mask) |
                                                  (std::bit_cast<bits>(other) & ~mask)));
  } else {
    return there != 0 ? values[place] : other;
  }
}

} // namespace detail

/// Whether tiles [t, t + short_tiles_together) can be predicted, as rows of grids and bands can. Most groups of eight
/// then have as many atoms as the group before, so a branch predictor knows where loops over a tile end. They also
/// gather near what that group gathered, so no line has to be prefetched. `begin`: their first atom, which they have.
template <class Values, class Tile, class Atom>
EVENLY_FN bool are_even(const Values& work, Tile t, Atom begin) {
  constexpr int group = 8;
  constexpr int max_changes = 2;            // where a line of a grid ends, and where the next one begins
  constexpr std::uintptr_t max_step = 1024; // bytes from a group to the next
  int changes = -1;                         // the first group is one
  Atom size = -1;
  [[maybe_unused]] std::uintptr_t first = 0, middle = 0;
  for (int i = group - 1; i < short_tiles_together; i += group) {
    const Atom end = work.tiles.end(static_cast<Tile>(t + i));
    bool changed = end - begin != size;
    size = static_cast<Atom>(end - begin);
    if constexpr (requires { work.map.gathers_from(begin); }) {
      const auto from = [&](Atom a) { return reinterpret_cast<std::uintptr_t>(work.map.gathers_from(a)); };
      const auto far = [](std::uintptr_t a, std::uintptr_t b) { return a - b + max_step > 2 * max_step; };
      if (size == 0) return false;
      const auto first_here = from(begin), middle_here = from(static_cast<Atom>(begin + size / 2));
      changed = changed || far(first_here, first) || far(middle_here, middle);
      first = first_here;
      middle = middle_here;
    }
    changes += changed ? 1 : 0;
    begin = end;
  }
  return changes <= max_changes;
}

/// Calls store(tile, sum) for tiles [t, t + short_tiles_together), whose atoms are [begin, end): at most
/// short_tiles_together * short_tile_atoms. The caller's atoms continue to `last`.
template <class Block, class Values, monoid Op, class Store, class Tile, class Atom>
EVENLY_FN void sum_short_tiles(const Values& work, const Op& op, const Store& store, Tile t, Atom begin,
                               Atom end, [[maybe_unused]] Atom last) {
  using value = typename Op::value_type;
  constexpr int four = 4;
  constexpr int max = short_tiles_together * short_tile_atoms;
  const auto map = work.map; // copies, which no store can change
  const auto tiles = work.tiles;
  const Store into = store;
  const value none = op.identity();

  value values[max + short_tile_atoms]; // short_tile_atoms are read of the last tile even if it has fewer
  const int count = static_cast<int>(end - begin);
  int k = 0;
  if constexpr (requires { map.gathers_from(begin); }) {
    const auto ahead = static_cast<int>(smaller<std::int64_t>(last - begin - prefetched_ahead, count));
    for (; k < ahead; ++k) {
      prefetch_read(map.gathers_from(static_cast<Atom>(begin + prefetched_ahead + k)));
      values[k] = map(static_cast<Atom>(begin + k));
    }
  }
  for (; k < count; ++k) values[k] = map(static_cast<Atom>(begin + k));
  for (int i = 0; i < short_tile_atoms; ++i) values[count + i] = none;

  int at = 0;
  for (int i = 0; i < short_tiles_together; i += four, t = static_cast<Tile>(t + four)) {
    value first[four][short_tile_atoms];
    value sum[four];
    int from[four + 1];
    from[0] = at;
    for (int j = 0; j < four; ++j) {
      at = static_cast<int>(tiles.end(static_cast<Tile>(t + j)) - begin);
      from[j + 1] = at;
      for (int a = 0; a < short_tile_atoms; ++a) // a - size is negative if the tile has that atom
        first[j][a] = detail::value_or(values, from[j] + a, (a - (at - from[j])) >> 31, none);
    }
    for (int j = 0; j < four; ++j) {
      sum[j] = none;
      EVENLY_UNROLL
      for (int a = 0; a < short_tile_atoms; ++a) sum[j] = op(sum[j], first[j][a]);
    }
    for (int j = 0; j < four; ++j)
      if (from[j + 1] - from[j] > short_tile_atoms) [[unlikely]]
        sum[j] = work.template fold<Block>(op, static_cast<Tile>(t + j), static_cast<Atom>(begin + from[j]),
                                           static_cast<Atom>(begin + from[j + 1]));
    for (int j = 0; j < four; ++j) into(static_cast<Tile>(t + j), sum[j]);
  }
}

// --- details ---------------------------------------------------------------------------------------------------------
// The consumer of reduce_tiles. Each form of sharing is handled once:
//   team<G>       each thread combines its atoms, the team combines its threads, rank 0 stores
//   run<Cut>      each thread combines its own atoms and stores the tiles that it has whole; a segmented scan combines
//                 threads
//   batch<G>      a segmented scan of the team over each batch (atom_values.hpp)
//   piece         as a team of the whole block, except for the store
//   blocked_run   atoms are evaluated in coalesced order and staged in storage, with a mark where a tile ends. Each
//                 thread combines consecutive atoms, a segmented scan combines threads, and each tile's sum replaces
//                 its last atom. Then tiles are stored in coalesced order. No search. A serial block goes tile by tile
//   striped_run   as blocked_run, with each atom's tile staged instead of the marks (atom_values.hpp has both)
//
// Tiles that blocks share go through atom_values.hpp and carries.hpp.

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

/// Whether a core can sum consecutive tiles together: sum_strip(t, count, sums) of a map writes the sums of the tiles
/// [t, t + count), at most Map::max_strip, if sums_strips(). A sum must not depend on the strip that it is in.
template <class Map, class Op>
inline constexpr bool sums_strips = requires(const Map& map, typename Op::value_type* sums) {
  map.sum_strip(0, Map::max_strip, sums);
  map.sums_strips();
} && std::is_same_v<Op, plus<typename Op::value_type>>;

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
        const auto carry_in = block.storage(slots.carry.first);
        if (ended) {
          const bool head_open = !scan.before.ends && run.tiles().begin(first_tile) < run.first_atom;
          if (!head_open) work.store(first_tile, first);
          if (!scan.before.ends)
            carry_in[0] = record{first, work.op.identity(), first_tile,
                                 record::ends | (head_open ? record::head_open : 0)};
        }
        block.sync();
        record head{};
        if (scan.total.ends) head = carry_in[0];
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
          if (end - begin <= short_tiles_together * short_tile_atoms && !are_even(work, t, begin))
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
      if constexpr (sums_strips<Map, Op>) {
        if (work.map.sums_strips()) {
          const Store into = work.store; // a copy, which no store can change
          value sums[Map::max_strip];
          for (int count; t < last; t = static_cast<tile>(t + count)) {
            count = static_cast<int>(smaller<std::int64_t>(Map::max_strip, last - t));
            work.map.sum_strip(t, count, sums);
            for (int i = 0; i < count; ++i) into(static_cast<tile>(t + i), sums[i]);
          }
          return work.tiles.begin(last);
        }
      }
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
        const atom per_thread = ceil_div<atom>(end - begin, me.size());
        const auto skip = static_cast<atom>(
            smaller<std::int64_t>(static_cast<std::int64_t>(per_thread) * me.rank(), end - begin));
        const atom mine_from = begin + skip;
        sum = work.template fold<Block>(work.op, t, mine_from,
                                        end - mine_from > per_thread ? mine_from + per_thread : end);
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

// ---------------------------------------------------------------------------------------------------------------------
// reduce_tiles: see the head of this file.

namespace detail {

template <class Executor, class Plan, class Map, class Op, class Store>
void reduce_planned(const Executor& exec, Plan& plan, const Map& map, const Op& given, const Store& store) {
  using tiles = typename Plan::tiles_type;
  using combined = combinable_atoms<tiles, Map, Op>;
  using value = typename combined::op::value_type;
  static_assert(combined::holds);
  static_assert(stores<Store, tile_type<tiles>, value>::holds);
  using consumer = reduce_tiles_consumer<tiles, Map, typename combined::op, Store>;
  using shared = carries<value, tile_type<tiles>>;
  const auto& op = monoid_for<value>(given);
  note_parts(exec, plan.tiles(), map, op, store);
  auto lease = plan.start(exec);
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  if constexpr (can_draw_chunks<Executor, mapping, consumer>) {
    if (draw_chunks<chunk_results::sums>(exec, each, map, op, store, lease)) return;
  }
  consumer bound{{plan.tiles(), map}, op, store, {}};
  const int blocks = cutting_blocks(each);
  bound.shared = shared::in(exec, lease, blocks, max_cutting_blocks(each));
  launch_skeleton(exec, each, bound);
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    if (shared::is_deferred(blocks)) fix_up_after(exec, each, bound.shared, op, store);
  }
}

} // namespace detail

/// reduce_tiles(exec, plan, map, op, store)
/// reduce_tiles(exec, schedule, tiles, map, op, store)
///
/// Calls store(tile, value) exactly once for EVERY tile. `value` is the tile's atoms combined by `op`; for an empty
/// tile it is the identity. The value of an atom is map(atom), map(tile, atom) or map(tile, atom, rank); rank = atom -
/// begin(tile). plus{} without a type takes the result type of `map`.
///
/// Requirements:
/// - `map`, `store`: function objects or EVENLY_FN lambdas with concrete parameter types; they run on `exec`.
/// - `map` has no side effects, since it may be called more than once per atom, and does not depend on the effects of
///   `store`.
/// - Values are default-constructible, trivially copyable, and aligned to at most 16 bytes.
///
/// Optional members of `map`:
/// - streaming(atom): returns the same value as map(atom). It replaces map(atom) where consecutive threads have
///   consecutive atoms, each exactly once. It may read the atom's own data by load_streaming (core/annotations.hpp).
/// - gathers_from(atom): the address from which map(atom) will gather, or any other. The CPU prefetches it some time
///   before, if it is far from those of other atoms. It may read the atom's own data.
/// - fetch(atom) and of_fetched(fetched): fetch reads the atom's own data, of_fetched computes the value from it. On a
///   GPU, a merge path may call these instead of map(atom), more than once per atom. All loads are then in flight
///   before the first is used. This requires a default-constructible result of fetch, and at most 128 bytes for all
///   atoms of a thread. Where a thread has a tile of its own, such a map is inlined 15 times, so it should do little
///   except load.
///
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate.
/// - Determinism: every run of one plan returns the same bits.
/// - Cost: see the schedule's header.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void reduce_tiles(const Executor& exec, How&& how, Rest&&... rest) {
  static_assert(detail::has_monoid<std::remove_cvref_t<Rest>...>::holds);
  detail::run_skeleton(
      exec, how, work_kind::sums,
      [&](auto& plan, auto&... arguments) { detail::reduce_planned(exec, plan, arguments...); }, rest...);
}

/// An argument of plan.reserve: reserves memory for reduce_tiles with values of type Value.
template <class Value> struct reduces {
  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    return carries<Value, tile_type<typename Plan::tiles_type>>::memory_for(max_cutting_blocks(plan.launch()))
        .or_more(memory_for_chunks<Value>(plan.launch()));
  }
};

} // namespace evenly
