// SPDX-License-Identifier: Apache-2.0
// Carries: tiles that blocks share, put together in block order by the last blocks to finish.
//
// A run of merge items or atoms starts and ends inside tiles. Each block leaves one record: what it has of
// the tile that was open when it began (the head), and what it has of the tile that is open when it stops
// (the tail). A segmented scan over the records, in block order, gives every shared tile its value. To keep
// the end of the launch short, the scan is a tree: the last block to finish among each 256 neighbours, found
// by a ticket, reduces their records to one of the same kind, and the last of those groups to finish reduces
// the groups' records. The shape of the tree depends on the number of blocks only, never on who is last, so
// floating-point results repeat. (One block walking all records in turn took 130 to 370 us for one giant tile
// on an H200: decision 0003.)
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

  /// Called once by every block of the launch, by all its threads; `mine` counts at rank 0. Calls store(tile,
  /// value) for every tile that blocks share, once, by some thread of some block. No block synchronisation.
  template <class Block, monoid Op, class Store>
  EVENLY_FN void finish(Block& block, const record& mine, const Op& op, const Store& store) const {
    if (block.count() == 1 || block.rank() >= block.shape().warp) return;
    const lanes<Block> warp = this_warp(block);
    const int group = block.index() / group_size;
    const int group_begin = group * group_size;
    const int members = smaller(group_size, block.count() - group_begin);
    if (!leave(warp, records[block.index()], mine, tickets[group], members)) return;
    const record all = resolve(warp, records + group_begin, members, op, store);
    const int group_count = ceil_div(block.count(), group_size);
    if (group_count > 1) {
      if (!leave(warp, group_records[group], all, tickets[group_count], group_count)) return;
      finish_last(warp, resolve(warp, group_records, group_count, op, store), store);
    } else {
      finish_last(warp, all, store);
    }
  }

 private:
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

  /// The first tile of all began in no earlier block, so nothing is left open before it.
  template <class Lanes, class Store>
  EVENLY_FN static void finish_last(const Lanes& warp, const record& all, const Store& store) {
    if (warp.rank() == 0 && all.ends && all.head_open) store(all.tile, all.head);
  }

  /// Stores the tiles that end within `count` neighbouring records and begin there too; returns, at rank 0,
  /// one record for all. Called by all lanes of a warp.
  template <class Lanes, class Op, class Store>
  EVENLY_FN static record resolve(const Lanes& warp, const record* neighbours, int count, const Op& op,
                                  const Store& store) {
    const segmented_monoid<Op> chain{op};
    segmented<T> so_far = chain.identity();
    record first; // of the lane that has the first end of all
    bool have_first = false;
    for (int base = 0; base < count; base += warp.size()) {
      const int i = base + warp.rank();
      record r;
      r.tail = op.identity();
      if (i < count) r = neighbours[i];
      const segmented<T> up_to = warp.scan(segmented<T>{r.ends, r.tail}, chain);
      segmented<T> before = warp.shuffle_up(up_to, 1);
      if (warp.rank() == 0) before = chain.identity();
      before = chain(so_far, before);
      if (r.ends) {
        if (r.head_open) r.head = op(before.open, r.head);
        if (before.ends && r.head_open) store(r.tile, r.head);
        if (!before.ends) {
          first = r;
          have_first = true;
        }
      }
      so_far = chain(so_far, warp.shuffle(up_to, warp.size() - 1));
    }
    const int holder = warp.first_where(have_first);
    if (holder >= 0) first = warp.shuffle(first, holder);
    first.tail = so_far.open;
    return first;
  }
};

} // namespace evenly
