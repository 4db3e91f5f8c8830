// SPDX-License-Identifier: Apache-2.0
// scan_tiles: the prefixes of each tile's atoms. This is a segmented scan for tiles of any size, in one pass.
//
// Values are combined in atom order, with an association fixed by the plan: every run returns the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/persistent_chunks.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// A skeleton's launch whose blocks wait for each other. No executor promises to start blocks in the order of their
// numbers. A block therefore takes its number when it starts, so the blocks that it waits for are running.

namespace evenly {

/// The first `chained` blocks take their numbers from `shared` (primitives/look_back.hpp); both are members of the
/// consumer.
template <class Mapping, class Consumer> struct chained_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  static constexpr bool is_copyable = skeleton_kernel<Mapping, Consumer>::is_copyable;

  skeleton_kernel<Mapping, Consumer> kernel;

  /// The place of the number, after the kernel's own slots.
  EVENLY_FN constexpr slot<int> lay_out(storage_layout& layout, block_shape shape) const {
    kernel.lay_out(layout, shape);
    layout.skip_to_max();
    return layout.take<int>(1);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto drawn = block.storage(lay_out(layout, block.shape()));
    int number = block.index();
    if (number < kernel.consumer.chained) {
      if (block.rank() == 0) drawn[0] = static_cast<int>(kernel.consumer.shared.draw());
      block.sync();
      number = drawn[0];
    }
    renumbered_block<Block> here(block, number);
    kernel(here);
  }
};

/// The same for tile sets sized on the device (skeleton.hpp): blocks take numbers until none are left.
template <class Mapping, class Consumer> struct sized_chained_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  static constexpr bool is_copyable = skeleton_kernel<Mapping, Consumer>::is_copyable;

  chained_kernel<Mapping, Consumer> chained;
  capacity max_size;

  EVENLY_FN constexpr slot<int> lay_out(storage_layout& layout, block_shape shape) const {
    return chained.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto drawn = block.storage(lay_out(layout, block.shape()));
    const auto here = chained.kernel.mapping.sized(max_size, block.shape());
    const auto each = chained.kernel.for_sizes(here.mapping, cutting_blocks(here.mapping, here.blocks));
    const auto& shared = chained.kernel.consumer.shared;
    const std::uint32_t stamp = shared.stamp();
    for (;;) {
      if (block.rank() == 0) drawn[0] = static_cast<int>(smaller<std::int64_t>(shared.draw(), here.blocks));
      block.sync();
      const int number = drawn[0];
      if (number == here.blocks) break;
      successive_block<Block> as(block, number);
      each(as);
      block.sync();
    }
    if (block.rank() == 0 && shared.retire(block.count())) shared.finish(stamp);
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// Scans of staged values (atom_values.hpp): each thread scans consecutive values, a segmented scan combines threads,
// and prefixes are stored in coalesced order.

/// The slots of scan_tiles, depending on how a mapping shares tiles.
template <class T, class Tile> struct scan_slots : staging_slots<T, Tile> {
  using staged = staging_slots<T, Tile>;

  slot<segmented<T>> warps;
  slot<std::int64_t> batches; ///< for wide teams
  slot<T> carry_in;           ///< the sum before the block

  /// Atoms of one tile that the block processes at a time, per thread. The number is odd, so that threads reading
  /// consecutive elements have no bank conflicts. A piece of the usual 16 is one stage for values of 4 or 8 bytes.
  static constexpr int range_items = [] {
    constexpr int max_bytes_of_thread = 136;
    const int max = smaller(17, max_bytes_of_thread / static_cast<int>(sizeof(T)));
    return larger(max - (max % 2 == 0), 1);
  }();
  EVENLY_FN static constexpr staging_counts range(block_shape shape) {
    return {shape.size * range_items, 0, 0};
  }

  template <class Sharing>
  EVENLY_FN static constexpr staging_counts needs(Sharing sharing, block_shape shape) {
    if constexpr (requires { staged::needs(sharing, shape); })
      return staged::needs(sharing, shape) | range(shape);
    else
      return sharing::cuts<Sharing> ? range(shape) : staging_counts{};
  }
  EVENLY_FN static constexpr staging_counts needs(sharing::run<true>, block_shape shape) {
    return range(shape) | staging_counts{0, 0, 1};
  }
  template <int G> EVENLY_FN static constexpr staging_counts needs(sharing::team<G>, block_shape shape) {
    return G == whole_block ? range(shape) : staging_counts{G == 1 ? 0 : wide_team_slots(G, shape), 0, 0};
  }
  template <int G> EVENLY_FN static constexpr staging_counts needs(sharing::batch<G>, block_shape shape) {
    return {wide_team_slots(G, shape), 0, 0};
  }

  /// `by_atom`: the function needs no tile.
  template <class... Sharings>
  EVENLY_FN static constexpr scan_slots lay_out(storage_layout& layout, block_shape shape, bool by_atom) {
    const int chunk_items = by_atom ? 0 : (sharing::blocked_items<Sharings> + ...);
    const auto values = staged::lay_out(layout, shape, (needs(Sharings{}, shape) | ...), chunk_items);
    const int scans = block_scan_slots(shape);
    return {values, layout.take<segmented<T>>(scans), layout.take<std::int64_t>(scans), layout.take<T>(1)};
  }
};

/// The operations of a block on values in storage. `Work`: scan_tiles_consumer. All threads call together.
template <class Work, class Slots, class Block> struct staged_scan {
  using tile = typename Work::tile;
  using atom = typename Work::atom;
  using value = typename Work::value;

  const Work& work;
  Block& block;
  const Slots& slots;

  /// Scans and stores consecutive atoms of one tile that follow `before`. Returns their combination, valid in all
  /// threads. All threads call; synchronises the block, also at its end.
  template <int Items> EVENLY_FN value range(tile t, atom begin, atom end, value before) const {
    while (begin < end) {
      const int atoms = stage<Items>(t, begin, end);
      const auto total = scan<Items>(before, [](int) { return false; });
      before = work.op(before, total.open);
      const auto next = static_cast<atom>(begin + atoms);
      store<Items>(begin, begin, next);
      begin = next;
    }
    block.sync();
    return before;
  }

  /// Writes the first of consecutive atoms of one tile to storage. Returns how many.
  template <int Items> EVENLY_FN int stage(tile t, atom begin, atom end) const {
    const auto values = block.storage(slots.values);
    const int atoms = static_cast<int>(smaller<std::int64_t>(end - begin, Items * block.size()));
    value x[Items];
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = work.of_atom(t, static_cast<atom>(begin + smaller(block.rank() + i * block.size(), atoms - 1)));
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = block.rank() + i * block.size();
      values[k] = k < atoms ? x[i] : work.op.identity();
    }
    block.sync();
    return atoms;
  }

  /// Replaces the values in storage, size * Items with identities after the atoms, by their prefixes. ends(k): whether
  /// a tile ends with atom k. `before`: the sum before the first atom. Returns the combination without it. All threads
  /// call; synchronises the block twice, the last time at its end.
  template <int Items, class Ends>
  EVENLY_FN segmented<value> scan(const value& before, const Ends& ends) const {
    static_assert(Items <= 32);
    const auto values = block.storage(slots.values);
    const int begin = block.rank() * Items;
    unsigned ended_with = 0; // bit i: a tile ends with the thread's atom i
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) ended_with |= static_cast<unsigned>(ends(begin + i)) << i;
    value prefix[Items];
    value so_far = work.op.identity();
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const value with = work.op(so_far, static_cast<value>(values[begin + i]));
      prefix[i] = Work::inclusive ? with : so_far;
      so_far = ended_with >> i & 1 ? work.op.identity() : with;
    }
    const auto scan = block_segmented_scan(block, segmented<value>{ended_with != 0, so_far}, work.op,
                                           block.storage(slots.warps));
    const value first = scan.before.ends ? scan.before.open : work.op(before, scan.before.open);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const bool follows = (ended_with & ((1u << i) - 1)) == 0; // no end between
      values[begin + i] = follows ? work.op(first, prefix[i]) : prefix[i];
    }
    block.sync();
    return scan.total;
  }

  /// Stores the prefixes of the atoms [from, last). Storage holds them from atom `first` on.
  template <int Items> EVENLY_FN void store(atom first, atom from, atom last) const {
    const auto values = block.storage(slots.values);
    const int skipped = static_cast<int>(from - first), atoms = static_cast<int>(last - first);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = block.rank() + i * block.size();
      if (k >= skipped && k < atoms) work.store(static_cast<atom>(first + k), static_cast<value>(values[k]));
    }
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// The consumer of scan_tiles. Each form of sharing is handled once:
//   team<G>         in batches of one atom per thread (atom_values.hpp); the whole block takes several atoms per thread
//   run<Cut>        each thread combines its atoms, a segmented scan combines threads, and each thread processes its
//                   atoms again
//   batch<G>        as a team
//   piece           as a tile of the whole block; but see below
//   blocked_run,    atoms are evaluated in coalesced order and staged in storage (atom_values.hpp); each thread scans
//   striped_run     consecutive ones, a segmented scan combines threads, and prefixes are stored in coalesced order. A
//                   serial block goes tile by tile
//
// If blocks share tiles, only a block's first atoms need sums of other blocks: those of the tile that began earlier.
// These atoms wait. All later atoms are stored at once, and later blocks need only the block's sum of the tile open at
// its end. Blocks pass it on by the look-back of primitives/look_back.hpp: each publishes its part as soon as it has
// read its atoms, and gets the sum before it. So atoms are read once. Only atoms that wait are read again, if they are
// no longer in storage. Blocks are numbered in the order in which they start, so a block waits only for running
// blocks.

/// Whether a prefix includes the atom itself.
enum class scan_kind { inclusive, exclusive };

template <scan_kind Kind, tile_set Tiles, class Map, monoid Op, class Store>
struct scan_tiles_consumer : atom_values<Tiles, Map, typename Op::value_type> {
  using values_type = atom_values<Tiles, Map, typename Op::value_type>;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  static constexpr bool inclusive = Kind == scan_kind::inclusive;
  static constexpr bool is_copyable = is_device_copyable<Map, Op, Store>;

  Op op;
  Store store;
  look_back<segmented<value>> shared{};
  int chained = 0; ///< the first blocks, which pass on their sums; 0 if there is only one block

  template <class Form> static constexpr bool takes = true;
  EVENLY_FN scan_tiles_consumer for_blocks(int cutting) const {
    scan_tiles_consumer same = *this;
    same.chained = smaller(chained, cutting);
    return same;
  }

  template <class... Sharings>
  EVENLY_FN static constexpr auto lay_out(sharing::list<Sharings...>, storage_layout& layout,
                                          block_shape shape) {
    return scan_slots<value, tile>::template lay_out<Sharings...>(layout, shape, values_type::by_atom);
  }

  /// Stores the prefix of an atom, with `before` the sum of its tile before it. Returns the prefix including it.
  EVENLY_INLINE_FN value step(tile t, atom a, const value& before) const {
    const value with = op(before, this->of_atom(t, a));
    store(a, inclusive ? with : before);
    return with;
  }

  /// Scans consecutive atoms, by one thread. Returns the combination of `before` and the atoms. On the CPU it takes
  /// four at a time, so that the chain of dependent operations is a fourth as long.
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

    open_tile<value, chain_back_end<value, tile, atom>> mine{{}, work.op.identity()};

    template <int G>
    EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) const {
      const auto me = team_of(block, form);
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

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G> form, const Run& run) const {
      batches(team_of(block, form), run);
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) {
      start(part.tile, part.begin);
      mine.back.kept = false;
      if (!mine.back.waiting) {
        if constexpr (Block::is_serial)
          mine.open = work.template walk<Block>(part.tile, part.begin, part.end, mine.open);
        else
          mine.open = stages().template range<range_items>(part.tile, part.begin, part.end, mine.open);
      } else if constexpr (Block::is_serial) {
        wait(part.tile, part.begin, part.end);
      } else {
        for (atom a = part.begin; a < part.end;) {
          const int atoms = stages().template stage<range_items>(part.tile, a, part.end);
          const auto total = stages().template scan<range_items>(mine.open, [](int) { return false; });
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
        const auto total = stages().template scan<together>(mine.open, ends);
        stages().template store<together>(first_atom, chain(total, first_atom, last_atom), last_atom);
      });
    }

    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) {
      // Once to combine, once to store: a thread's atoms are its own.
      segmented<value> own{0, work.op.identity()};
      tile current{};
      atom next = run.first_atom; // after the last visited atom
      run.for_each([&](tile t, atom a) {
        if (next != run.first_atom && t != current) own = {1, work.op.identity()};
        if constexpr (Cut)
          if (a == run.first_atom) block.storage(slots.tiles)[0] = t;
        current = t;
        next = static_cast<atom>(a + 1);
        own.open = work.op(own.open, work.of_atom(t, a));
      });
      if (next != run.first_atom && run.tiles().end(current) == next) own = {1, work.op.identity()};
      const auto scan = block_segmented_scan(block, own, work.op, block.storage(slots.warps));
      value before = scan.before.open;
      atom from = run.first_atom;
      if constexpr (Cut) {
        start(block.storage(slots.tiles)[0], run.first_atom);
        if (!scan.before.ends) before = work.op(mine.open, before);
        from = chain(scan.total, run.first_atom, run.last_atom);
        mine.back.kept = false;
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
        const value before = mine.back.finish(block, work.shared, work.chained, mine.open, work.op,
                                              block.storage(slots.carry_in));
        if constexpr (Block::is_serial) {
          work.template walk<Block>(mine.back.tile, mine.back.first, mine.back.last, before);
        } else if (!mine.back.kept) {
          stages().template range<range_items>(mine.back.tile, mine.back.first, mine.back.last, before);
        } else {
          const auto values = block.storage(slots.values);
          for_strided(0, static_cast<int>(mine.back.last - mine.back.first), block.rank(), block.size(),
                      [&](int k) {
                        work.store(static_cast<atom>(mine.back.first + k),
                                   work.op(before, static_cast<value>(values[k])));
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
      if (mine.back.waiting) {
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
        work.template walk<Block>(t, begin, end, mine.open);
        end_tile();
        begin = end;
      }
      mine.open = work.template walk<Block>(t, begin, chunk.last_atom, mine.open);
    }

    template <int Items> EVENLY_FN void scan_chunk(const run_chunk<Tiles>& chunk) {
      mine.back.kept = false;
      int last_atom[Items];
      staged().template chunk<Items>(chunk, work.op.identity(), last_atom);
      const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
      if (chunk.first_tile < chunk.last_tile && work.tiles.end(chunk.first_tile) == chunk.first_atom)
        end_tile(); // it has no atom here
      if (atoms == 0) return;
      start(chunk.first_tile, chunk.first_atom);
      const unsigned ended = staged().template ended<Items>();
      const auto total = stages().template scan<Items>(
          mine.open, [&](int k) { return (ended >> (k - block.rank() * Items) & 1) != 0; });
      stages().template store<Items>(chunk.first_atom, chain(total, chunk.first_atom, chunk.last_atom),
                                     chunk.last_atom);
    }

    /// Called with the block's atoms, at least the first one and its tile (or an earlier tile, if none of it is left).
    EVENLY_FN void start(tile t, atom first) {
      if (!mine.back.started) mine.begin(t, work.tiles.begin(t) < first && first < work.tiles.end(t), first);
    }
    /// A tile ends with the latest atom.
    EVENLY_FN void end_tile() { end_tile(work.op.identity()); }
    EVENLY_FN void end_tile(const value& behind) {
      mine.end(block, work.op, behind, behind, work.store); // complete tiles have been stored
    }

    /// Handles atoms that follow waiting ones, or are the first, on a serial block.
    EVENLY_FN void wait(tile t, atom begin, atom end) {
      mine.append(work.op, work.template fold<Block>(work.op, t, begin, end));
      mine.back.last = end;
    }
    /// Consecutive atoms, whose prefixes are in storage, combine to `total`. Returns the first of them that need not
    /// wait.
    EVENLY_FN atom chain(const segmented<value>& total, atom first, atom last) {
      mine.back.kept = first == mine.back.first;
      atom from = first;
      if (mine.back.waiting) from = mine.back.last = smaller(work.tiles.end(mine.back.tile), last);
      if (total.ends)
        end_tile(total.open);
      else
        mine.append(work.op, total.open);
      return from;
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

// ---------------------------------------------------------------------------------------------------------------------
// scan_tiles: see the head of this file.

namespace detail {

template <scan_kind Kind, class Executor, class Plan, class Map, class Op, class Store>
void scan_planned(const Executor& exec, Plan& plan, const Map& map, const Op& given, const Store& store) {
  using tiles = typename Plan::tiles_type;
  using combined = combinable_atoms<tiles, Map, Op>;
  using value = typename combined::op::value_type;
  static_assert(combined::holds);
  static_assert(stores<Store, atom_type<tiles>, value>::holds);
  using consumer = scan_tiles_consumer<Kind, tiles, Map, typename combined::op, Store>;
  using shared = look_back<segmented<value>>;
  const auto& op = monoid_for<value>(given);
  note_parts(exec, plan.tiles(), map, op, store);
  auto lease = plan.start(exec);
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  if constexpr (can_draw_chunks<Executor, mapping, consumer>) {
    constexpr auto kind = Kind == scan_kind::inclusive ? chunk_results::inclusive : chunk_results::exclusive;
    if (draw_chunks<kind>(exec, each, map, op, store, lease)) return;
  }
  consumer bound{{plan.tiles(), map}, op, store};
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    if (const int blocks = cutting_blocks(each); blocks > 1 || sized_on_device<tiles>) {
      bound.shared = shared::in(exec, lease, blocks, max_cutting_blocks(each));
      bound.chained = blocks;
    }
    const chained_kernel<mapping, consumer> kernel{{each.mapping, bound}};
    if (each.shape.blocks == 0) return;
    if constexpr (sized_on_device<tiles>)
      launch_sized(exec, each, sized_chained_kernel<mapping, consumer>{kernel, each.max_size});
    else
      launch(exec, each.shape, kernel);
  } else {
    launch_skeleton(exec, each, bound);
  }
}

template <scan_kind Kind, class Executor, class How, class... Rest>
void scan_tiles_of(const Executor& exec, How& how, Rest&... rest) {
  static_assert(has_monoid<std::remove_cvref_t<Rest>...>::holds);
  run_skeleton(
      exec, how, work_kind::prefixes,
      [&](auto& plan, auto&... arguments) { scan_planned<Kind>(exec, plan, arguments...); }, rest...);
}

} // namespace detail

/// For plan.reserve: reserves memory for scan_tiles and scan_tiles_exclusive with values of type Value.
template <class Value> struct scans {
  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    const int blocks = max_cutting_blocks(plan.launch());
    const std::size_t chained = blocks == 0 ? 0 : look_back<segmented<Value>>::bytes(blocks);
    return workspace::sizes{.kept = chained}.or_more(memory_for_chunks<Value>(plan.launch()));
  }
};

/// scan_tiles(exec, plan, map, op, store)
/// scan_tiles(exec, schedule, tiles, map, op, store)
///
/// Calls store(atom, prefix) exactly once for EVERY atom. `prefix` combines the atoms of its tile up to and including
/// this atom by `op`. The value of an atom is map(atom), map(tile, atom) or map(tile, atom, rank).
///
/// - `map`, `store`: as for reduce_tiles. In addition, map(atom) may read what store(atom) writes for the same atom, so
///   prefixes may replace values in place. map may be called more than once per atom, always before its store.
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate.
/// - Determinism: every run of one plan returns the same bits.
/// - Cost: see the schedule's header; one pass over the atoms.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void scan_tiles(const Executor& exec, How&& how, Rest&&... rest) {
  detail::scan_tiles_of<scan_kind::inclusive>(exec, how, rest...);
}

/// The same without the atom itself: `prefix` is the identity for the first atom of a tile.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void scan_tiles_exclusive(const Executor& exec, How&& how, Rest&&... rest) {
  detail::scan_tiles_of<scan_kind::exclusive>(exec, how, rest...);
}

} // namespace evenly
