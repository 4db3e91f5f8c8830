// SPDX-License-Identifier: Apache-2.0
// The consumer of reduce_tiles_wide: strands of lanes (rows.hpp) replace threads, for one panel of the rows.
//   team<G>       the team's strands have consecutive parts of the tile and are combined in order. A team with too few
//                 threads for a strand leaves its tile to the block's strands, after all parts; it processes a second
//                 such tile itself, a few columns at a time
//   run<Cut>      the block's strands have equal parts of its atoms; each finds its first and last tile by a search
//                 between those of the run's first and last atom
//   batch<G>      atoms and tiles of a batch go to storage, from where each strand reads consecutive ones
//   piece         as a run within one tile
//   blocked_run   the block's strands have equal parts of its merge path (strand_shares.hpp); rows of empty tiles are
//                 stored on the way
// A segmented scan over strands combines tiles that strands share, for a blocked_run through storage. Tiles that blocks
// share go through open_tile.hpp and row_carries.hpp.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/open_tile.hpp"
#include "evenly/algorithms/detail/row_carries.hpp"
#include "evenly/algorithms/detail/row_values.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/algorithms/detail/strand_shares.hpp"
#include "evenly/algorithms/detail/wide_slots.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

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
        work.template add<Block>(both, part.tile, part.begin, part.end, at, sum);
        store_row(part.tile, at, sum);
      }
    }

    template <class Team>
    EVENLY_FN void sum_tile(const Team& me, const strand& in, const lane_columns& at,
                            const team_part<tile, atom>& part) const {
      values sum = both.identity();
      if (part.has_tile && in.has_thread()) {
        const auto atoms = static_cast<std::int64_t>(part.end - part.begin);
        const std::int64_t share = ceil_div<std::int64_t>(atoms, in.count);
        const std::int64_t from = smaller(share * in.index, atoms);
        work.template add<Block>(both, part.tile, static_cast<atom>(part.begin + from),
                                 static_cast<atom>(part.begin + smaller(from + share, atoms)), at, sum);
      }
      if (in.count > 1) sum = scan_strands(me, in, segmented<values>{0, sum}, both, slots.strands).total.open;
      if (part.has_tile && in.index == 0) store_row(part.tile, at, sum);
    }

    template <class Team, class Run>
    EVENLY_FN void sum_batches(const Team& me, const strand& in, const lane_columns& at,
                               const Run& run) const {
      const auto atoms = block.storage(slots.batch);
      const int first_of_team = block.rank() - me.rank();
      const int share = ceil_div(me.size(), in.count);
      const int from = share * in.index, to = smaller(from + share, me.size());
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
      const std::int64_t share = ceil_div<std::int64_t>(atoms, in.count);
      const std::int64_t from = smaller(share * in.index, atoms), to = smaller(from + share, atoms);
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
      const strand_shares<Tiles> shares(chunk, in.count, work.rows.pieces, block.piece());
      const auto places = block.storage(slots.places);
      const auto find_places = [&] { shares.find_places(block, places); };
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
        return shares.atom_at(step, t) > chunk.tiles.begin(shares.number(t));
      };
      const bool head_open = first < last && is_open(first, shares.first_step(0));
      bool waits = false; // for the sums of other strands, for the first tile to end here
      int t = 0;
      if (in.has_thread()) {
        t = places[in.index];
        const int next = places[in.index + 1];
        const int begin = shares.first_step(in.index), end = shares.first_step(in.index + 1);
        waits = t < next && is_open(t, begin);
        lasts[block.rank()] =
            sum_share(chunk, place{shares.number(t), shares.atom_at(begin, t)},
                      place{shares.number(next), shares.atom_at(end, next)}, at, store_here, waits);
      }
      block.sync();
      const auto add_lasts = [&](values sum, int from, int to) {
        for (int s = from; s < to; ++s) sum = both(sum, lasts[s * in.lanes + in.lane]);
        return sum;
      };
      const auto whole = [&](int tile_here, int strand_here) { // for a tile that ends in strand_here's part
        return both(add_lasts(both.identity(), shares.beginner_of(tile_here), strand_here),
                    firsts[strand_here * in.lanes + in.lane]);
      };
      if (waits && (t > first || !head_open)) store_here(shares.number(t), whole(t, in.index));
      if (in.index != 0) return; // others write no record
      values open = both.identity();
      if (shares.number(last) < chunk.tiles.tiles())
        open = add_lasts(open, shares.beginner_of(last), in.count);
      if (first < last) {
        mine.begin(shares.number(first), head_open);
        values head = both.identity(); // unused if the tile is whole here
        if (head_open) head = whole(first, shares.strand_of(shares.end_of(first)));
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
    EVENLY_FN values sum_share(const run_chunk<Tiles>& chunk, const place& from, const place& to,
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
        using entries = entries_of_eight<values_type, Block>;
        walk(entries{{block, lane_of(block) & ~(entries::count - 1), entries::count}});
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
        const auto handed = block.storage(slots.head);
        if (sums.ended && holds_back) handed[in.lane] = head;
        block.sync();
        head = handed[in.lane];
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

} // namespace evenly
