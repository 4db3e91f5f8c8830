// SPDX-License-Identifier: Apache-2.0
// The partition: the tile at which each chunk begins. When a plan is made, one thread per chunk finds the tile of its
// first atom.
//
// There are two searches (Busato & Bombieri, TPDS 2017, section 3.1). A binary search reads one offset per step. If
// tiles are similar, an interpolation search estimates the place of an offset from the offsets around it: log log N
// steps for N tiles on average. It counts in 64-bit integers and falls back to the binary search after a few steps, so
// that no input makes it slow.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/detail/even_atoms.hpp"
#include "evenly/schedules/detail/searched.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// How a partition searches. `automatic`: by interpolation if the sizes of tiles have a standard deviation below
/// interpolation_deviation and an average below interpolation_average, the paper's values for all its workloads.
enum class search_kind { automatic, binary, interpolation };
inline constexpr int interpolation_deviation = 8;
inline constexpr int interpolation_average = 9;

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

  even_atoms<Tiles> dealt;
  bool interpolate;
  tile_type<Tiles>* starts;
  capacity max_size = {}; ///< for tile sets sized on the device

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (sized_on_device<Tiles>)
      find(block, dealt.sized(max_size).mapping);
    else
      find(block, dealt);
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

namespace detail {

/// Sums of squared sizes; one for all blocks.
template <tile_set Tiles> struct sum_squares {
  /// Sizes from here on count as infinite, so that no sum overflows.
  static constexpr std::int64_t max = 1 << 15;

  Tiles tiles;
  std::int64_t* sum;
  std::int64_t* infinite;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t stride = static_cast<std::int64_t>(block.count()) * block.size();
    std::int64_t mine = 0;
    bool too_large = false;
    for (std::int64_t t = static_cast<std::int64_t>(block.index()) * block.size() + block.rank();
         t < tiles.tiles(); t += stride) {
      const auto each = static_cast<tile_type<Tiles>>(t);
      const std::int64_t size = tiles.end(each) - tiles.begin(each);
      if (size >= max)
        too_large = true;
      else
        mine += size * size;
    }
    if (mine > 0) atomic_ref(*sum).fetch_add(mine);
    if (too_large) atomic_ref(*infinite).fetch_add(1);
  }
};

} // namespace detail

/// Returns whether an interpolation search is fast on these tiles: few atoms per tile, and similar sizes. May
/// synchronise and read all offsets once.
template <class Executor, tile_set Tiles>
bool tiles_are_alike(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) {
  const std::int64_t count = tiles.tiles();
  if (count == 0 || all.atoms >= interpolation_average * count) return false;
  const auto sums = make_buffer<std::int64_t>(exec, 2);
  exec.fill_zero(sums.data(), 2 * sizeof(std::int64_t));
  const std::int64_t per_block = items_per_block(exec, count, 256 * 64);
  launch(exec, {block_count(count, per_block), 256},
         detail::sum_squares<Tiles>{tiles, sums.data(), sums.data() + 1});
  std::int64_t got[2] = {};
  exec.copy_to_host(got, sums.data(), sizeof(got));
  if (got[1] > 0) return false;
  const double average = static_cast<double>(all.atoms) / static_cast<double>(count);
  const double variance = static_cast<double>(got[0]) / static_cast<double>(count) - average * average;
  return variance < interpolation_deviation * interpolation_deviation;
}

/// Returns the table of partition_atoms, with room for max_chunks or the existing chunks, whichever is more. It reuses
/// the memory of `starts`, unless that is empty. Empty if there are no chunks.
template <class Executor, tile_set Tiles>
buffer<tile_type<Tiles>> find_chunk_starts(const Executor& exec, const even_atoms<Tiles>& dealt,
                                           search_kind kind = search_kind::binary, const planning& how = {},
                                           std::int64_t max_chunks = 0,
                                           buffer<tile_type<Tiles>> starts = {}) {
  const std::int64_t room = larger(dealt.chunks, max_chunks);
  if (room == 0) return {};
  if (starts.size() == 0) starts = make_buffer<tile_type<Tiles>>(exec, static_cast<std::size_t>(room) + 1);
  if (dealt.chunks == 0) return starts;
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  const bool no_overflow = dealt.all.atoms <= max && static_cast<std::int64_t>(max_tiles(dealt.tiles)) <= max;
  bool interpolate = kind == search_kind::interpolation;
  if constexpr (!sized_on_device<Tiles>)
    if (kind == search_kind::automatic && how.may_wait && no_overflow)
      interpolate = tiles_are_alike(exec, dealt.tiles, dealt.all);
  launch_partition(exec, dealt.chunks + 1,
                   partition_atoms<Tiles>{dealt, interpolate && no_overflow, starts.data(), how.max_size});
  return starts;
}

/// Returns the launch of a mapping {dealt atoms, starts of chunks}, and the table that it points into.
template <class Mapping, class Executor, tile_set Tiles>
auto prepare_partitioned(const Executor& exec, const dealt_atoms<Tiles>& dealt, int block_size,
                         const planning& how, buffer<tile_type<Tiles>> kept,
                         search_kind kind = search_kind::binary) {
  auto starts = find_chunk_starts(exec, dealt.atoms, kind, how, dealt.max_chunks, std::move(kept));
  const launch_of<Mapping> only{{dealt.atoms, starts.data()}, {dealt.blocks, block_size}, dealt.max_blocks};
  return prepared(only, std::move(starts));
}

/// The same for a plan that is used once (searched.hpp).
template <class Mapping, class Executor, tile_set Tiles>
auto prepare_searched(const Executor& exec, const dealt_atoms<Tiles>& dealt, int block_size) {
  using mapping = searching_mapping<Mapping, true>;
  const bool searches = dealt.atoms.chunks_per_block == 1 && dealt.blocks <= max_searched_blocks;
  auto table = searches ? buffer<tile_type<Tiles>>{} : find_chunk_starts(exec, dealt.atoms);
  const mapping made{{dealt.atoms, table.data()}};
  return prepared(launch_of<mapping>{made, {dealt.blocks, block_size}}, std::move(table));
}

/// Returns the launch of a mapping whose blocks find their own starts, each of one chunk.
template <class Mapping, tile_set Tiles>
auto prepare_searching(const dealt_atoms<Tiles>& dealt, int block_size) {
  using mapping = searching_mapping<Mapping>;
  return prepared(launch_of<mapping>{{{dealt.atoms, nullptr}}, {dealt.blocks, block_size}, dealt.max_blocks});
}

} // namespace evenly
