// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide: combines the atoms of each tile to a row of `width` values, column by column. This is the skeleton
// of products with several vectors or dense matrices, of pooling, and of everything that gathers rows.
//
// The lanes of a logical thread go over columns (detail/rows.hpp), so rows stored contiguously are read coalesced under
// every schedule. Reasons: docs/decisions/0016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// A chunk of a merge path, distributed among a block's strands: each has equally many of its steps, atoms and tile
// ends. For parallel blocks.
//
// - Where a part begins: a thread per tile finds it, instead of a search per strand. The thread knows the step at which
//   its tile ends. A division gives the strands that begin before this step and after the end of the previous tile. A
//   chunk costs one or two coalesced loads and a barrier.
// - Which strand began a tile: the step of its first atom divided by the steps per part. If a tile ends in a strand's
//   part but began in other parts, the strand adds their sums, in order; for most tiles that is one sum.

namespace evenly {

/// Several blocks may each have a piece of the chunk: their strands replace those of one block. Tiles of the chunk are
/// numbered from 0, strands from the piece's first.
template <tile_set Tiles> struct strand_ranges {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const run_chunk<Tiles>& of;
  int strands; ///< of the piece
  int first;   ///< strands of the pieces before
  int tiles;   ///< of the chunk
  int steps;
  int per_strand; ///< steps of a strand; the last ones may have fewer
  float inverse;  ///< 1 / per_strand, for inexact quotients

  EVENLY_FN strand_ranges(const run_chunk<Tiles>& chunk, int count, int pieces, int piece)
      : of(chunk), strands(count), first(piece * count),
        tiles(static_cast<int>(chunk.last_tile - chunk.first_tile)),
        steps(static_cast<int>(chunk.last_atom - chunk.first_atom) + tiles),
        per_strand(larger(quotient(steps + count * pieces - 1, count * pieces), 1)),
        inverse(near_inverse(static_cast<float>(per_strand))) {}

  EVENLY_FN tile number(int t) const { return static_cast<tile>(of.first_tile + t); }
  /// The step at which a tile ends.
  EVENLY_FN int end_of(int t) const { return static_cast<int>(of.tiles.end(number(t)) - of.first_atom) + t; }
  /// Returns the strand that has a step; below 0, or at least `strands`, if it is in another piece.
  EVENLY_FN int strand_of(int step) const {
    const int near = static_cast<int>(static_cast<float>(step) * inverse); // off by at most one
    const int over = step - near * per_strand;
    return near + (over >= per_strand) - (over < 0) - first;
  }
  /// Returns the piece's first strand with atoms of a tile that ends in the piece or is open at its end; `strands` if
  /// there is none.
  EVENLY_FN int beginner_of(int t) const {
    return t == 0 ? 0 : smaller(larger(strand_of(end_of(t - 1) + 1), 0), strands);
  }
  EVENLY_FN int first_step(int strand) const { return smaller((first + strand) * per_strand, steps); }
  EVENLY_FN atom atom_at(int step, int t) const { return static_cast<atom>(of.first_atom + (step - t)); }

  /// Writes places[s], for s in [0, strands]: how many tiles of the chunk have ended before the part of strand s. All
  /// threads of the block call it, and synchronise before they read.
  template <class Block, class Places>
  EVENLY_FN void find_places(const Block& block, const Places& places) const {
    for (int t = block.rank(); t <= tiles; t += block.size()) {
      const int end_before = t > 0 ? end_of(t - 1) : -1; // both loads are in flight before the divisions
      const int end_here = t < tiles ? end_of(t) : (first + strands) * per_strand;
      const int from = larger(strand_of(end_before) + 1, 0), to = smaller(strand_of(end_here), strands);
      for (int s = from; s <= to; ++s) places[s] = t;
    }
  }

 private:
  EVENLY_INLINE_FN static float near_inverse(float x) {
#if defined(__CUDA_ARCH__)
    return __fdividef(1.0f, x);
#else
    return 1.0f / x;
#endif
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// Storage of reduce_tiles_wide, for the forms of sharing of a schedule.

/// An atom of a batch, as its threads pass it to strands.
template <class Tile, class Atom> struct batched_atom {
  Tile tile;
  Atom atom;
  bool has;
  bool ends;
};

namespace detail {

template <class Form> inline constexpr bool is_blocked = sharing::blocked_items<Form> > 0;
/// Whether the block's strands share runs of atoms.
template <class Form> inline constexpr bool strands_share = sharing::cuts<Form> && !is_blocked<Form>;
template <bool Cut> inline constexpr bool strands_share<sharing::run<Cut>> = true;

} // namespace detail

/// The slots. `Entry`: the fetched data of an atom, for all atoms of a chunk if Staged.
template <class Row, class Tile, class Atom, class Entry, bool Staged> struct wide_slots {
  static constexpr bool stages = Staged;
  static constexpr int max_items = 16;            ///< of a thread's registers, on their way to storage
  static constexpr std::size_t max_bytes = 32768; ///< of a block's entries; larger ones are not staged

  strand_slots<Row> strands;
  slot<Row> head;   ///< of the first tile to end in a run
  slot<Tile> tiles; ///< of the first and of the last atom of a run
  slot<batched_atom<Tile, Atom>> batch;
  slot<team_part<Tile, Atom>> left; ///< tiles of teams with too few threads for a strand, one per thread
  slot<int> places;                 ///< of a chunk's strands, and the chunk's end
  slot<Row> firsts;    ///< per thread: of its strand's first tile to end, if other strands have atoms of it
  slot<Row> lasts;     ///< per thread: of the tile that is open at its strand's end
  slot<Entry> entries; ///< of a chunk's atoms

  template <class... Forms>
  EVENLY_FN static constexpr wide_slots lay_out(storage_layout& layout, block_shape shape) {
    constexpr bool runs = (detail::strands_share<Forms> || ...), chunks = (detail::is_blocked<Forms> || ...);
    constexpr bool scans = !(detail::is_blocked<Forms> && ...);
    return {strand_slots<Row>::lay_out(layout, shape, scans),
            layout.take<Row>(runs ? smaller(shape.warp, row_shape::max_lanes) : 0),
            layout.take<Tile>(runs ? 2 : 0),
            layout.take<batched_atom<Tile, Atom>>((detail::is_batch<Forms> || ...) ? shape.size : 0),
            layout.take<team_part<Tile, Atom>>((detail::is_team<Forms> || ...) ? shape.size : 0),
            layout.take<int>(chunks ? shape.size + 1 : 0),
            layout.take<Row>(chunks ? shape.size : 0),
            layout.take<Row>(chunks ? shape.size : 0),
            layout.take<Entry>(entries_of((sharing::blocked_items<Forms> + ... + 0), shape))};
  }
  EVENLY_FN constexpr bool has_entries() const { return Staged && entries.count > 0; }

 private:
  EVENLY_FN static constexpr int entries_of(int items, block_shape shape) {
    const int all = items * shape.size;
    return Staged && items <= max_items && all * sizeof(Entry) <= max_bytes ? all : 0;
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// The consumer of reduce_tiles_wide: strands of lanes (rows.hpp) replace threads, for one panel of the rows.
//   team<G>       the team's strands have consecutive parts of the tile and are combined in order. A team with too few
//                 threads for a strand leaves its tile to the block's strands, after all parts; it processes a second
//                 such tile itself, a few columns at a time
//   run<Cut>      the block's strands have equal parts of its atoms; each finds its first and last tile by a search
//                 between those of the run's first and last atom
//   batch<G>      atoms and tiles of a batch go to storage, from where each strand reads consecutive ones
//   piece         as a run within one tile
//   blocked_run   the block's strands have equal parts of its merge path; rows of empty tiles are
//                 stored on the way
// A segmented scan over strands combines tiles that strands share, for a blocked_run through storage. Tiles that blocks
// share go through atom_values.hpp and rows.hpp.

/// `HandsRound`: a merge path's strands have at least eight lanes, which exchange the entries they fetch.
template <tile_set Tiles, class Map, monoid Op, class Store, int Columns, bool Packed, bool HandsRound>
struct reduce_wide_consumer : row_values<Tiles, Map, Op, Columns, Packed> {
  using values_type = row_values<Tiles, Map, Op, Columns, Packed>;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using values = typename values_type::values;
  using values_op = typename values_type::values_op;
  /// Whether map separates loads of small values from arithmetic.
  static constexpr bool distinguishes_loads = values_type::fetches && sizeof(typename Op::value_type) <= 4;
  static constexpr bool hands_round = HandsRound;
  using entry = decltype(std::declval<const values_type&>().fetch(atom{}));
  using slots_type = wide_slots<values, tile, atom, entry, values_type::fetches && !HandsRound>;
  static constexpr bool is_copyable = is_device_copyable<Map, Op, Store>;

  Store store;
  row_shape rows;
  row_carries<values, tile> shared;

  template <class Form>
  static constexpr bool takes = sharing::blocked_items<Form> > 0 || std::is_same_v<Form, sharing::piece>;
  EVENLY_FN reduce_wide_consumer for_blocks(int cutting) const {
    reduce_wide_consumer same = *this;
    same.shared = shared.for_blocks(cutting);
    return same;
  }
  template <class... Forms>
  EVENLY_FN static constexpr auto lay_out(sharing::list<Forms...>, storage_layout& layout,
                                          block_shape shape) {
    return slots_type::template lay_out<Forms...>(layout, shape);
  }

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;

    worker_copy<reduce_wide_consumer, Block> work;
    Block& block;
    const Slots& slots;
    values_op both{work.op, Packed ? Columns : work.rows.of_lane}; // a constant if possible
    open_tile<values, carry_back_end<values, tile>> mine{{both.identity()}, both.identity()};
    team_part<tile, atom> left{};

    template <int G> EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) {
      const auto me = team_of(block, form);
      if (me.size() < work.rows.lanes && leave_to_block(me, part)) return;
      for_each_skip(me, [&](const strand& in, const lane_columns& at, bool) { sum_tile(me, in, at, part); });
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) {
      sum_atoms(part.tiles, part.tile, part.tile, part.begin, part.end, !part.first);
    }

    template <int Items>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) {
      if constexpr (Block::is_serial) {
        const strand in = strand::of(team<whole_block, Block>(block), work.rows.lanes);
        const stretch all{{chunk.first_tile, chunk.first_atom}, {chunk.last_tile, chunk.last_atom}};
        sum_stretch<true>(chunk.tiles, in, all, chunk.first_tile, chunk.head_open());
      } else {
        sum_chunk<Items>(chunk);
      }
    }

    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) {
      const atom first = run.first_atom, last = run.last_atom;
      if (first == last) return;
      const auto ends = block.storage(slots.tiles);
      run.for_each([&](tile t, atom a) {
        if (a == first) ends[0] = t;
        if (a == last - 1) ends[1] = t;
      });
      block.sync();
      const tile first_tile = ends[0], last_tile = ends[1];
      sum_atoms(run.tiles(), first_tile, last_tile, first, last, run.tiles().begin(first_tile) < first);
    }

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G> form, const Run& run) {
      const auto me = team_of(block, form);
      for_each_skip(me, [&](const strand& in, const lane_columns& at, bool again) {
        if (again) me.sync();
        sum_batches(me, in, at, run);
      });
    }

    EVENLY_FN void finish() {
      if constexpr (!Block::is_serial && has_teams(Forms{})) take_remaining_tiles();
      if constexpr (sharing::any_cuts<Forms>) {
        const strand in = strand::of(team<whole_block, Block>(block), work.rows.lanes);
        const int number = block.index() * work.rows.pieces + block.piece();
        if (number >= work.shared.blocks || in.index != 0) return;
        const int part = block.panel() * work.rows.lanes + in.lane;
        work.shared.of(part)[number] = mine.back.left(mine.open);
      }
    }

   private:
    using place = walk_place<tile, atom>;
    using stores = store_columns<Store, Block::is_serial>;
    using sums_type = strand_sums<Block, values_type, stores>;
    struct stretch {
      place from;
      place to;
    };

    template <class... Some> EVENLY_FN static constexpr bool has_teams(sharing::list<Some...>) {
      return (detail::is_team<Some> || ...);
    }
    EVENLY_FN lane_columns columns_of(const strand& in, int skip) const {
      if constexpr (Packed) return lane_columns::of_packs(work.rows, block.panel(), in.lane, skip, Columns);
      return lane_columns::of(work.rows, block.panel(), in.lanes, in.lane, skip);
    }
    /// Calls body(strand, columns, again) for the columns that the strands of a team process at a time: all of the
    /// panel's columns, unless the team has too few threads for a strand.
    template <class Team, class Body> EVENLY_FN void for_each_skip(const Team& me, const Body& body) const {
      const strand in = strand::of(me, work.rows.lanes);
      int skip = 0;
      do {
        body(in, columns_of(in, skip), skip > 0);
        skip += in.lanes * work.rows.of_lane;
      } while (columns_of({in.lanes, 0, 0, 1}, skip).has(0));
    }
    EVENLY_FN void store_row(tile t, const lane_columns& at, const values& row) const {
      stores{work.store, at}(t, row);
    }

    /// Adds the atoms [a, end) of a tile to `sum`, by one strand, in order.
    EVENLY_FN void add([[maybe_unused]] const strand& in, tile t, atom a, atom end, const lane_columns& at,
                       values& sum) const {
      if constexpr (values_type::fetches && !Block::is_serial) {
        if (in.lanes >= exchanging_lanes)
          work.add_ahead(eight_entries(), both, a, end, at, sum);
        else
          work.add_ahead(own_entries<values_type>{}, both, a, end, at, sum);
      } else {
        work.template add<Block>(both, t, a, end, at, sum);
      }
    }
    EVENLY_FN entries_of_eight<values_type, Block> eight_entries() const {
      return {{block, lane_of(block) & ~(exchanging_lanes - 1), exchanging_lanes}};
    }

    /// Keeps a team's tile for the block's strands, unless one is already kept. Returns whether it did.
    template <class Team> EVENLY_FN bool leave_to_block(const Team& me, const team_part<tile, atom>& part) {
      bool room = !left.has_tile;
      if constexpr (!Team::is_single) room = lanes_of(block, me).shuffle(static_cast<int>(room), 0) != 0;
      if (room && me.rank() == 0) left = part;
      return room;
    }
    EVENLY_FN void take_remaining_tiles() const {
      const strand in = strand::of(team<whole_block, Block>(block), work.rows.lanes);
      const auto tiles = block.storage(slots.left);
      tiles[block.rank()] = left;
      block.sync();
      if (!in.has_thread()) return;
      const lane_columns at = columns_of(in, 0);
      for (int i = in.index; i < block.size(); i += in.count) {
        const team_part<tile, atom> part = tiles[i];
        if (!part.has_tile) continue;
        values sum = both.identity();
        add(in, part.tile, part.begin, part.end, at, sum);
        store_row(part.tile, at, sum);
      }
    }

    template <class Team>
    EVENLY_FN void sum_tile(const Team& me, const strand& in, const lane_columns& at,
                            const team_part<tile, atom>& part) const {
      values sum = both.identity();
      if (part.has_tile && in.has_thread()) {
        const auto atoms = static_cast<std::int64_t>(part.end - part.begin);
        const std::int64_t per_strand = in.part_of(atoms);
        const std::int64_t from = smaller(per_strand * in.index, atoms);
        add(in, part.tile, static_cast<atom>(part.begin + from),
            static_cast<atom>(part.begin + smaller(from + per_strand, atoms)), at, sum);
      }
      if (in.count > 1) sum = scan_strands(me, in, segmented<values>{0, sum}, both, slots.strands).total.open;
      if (part.has_tile && in.index == 0) store_row(part.tile, at, sum);
    }

    template <class Team, class Run>
    EVENLY_FN void sum_batches(const Team& me, const strand& in, const lane_columns& at,
                               const Run& run) const {
      const auto atoms = block.storage(slots.batch);
      const int first_of_team = block.rank() - me.rank();
      const int per_strand = ceil_div(me.size(), in.count);
      const int from = per_strand * in.index, to = smaller(from + per_strand, me.size());
      values open = both.identity(); // sum of the tile that continues in the next batch
      constexpr int together = values_type::together;
      const stores store_here{work.store, at};
      run.for_each([&](bool has, tile t, atom a, bool ends) {
        if (!me.wide()) me.sync();
        atoms[block.rank()] = batched_atom<tile, atom>{t, a, has, ends};
        me.sync();
        sums_type sums{work, both, at, store_here};
        for (int k = from; in.has_thread() && k < to; k += together) {
          batched_atom<tile, atom> each[together];
          values x[together];
          EVENLY_UNROLL
          for (int i = 0; i < together; ++i) {
            each[i].has = false;
            if (k + i < to) each[i] = atoms[first_of_team + k + i];
            if (each[i].has) x[i] = work.values_of(each[i].tile, each[i].atom, at);
          }
          EVENLY_UNROLL
          for (int i = 0; i < together; ++i) {
            if (!each[i].has) continue;
            sums.open = both(sums.open, x[i]);
            if (each[i].ends) sums.end(each[i].tile);
          }
        }
        const auto scan = scan_strands(me, in, sums.all(), both, slots.strands);
        if (sums.ended)
          store_here(sums.first_tile,
                     both(scan.before.ends ? scan.before.open : both(open, scan.before.open), sums.first));
        open = scan.total.ends ? scan.total.open : both(open, scan.total.open);
      });
    }

    /// Combines the atoms [first, last), from one of first_tile to one of last_tile. Skips empty tiles between.
    EVENLY_FN void sum_atoms(const Tiles& tiles, tile first_tile, tile last_tile, atom first, atom last,
                             bool head_open) {
      const strand in = strand::of(team<whole_block, Block>(block), work.rows.lanes);
      const auto atoms = static_cast<std::int64_t>(last - first);
      const std::int64_t per_strand = in.part_of(atoms);
      const std::int64_t from = smaller(per_strand * in.index, atoms), to = smaller(from + per_strand, atoms);
      stretch mine_here{};
      if (in.has_thread() && from < to) {
        const auto begin = static_cast<atom>(first + from), end = static_cast<atom>(first + to);
        const auto tile_of = [&](tile near, atom a) {
          return first_past_near(near, last_tile, [&](tile t) { return tiles.end(t) > a; });
        };
        const tile t = tile_of(first_tile, begin), next = tile_of(t, static_cast<atom>(end - 1));
        mine_here = {{t, begin}, {static_cast<tile>(next + (tiles.end(next) == end)), end}};
      }
      sum_stretch<false>(tiles, in, mine_here, first_tile, head_open);
    }

    /// Combines a chunk of a merge path, by strands. All threads call; synchronises the block.
    template <int Items> EVENLY_FN void sum_chunk(const run_chunk<Tiles>& chunk) {
      const strand in = strand::of(team<whole_block, Block>(block), work.rows.lanes);
      const strand_ranges<Tiles> ranges(chunk, in.count, work.rows.pieces, block.piece());
      const auto places = block.storage(slots.places);
      const auto find_places = [&] { ranges.find_places(block, places); };
      if (slots.has_entries())
        stage_entries<Items>(chunk, find_places);
      else
        find_places();
      block.sync();
      const lane_columns at = columns_of(in, 0);
      const stores store_here{work.store, at};
      const auto firsts = block.storage(slots.firsts), lasts = block.storage(slots.lasts);
      const int first = places[0], last = places[in.count]; // tiles of the piece
      const auto is_open = [&](int t, int step) {           // whether a tile has atoms before a step
        return ranges.atom_at(step, t) > chunk.tiles.begin(ranges.number(t));
      };
      const bool head_open = first < last && is_open(first, ranges.first_step(0));
      bool waits = false; // for the sums of other strands, for the first tile to end here
      int t = 0;
      if (in.has_thread()) {
        t = places[in.index];
        const int next = places[in.index + 1];
        const int begin = ranges.first_step(in.index), end = ranges.first_step(in.index + 1);
        waits = t < next && is_open(t, begin);
        lasts[block.rank()] =
            sum_range(chunk, place{ranges.number(t), ranges.atom_at(begin, t)},
                      place{ranges.number(next), ranges.atom_at(end, next)}, at, store_here, waits);
      }
      block.sync();
      const auto add_lasts = [&](values sum, int from, int to) {
        for (int s = from; s < to; ++s) sum = both(sum, lasts[s * in.lanes + in.lane]);
        return sum;
      };
      const auto whole = [&](int tile_here, int strand_here) { // for a tile that ends in strand_here's part
        return both(add_lasts(both.identity(), ranges.beginner_of(tile_here), strand_here),
                    firsts[strand_here * in.lanes + in.lane]);
      };
      if (waits && (t > first || !head_open)) store_here(ranges.number(t), whole(t, in.index));
      if (in.index != 0) return; // others write no record
      values open = both.identity();
      if (ranges.number(last) < chunk.tiles.tiles())
        open = add_lasts(open, ranges.beginner_of(last), in.count);
      if (first < last) {
        mine.begin(ranges.number(first), head_open);
        values head = both.identity(); // unused if the tile is whole here
        if (head_open) head = whole(first, ranges.strand_of(ranges.end_of(first)));
        mine.end(in, both, head, open, store_here);
      } else {
        mine.append(both, open);
      }
    }

    /// Writes the fetched entries of a chunk's atoms to storage. Calls meanwhile() while loads are in flight.
    template <int Items, class Meanwhile>
    EVENLY_FN void stage_entries(const run_chunk<Tiles>& chunk, const Meanwhile& meanwhile) const {
      if constexpr (slots_type::stages) {
        constexpr int some = smaller(Items, slots_type::max_items);
        const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
        const auto staged = block.storage(slots.entries);
        const auto for_mine = [&](const auto& body) {
          EVENLY_UNROLL
          for (int i = 0; i < some; ++i)
            if (const int a = block.rank() + i * block.size(); a < atoms) body(i, a);
        };
        entry early[some]{};
        for_mine([&](int i, int a) { early[i] = work.fetch(static_cast<atom>(chunk.first_atom + a)); });
        meanwhile();
        for_mine([&](int i, int a) { staged[a] = early[i]; });
      }
    }

    /// Combines one strand's part of a chunk and returns its sum of the tile that is then open. Its sum of the first
    /// tile to end goes to storage if other strands have atoms of it.
    EVENLY_FN values sum_range(const run_chunk<Tiles>& chunk, const place& from, const place& to,
                               const lane_columns& at, const stores& store_here, bool waits) const {
      values open = both.identity();
      const auto firsts = block.storage(slots.firsts);
      const auto end = [&](tile t) {
        if (waits)
          firsts[block.rank()] = open;
        else
          store_here(t, open);
        waits = false;
        both.clear(open);
      };
      const auto walk = [&](const auto& ahead) {
        walk_path(ahead, work, both, chunk.tiles, from, to, at, open, end);
      };
      if constexpr (HandsRound) {
        walk(eight_entries());
      } else {
        if constexpr (slots_type::stages) {
          if (slots.has_entries()) {
            const auto staged = block.storage(slots.entries);
            walk(
                staged_entries<values_type, std::remove_cvref_t<decltype(staged)>>{staged, chunk.first_atom});
            return open;
          }
        }
        walk(own_entries<values_type>{});
      }
      return open;
    }

    /// `mine_here`: the strand's part of the block's stretch. The first tile to end there is first_tile; it has atoms
    /// in earlier blocks or parts if head_open holds. All threads call; synchronises the block.
    template <bool EmptyTiles>
    EVENLY_FN void sum_stretch(const Tiles& tiles, const strand& in, const stretch& mine_here,
                               tile first_tile, bool head_open) {
      const lane_columns at = columns_of(in, 0);
      const stores store_here{work.store, at};
      sums_type sums{work, both, at, store_here};
      if (in.has_thread()) sums.template walk<EmptyTiles>(tiles, mine_here.from, mine_here.to);
      const auto scan = scan_strands(team<whole_block, Block>(block), in, sums.all(), both, slots.strands);
      const bool holds_back = head_open && !scan.before.ends;
      values head = both.identity();
      if (sums.ended) {
        head = both(scan.before.open, sums.first);
        if (!holds_back) store_here(sums.first_tile, head);
      }
      if (!Block::is_serial && head_open && scan.total.ends) {
        const auto carry_in = block.storage(slots.head);
        if (sums.ended && holds_back) carry_in[in.lane] = head;
        block.sync();
        head = carry_in[in.lane];
      }
      if (scan.total.ends) {
        mine.begin(first_tile, head_open);
        mine.end(in, both, head, scan.total.open, store_here);
      } else {
        mine.append(both, scan.total.open);
      }
    }
  };
};

// ---------------------------------------------------------------------------------------------------------------------
// reduce_tiles_wide: see the head of this file.

namespace detail {

/// Steps per thread, for mappings that use only a merge path; otherwise 0.
template <class Sharings> inline constexpr int items_of_path = 0;
template <class Form> inline constexpr int items_of_path<sharing::list<Form>> = sharing::blocked_items<Form>;

/// The threads of a team, for mappings that give all tiles to teams of this number of threads; otherwise 0.
template <class Sharings> inline constexpr int threads_of_teams = 0;
template <int G> inline constexpr int threads_of_teams<sharing::list<sharing::team<G>>> = larger(G, 0);

} // namespace detail

/// A tile for each strand, for schedules that give each tile whole to a team of at most a strand's threads. Nothing
/// else is in the kernel, so it has few registers, and many strands wait for memory at the same time.
template <class Values, class Store> struct tile_per_strand {
  using tile = typename Values::tile;
  static constexpr int tuned_block_size = default_block_size;
  /// 40 registers per thread. 32 columns of float on an NVIDIA H200 took up to 1.2 times as long with 32 registers, and
  /// up to 1.4 times with the 72 to 80 of the kernel of any team (rows of 2 to 60 entries).
  static constexpr int min_blocks = Values::fetches ? 1536 / tuned_block_size : 0;
  static constexpr bool is_copyable = is_device_copyable<Values, Store>;

  Values from;
  Store store;
  row_shape rows;
  int blocks; ///< of a panel

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    int panel = 0, index = block.index();
    if (rows.panels > 1) {
      panel = quotient(index, blocks);
      index -= panel * blocks;
    }
    const strand in = strand::of(team<whole_block, Block>(block), rows.lanes);
    const std::int64_t number = static_cast<std::int64_t>(index) * in.count + in.index;
    if (!in.has_thread() || number >= from.tiles.tiles()) return;
    const auto t = static_cast<tile>(number);
    const lane_columns at = columns_of(panel, in);
    const typename Values::values_op both{from.op, Values::packs ? Values::columns : rows.of_lane};
    typename Values::values sum = both.identity();
    from.template add<Block>(both, t, from.tiles.begin(t), from.tiles.end(t), at, sum);
    store_columns<Store, Block::is_serial>{store, at}(t, sum);
  }

 private:
  EVENLY_FN lane_columns columns_of(int panel, const strand& in) const {
    if constexpr (Values::packs)
      return lane_columns::of_packs(rows, panel, in.lane, 0, Values::columns);
    else
      return lane_columns::of(rows, panel, in.lanes, in.lane, 0);
  }
};

/// The kernel of a skeleton for rows of several panels: first all blocks of the first panel, then all of the second.
/// Blocks that replace one block of the plan are consecutive.
template <class Kernel> struct panel_kernel {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  /// Registers per thread for maps that separate loads from arithmetic:
  /// - Entries exchanged among lanes: 72. By default nvcc takes 80, and a seventh fewer blocks fit.
  /// - Other merge paths: 64.
  /// - Otherwise: 80. By default nvcc takes 64 and has two rows in flight instead of four.
  static constexpr int min_blocks = [] {
    using consumer = typename Kernel::consumer_type;
    if (!consumer::distinguishes_loads) return Kernel::min_blocks;
    constexpr bool path = detail::items_of_path<typename Kernel::mapping_type::sharings> > 0;
    return (consumer::hands_round ? 896 : path ? 1024 : 768) / tuned_block_size;
  }();
  static constexpr bool is_copyable = Kernel::is_copyable;

  Kernel kernel;
  capacity max_size; ///< for tile sets sized on the device

  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    return kernel.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int panels = kernel.consumer.rows.panels, pieces = kernel.consumer.rows.pieces;
    if constexpr (sized_on_device<typename Kernel::tiles_type>) {
      const auto here = kernel.mapping.sized(max_size, block.shape());
      const Kernel each = kernel.for_sizes(here.mapping, cutting_blocks(here.mapping, here.blocks) * pieces);
      const std::int64_t of_panel = static_cast<std::int64_t>(here.blocks) * pieces;
      for (std::int64_t number = block.index(); number < of_panel * panels; number += block.count()) {
        const auto panel = static_cast<int>(number / of_panel);
        const auto in_panel = static_cast<int>(number % of_panel);
        panel_block<successive_block<Block>> as(successive_block<Block>(block, in_panel / pieces), panel,
                                                in_panel % pieces);
        each(as);
        block.sync();
      }
    } else {
      int panel = 0, piece = 0, index = block.index();
      if (panels > 1) { // no division for one panel, as most rows have
        const int of_panel = quotient(block.count(), panels);
        panel = quotient(index, of_panel);
        index -= panel * of_panel;
      }
      if (pieces > 1) {
        piece = remainder(index, pieces);
        index = quotient(index, pieces);
      }
      panel_block<renumbered_block<Block>> as(renumbered_block<Block>(block, index), panel, piece);
      kernel(as);
    }
  }
};

namespace detail {

/// Returns how rows of T are cut for a plan's launch. A schedule distributes its steps among threads and does not know
/// how many lanes a strand has. For strands of at least eight lanes on a merge path, several blocks replace one block
/// of the plan. Each thread then has about 6 steps, which is 48 per strand of 8 lanes.
template <class T, class Mapping, class Executor>
row_shape rows_for(const Executor& exec, int width, const launch_of<Mapping>& each, bool packed = false) {
  constexpr int max = columns_of_lane<T, Executor::serial_blocks>;
  row_shape rows = row_shape::of(width, max, shape_of_block(exec, each.shape.block_size), packed);
  if constexpr (!Executor::serial_blocks) {
    constexpr int items_wanted = 6, items = items_of_path<typename Mapping::sharings>;
    const int pieces =
        rows.lanes < exchanging_lanes ? 1 : larger((items + items_wanted / 2) / items_wanted, 1);
    const std::int64_t blocks = std::int64_t{larger(each.shape.blocks, each.max_blocks)} * rows.panels;
    if (blocks * pieces <= std::numeric_limits<int>::max()) rows.pieces = pieces;
  }
  return rows;
}

/// Returns the number of blocks of all panels. Throws invalid_argument if a grid cannot have that many.
template <class Mapping> int blocks_of_panels(const launch_of<Mapping>& each, const row_shape& rows) {
  return block_count(static_cast<std::int64_t>(each.shape.blocks) * rows.panels * rows.pieces, 1);
}

/// Runs a consumer under a plan's launch, for each panel.
template <class Executor, class Mapping, class Consumer>
void launch_panels(const Executor& exec, const launch_of<Mapping>& each, const Consumer& consumer) {
  if (each.shape.blocks == 0) return;
  const int size = each.shape.block_size;
  const panel_kernel<skeleton_kernel<Mapping, Consumer>> kernel{{each.mapping, consumer}, each.max_size};
  int blocks = blocks_of_panels(each, consumer.rows);
  if constexpr (sized_on_device<typename Mapping::tiles_type>)
    blocks = smaller(blocks, resident_blocks(exec, kernel, size));
  launch(exec, {blocks, size}, kernel);
}

/// reduce_tiles_wide for rows of a given shape, by a given consumer.
template <class Consumer, class Executor, class Plan, class Map, monoid Op, class Store>
void reduce_rows(const Executor& exec, Plan& plan, const row_shape& rows, const Map& map, const Op& op,
                 const Store& store) {
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  auto lease = plan.start(exec);
  Consumer bound{{plan.tiles(), map, op}, store, rows, {}};
  using shared = decltype(bound.shared);
  bound.shared = shared::in(exec, lease, rows.parts(), cutting_blocks(each) * rows.pieces,
                            max_cutting_blocks(each) * rows.pieces);
  launch_panels(exec, each, bound);
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    const typename Consumer::values_op both{op, rows.of_lane};
    if constexpr (sized_on_device<typename Plan::tiles_type>)
      fix_up_row_carries(exec,
                         blocks_by_sizes<mapping>{each.mapping, each.max_size,
                                                  shape_of_block(exec, each.shape.block_size), rows.pieces},
                         bound.shared, rows, both, store);
    else
      fix_up_row_carries(exec, known_blocks{bound.shared.blocks}, bound.shared, rows, both, store);
  }
}

/// reduce_tiles_wide with a tile for each strand. No mapping is asked: the order of the tiles does not matter.
template <class Executor, class Plan, class Values, class Store>
void reduce_by_strands(const Executor& exec, Plan& plan, const row_shape& rows, const Values& from,
                       const Store& store) {
  const auto lease = plan.start(exec);
  const int size = plan.launch().shape.block_size;
  const int blocks = block_count(from.tiles.tiles(), size / rows.lanes);
  if (blocks == 0) return;
  launch(exec, {block_count(std::int64_t{blocks} * rows.panels, 1), size},
         tile_per_strand<Values, Store>{from, store, rows, blocks});
}

/// reduce_tiles_wide; if Packed, lanes have packs.
template <bool Packed, class Executor, class Plan, class Map, monoid Op, class Store>
void reduce_wide(const Executor& exec, Plan& plan, int width, const Map& map, const Op& op,
                 const Store& store) {
  using tiles = typename Plan::tiles_type;
  using value = typename Op::value_type;
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  constexpr int of_lane = columns_of_lane<value, Executor::serial_blocks>;
  constexpr bool path = !Executor::serial_blocks && items_of_path<typename mapping::sharings> > 0;
  using unshared = reduce_wide_consumer<tiles, Map, Op, Store, of_lane, Packed, false>;
  const row_shape rows = rows_for<value>(exec, width, each, Packed);
  constexpr int of_team =
      Executor::serial_blocks || sized_on_device<tiles> ? 0 : threads_of_teams<typename mapping::sharings>;
  if constexpr (of_team > 0) {
    if (of_team <= rows.lanes)
      return reduce_by_strands(exec, plan, rows,
                               row_values<tiles, Map, Op, of_lane, Packed>{plan.tiles(), map, op}, store);
  }
  if constexpr (of_team != 1) {
    blocks_of_panels(each, rows); // before memory is allocated for the blocks
    // Two kernels: one kernel for both would need the larger number of registers.
    if constexpr (path && unshared::fetches) {
      using exchanging = reduce_wide_consumer<tiles, Map, Op, Store, of_lane, Packed, true>;
      if (rows.lanes >= exchanging_lanes) return reduce_rows<exchanging>(exec, plan, rows, map, op, store);
    }
    reduce_rows<unshared>(exec, plan, rows, map, op, store);
  }
}

template <class Executor, class Plan, class Map, class Op, class Store>
void reduce_wide_planned(const Executor& exec, Plan& plan, int width, const Map& map, const Op& given,
                         const Store& store) {
  using tiles = typename Plan::tiles_type;
  using combined = combinable_rows<tiles, Map, Op>;
  using value = typename combined::op::value_type;
  static_assert(combined::holds);
  static_assert(stores_rows<Store, tile_type<tiles>, value>::holds);
  const auto& op = monoid_for<value>(given);
  note_parts(exec, plan.tiles(), map, op, store);
  constexpr int of_lane = columns_of_lane<value, Executor::serial_blocks>;
  if constexpr (!Executor::serial_blocks && of_lane > 1 && maps_packs<Map, tiles, value>) {
    if (width % of_lane == 0) return reduce_wide<true>(exec, plan, width, map, op, store);
  }
  reduce_wide<false>(exec, plan, width, map, op, store);
}

} // namespace detail

/// reduce_tiles_wide(exec, plan, width, map, op, store)
/// reduce_tiles_wide(exec, schedule, tiles, width, map, op, store)
///
/// Calls store(tile, column, value) exactly once for EVERY tile and every column in [0, width). `value` combines the
/// tile's atoms in that column by `op`, in atom order; for an empty tile it is the identity. The value of an atom is
/// map(atom, column) or map(tile, atom, column). Columns are of type int.
///
/// Requirements:
/// - `width` is in [1, 2^30].
/// - `map`, `store`: as for reduce_tiles. map has no side effects and may be called more than once per atom and column.
///
/// Advice: prefer map(atom, column), because its values can be loaded before tile ends are known. Store the columns of
/// a row contiguously: consecutive threads, or the innermost loop of a serial block, evaluate consecutive columns.
///
/// Optional members for loads of 16 bytes on a GPU:
/// - map.pack(atom, column) returns the values of `row_pack<T>::size` columns from `column` on, a multiple of that
///   size. It replaces map(atom, column) if the width is a multiple of the size. Rows begin at multiples of 16 bytes;
///   load_pack and store_pack move packs.
/// - store.pack(tile, column, values) stores a pack.
/// - map.fetch(atom), map.load(fetched, column) and map.values_in(fetched, loaded) separate loads from arithmetic:
///   fetch reads the data that all columns share. They may be called for several atoms before the first value is used,
///   and more than once per atom. The result of fetch is default-constructible, trivially copyable, and aligned to at
///   most 16 bytes; otherwise these members are not used.
///
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate two rows for each block
///   that cuts tiles, or for each piece of about six steps per thread.
/// - Determinism: every run of one plan with one width returns the same bits.
/// - Cost: the schedule's, for each panel of columns (detail/rows.hpp); the threads of a block process several atoms of
///   a row at a time. Several threads store the first empty tile that a schedule gives to one thread; that thread
///   stores its later ones.
/// - Throws invalid_argument for a width out of range.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void reduce_tiles_wide(const Executor& exec, How&& how, Rest&&... rest) {
  static_assert(detail::has_monoid<std::remove_cvref_t<Rest>...>::holds);
  detail::run_skeleton(
      exec, how, work_kind::wide_sums,
      [&](auto& plan, auto&... arguments) { detail::reduce_wide_planned(exec, plan, arguments...); },
      rest...);
}

/// For plan.reserve: reserves memory for reduce_tiles_wide with values of type Value and rows of at most this width.
template <class Value> struct reduces_wide {
  int width;

  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    constexpr int max = columns_of_lane<Value, Plan::executor_type::serial_blocks>;
    const row_shape rows = detail::rows_for<Value>(plan.exec(), width, plan.launch());
    return row_carries<lane_values<Value, max>, tile_type<typename Plan::tiles_type>>::memory_for(
        rows.parts(), max_cutting_blocks(plan.launch()) * rows.pieces);
  }
};

} // namespace evenly
