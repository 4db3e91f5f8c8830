// SPDX-License-Identifier: Apache-2.0
// reduce_tiles: one value for each tile, combined from its atoms. The skeleton of SpMV, of segmented
// reduction, and of every gathering computation.
//
// Each way of sharing a tile is handled once:
//   team<G>       each thread combines its atoms, the team combines its threads, rank 0 stores
//   blocked_run   atoms are evaluated in coalesced order and staged in storage; each thread combines its run;
//   a
//                 segmented scan joins runs; finished tiles are staged and stored in coalesced order
//   striped_run   as blocked_run, with each atom's tile staged beside its value
//   serial_run    tile by tile; cpu's blocks get all runs like this
//   empty_tile    stores the identity
// Tiles that blocks share go through carries.hpp. Values are combined in atom order wherever the monoid is
// not marked as commutative, and always in an order fixed by the plan.
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
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Slots that reduce_tiles needs, depending on how a mapping shares tiles.
template <class T, class Tile> struct reduce_slots {
  slot<T> values;           ///< an atom's value; then a finished tile's; or, for wide teams, a warp's
  slot<Tile> tiles;         ///< an atom's tile
  slot<segmented<T>> warps; ///< for the scan over threads

  struct counts {
    int values = 0;
    int tiles = 0;
    int warps = 0;
  };
  template <int G> EVENLY_FN static constexpr counts needs(sharing::team<G>, block_shape shape) {
    return {team_size(G, shape) > shape.warp ? shape.warps() : 0, 0, 0};
  }
  template <int Items>
  EVENLY_FN static constexpr counts needs(sharing::blocked_run<Items>, block_shape shape) {
    return {shape.size * Items, 0, block_scan_slots(shape)};
  }
  template <int Items>
  EVENLY_FN static constexpr counts needs(sharing::striped_run<Items>, block_shape shape) {
    return {shape.size * Items, shape.size * Items, block_scan_slots(shape)};
  }
  EVENLY_FN static constexpr counts needs(sharing::empty_tile, block_shape) { return {}; }

  template <class... Sharings>
  EVENLY_FN static constexpr reduce_slots lay_out(storage_layout& layout, block_shape shape) {
    counts most;
    for (const counts& each : {needs(Sharings{}, shape)...})
      most = {larger(most.values, each.values), larger(most.tiles, each.tiles),
              larger(most.warps, each.warps)};
    return {layout.take<T>(most.values), layout.take<Tile>(most.tiles),
            layout.take<segmented<T>>(most.warps)};
  }
};

template <tile_set Tiles, class Map, monoid Op, class Store> struct reduce_tiles_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  using record = carry_record<value, tile>;
  /// Whether map(atom) is enough, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = std::invocable<const Map&, atom>;
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
    return reduce_slots<value, tile>::template lay_out<Sharings...>(layout, shape);
  }

  EVENLY_FN value of_atom(tile t, atom a) const {
    if constexpr (by_atom)
      return map(a);
    else
      return map(t, a);
  }

  /// Combines consecutive atoms, by one thread. On the CPU eight at a time, as a tree, so that the chain of
  /// dependent operations is an eighth as long; the order of the operands stays.
  template <class Block> EVENLY_FN value fold(tile t, atom begin, atom end) const {
    value sum = op.identity();
    if constexpr (Block::is_serial) {
      const auto pair = [&](atom a) { return op(of_atom(t, a), of_atom(t, a + 1)); };
      for (; end - begin >= 8; begin += 8)
        sum = op(sum, op(op(pair(begin), pair(begin + 2)), op(pair(begin + 4), pair(begin + 6))));
    }
    for (; begin < end; ++begin) sum = op(sum, of_atom(t, begin));
    return sum;
  }

  template <class Block, class Slots, class Sharings> struct worker {
    static constexpr bool wants_empty_tiles = true;

    const reduce_tiles_consumer& work;
    Block& block;
    const Slots& slots;
    record mine{{}, work.op.identity(), {}, 0, 0};

    template <int G> EVENLY_FN void operator()(sharing::team<G>, const team_part<tile, atom>& part) {
      const team<G, Block> me(block);
      value sum = work.op.identity();
      if constexpr (G == 1 || Block::is_serial) {
        sum = work.template fold<Block>(part.tile, part.begin, part.end);
      } else if constexpr (is_commutative<Op>) {
        for_strided(part.begin, part.end, me.rank(), me.size(),
                    [&](atom a) { sum = work.op(sum, work.of_atom(part.tile, a)); });
      } else {
        // A consecutive share each keeps the order.
        const atom share = ceil_div<atom>(part.end - part.begin, me.size());
        const atom skip =
            smaller<std::int64_t>(static_cast<std::int64_t>(share) * me.rank(), part.end - part.begin);
        const atom begin = part.begin + skip;
        sum =
            work.template fold<Block>(part.tile, begin, part.end - begin > share ? begin + share : part.end);
      }
      sum = me.reduce(sum, work.op, block.storage(slots.values));
      if (part.has_tile && me.rank() == 0) work.store(part.tile, sum);
    }

    EVENLY_FN void operator()(sharing::serial_run, const run_chunk<tile, atom>& chunk) {
      atom begin = chunk.first_atom;
      tile t = chunk.first_tile;
      if (chunk.head_open && t < chunk.last_tile) {
        const atom end = work.tiles.end(t);
        mine.head = work.template fold<Block>(t, begin, end);
        mine.tile = t;
        mine.head_open = 1;
        begin = end;
        ++t;
      }
      mine.ends = chunk.first_tile < chunk.last_tile;
      for (; t < chunk.last_tile; ++t) {
        const atom end = work.tiles.end(t);
        work.store(t, work.template fold<Block>(t, begin, end));
        begin = end;
      }
      mine.tail = work.template fold<Block>(t, begin, chunk.last_atom);
    }

    template <int Items, class Run> EVENLY_FN void operator()(sharing::blocked_run<Items>, const Run& run) {
      const auto& chunk = run.chunk;
      const auto values = block.storage(slots.values);
      if constexpr (by_atom) {
        const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
        stage_atoms<Items>(values, chunk.first_atom, atoms);
      }
      thread_run<Items> run_of_thread{work.op.identity()};
      int first_end = 0;
      run.walk(
          [&](int, int k, int t) {
            if constexpr (by_atom)
              run_of_thread.add(work.op, values[k]);
            else
              run_of_thread.add(work.op,
                                work.map(static_cast<tile>(chunk.first_tile + t), chunk.first_atom + k));
          },
          [&](int i, int t) {
            if (run_of_thread.ended == 0) first_end = t;
            run_of_thread.end(i, work.op.identity());
          });
      const segmented<value> total = join_threads(run_of_thread);
      // The barrier in the scan came after the last read of the staged atoms: their place now holds tiles.
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i)
        if (run_of_thread.ended >> i & 1) values[first_end++] = run_of_thread.sums[i];
      block.sync();
      const int tiles = static_cast<int>(chunk.last_tile - chunk.first_tile);
      const bool holds_back = chunk.head_open && tiles > 0;
      if (block.rank() == 0) {
        mine = {{}, total.open, chunk.first_tile, tiles > 0, holds_back};
        if (holds_back) mine.head = values[0];
      }
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int t = block.rank() + i * block.size();
        if (t < tiles && !(t == 0 && holds_back))
          work.store(static_cast<tile>(chunk.first_tile + t), values[t]);
      }
    }

    template <int Items, class Run> EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) {
      const auto values = block.storage(slots.values);
      const auto tiles = block.storage(slots.tiles);
      run.for_each([&](int, int k, tile t) {
        values[k] = work.of_atom(t, run.first_atom + k);
        tiles[k] = t;
      });
      block.sync();
      const int atoms = static_cast<int>(run.last_atom - run.first_atom);
      const int begin = block.rank() * Items;
      thread_run<Items> run_of_thread{work.op.identity()};
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = begin + i;
        if (k >= atoms) break;
        const tile t = tiles[k];
        run_of_thread.add(work.op, values[k]);
        if (k + 1 < atoms ? tiles[k + 1] != t : run.tiles().end(t) == run.last_atom)
          run_of_thread.end(i, work.op.identity());
      }
      const segmented<value> total = join_threads(run_of_thread);
      const tile first_tile = tiles[0];
      const bool holds_back = total.ends && run.first_atom > run.tiles().begin(first_tile);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (!(run_of_thread.ended >> i & 1)) continue;
        const tile t = tiles[begin + i];
        if (holds_back && t == first_tile)
          values[0] = run_of_thread.sums[i];
        else
          work.store(t, run_of_thread.sums[i]);
      }
      block.sync();
      if (block.rank() == 0) {
        mine = {{}, total.open, first_tile, total.ends, holds_back};
        if (holds_back) mine.head = values[0];
      }
    }

    EVENLY_FN void operator()(sharing::empty_tile, tile t) { work.store(t, work.op.identity()); }

    EVENLY_FN void finish() const {
      if constexpr (any_run<Sharings>) work.shared.finish(block, mine, work.op, work.store);
    }

   private:
    /// What a thread has of its run: the sums of the tiles that end in it, and of what comes after the last
    /// end.
    template <int Items> struct thread_run {
      static_assert(Items <= 32);
      value open;
      value sums[Items];
      unsigned ended = 0; ///< bit i: a tile ended at step i, with sums[i]

      EVENLY_FN void add(const Op& op, const value& x) { open = op(open, x); }
      EVENLY_FN void end(int i, const value& identity) {
        sums[i] = open;
        ended |= 1u << i;
        open = identity;
      }
    };

    /// Evaluates atoms [first, first + count) into values[0, count), coalesced, all loads before the first
    /// use.
    template <int Items, class Values>
    EVENLY_FN void stage_atoms(const Values& values, atom first, int count) const {
      value x[Items];
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k < count) x[i] = work.map(static_cast<atom>(first + k));
      }
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k < count) values[k] = x[i];
      }
    }

    /// Adds to the first tile that ends in each thread's run what earlier threads have of it; returns what
    /// the whole block ends and leaves open. All threads call; synchronises the block once.
    template <int Items> EVENLY_FN segmented<value> join_threads(thread_run<Items>& run) const {
      const auto scan = block_scan(block, segmented<value>{run.ended != 0, run.open},
                                   segmented_monoid<Op>{work.op}, block.storage(slots.warps));
      bool first = true;
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (first && (run.ended >> i & 1)) {
          run.sums[i] = work.op(scan.before.open, run.sums[i]);
          first = false;
        }
      }
      return scan.total;
    }
  };
};

/// Calls store(tile, value) exactly once for EVERY tile, with the tile's atoms combined by `op` (the identity
/// for an empty tile), where an atom's value is map(atom) or map(tile, atom).
///
/// map, store: trivially copyable function objects that run on `exec`, with concrete parameter types; map is
/// called once per atom and must not depend on what store does. Asynchronous on cuda. The result has the same
/// bits on every run of the same plan. Cost: see the schedule's header.
template <class Executor, class Plan, class Map, monoid Op, class Store>
requires is_plan<Plan>
void reduce_tiles(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  using tiles = typename Plan::tiles_type;
  using consumer = reduce_tiles_consumer<tiles, Map, Op, Store>;
  using shared = carries<typename Op::value_type, tile_type<tiles>>;
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  run_skeleton(exec, plan, [&](const auto& each) {
    using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
    consumer made{plan.tiles(), map, op, store, {}};
    if constexpr (any_run<typename mapping::sharings>) {
      const int blocks = each.shape.blocks;
      made.shared =
          shared::in(plan.workspace(exec, shared::bytes(blocks), shared::ticket_bytes(blocks)), blocks);
    }
    return made;
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
