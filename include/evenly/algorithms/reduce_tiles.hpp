// SPDX-License-Identifier: Apache-2.0
// reduce_tiles: one value for each tile, combined from its atoms. The skeleton of SpMV, of segmented reduction, and of
// every gathering computation.
//
// Each way of sharing a tile is handled once:
//   team<G>         each thread combines its atoms, the team combines its threads, rank 0 stores
//   piece           as a team of the whole block, but for the store
//   blocked_run     atoms are evaluated in coalesced order and staged in storage, with a mark where a tile ends; each
//                   thread combines consecutive atoms, a segmented scan joins threads, and each tile's sum is left where
//                   its last atom was; then tiles are stored in coalesced order. No search
//   striped_run     as blocked_run, with each atom's tile staged in place of the marks
//   sequential_run  each thread combines its own atoms and stores the tiles that it has whole; a segmented scan joins
//                   threads
//   batch_run<G>    a segmented scan of the team over each batch; what is open goes to the next
//   serial_run      tile by tile
//   empty_tile      stores the identity
// Tiles that blocks share go through carries.hpp. Values are combined in atom order unless the monoid is marked as
// commutative, and always in an order fixed by the plan.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/carries.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/schedules/tile_of_atoms.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Whether a way of sharing joins the threads of a block by a scan.
template <class Sharing> inline constexpr bool scans_block = is_run<Sharing>;
template <bool Cut> inline constexpr bool scans_block<sharing::sequential_run<Cut>> = true;
template <int G> inline constexpr bool scans_block<sharing::batch_run<G>> = true;

/// Slots that reduce_tiles needs, depending on how a mapping shares tiles.
template <class T, class Tile> struct reduce_slots {
  slot<T> values;              ///< an atom's value, then the sum of the tile that ends with it; or a warp's
  slot<unsigned char> ends;    ///< blocked_run: 1 where a tile ends with the atom
  slot<Tile> tiles;            ///< striped_run: an atom's tile
  tile_of_atoms_slots tile_of; ///< blocked_run, for functions of (tile, atom)
  carry_slots<T, Tile> carry;  ///< for all that scan or cut tiles

  /// How many of the first three a way of sharing needs.
  struct counts {
    int values = 0;
    int ends = 0;
    int tiles = 0;
  };
  template <int G> EVENLY_FN static constexpr counts needs(sharing::team<G>, block_shape shape) {
    return {team_reduce_slots(G, shape), 0, 0};
  }
  template <int Items>
  EVENLY_FN static constexpr counts needs(sharing::blocked_run<Items>, block_shape shape) {
    return {shape.size * Items, shape.size * Items, 0};
  }
  template <int Items>
  EVENLY_FN static constexpr counts needs(sharing::striped_run<Items>, block_shape shape) {
    return {shape.size * staged_items(Items), 0, shape.size * staged_items(Items)};
  }
  /// Of a striped_run's items so many are staged at a time: the largest of blocks shall find room for values of 16 bytes.
  EVENLY_FN static constexpr int staged_items(int items) {
    constexpr int most_bytes_of_thread = 128;
    const int passes = ceil_div(items * static_cast<int>(sizeof(T) + sizeof(Tile)), most_bytes_of_thread);
    return ceil_div(items, passes);
  }
  EVENLY_FN static constexpr counts needs(sharing::piece, block_shape shape) {
    return {team_reduce_slots(whole_block, shape), 0, 0};
  }
  template <int G> EVENLY_FN static constexpr counts needs(sharing::batch_run<G>, block_shape shape) {
    return {team_count(G, shape), 0, 0};
  }
  template <bool Cut> EVENLY_FN static constexpr counts needs(sharing::sequential_run<Cut>, block_shape) {
    return {};
  }
  EVENLY_FN static constexpr counts needs(sharing::empty_tile, block_shape) { return {}; }

  /// `by_atom`: the function needs no tile.
  template <class... Sharings>
  EVENLY_FN static constexpr reduce_slots lay_out(storage_layout& layout, block_shape shape, bool by_atom) {
    counts most;
    for (const counts& each : {needs(Sharings{}, shape)...}) {
      most.values = larger(most.values, each.values);
      most.ends = larger(most.ends, each.ends);
      most.tiles = larger(most.tiles, each.tiles);
    }
    // The tiles of atoms have been used when the atoms' values come to storage.
    const int items = by_atom ? 0 : (blocked_items(Sharings{}) + ...);
    const auto start = layout.mark();
    const auto tile_of = tile_of_atoms_slots::lay_out(layout, shape, items);
    layout.rewind(start);
    const auto values = layout.take<T>(most.values);
    layout.skip_to_most();
    return {values, layout.take<unsigned char>(most.ends), layout.take<Tile>(most.tiles), tile_of,
            carry_slots<T, Tile>::lay_out(layout, shape, (scans_block<Sharings> || ...))};
  }
};

template <tile_set Tiles, class Map, monoid Op, class Store> struct reduce_tiles_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  using record = carry_record<value, tile>;
  /// Whether map(atom) is enough, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = std::invocable<const Map&, atom>;
  static constexpr bool parts_checked = is_kernel_part<Map> && is_kernel_part<Op> && is_kernel_part<Store>;
  static_assert(by_atom || std::invocable<const Map&, tile, atom>,
                "map is called as map(atom) or map(tile, atom)");

  Tiles tiles;
  Map map;
  Op op;
  Store store;
  carries<value, tile> shared;

  template <class... Sharings>
  EVENLY_FN static constexpr auto lay_out(sharing::list<Sharings...>, storage_layout& layout,
                                          block_shape shape) {
    return reduce_slots<value, tile>::template lay_out<Sharings...>(layout, shape, by_atom);
  }

  /// map(atom), where neighbouring threads call for neighbouring atoms, and nobody for these again.
  EVENLY_INLINE_FN value of_passing(atom a) const {
    if constexpr (requires { map.passing(a); })
      return map.passing(a);
    else
      return map(a);
  }

  EVENLY_INLINE_FN value of_atom(tile t, atom a) const {
    if constexpr (by_atom)
      return map(a);
    else
      return map(t, a);
  }

  /// Combines consecutive atoms, by one thread. On the CPU eight at a time, as a tree, so that the chain of
  /// dependent operations is an eighth as long; the order of the operands stays.
  template <class Block> EVENLY_INLINE_FN value fold(tile t, atom begin, atom end) const {
    value sum = op.identity();
    if constexpr (Block::is_serial) {
      const auto pair = [&](atom a) { return op(of_atom(t, a), of_atom(t, a + 1)); };
      for (; end - begin >= 8; begin += 8) {
        keep_loop();
        sum = op(sum, op(op(pair(begin), pair(begin + 2)), op(pair(begin + 4), pair(begin + 6))));
      }
    }
    for (; begin < end; ++begin) sum = op(sum, of_atom(t, begin));
    return sum;
  }

  template <class Block, class Slots, class Sharings> struct worker {
    static constexpr bool wants_empty_tiles = true;

    worker_copy<reduce_tiles_consumer, Block> work;
    Block& block;
    const Slots& slots;
    record mine{{}, work.op.identity(), {}, 0};

    template <int G> EVENLY_FN void operator()(sharing::team<G>, const team_part<tile, atom>& part) {
      const team<G, Block> me(block);
      const value sum = of_team(me, part.tile, part.begin, part.end);
      if (part.has_tile && me.rank() == 0) work.store(part.tile, sum);
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<tile, atom>& part) {
      const value sum = of_team(team<whole_block, Block>(block), part.tile, part.begin, part.end);
      const bool whole = part.first && part.last;
      if (whole && block.rank() == 0) work.store(part.tile, sum);
      if (part.last)
        leave(whole ? work.op.identity() : sum, work.op.identity(), part.tile, true, !whole);
      else
        leave(work.op.identity(), sum, part.tile, false, false);
    }

    EVENLY_FN void operator()(sharing::serial_run, const run_chunk<tile, atom>& chunk) {
      atom begin = chunk.first_atom;
      tile t = chunk.first_tile;
      const bool ends = t < chunk.last_tile;
      const bool holds_back = ends && chunk.head_open;
      value head = work.op.identity();
      if (holds_back) {
        const atom end = work.tiles.end(t);
        head = work.template fold<Block>(t, begin, end);
        begin = end;
        ++t;
      }
      for (; t < chunk.last_tile; ++t) {
        const atom end = work.tiles.end(t);
        work.store(t, work.template fold<Block>(t, begin, end));
        begin = end;
      }
      leave(head, work.template fold<Block>(t, begin, chunk.last_atom), chunk.first_tile, ends, holds_back);
    }

    template <int Items>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const run_chunk<tile, atom>& chunk) {
      const auto values = block.storage(slots.values);
      const auto ends = block.storage(slots.ends);
      const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
      const int tiles = static_cast<int>(chunk.last_tile - chunk.first_tile);
      if constexpr (!by_atom) find_tile_of_atoms<Items>(block, work.tiles, chunk, slots.tile_of);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) ends[block.rank() + i * block.size()] = 0;
      // No condition and no store stands between the loads, so that all of them are under way together: past the end
      // the last atom, and the last tile, are read again.
      value x[Items];
      int last_atom[Items]; // of the tiles that this thread will store; -1 for those without atoms here
      if (atoms > 0) {
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i)
          x[i] = of_chunk(chunk, smaller(block.rank() + i * block.size(), atoms - 1));
      }
      if (tiles > 0) {
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i)
          last_atom[i] = last_atom_of(chunk, smaller(block.rank() + i * block.size(), tiles - 1));
      }
      block.sync();
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        values[k] = k < atoms ? x[i] : work.op.identity();
        if (k < tiles && last_atom[i] >= 0) ends[last_atom[i]] = 1;
      }
      block.sync();
      const auto total =
          sum_segments<Items>(values, [&](int k) { return static_cast<unsigned char>(ends[k]); });
      const bool holds_back = chunk.head_open && tiles > 0;
      value head = work.op.identity();
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int t = block.rank() + i * block.size();
        if (t >= tiles) break;
        const value sum = last_atom[i] < 0 ? work.op.identity() : static_cast<value>(values[last_atom[i]]);
        if (t == 0 && holds_back)
          head = sum; // by rank 0, whose record counts
        else
          work.store(static_cast<tile>(chunk.first_tile + t), sum);
      }
      leave(head, total.open, chunk.first_tile, tiles > 0, holds_back);
    }

    template <int Items, class Run> EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) {
      constexpr int staged = reduce_slots<value, tile>::staged_items(Items);
      if constexpr (staged == Items) {
        stage<Items>(run, 0);
      } else {
        const int atoms = static_cast<int>(run.last_atom - run.first_atom);
        for (int first = 0; first < atoms; first += staged * block.size()) {
          if (first > 0) block.sync();
          stage<staged>(run, first);
        }
      }
    }

    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::sequential_run<Cut>, const Run& run) {
      value first = work.op.identity(); // of the first tile that ends with one of the thread's atoms
      value open = work.op.identity();  // of the tile that the thread is in
      tile first_tile{};
      tile current{};
      atom next = run.first_atom; // behind the last atom that was visited
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

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch_run<G>, const Run& run) {
      const team<G, Block> me(block);
      value open = work.op.identity(); // of the tile that goes on in the next batch
      if constexpr (Block::is_serial) {
        run.for_each([&](bool, tile t, atom a, bool ends) {
          open = work.op(open, work.of_atom(t, a));
          if (!ends) return;
          work.store(t, open);
          open = work.op.identity();
        });
      } else if (!me.wide()) {
        const lanes<Block> group = lanes_of(block, me);
        run.for_each([&](bool has, tile t, atom a, bool ends) {
          value sum = has ? work.of_atom(t, a) : work.op.identity();
          if (group.rank() == 0) sum = work.op(open, sum);
          const lane_mask ended = group.ballot(ends);
          const bool starts = group.rank() > 0 && (ended >> (group.rank() - 1) & 1) != 0;
          sum = group.segmented_scan(sum, starts, work.op);
          if (ends) work.store(t, sum);
          open = group.shuffle(sum, group.size() - 1);
          if (ended >> (group.size() - 1) & 1) open = work.op.identity();
        });
      } else {
        // The last thread of each team lets nothing through to the next team, and keeps what is open for its own.
        const auto left_open = block.storage(slots.values);
        const bool last = me.rank() == me.size() - 1;
        run.for_each([&](bool has, tile t, atom a, bool ends) {
          value sum = has ? work.of_atom(t, a) : work.op.identity();
          if (me.rank() == 0) sum = work.op(open, sum);
          const bool shut = ends || last;
          const segmented<value> mine_here{shut, shut ? work.op.identity() : sum};
          const auto scan = block_segmented_scan(block, mine_here, work.op, block.storage(slots.carry.warps));
          sum = work.op(scan.before.open, sum);
          if (ends) work.store(t, sum);
          if (last && me.index() < me.count()) left_open[me.index()] = ends ? work.op.identity() : sum;
          block.sync();
          if (me.rank() == 0 && me.index() < me.count()) open = left_open[me.index()];
        });
      }
    }

    EVENLY_FN void operator()(sharing::empty_tile, tile t) { work.store(t, work.op.identity()); }

    EVENLY_FN void finish() const {
      if constexpr (any_run<Sharings>) work.shared.finish(block, slots.carry, mine, work.op, work.store);
    }

   private:
    /// The atoms of a striped_run from number `first` on, as many as Items for each thread. Synchronises the block.
    template <int Items, class Run> EVENLY_FN void stage(const Run& run, int first) {
      const auto values = block.storage(slots.values);
      const auto tiles = block.storage(slots.tiles);
      const atom first_atom = static_cast<atom>(run.first_atom + first);
      const int atoms =
          static_cast<int>(smaller<std::int64_t>(run.last_atom - first_atom, Items * block.size()));
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k >= atoms) values[k] = work.op.identity();
      }
      const auto is_here = [&](int k) { return k >= first && k < first + atoms; };
      if constexpr (by_atom) { // all loads are under way together, before tiles are looked for
        value x[Items];
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i)
          x[i] = work.of_passing(
              static_cast<atom>(first_atom + smaller(block.rank() + i * block.size(), atoms - 1)));
        run.for_each([&](int k, tile t) {
          if (is_here(k)) tiles[k - first] = t;
        });
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i) {
          const int k = block.rank() + i * block.size();
          if (k < atoms) values[k] = x[i];
        }
      } else {
        run.for_each([&](int k, tile t) {
          if (!is_here(k)) return;
          values[k - first] = work.map(t, static_cast<atom>(run.first_atom + k));
          tiles[k - first] = t;
        });
      }
      block.sync();
      const bool last_ends = run.tiles().end(tiles[atoms - 1]) == first_atom + atoms;
      const auto ends = [&](int k) {
        if (k + 1 >= atoms) return k + 1 == atoms && last_ends;
        const tile t = tiles[k];
        return tiles[k + 1] != t;
      };
      const auto total = sum_segments<Items>(values, ends);
      const tile first_tile = tiles[0];
      const bool holds_back = total.ends && first_atom > run.tiles().begin(first_tile);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k >= atoms) break;
        const tile t = tiles[k];
        if (!ends(k)) continue;
        if (t == first_tile && holds_back)
          values[0] = values[k]; // nobody else needs the first atom's place
        else
          work.store(t, static_cast<value>(values[k]));
      }
      block.sync();
      const value head = holds_back ? static_cast<value>(values[0]) : work.op.identity();
      leave(head, total.open, first_tile, total.ends != 0, holds_back);
    }

    /// The atoms of one tile, combined in order unless the monoid is commutative; valid at rank 0. Called as
    /// team::reduce is.
    template <class Team> EVENLY_FN value of_team(const Team& me, tile t, atom begin, atom end) const {
      value sum = work.op.identity();
      if constexpr (Team::is_single) {
        sum = work.template fold<Block>(t, begin, end);
      } else if constexpr (is_commutative<Op>) {
        for_strided(begin, end, me.rank(), me.size(),
                    [&](atom a) { sum = work.op(sum, work.of_atom(t, a)); });
      } else {
        // A consecutive share each keeps the order.
        const atom share = ceil_div<atom>(end - begin, me.size());
        const atom skip = smaller<std::int64_t>(static_cast<std::int64_t>(share) * me.rank(), end - begin);
        const atom mine_from = begin + skip;
        sum = work.template fold<Block>(t, mine_from, end - mine_from > share ? mine_from + share : end);
      }
      return me.reduce(sum, work.op, block.storage(slots.values));
    }

    /// Notes what a part leaves to other blocks. Parts follow each other: what was open is the beginning of what comes.
    EVENLY_FN void leave(const value& head, const value& tail, tile first, bool ends, bool head_open) {
      if (!ends) {
        mine.tail = work.op(mine.tail, tail);
        return;
      }
      if (!(mine.state & record::ends)) {
        mine.head = work.op(mine.tail, head);
        mine.tile = first;
        mine.state = record::ends | (head_open ? record::head_open : 0);
      } else if (head_open && block.rank() == 0) {
        work.store(first, work.op(mine.tail, head));
      }
      mine.tail = tail;
    }

    EVENLY_FN value of_chunk(const run_chunk<tile, atom>& chunk, int k) const {
      const auto a = static_cast<atom>(chunk.first_atom + k);
      if constexpr (by_atom)
        return work.of_passing(a);
      else
        return work.map(static_cast<tile>(chunk.first_tile + block.storage(slots.tile_of.tile_of)[k]), a);
    }

    /// Where the last atom of the chunk's tile t lies in the chunk; -1 if the tile has none here. The tile ends here.
    EVENLY_FN int last_atom_of(const run_chunk<tile, atom>& chunk, int t) const {
      const auto of_all = static_cast<tile>(chunk.first_tile + t);
      const atom begin = work.tiles.begin(of_all);
      const atom end = work.tiles.end(of_all);
      return end > larger(begin, chunk.first_atom) ? static_cast<int>(end - chunk.first_atom) - 1 : -1;
    }

    /// values hold the atoms of a chunk, then identities. Leaves in values[k], for every k with ends(k) = 1 (else 0),
    /// what the atoms up to k, from the one after the end before, combine to; returns what the block ends and leaves
    /// open. All threads call; synchronises the block twice, the last time at its end.
    template <int Items, class Values, class Ends>
    EVENLY_FN segmented<value> sum_segments(const Values& values, const Ends& ends) const {
      static_assert(Items <= 32);
      const int begin = block.rank() * Items;
      unsigned ended = 0; // bit i: a tile ends with the thread's atom i
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) ended |= static_cast<unsigned>(ends(begin + i)) << i;
      value open = work.op.identity();
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        open = work.op(open, static_cast<value>(values[begin + i]));
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

/// Calls store(tile, value) exactly once for EVERY tile, with the tile's atoms combined by `op` (the identity
/// for an empty tile), where an atom's value is map(atom) or map(tile, atom).
///
/// map, store: function objects or EVENLY_FN lambdas that run on `exec`, with concrete parameter types. map has no
/// side effects, since it may be called more than once for an atom, and does not depend on what store does. If it has a
/// member passing(atom), the same value, that is called where neighbouring threads have neighbouring atoms and none is
/// read again: it may read the atom's own data past the caches (read_passing of core/annotations.hpp). Values
/// are default-constructible, trivially copyable, and aligned to at most 16 bytes.
/// Asynchronous on cuda, but for the first run of a kind under a plan, which may allocate. The result has the same bits
/// on every run of the same plan. Cost: see the schedule's header.
template <class Executor, class Plan, class Map, monoid Op, class Store>
requires is_plan<Plan>
void reduce_tiles(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  using tiles = typename Plan::tiles_type;
  using consumer = reduce_tiles_consumer<tiles, Map, Op, Store>;
  using shared = carries<typename Op::value_type, tile_type<tiles>>;
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  for_each_launch(plan, [&](const auto& each) {
    using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
    consumer bound{plan.tiles(), map, op, store, {}};
    const int blocks = cutting_blocks(each);
    if (blocks > 0)
      bound.shared =
          shared::in(plan.workspace(exec, shared::bytes(blocks), shared::ticket_bytes(blocks)), blocks);
    launch_skeleton(exec, each, bound);
    if constexpr (any_run<typename mapping::sharings>) {
      if (shared::joined_later(blocks))
        launch(exec, {shared::groups(blocks), shared::group_size},
               join_carries<typename Op::value_type, tile_type<tiles>, Op, Store>{bound.shared, op, store});
    }
  });
  plan.workspace_clean();
}

/// Plans and runs in one call. Synchronises while it plans.
template <class Executor, class Schedule, tile_set Tiles, class Map, monoid Op, class Store>
requires(!is_plan<Schedule>) void reduce_tiles(const Executor& exec, const Schedule& schedule,
                                               const Tiles& tiles, const Map& map, const Op& op,
                                               const Store& store) {
  auto plan = make_plan(exec, schedule, tiles);
  reduce_tiles(exec, plan, map, op, store);
}

} // namespace evenly
