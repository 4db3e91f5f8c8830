// SPDX-License-Identifier: Apache-2.0
// scan_tiles: the prefixes of each tile's atoms. Segmented scan, for tiles of any size, in one pass.
//
// Each way of sharing a tile is handled once:
//   team<G>         in batches of an atom for each thread (batches.hpp); the whole block takes several atoms a thread
//   batch_run<G>    likewise
//   piece           as the whole block has a tile; but see below
//   blocked_run,    atoms are evaluated in coalesced order and staged in storage (staging.hpp); each thread scans
//   striped_run     consecutive ones, a segmented scan joins threads, and prefixes are stored in coalesced order
//   sequential_run  each thread combines its atoms, a segmented scan joins threads, and each thread goes through its
//                   atoms again
//   serial_run      tile by tile
// Where blocks share tiles, only a block's first atoms need anything from other blocks: those of the tile that began in an
// earlier one. They wait. Everything behind them is stored at once, and what the block has of the tile that it leaves open
// is then all that later blocks need of it. Blocks hand that on by the look-back of primitives/look_back.hpp: each gives
// its part as soon as it has read its atoms, and gets what came before. So atoms are read once; those that wait twice, if
// they are no longer in storage. Blocks are numbered in the order in which they start (chained_kernel.hpp), so that
// whoever is waited for is running.
//
// Values are combined in atom order, in a shape fixed by the plan: the same bits on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/batches.hpp"
#include "evenly/algorithms/detail/chained_kernel.hpp"
#include "evenly/algorithms/detail/staged_scan.hpp"
#include "evenly/algorithms/detail/staging.hpp"
#include "evenly/algorithms/detail/streaming.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/schedules/detail/tile_of_atoms.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Whether a prefix has the atom itself.
enum class scan_kind { inclusive, exclusive };

template <scan_kind Kind, tile_set Tiles, class Map, monoid Op, class Store>
struct scan_tiles_consumer : atom_values<Tiles, Map, typename Op::value_type> {
  using values_type = atom_values<Tiles, Map, typename Op::value_type>;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  static constexpr bool inclusive = Kind == scan_kind::inclusive;
  static constexpr bool parts_checked = is_kernel_part<Map> && is_kernel_part<Op> && is_kernel_part<Store>;

  Op op;
  Store store;
  look_back<segmented<value>> shared{};
  int chained = 0; ///< blocks, the first ones, that hand on what they have; 0 if there is one only

  template <class Form> static constexpr bool takes = true;

  template <class... Sharings>
  EVENLY_FN static constexpr auto lay_out(sharing::list<Sharings...>, storage_layout& layout,
                                          block_shape shape) {
    return scan_slots<value, tile>::template lay_out<Sharings...>(layout, shape, values_type::by_atom);
  }

  /// Stores the prefix of an atom before which its tile has `before`; returns the prefix with it.
  EVENLY_INLINE_FN value step(tile t, atom a, const value& before) const {
    const value with = op(before, this->of_atom(t, a));
    store(a, inclusive ? with : before);
    return with;
  }

  /// Scans consecutive atoms, by one thread; returns what they and `before` combine to. On the CPU four at a time, so
  /// that the chain of dependent operations is a fourth as long.
  template <class Block> EVENLY_INLINE_FN value walk(tile t, atom begin, atom end, value before) const {
    if constexpr (Block::is_serial) {
      for (; end - begin >= 4; begin += 4) {
        keep_loop();
        const value one = this->of_atom(t, begin), two = this->of_atom(t, begin + 1);
        const value three = this->of_atom(t, begin + 2), four = this->of_atom(t, begin + 3);
        const value both = op(one, two);
        const value all = op(before, op(both, op(three, four)));
        store(begin, inclusive ? op(before, one) : before);
        store(begin + 1, op(before, inclusive ? both : one));
        store(begin + 2, op(before, inclusive ? op(both, three) : both));
        store(begin + 3, inclusive ? all : op(before, op(both, three)));
        before = all;
      }
    }
    for (; begin < end; ++begin) before = step(t, begin, before);
    return before;
  }

  template <class Block, class Slots, class Sharings> struct worker {
    static constexpr bool wants_empty_tiles = false;
    static constexpr int range_items = scan_slots<value, tile>::range_items;

    worker_copy<scan_tiles_consumer, Block> work;
    Block& block;
    const Slots& slots;

    value open =
        work.op.identity(); // of the tile that the parts so far leave open, from the block's first atom on
    bool ended = false;     // a tile has ended, or began with the block's first atom
    bool started = false;   // there was an atom
    bool waiting = false;   // the next atoms may belong to the tile that began in an earlier block
    bool kept = false;      // the prefixes of those that wait are in storage, from the first element on
    tile wait_tile{};       // of which the atoms [wait_begin, wait_end) have not been stored
    atom wait_begin{};
    atom wait_end{};

    template <int G> EVENLY_FN void operator()(sharing::team<G>, const team_part<tile, atom>& part) const {
      const team<G, Block> me(block);
      if constexpr (team<G, Block>::is_single) {
        if (part.has_tile) work.template walk<Block>(part.tile, part.begin, part.end, work.op.identity());
      } else if constexpr (G == whole_block) {
        if (part.end - part.begin <= block.size())
          stages().template range<1>(part.tile, part.begin, part.end, work.op.identity());
        else
          stages().template range<range_items>(part.tile, part.begin, part.end, work.op.identity());
      } else {
        batches(me, batches_of(block, me, part, block.storage(slots.batches)));
      }
    }

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G>, const Run& run) const {
      batches(team<G, Block>(block), run);
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) {
      start(part.tile, part.begin);
      kept = false;
      if (!waiting) {
        if constexpr (Block::is_serial)
          open = work.template walk<Block>(part.tile, part.begin, part.end, open);
        else
          open = stages().template range<range_items>(part.tile, part.begin, part.end, open);
      } else if constexpr (Block::is_serial) {
        wait(part.tile, part.begin, part.end);
      } else {
        for (atom a = part.begin; a < part.end;) {
          const int atoms = stages().template stage<range_items>(part.tile, a, part.end);
          const auto total = stages().template scan<range_items>(open, [](int) { return false; });
          chain(total, a, static_cast<atom>(a + atoms));
          a = static_cast<atom>(a + atoms);
        }
      }
      if (part.last) end_tile();
    }

    template <int Items>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const run_chunk<Tiles>& chunk) {
      if constexpr (Block::is_serial)
        scan_serially(chunk);
      else
        scan_chunk<Items>(chunk);
    }

    template <int Items, class Run> EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) {
      constexpr int together = scan_slots<value, tile>::staged_items(Items);
      for_each_stage<Items, together>(block, run, [&](int first, int atoms) {
        staged().template run<together>(run, first, atoms, work.op.identity());
        const auto tiles = block.storage(slots.tiles);
        const auto first_atom = static_cast<atom>(run.first_atom + first);
        start(tiles[0], first_atom);
        const bool last_ends = run.tiles().end(tiles[atoms - 1]) == first_atom + atoms;
        const ends_by_tile<tile, std::remove_const_t<decltype(tiles)>> ends{tiles, atoms, last_ends};
        const auto last_atom = static_cast<atom>(first_atom + atoms);
        const auto total = stages().template scan<together>(open, ends);
        stages().template store<together>(first_atom, chain(total, first_atom, last_atom), last_atom);
      });
    }

    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) {
      // Once to combine, once to store: a thread's atoms are its own.
      segmented<value> mine{0, work.op.identity()};
      tile current{};
      atom next = run.first_atom; // behind the last atom that was visited
      run.for_each([&](tile t, atom a) {
        if (next != run.first_atom && t != current) mine = {1, work.op.identity()};
        if constexpr (Cut)
          if (a == run.first_atom) block.storage(slots.tiles)[0] = t;
        current = t;
        next = static_cast<atom>(a + 1);
        mine.open = work.op(mine.open, work.of_atom(t, a));
      });
      if (next != run.first_atom && run.tiles().end(current) == next) mine = {1, work.op.identity()};
      const auto scan = block_segmented_scan(block, mine, work.op, block.storage(slots.warps));
      value before = scan.before.open;
      atom from = run.first_atom;
      if constexpr (Cut) {
        start(block.storage(slots.tiles)[0], run.first_atom);
        if (!scan.before.ends) before = work.op(open, before);
        from = chain(scan.total, run.first_atom, run.last_atom);
        kept = false;
      }
      bool any = false;
      run.for_each([&](tile t, atom a) {
        if (any && t != current) before = work.op.identity();
        any = true;
        current = t;
        if (a >= from) before = work.step(t, a, before);
      });
    }

    EVENLY_FN void finish() const {
      if constexpr (sharing::any_cuts<Sharings>) {
        if (block.index() >= work.chained) return;
        const value before = look_back_open();
        if constexpr (Block::is_serial) {
          work.template walk<Block>(wait_tile, wait_begin, wait_end, before);
        } else if (!kept) {
          stages().template range<range_items>(wait_tile, wait_begin, wait_end, before);
        } else {
          const auto values = block.storage(slots.values);
          for_strided(0, static_cast<int>(wait_end - wait_begin), block.rank(), block.size(), [&](int k) {
            work.store(static_cast<atom>(wait_begin + k), work.op(before, static_cast<value>(values[k])));
          });
        }
      }
    }

   private:
    EVENLY_FN staging<values_type, Block> staged() const { return {work, block, slots}; }
    EVENLY_FN staged_scan<scan_tiles_consumer, Slots, Block> stages() const { return {work, block, slots}; }

    EVENLY_FN void scan_serially(const run_chunk<Tiles>& chunk) {
      atom begin = chunk.first_atom;
      tile t = chunk.first_tile;
      if (begin < chunk.last_atom) start(t, begin);
      if (waiting) {
        const bool ends = t < chunk.last_tile;
        const atom stop = ends ? work.tiles.end(t) : chunk.last_atom;
        wait(t, begin, stop);
        if (!ends) return;
        end_tile();
        begin = stop;
        ++t;
      }
      for (; t < chunk.last_tile; ++t) {
        const atom end = work.tiles.end(t);
        work.template walk<Block>(t, begin, end, open);
        end_tile();
        begin = end;
      }
      open = work.template walk<Block>(t, begin, chunk.last_atom, open);
    }

    template <int Items> EVENLY_FN void scan_chunk(const run_chunk<Tiles>& chunk) {
      kept = false;
      int last_atom[Items];
      staged().template chunk<Items>(chunk, work.op.identity(), last_atom);
      const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
      if (chunk.first_tile < chunk.last_tile && work.tiles.end(chunk.first_tile) == chunk.first_atom)
        end_tile(); // it has no atom here
      if (atoms == 0) return;
      start(chunk.first_tile, chunk.first_atom);
      const auto ends = block.storage(slots.ends);
      const auto total = stages().template scan<Items>(
          open, [&](int k) { return static_cast<unsigned char>(ends[k]) != 0; });
      stages().template store<Items>(chunk.first_atom, chain(total, chunk.first_atom, chunk.last_atom),
                                     chunk.last_atom);
    }

    /// Called with the block's atoms, at least the first and its tile (or, if there are none of it left, an earlier one).
    EVENLY_FN void start(tile t, atom first) {
      if (started) return;
      started = true;
      waiting = work.tiles.begin(t) < first && first < work.tiles.end(t);
      ended = !waiting;
      wait_tile = t;
      wait_begin = wait_end = first;
    }
    /// A tile ends with the latest atom.
    EVENLY_FN void end_tile() {
      open = work.op.identity();
      ended = true;
      waiting = false;
    }
    /// Atoms that follow those that wait, or are the first, by a serial block.
    EVENLY_FN void wait(tile t, atom begin, atom end) {
      open = work.op(open, work.template fold<Block>(work.op, t, begin, end));
      wait_end = end;
    }
    /// Consecutive atoms, whose prefixes are in storage, combine to `total`. Returns the first of them that need not wait.
    EVENLY_FN atom chain(const segmented<value>& total, atom first, atom last) {
      kept = first == wait_begin;
      atom from = first;
      if (waiting) from = wait_end = smaller(work.tiles.end(wait_tile), last);
      open = total.ends ? total.open : work.op(open, total.open);
      if (total.ends) {
        ended = true;
        waiting = false;
      }
      return from;
    }

    /// Hands on what this block leaves open, and returns what its first atoms wait for. Synchronises the block.
    EVENLY_FN value look_back_open() const {
      const segmented_monoid<Op> both{work.op};
      const segmented<value> mine{ended, open};
      const auto number = static_cast<std::uint32_t>(block.index());
      if constexpr (Block::is_serial) {
        const std::uint32_t stamp = work.shared.stamp();
        segmented<value> before = both.identity();
        if (wait_begin < wait_end)
          before = work.shared.prefix(block, stamp, number, mine, both);
        else
          work.shared.publish(stamp, number, mine);
        if (work.shared.leave(work.chained)) work.shared.finish(stamp);
        return before.open;
      } else {
        const auto handed = block.storage(slots.handed);
        if (warp_of(block) == 0) { // nobody else reads the stamp: it changes when all have left
          const std::uint32_t stamp = work.shared.stamp();
          const value before = work.shared.prefix(block, stamp, number, mine, both).open;
          if (block.rank() == 0) {
            handed[0] = before;
            if (work.shared.leave(work.chained)) work.shared.finish(stamp);
          }
        }
        block.sync();
        return handed[0];
      }
    }

    template <int G, class Run> EVENLY_FN void batches(const team<G, Block>& me, const Run& run) const {
      for_each_prefix<!inclusive>(
          block, me, run, [&](tile t, atom a) { return work.of_atom(t, a); }, work.op,
          block.storage(slots.values), block.storage(slots.warps),
          [&](bool has, tile, atom a, bool, const tile_prefix<value>& prefix) {
            if (has) work.store(a, inclusive ? prefix.with : prefix.before);
          });
    }
  };
};

namespace detail {

template <scan_kind Kind, class Executor, class Plan, class Map, class Op, class Store>
void scan_tiles(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  static_assert(combinable_atoms<typename Plan::tiles_type, Map, Op>::holds);
  using consumer = scan_tiles_consumer<Kind, typename Plan::tiles_type, Map, Op, Store>;
  using shared = look_back<segmented<typename Op::value_type>>;
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  [[maybe_unused]] const auto run = plan.start(exec);
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  if constexpr (can_stream<Executor, mapping, consumer>) {
    constexpr auto kind = Kind == scan_kind::inclusive ? stream_kind::inclusive : stream_kind::exclusive;
    if (stream<kind>(exec, each, plan.tiles(), map, op, store, plan.look_back_memory())) return;
  }
  consumer bound{{plan.tiles(), map}, op, store};
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    const int blocks = cutting_blocks(each);
    workspace::call call(plan.look_back_memory());
    if (blocks > 1) {
      bound.shared = shared::in(exec, call, blocks);
      bound.chained = blocks;
    }
    if (each.shape.blocks > 0)
      launch(exec, each.shape, chained_kernel<mapping, consumer>{{each.mapping, bound}});
    if (blocks > 1) call.done();
  } else {
    launch_skeleton(exec, each, bound);
  }
}

} // namespace detail

/// Calls store(atom, prefix) exactly once for EVERY atom, with what the atoms of its tile up to it combine to by `op`,
/// where an atom's value is map(atom) or map(tile, atom).
///
/// map, store: as for reduce_tiles, but that map(atom) may read what store(atom) writes, of the same atom: values may be
/// replaced by their prefixes in place. map may be called more than once for an atom, always before its store.
/// Asynchronous on cuda, but for the first run of a kind under a plan, which may allocate. The result has the same bits
/// on every run of the same plan. Cost: see the schedule's header; one pass over the atoms.
template <class Executor, class Plan, class Map, monoid Op, class Store>
requires is_plan<Plan>
void scan_tiles(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  detail::scan_tiles<scan_kind::inclusive>(exec, plan, map, op, store);
}

/// The same without the atom itself: the identity for a tile's first.
template <class Executor, class Plan, class Map, monoid Op, class Store>
requires is_plan<Plan>
void scan_tiles_exclusive(const Executor& exec, Plan& plan, const Map& map, const Op& op,
                          const Store& store) {
  detail::scan_tiles<scan_kind::exclusive>(exec, plan, map, op, store);
}

/// Plan and run in one call. Synchronise while they plan.
template <class Executor, class Schedule, tile_set Tiles, class Map, monoid Op, class Store>
requires(!is_plan<Schedule>)
void scan_tiles(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const Map& map,
                const Op& op, const Store& store) {
  auto plan = make_plan(exec, schedule, tiles);
  scan_tiles(exec, plan, map, op, store);
}
template <class Executor, class Schedule, tile_set Tiles, class Map, monoid Op, class Store>
requires(!is_plan<Schedule>)
void scan_tiles_exclusive(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const Map& map,
                          const Op& op, const Store& store) {
  auto plan = make_plan(exec, schedule, tiles);
  scan_tiles_exclusive(exec, plan, map, op, store);
}

/// Without a monoid: says what to write.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
void scan_tiles(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}

/// Without a monoid: says what to write.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
void scan_tiles_exclusive(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}

} // namespace evenly
