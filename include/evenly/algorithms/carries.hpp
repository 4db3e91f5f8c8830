// SPDX-License-Identifier: Apache-2.0
// Carries: tiles that blocks share, put together in block order.
//
// A run of merge items or atoms starts and stops inside tiles. Each block leaves one record: what it has of the tile
// that was open when it began (the head), and what it has of the tile that is open when it stops (the tail). A
// segmented scan over the records, in block order, gives every shared tile its value. The scan is a tree of warps:
// one reduces the records of 256 neighbouring blocks to one record of the same kind, one reduces those. Whoever comes
// last, found by a ticket, takes the next level. The tree's shape depends on the number of blocks only, never on who
// is last, so floating-point results repeat.
//
// In launches of many blocks, drawing a ticket holds each block's place on the multiprocessor for two more trips to
// memory (15% of the time of a whole SpMV on an H200: docs/decisions/0003); there a second, small kernel walks the
// tree.
#pragma once

#include <cstddef>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly {

/// What a block, or a run of blocks, leaves to others.
template <class T, class Tile> struct carry_record {
  T head{};          ///< if ends: the atoms here of the first tile to end here
  T tail{};          ///< the atoms here after the last end
  Tile tile{};       ///< if ends: the first tile to end here
  int ends = 0;      ///< a tile ends here
  int head_open = 0; ///< if ends: that tile began earlier
};

template <class T, class Tile> struct carries {
  static constexpr int group_size = 256;
  using record = carry_record<T, Tile>;

  int* tickets = nullptr; ///< one for each group, then one for all groups; 0 before and after each launch
  record* records = nullptr;
  record* group_records = nullptr;

  static constexpr int groups(int blocks) { return ceil_div(blocks, group_size); }
  static constexpr std::size_t ticket_bytes(int blocks) {
    return ceil_div<std::size_t>((groups(blocks) + std::size_t{1}) * sizeof(int), 64) * 64;
  }
  static constexpr std::size_t bytes(int blocks) {
    return ticket_bytes(blocks) + (static_cast<std::size_t>(blocks) + groups(blocks)) * sizeof(record);
  }
  /// `workspace`: bytes(blocks) bytes, the first ticket_bytes(blocks) of them 0.
  static carries in(std::byte* workspace, int blocks) {
    auto* records = reinterpret_cast<record*>(workspace + ticket_bytes(blocks));
    return {reinterpret_cast<int*>(workspace), records, records + blocks};
  }

  /// Whether a launch of so many blocks leaves the tree to join_carries: more than a large GPU works on at one time.
  /// Up to there no block waits for a place.
  EVENLY_FN static constexpr bool joined_later(int blocks) { return blocks > 2048; }

  /// Called once by every block of the launch, by all its threads; `mine` counts at rank 0. Unless joined_later, calls
  /// store(tile, value) for every tile that blocks share, once, by some thread of some block. No block synchronisation.
  template <class Block, monoid Op, class Store>
  EVENLY_FN void finish(Block& block, const record& mine, const Op& op, const Store& store) const {
    const int blocks = block.count();
    if (blocks == 1 || block.rank() >= block.shape().warp) return;
    if (joined_later(blocks)) {
      if (block.rank() == 0) records[block.index()] = mine;
      return;
    }
    const lanes<Block> warp = this_warp(block);
    const int group = block.index() / group_size;
    if (leave(warp, records[block.index()], mine, tickets[group], members(group, blocks)))
      join<1>(warp, group, blocks, op, store);
  }

  /// Reduces the records of one group, and if it is the last group to be reduced the groups'. Called by all lanes of
  /// a warp, once for each group of a launch of `blocks` blocks, when all records of the group can be read.
  template <int Depth, class Lanes, monoid Op, class Store>
  EVENLY_FN void join(const Lanes& warp, int group, int blocks, const Op& op, const Store& store) const {
    const int group_count = ceil_div(blocks, group_size);
    record all = resolve<Depth>(warp, records + group * group_size, members(group, blocks), op, store);
    if (group_count > 1) {
      if (!leave(warp, group_records[group], all, tickets[group_count], group_count)) return;
      all = resolve<Depth>(warp, group_records, group_count, op, store);
    }
    // The first tile of all began in no earlier block, so nothing is left open before it.
    if (warp.rank() == 0 && all.ends && all.head_open) store(all.tile, all.head);
  }

 private:
  EVENLY_FN static int members(int group, int blocks) {
    return smaller(group_size, blocks - group * group_size);
  }

  /// Writes a record and draws a ticket; whether it was the last of `members`, whose records can then be
  /// read.
  template <class Lanes>
  EVENLY_FN static bool leave(const Lanes& warp, record& place, const record& mine, int& ticket,
                              int members) {
    bool last = false;
    if (warp.rank() == 0) {
      place = mine;
      last = atomic_ref(ticket).fetch_add(1) == members - 1;
      if (last) atomic_ref(ticket).store(0);
    }
    last = warp.shuffle(last, 0);
    if (last) warp.sync();
    return last;
  }

  /// Stores the tiles that end within `count` neighbouring records and begin there too; returns, at rank 0, one
  /// record for all. Called by all lanes of a warp; each takes consecutive records, which are loaded together.
  template <int Depth, class Lanes, class Op, class Store>
  EVENLY_FN static record resolve(const Lanes& warp, const record* neighbours, int count, const Op& op,
                                  const Store& store) {
    const segmented_monoid<Op> chain{op};
    segmented<T> so_far = chain.identity();
    record first; // of the lane that has the first end of all
    bool have_first = false;
    for (int base = 0; base < count; base += warp.size() * Depth) {
      const int begin = base + warp.rank() * Depth;
      record mine[Depth];
      segmented<T> all = chain.identity();
      EVENLY_UNROLL
      for (int i = 0; i < Depth; ++i) {
        mine[i].tail = op.identity();
        if (begin + i < count) mine[i] = neighbours[begin + i];
      }
      EVENLY_UNROLL
      for (int i = 0; i < Depth; ++i) all = chain(all, {mine[i].ends, mine[i].tail});
      const segmented<T> up_to = warp.scan(all, chain);
      segmented<T> before = warp.shuffle_up(up_to, 1);
      if (warp.rank() == 0) before = chain.identity();
      before = chain(so_far, before);
      EVENLY_UNROLL
      for (int i = 0; i < Depth; ++i) {
        record& r = mine[i];
        if (r.ends) {
          if (r.head_open) r.head = op(before.open, r.head);
          if (before.ends && r.head_open) store(r.tile, r.head);
          if (!before.ends) {
            first = r;
            have_first = true;
          }
        }
        before = chain(before, {r.ends, r.tail});
      }
      so_far = chain(so_far, warp.shuffle(up_to, warp.size() - 1));
    }
    const int holder = warp.first_where(have_first);
    if (holder >= 0) first = warp.shuffle(first, holder);
    first.tail = so_far.open;
    return first;
  }
};

/// The tree of a launch of `blocks` blocks, as a kernel of one block of a warp for each group.
template <class T, class Tile, monoid Op, class Store> struct join_carries {
  static constexpr int tuned_block_size = 32;

  carries<T, Tile> shared;
  int blocks;
  Op op;
  Store store;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() < block.shape().warp)
      shared.template join<8>(this_warp(block), block.index(), blocks, op, store);
  }
};

} // namespace evenly
