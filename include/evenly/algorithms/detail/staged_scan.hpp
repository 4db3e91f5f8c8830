// SPDX-License-Identifier: Apache-2.0
// Scans of values in storage (staging.hpp): each thread scans consecutive values, a segmented scan combines threads,
// and prefixes are stored in coalesced order.
#pragma once

#include <cstdint>

#include "evenly/algorithms/detail/staging.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// The slots of scan_tiles, depending on how a mapping shares tiles.
template <class T, class Tile> struct scan_slots : staging_slots<T, Tile> {
  using staged = staging_slots<T, Tile>;

  slot<segmented<T>> warps;
  slot<std::int64_t> batches; ///< for wide teams
  slot<T> handed;             ///< the sum before the block

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

} // namespace evenly
