// SPDX-License-Identifier: Apache-2.0
// Chunks of equally many atoms: their cut, the search of the first tile of each, and the tiles of the atoms in a chunk.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// The tile of each of a team's atoms, without a search: the positions where tiles begin are marked, and a scan with
// maximum spreads the marks. The cost does not depend on how tiles and atoms are mixed. (find_tile_of_atoms is the
// form for tile sets; searches by one thread are in block/search.hpp.)
//
// Source: Baxter, "Modern GPU" (2013), load-balancing search; with marks and a scan, Dalton, Baxter, Merrill, Olson &
// Garland (IPDPS 2015).

namespace evenly {

/// The storage of a tile search.
struct tile_search_slots {
  slot<int>
      tile_of; ///< of the atoms of the block's teams, one team after the other, each with size() * Items
  slot<int> warps;

  /// For `items` atoms per thread, in teams of `wanted` threads; empty if items is 0.
  EVENLY_FN static constexpr tile_search_slots lay_out(storage_layout& layout, block_shape shape, int items,
                                                       int wanted = whole_block) {
    return {layout.take<int>(shape.size * items),
            layout.take<int>(items > 0 ? team_scan_slots(wanted, shape) : 0)};
  }
};

/// The position of a team's first atom in slots.tile_of.
template <int Items, int G, class Block> EVENLY_FN int first_atom_of_team(const team<G, Block>& me) {
  return me.index() * me.size() * Items;
}

/// Writes to slots.tile_of[`first_atom_of_team<Items>(me)` + k], for each atom k in [0, atoms) of the team, the tile t
/// in [0, count) with begin(t) <= k < end(t). 4 Items + log2(size) steps.
///
/// - Requires that there is exactly one such tile, and atoms <= size() * Items. Best if count <= size() * Items.
/// - `begin`, `end`: functions of an int with ascending values of any signed integer type, which may be below 0 and
///   beyond `atoms`.
/// - All threads of the team call it. If the team is wide, all threads of the block call it; it synchronises the block
///   four times, the last time at its end. Other teams synchronise themselves.
template <int Items, int G, class Block, class Begin, class End>
EVENLY_FN void team_tile_search(const team<G, Block>& me, int count, int atoms, const Begin& begin,
                                const End& end, const tile_search_slots& slots, call_place<Block> from = {}) {
  Block& block = me.block();
  const called_at<Block> call(block, from);
  const auto tile_of = block.storage(slots.tile_of);
  const int first = first_atom_of_team<Items>(me);
  const int rank = me.rank(), size = me.size();
  const bool has_thread = me.has_thread();
  const auto mark = [&](int t) {
    auto start = begin(t);
    if (start < 0) start = 0;
    if (start < end(t) && start < atoms) tile_of[first + static_cast<int>(start)] = t;
  };
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i)
    if (has_thread) tile_of[first + rank + i * size] = 0;
  me.sync();
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int t = rank + i * size;
    if (t >= count || !has_thread) break;
    mark(t);
  }
  for (int t = rank + Items * size; t < count && has_thread; t += size) mark(t);
  me.sync();
  int mine[Items];
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int k = rank * Items + i;
    mine[i] = 0;
    if (k < atoms && has_thread) mine[i] = tile_of[first + k];
  }
  team_inclusive_scan(me, mine, maximum<int>{}, block.storage(slots.warps));
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int k = rank * Items + i;
    if (k < atoms && has_thread) tile_of[first + k] = mine[i];
  }
  me.sync();
}

/// team_tile_search for the whole block: the tile of atom k is in slots.tile_of[k].
template <int Items, class Block, class Begin, class End>
EVENLY_FN void block_tile_search(Block& block, int count, int atoms, const Begin& begin, const End& end,
                                 const tile_search_slots& slots, call_place<Block> from = {}) {
  team_tile_search<Items>(team<whole_block, Block>(block), count, atoms, begin, end, slots, from);
}

// --- details ---------------------------------------------------------------------------------------------------------
// The tile of each atom of a chunk, found by all threads of a block: the search above, for tile sets.

using tile_of_atoms_slots = tile_search_slots;

/// Writes to slots.tile_of the tile of each of the `atoms` atoms from first_atom on, counted from first_tile.
///
/// - Requires that the tiles of these atoms are among the `count` tiles from first_tile on, and 0 <= atoms <= size *
///   Items.
/// - Best if count <= size * Items.
/// - All threads call; synchronises the block four times, the last time at its end.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const Tiles& tiles, tile_type<Tiles> first_tile, int count,
                                  atom_type<Tiles> first_atom, int atoms, const tile_of_atoms_slots& slots) {
  const auto at = [&](int t) { return static_cast<tile_type<Tiles>>(first_tile + t); };
  block_tile_search<Items>(
      block, count, atoms, [&](int t) { return larger(tiles.begin(at(t)), first_atom) - first_atom; },
      [&](int t) { return tiles.end(at(t)) - first_atom; }, slots);
}

/// The same for a blocked_run's chunk of at most size * Items merge items.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const run_chunk<Tiles>& chunk,
                                  const tile_of_atoms_slots& slots) {
  const int ended = static_cast<int>(chunk.last_tile - chunk.first_tile);
  const int count =
      chunk.last_tile < chunk.tiles.tiles() ? ended + 1 : ended; // one more may be open at the end
  find_tile_of_atoms<Items>(block, chunk.tiles, chunk.first_tile, count, chunk.first_atom,
                            static_cast<int>(chunk.last_atom - chunk.first_atom), slots);
}

// --- details ---------------------------------------------------------------------------------------------------------
// Atoms distributed evenly, regardless of their tiles: the common base of schedules that search.
//
// A chunk is a run of consecutive atoms; all have the same number except the last. The schedules of this family differ
// in how the threads of a block find the tiles of its chunk's atoms. Empty tiles are in no chunk: if a skeleton
// requests them, a coalesced pass over the offsets distributes them in the same launch.

/// Chunk c has the atoms [c * atoms_per_chunk, (c + 1) * atoms_per_chunk), counted from the first. Block b has the
/// chunks [b * chunks_per_block, (b + 1) * chunks_per_block).
template <tile_set Tiles> struct even_atoms {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  Tiles tiles;
  extent<Tiles> all;
  std::int64_t atoms_per_chunk;
  std::int64_t chunks;
  std::int64_t chunks_per_block;
  std::int64_t tiles_per_block; ///< for the pass over empty tiles

  /// Later blocks have no atoms, only empty tiles.
  EVENLY_FN int blocks_with_atoms() const { return static_cast<int>(ceil_div(chunks, chunks_per_block)); }
  EVENLY_FN std::int64_t first_chunk(int block) const { return smaller(block * chunks_per_block, chunks); }

  /// Returns the same chunks for the sizes of a tile set sized on the device, and the number of blocks that they need.
  EVENLY_FN sized_mapping<even_atoms> sized(const capacity& max_size) const {
    const sizes<Tiles> found = sizes_within(tiles, max_size);
    even_atoms here = *this;
    here.all = found.all;
    here.chunks = ceil_div(found.all.atoms, atoms_per_chunk);
    const std::int64_t for_empty_tiles = ceil_div(found.tiles, tiles_per_block);
    return {here, static_cast<int>(larger<std::int64_t>(here.blocks_with_atoms(), for_empty_tiles))};
  }

  /// Returns the first atom of a chunk; the end of all atoms for chunks that do not exist.
  EVENLY_FN atom begin(std::int64_t chunk) const {
    return static_cast<atom>(all.first_atom + smaller(chunk * atoms_per_chunk, all.atoms));
  }

  /// Returns the tile of a chunk's first atom; for chunks that do not exist, that of the last atom; the first tile if
  /// there are no atoms. search(first, last, past) does the same as first_past.
  template <class Search> EVENLY_FN tile start_of(std::int64_t chunk, const Search& search) const {
    const std::int64_t a = smaller(chunk * atoms_per_chunk, all.atoms - 1);
    if constexpr (knows_tile_of<Tiles>)
      return a < 0 ? tile{0} : tiles.tile_of(static_cast<atom>(all.first_atom + a));
    else
      return search(tile{0}, tiles.tiles(),
                    [&](tile t) { return static_cast<std::int64_t>(tiles.end(t) - all.first_atom) > a; });
  }

  /// Returns the tile that has atom `a`. Requires that there is such an atom, and that no tile before `from` has it.
  EVENLY_FN tile tile_of(atom a, tile from) const {
    if constexpr (knows_tile_of<Tiles>)
      return tiles.tile_of(a);
    else
      return first_past_by_quarters(from, tiles.tiles(), [&](tile t) { return tiles.end(t) > a; });
  }
  /// The same; fast if the tile is near `from`.
  EVENLY_FN tile tile_of_near(atom a, tile from) const {
    if constexpr (knows_tile_of<Tiles>)
      return tiles.tile_of(a);
    else
      return first_past_near_by_quarters(from, tiles.tiles(), [&](tile t) { return tiles.end(t) > a; });
  }

  /// Returns a chunk for a serial block. It ends the tiles, empty ones too, before the tile of the next chunk's first
  /// atom.
  EVENLY_FN run_chunk<Tiles> serial_chunk(std::int64_t chunk) const {
    const atom first_atom = begin(chunk);
    const atom last_atom = begin(chunk + 1);
    const tile first_tile = chunk == 0 ? 0 : tile_of(first_atom, 0);
    const tile last_tile = chunk + 1 >= chunks ? tiles.tiles() : tile_of(last_atom, first_tile);
    return {tiles, first_tile, last_tile, first_atom, last_atom};
  }

  /// Hands a chunk, and the empty tiles in it, to a serial block.
  template <class Consumer> EVENLY_FN void distribute_serially(std::int64_t chunk, Consumer& consumer) const {
    consumer(sharing::blocked_run<1>{}, serial_chunk(chunk));
  }

  /// Passes the block's part of the empty tiles to a consumer that requests them. No synchronisation.
  template <class Block, class Consumer>
  EVENLY_FN void distribute_empty_tiles(Block& block, Consumer& consumer) const {
    if constexpr (Consumer::wants_empty_tiles) {
      const std::int64_t first = block.index() * tiles_per_block;
      const std::int64_t last = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
      for (std::int64_t i = first + block.rank(); i < last; i += block.size()) {
        const auto t = static_cast<tile>(i);
        if (const atom begin = tiles.begin(t); begin == tiles.end(t))
          consumer(sharing::team<1>{}, empty_tile(t, begin));
      }
    }
  }
};

/// Atoms distributed among the blocks of a launch.
template <tile_set Tiles> struct distributed_atoms {
  even_atoms<Tiles> atoms;
  int blocks;
  std::int64_t max_chunks; ///< for any tile set that there is room for
  int max_blocks;
};

/// Distributes chunks of `parallel_atoms` atoms among at most `max_blocks` blocks; with serial blocks, each gets one
/// chunk of a suitable size. There are enough blocks for the empty tiles too.
template <class Executor, tile_set Tiles>
distributed_atoms<Tiles> distribute_atoms(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                                          const planning& how, std::int64_t parallel_atoms,
                                          std::int64_t block_limit = std::numeric_limits<int>::max()) {
  const std::int64_t count = max_tiles(tiles);
  const std::int64_t per_chunk = items_per_block(exec, all.atoms, parallel_atoms);
  const std::int64_t chunks = ceil_div(all.atoms, per_chunk);
  const auto for_empty_tiles = [&](std::int64_t some) -> std::int64_t {
    if (Executor::serial_blocks) return some > 0 ? 1 : 0;
    return smaller<std::int64_t>(ceil_div(some, parallel_atoms), block_limit);
  };
  std::int64_t per_block = 1;
  if constexpr (!Executor::serial_blocks) per_block = larger<std::int64_t>(ceil_div(chunks, block_limit), 1);
  const int blocks = block_count(larger(ceil_div(chunks, per_block), for_empty_tiles(count)), 1);
  std::int64_t tiles_per_block = ceil_div<std::int64_t>(count, larger(blocks, 1));
  if constexpr (sized_on_device<
                    Tiles>) // with serial blocks the first has all empty tiles, if there are no atoms
    tiles_per_block = Executor::serial_blocks ? std::numeric_limits<std::int64_t>::max()
                                              : larger<std::int64_t>(tiles_per_block, 1);
  const std::int64_t max_chunks = max_blocks(exec, how.max_size.atoms, parallel_atoms);
  const std::int64_t max = smaller(larger(max_chunks, for_empty_tiles(how.max_size.tiles)), block_limit);
  return {
      {tiles, all, per_chunk, chunks, per_block, tiles_per_block}, blocks, max_chunks, block_count(max, 1)};
}

// --- details ---------------------------------------------------------------------------------------------------------
// Plans that are used once, by a call that plans and runs. If the work is small, a kernel for the partition takes as
// long as the work itself. Therefore each block finds its own begin and end, each by a search of a warp. If there are
// more blocks than are resident at once, these searches would delay all blocks, and a partition is made as usual.

/// In launches of at most this many blocks each block searches: about as many as a large GPU runs at one time.
inline constexpr int max_searched_blocks = 1024;

/// Runs a mapping without its table. The mapping's block b reads starts[b] and starts[b + 1], that is start_of(b) and
/// start_of(b + 1). Here each block computes these two itself and keeps them to itself. Nothing is prepared, so kernels
/// of your own can use it (kernels/shared_work.hpp). `OrTable`: it may have a table after all.
template <class Mapping, bool OrTable = false> struct searching_mapping : Mapping {
  using tile = tile_type<typename Mapping::tiles_type>;

  struct slots {
    typename Mapping::slots own;
    slot<tile> starts;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const auto own = Mapping::lay_out(layout, shape);
    return {own, layout.take<tile>(2)};
  }
  EVENLY_FN sized_mapping<searching_mapping> sized(const capacity& max_size, block_shape shape) const {
    const auto here = Mapping::sized(max_size, shape);
    return {{here.mapping}, here.blocks};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    tile mine[2]; // as two elements of a table for this block
    Mapping here = *this;
    if (!OrTable || here.starts == nullptr) {
      find(block, block.storage(place.starts), mine);
      here.starts = static_cast<const tile*>(mine) - block.index();
    }
    here.distribute(block, place.own, consumer);
  }

 private:
  template <class Block, class Storage>
  EVENLY_FN void find(Block& block, const Storage& found, tile (&mine)[2]) const {
    const std::int64_t index = block.index();
    if constexpr (Block::is_serial) {
      for (int i = 0; i < 2; ++i) mine[i] = Mapping::start_of(index + i, searches_alone{});
    } else {
      const auto warp = this_warp(block);
      for (int i = warp_of(block); i < 2; i += block.shape().warps()) {
        const tile start = Mapping::start_of(index + i, [&](auto first, auto last, const auto& past) {
          return first_past_together(warp, first, last, past);
        });
        if (warp.rank() == 0) found[i] = start;
      }
      block.sync();
      for (int i = 0; i < 2; ++i) mine[i] = found[i];
    }
  }
};

/// A schedule for a plan that is used once.
template <class Schedule> struct once {
  Schedule schedule;
  int block_size = schedule.block_size;

  template <class Visit> void parameters(Visit visit) const { schedule.parameters(visit); }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
               const planning& how) const {
    constexpr bool searches = !Executor::serial_blocks && !sized_on_device<Tiles> &&
                              requires { schedule.prepare_once(exec, tiles, all); };
    if constexpr (searches)
      return schedule.prepare_once(exec, tiles, all);
    else
      return detail::prepare(schedule, exec, tiles, all, how);
  }
};

// --- details ---------------------------------------------------------------------------------------------------------
// The partition: the tile at which each chunk begins. When a plan is made, one thread per chunk finds the tile of its
// first atom.
//
// There are two searches (Busato & Bombieri, TPDS 2017, section 3.1). A binary search reads one offset per step. If
// tiles are similar, an interpolation search estimates the place of an offset from the offsets around it: log log N
// steps for N tiles on average. It counts in 64-bit integers and falls back to the binary search after a few steps, so
// that no input makes it slow.

/// How a partition searches. `automatic`: by interpolation if the sizes of tiles have a standard deviation below
/// interpolation_deviation and an average below interpolation_average, the paper's values for all its workloads, and
/// the deviation is at most half of the average. Where it was 1.7 times the average (cit-Patents), interpolation took
/// 18.8 us on an H200 and binary search 13.4 (2026-11-21). The check of the tiles finds the deviation. Without a check
/// the search is binary.
enum class search_kind { automatic, binary, interpolation };
inline constexpr int interpolation_deviation = 8;
inline constexpr int interpolation_average = 9;
inline constexpr double max_relative_deviation = 0.5;

/// Returns the first i in [first, last) with value(i) > key. Requires that there is one, ascending values, and
/// differences of values times last - first below 2^63. `below`: value(first - 1), or any number that is at most `key`
/// and value(first).
template <std::signed_integral Integer, class Value>
EVENLY_FN Integer interpolation_search(Integer first, Integer last, std::int64_t key, std::int64_t below,
                                       const Value& value) {
  constexpr int max_guesses = 8; // the paper's inputs take 2 to 4
  Integer found = last - 1;      // value(found) = above > key
  std::int64_t above = value(found);
  for (int guesses = 0; first < found; ++guesses) {
    if (guesses == max_guesses) return first_past(first, found, [&](Integer i) { return value(i) > key; });
    // The estimate: of the found - first + 1 steps from below to above, this many precede the key.
    const std::int64_t steps = (key - below) * (found - first + 1) / (above - below);
    const Integer guess = first + static_cast<Integer>(smaller<std::int64_t>(steps, found - first - 1));
    const std::int64_t here = value(guess);
    if (here > key) {
      found = guess;
      above = here;
    } else {
      first = guess + 1;
      below = here;
    }
  }
  return found;
}

/// A warp does each search if there are at most this many. A GPU runs as many warps at the same time, so each takes
/// only a few dependent reads.
inline constexpr std::int64_t few_searches = 8192;

/// Writes table[e] = find(e, search) for e in [0, entries), by all threads of a launch. search(first, last, past) does
/// the same as first_past. One thread does each search, or a warp if `together` holds and the launch has enough warps.
template <class Block, class Tile, class Find>
EVENLY_FN void fill_by_search(Block& block, Tile* table, std::int64_t entries, bool together,
                              const Find& find) {
  if constexpr (!Block::is_serial) {
    const lanes<Block> warp = this_warp(block);
    const int warps = block.shape().warps();
    const std::int64_t all = static_cast<std::int64_t>(block.count()) * warps;
    if (together && entries <= 2 * all) {
      for (std::int64_t e = static_cast<std::int64_t>(block.index()) * warps + warp_of(block); e < entries;
           e += all) {
        const Tile found = find(e, [&](auto first, auto last, const auto& past) {
          return first_past_together(warp, first, last, past);
        });
        if (warp.rank() == 0) table[e] = found;
      }
      return;
    }
  }
  const std::int64_t stride = static_cast<std::int64_t>(block.count()) * block.size();
  for (std::int64_t e = static_cast<std::int64_t>(block.index()) * block.size() + block.rank(); e < entries;
       e += stride)
    table[e] = find(e, searches_alone{});
}

/// Writes starts[c] = the tile of the first atom of chunk c, for c in [0, chunks), and starts[chunks] = the last atom's
/// tile. Requires chunks > 0.
template <tile_set Tiles> struct partition_atoms {
  using tiles_type = Tiles;

  even_atoms<Tiles> distributed;
  bool interpolate;
  tile_type<Tiles>* starts;
  capacity max_size = {}; ///< for tile sets sized on the device

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (sized_on_device<Tiles>)
      find(block, distributed.sized(max_size).mapping);
    else
      find(block, distributed);
  }

 private:
  template <class Block> EVENLY_FN void find(Block& block, const even_atoms<Tiles>& by) const {
    if (sized_on_device<Tiles> && by.chunks == 0) return;
    fill_by_search(block, starts, by.chunks + 1, !interpolate, [&](std::int64_t c, const auto& search) {
      return interpolate ? interpolated(by, c) : by.start_of(c, search);
    });
  }
  EVENLY_FN static tile_type<Tiles> interpolated(const even_atoms<Tiles>& by, std::int64_t chunk) {
    using tile = tile_type<Tiles>;
    return by.start_of(chunk, [&](tile first, tile last, const auto&) {
      const std::int64_t a = smaller(chunk * by.atoms_per_chunk, by.all.atoms - 1);
      return interpolation_search<tile>(first, last, a, 0, [&](tile t) {
        return static_cast<std::int64_t>(by.tiles.end(t) - by.all.first_atom);
      });
    });
  }
};

/// Starts a kernel that fills a table of `entries` by fill_by_search. For tile sets sized on the device, which may be
/// far smaller, it starts as many blocks as are resident.
template <class Executor, class Partition>
void launch_partition(const Executor& exec, std::int64_t entries, const Partition& kernel) {
  constexpr int block_size = 128, warps = block_size / 32;
  const bool few = !Executor::serial_blocks && entries <= few_searches;
  int blocks = block_count(entries, few ? warps : block_size);
  if constexpr (sized_on_device<typename Partition::tiles_type>)
    blocks = smaller(blocks, resident_blocks(exec, kernel, block_size));
  launch(exec, {blocks, block_size}, kernel);
}

/// Returns whether an interpolation search is fast on these tiles: few atoms per tile, and similar sizes. `squares`:
/// the sum of the squared sizes; below 0 if it is unknown.
inline bool tiles_are_alike(std::int64_t tiles, std::int64_t atoms, double squares) {
  if (tiles == 0 || squares < 0 || atoms >= interpolation_average * tiles) return false;
  const double average = static_cast<double>(atoms) / static_cast<double>(tiles);
  const double variance = squares / static_cast<double>(tiles) - average * average;
  return variance < interpolation_deviation * interpolation_deviation &&
         variance <= max_relative_deviation * max_relative_deviation * average * average;
}

/// Returns the table of partition_atoms, with room for max_chunks or the existing chunks, whichever is more. It reuses
/// the memory of `starts`, unless that is empty. Empty if there are no chunks.
template <class Executor, tile_set Tiles>
buffer<tile_type<Tiles>> find_chunk_starts(const Executor& exec, const even_atoms<Tiles>& distributed,
                                           search_kind kind = search_kind::binary, const planning& how = {},
                                           std::int64_t max_chunks = 0,
                                           buffer<tile_type<Tiles>> starts = {}) {
  const std::int64_t room = larger(distributed.chunks, max_chunks);
  if (room == 0) return {};
  if (starts.size() == 0) starts = make_buffer<tile_type<Tiles>>(exec, static_cast<std::size_t>(room) + 1);
  if (distributed.chunks == 0) return starts;
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  const bool no_overflow =
      distributed.all.atoms <= max && static_cast<std::int64_t>(max_tiles(distributed.tiles)) <= max;
  bool interpolate = kind == search_kind::interpolation;
  if constexpr (!sized_on_device<Tiles>)
    if (kind == search_kind::automatic)
      interpolate = tiles_are_alike(distributed.tiles.tiles(), distributed.all.atoms, how.squares);
  launch_partition(
      exec, distributed.chunks + 1,
      partition_atoms<Tiles>{distributed, interpolate && no_overflow, starts.data(), how.max_size});
  return starts;
}

/// Returns the launch of a mapping {distributed atoms, starts of chunks}, and the table that it points into.
template <class Mapping, class Executor, tile_set Tiles>
auto prepare_partitioned(const Executor& exec, const distributed_atoms<Tiles>& distributed, int block_size,
                         const planning& how, buffer<tile_type<Tiles>> kept,
                         search_kind kind = search_kind::binary) {
  auto starts =
      find_chunk_starts(exec, distributed.atoms, kind, how, distributed.max_chunks, std::move(kept));
  const launch_of<Mapping> only{
      {distributed.atoms, starts.data()}, {distributed.blocks, block_size}, distributed.max_blocks};
  return prepared(only, std::move(starts));
}

/// The same for a plan that is used once.
template <class Mapping, class Executor, tile_set Tiles>
auto prepare_searched(const Executor& exec, const distributed_atoms<Tiles>& distributed, int block_size) {
  using mapping = searching_mapping<Mapping, true>;
  const bool searches = distributed.atoms.chunks_per_block == 1 && distributed.blocks <= max_searched_blocks;
  auto table = searches ? buffer<tile_type<Tiles>>{} : find_chunk_starts(exec, distributed.atoms);
  const mapping made{{distributed.atoms, table.data()}};
  return prepared(launch_of<mapping>{made, {distributed.blocks, block_size}}, std::move(table));
}

/// Returns the launch of a mapping whose blocks find their own starts, each of one chunk.
template <class Mapping, tile_set Tiles>
auto prepare_searching(const distributed_atoms<Tiles>& distributed, int block_size) {
  using mapping = searching_mapping<Mapping>;
  return prepared(launch_of<mapping>{
      {{distributed.atoms, nullptr}}, {distributed.blocks, block_size}, distributed.max_blocks});
}

// ---------------------------------------------------------------------------------------------------------------------
// Chunks for persistent blocks, which draw chunks until none are left.
//
// A launch usually has a block for each part of the work. A mapping that satisfies chunked_mapping also offers chunks:
// its atoms are cut into chunks, all equal except the last, and a table has the begin of each. A skeleton that combines
// atoms may then start as many blocks as are resident. Each block repeatedly draws the number of a chunk, or of several
// consecutive ones (primitives/look_back.hpp). This pays if the next chunk's atoms can be loaded while the
// current ones are combined. Skeletons, executors and values that cannot use chunks call the mapping's distribute(), as
// under other schedules.
//
// Contract:
//   schedule   chunks are in atom order; every atom is in one; a chunk has block size x chunk_items atoms, the last one
//              at least one. The table is in memory of the executor for as long as the plan lives
//   skeleton   draws each chunk once and ends every tile once, empty ones too. A chunk has the empty tiles between its
//              first tile and the next chunk's. Those before the first atom of all belong to the first chunk, those
//              after the last atom to the last

/// The begins of chunks. Chunk c has the atoms [begin(c), begin(c + 1)), c in [0, count()).
template <tile_set Tiles> struct chunk_table {
  even_atoms<Tiles> distributed;
  const tile_type<Tiles>* starts; ///< count() + 1 tiles

  EVENLY_FN const Tiles& tiles() const { return distributed.tiles; }
  EVENLY_FN std::int64_t count() const { return distributed.chunks; }
  /// Returns the end of all atoms for chunks that do not exist.
  EVENLY_FN atom_type<Tiles> begin(std::int64_t chunk) const { return distributed.begin(chunk); }
  /// The tile of the chunk's first atom; for count(), that of the last atom. Reads memory.
  EVENLY_FN tile_type<Tiles> tile_at(std::int64_t chunk) const { return counted_load(starts + chunk); }
};

/// A mapping whose chunks blocks may draw.
template <class M>
concept chunked_mapping = mapping<M> && requires(const M& mapping) {
  { M::chunk_items } -> std::convertible_to<int>; // atoms per chunk and thread
  { mapping.chunks() } -> std::same_as<chunk_table<typename M::tiles_type>>;
};

} // namespace evenly
