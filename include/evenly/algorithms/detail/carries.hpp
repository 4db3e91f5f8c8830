// SPDX-License-Identifier: Apache-2.0
// Carries: tiles that blocks share, put together in block order.
//
// A run of merge items or atoms starts and stops inside tiles. Each block writes one record: what it has of the tile
// that was open when it began (the head), and what it has of the tile that is open when it stops (the tail). A
// segmented scan over the records, in block order, gives every shared tile its value. The scan is a tree: one block
// reduces the records of 256 neighbouring blocks to one record of the same kind, one reduces those. Whoever comes
// last, found by a ticket, takes the next level. The tree's shape depends on the number of blocks only, never on who
// is last, so floating-point results repeat.
//
// In launches of many blocks, drawing a ticket holds each block's place on the multiprocessor for two more trips to
// memory (15 to 24% of the time of a whole SpMV on an H200: docs/decisions/0003); there a second, small kernel walks
// the tree.
#pragma once

#include <cstddef>

#include "evenly/block/block.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/trace/counted_memory.hpp"

namespace evenly {

/// A small record is one load; any other is aligned as its members need (clang takes no less, nvcc takes only one
/// alignas).
template <class T, class Tile>
inline constexpr std::size_t carry_alignment =
    sizeof(T) == 4 && sizeof(Tile) == 4 ? 16 : larger(larger(alignof(T), alignof(Tile)), alignof(int));

/// What a block, or a run of blocks, hands to others.
template <class T, class Tile> struct alignas(carry_alignment<T, Tile>) carry_record {
  enum : int { ends = 1, head_open = 2 };

  T head{};      ///< if a tile ends here: the atoms here of the first tile to end here
  T tail{};      ///< the atoms here after the last end
  Tile tile{};   ///< if a tile ends here: the first
  int state = 0; ///< ends: a tile ends here; head_open: the first of them began earlier
};

/// Storage that the tree needs.
template <class T, class Tile> struct carry_slots {
  slot<segmented<T>> warps;
  slot<carry_record<T, Tile>> first;
  slot<int> last;

  /// None if the launch has no runs.
  EVENLY_FN static constexpr carry_slots lay_out(storage_layout& layout, block_shape shape, bool any) {
    return {layout.take<segmented<T>>(any ? block_scan_slots(shape) : 0),
            layout.take<carry_record<T, Tile>>(any ? 1 : 0), layout.take<int>(any ? 1 : 0)};
  }
};

/// What reduces the tree of carries.
enum class carry_fix_up {
  by_size, ///< a launch of few blocks itself, with the tickets of a workspace; after one of many fix_up_kernel
  in_kernel, ///< the launch, however many blocks it has, with tickets of its own
  deferred   ///< fix_up_kernel
};

/// Unless by_size, before the tickets lies how often a tree has been walked.
template <class T, class Tile, carry_fix_up How = carry_fix_up::by_size> struct carries {
  static constexpr int group_size = 256;
  static constexpr int max_blocks = 2048; ///< of a launch that fixes up its own carries
  static_assert(max_blocks / group_size < workspace::counters);
  static constexpr bool counted = How != carry_fix_up::by_size;
  using record = carry_record<T, Tile>;
  using slots = carry_slots<T, Tile>;

  int* tickets =
      nullptr; ///< one for each group, then one for all groups; 0 before and after each launch, but for the groups'
               ///< of launches whose fix-up is deferred, which need none
  record* records = nullptr;
  record* group_records = nullptr;
  int blocks = 0; ///< the first of a launch, which write records; the others write none

  EVENLY_FN static constexpr int groups(int blocks) { return ceil_div(blocks, group_size); }
  EVENLY_FN static constexpr int ticket_of_groups(int blocks) {
    return counted ? groups(blocks) : max_blocks / group_size;
  }
  static workspace::room memory_for(int blocks) {
    return {.scratch = (static_cast<std::size_t>(blocks) + static_cast<std::size_t>(groups(blocks))) *
                       sizeof(record)};
  }
  /// For so many blocks, in memory for `max`. Needs it until the launch, and that of fix_up_kernel, is done.
  template <class Executor>
  static carries in(const Executor& exec, workspace::lease& lease, int blocks, int max) {
    if (blocks == 0) return {};
    const auto memory = lease.take(exec, 0, memory_for(max).scratch);
    auto* const records = reinterpret_cast<record*>(memory.scratch);
    return {memory.counters, records, records + max, blocks};
  }
  /// The same for another number of blocks, no more than there is memory for.
  EVENLY_FN carries for_blocks(int number) const { return {tickets, records, group_records, number}; }

  /// Whether after a launch of so many blocks fix_up_kernel walks the tree: more than a large GPU works on at one time.
  /// Up to there no block waits for a place.
  EVENLY_FN static constexpr bool is_deferred(int blocks) {
    return How == carry_fix_up::deferred ? blocks > 1 : How == carry_fix_up::by_size && blocks > max_blocks;
  }

  /// Called once by every block of the launch, by all its threads; `mine` counts at rank 0. Unless deferred, calls
  /// store(tile, value) for every tile that blocks share, once, by some thread of some block. Synchronises the block.
  template <class Block, monoid Op, class Store>
  EVENLY_FN void finish(Block& block, const slots& place, const record& mine, const Op& op,
                        const Store& store) const {
    if (block.index() >= blocks) return;
    if (blocks == 1) {
      store_first(block, mine, store);
      return;
    }
    if (is_deferred(blocks)) {
      if (block.rank() == 0) counted_store(records + block.index(), mine);
      return;
    }
    const int group = block.index() / group_size;
    if (leave(block, place, records[block.index()], mine, tickets[group], members(group)))
      fix_up_group(block, place, group, op, store);
  }

  /// Reduces the records of one group, and if it is the last group to be reduced the groups'. Called by all threads of
  /// a block, once for each group, when all records of the group can be read.
  template <class Block, monoid Op, class Store>
  EVENLY_FN void fix_up_group(Block& block, const slots& place, int group, const Op& op,
                              const Store& store) const {
    const record* level = records + group * group_size;
    const int count = members(group);
    record all = resolve(block, place, level, count, op, store);
    if (groups(blocks) > 1) {
      if (!leave(block, place, group_records[group], all, tickets[ticket_of_groups(blocks)], groups(blocks)))
        return;
      all = resolve(block, place, group_records, groups(blocks), op, store);
    }
    store_first(block, all, store);
  }

 private:
  /// `all`: what all blocks have together. The first tile to end began in no earlier block, so nothing is missing.
  template <class Block, class Store>
  EVENLY_FN void store_first(const Block& block, const record& all, const Store& store) const {
    if (block.rank() != 0) return;
    if (all.state == (record::ends | record::head_open)) store(all.tile, all.head);
    if constexpr (counted) atomic_ref(tickets[-1]).fetch_add(1);
  }

  EVENLY_FN int members(int group) const { return smaller(group_size, blocks - group * group_size); }

  /// Writes a record and draws a ticket; whether it was the last of `count`, whose records can then be read.
  template <class Block>
  EVENLY_FN static bool leave(Block& block, const slots& place, record& to, const record& mine, int& ticket,
                              int count) {
    const auto last = block.storage(place.last);
    if (block.rank() == 0) {
      counted_store(&to, mine);
      const bool drew_last = atomic_ref(ticket).fetch_add(1) == count - 1;
      if (drew_last) atomic_ref(ticket).store(0);
      last[0] = drew_last;
    }
    block.sync();
    return last[0] != 0;
  }

  /// Stores the tiles that end within `count` neighbouring records and begin there too; returns one record for all,
  /// valid everywhere. Called by all threads of a block, which it synchronises.
  template <class Block, class Op, class Store>
  EVENLY_FN static record resolve(Block& block, const slots& place, const record* neighbours, int count,
                                  const Op& op, const Store& store) {
    const segmented_monoid<Op> chain{op};
    const auto first = block.storage(place.first);
    segmented<T> so_far = chain.identity();
    for (int base = 0; base < count; base += block.size()) {
      const int i = base + block.rank();
      record r;
      r.tail = op.identity();
      if (i < count) r = counted_load(neighbours + i);
      const int ends = r.state & record::ends;
      const auto scan =
          block_segmented_scan(block, segmented<T>{ends, r.tail}, op, block.storage(place.warps));
      const segmented<T> before = chain(so_far, scan.before);
      if (ends) {
        const bool open = (r.state & record::head_open) != 0;
        if (open) r.head = op(before.open, r.head);
        if (!before.ends)
          first[0] = r; // what is open before it lies with earlier neighbours
        else if (open)
          store(r.tile, r.head);
      }
      so_far = chain(so_far, scan.total);
      block.sync();
    }
    record all;
    if (so_far.ends) all = first[0];
    all.tail = so_far.open;
    block.sync();
    return all;
  }
};

/// The tree of a launch, as a kernel of one block for each group.
template <class Shared, monoid Op, class Store> struct fix_up_kernel {
  static constexpr int tuned_block_size = Shared::group_size;
  static constexpr bool only_tuned_size = true;
  static constexpr bool is_copyable = is_device_copyable<Op, Store>;

  Shared shared;
  Op op;
  Store store;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape shape) {
    return Shared::slots::lay_out(layout, shape, true);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    shared.fix_up_group(block, place, block.index(), op, store);
  }
};

} // namespace evenly
