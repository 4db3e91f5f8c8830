// SPDX-License-Identifier: Apache-2.0
// Carries: partial sums of tiles that several blocks share, combined in block order.
//
// A run of merge items or atoms starts and stops inside tiles. Each block writes one record: its partial sum of the
// tile that was open at its start (the head), and of the tile that is open at its end (the tail). A segmented scan over
// the records, in block order, gives every shared tile its value.
//
// The scan is a tree. One block reduces the records of 256 consecutive blocks to one record of the same kind, and one
// block reduces those. The last block to finish, found by a ticket, takes the next level. The shape of the tree depends
// only on the number of blocks, not on which block is last, so floating-point results repeat.
//
// In launches of many blocks, taking a ticket keeps each block on its multiprocessor for two more trips to memory (15
// to 24% of the time of a whole SpMV on an H200: docs/decisions/0003). For these a second, small kernel walks the tree.
#pragma once

#include <cstddef>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

/// A small record is one load. Other records are aligned as their members require: clang accepts no smaller alignment,
/// and nvcc accepts only one alignas.
template <class T, class Tile>
inline constexpr std::size_t carry_alignment =
    sizeof(T) == 4 && sizeof(Tile) == 4 ? 16 : larger(larger(alignof(T), alignof(Tile)), alignof(int));

/// The partial sums that a block, or a range of blocks, passes on.
template <class T, class Tile> struct alignas(carry_alignment<T, Tile>) carry_record {
  enum : int { ends = 1, head_open = 2 };

  T head{};      ///< if a tile ends here: the sum of the atoms here of the first tile that ends here
  T tail{};      ///< the sum of the atoms here after the last end
  Tile tile{};   ///< if a tile ends here: the first such tile
  int state = 0; ///< ends: a tile ends here; head_open: the first of them began in an earlier block
};

/// The storage of the tree.
template <class T, class Tile> struct carry_slots {
  slot<segmented<T>> warps;
  slot<carry_record<T, Tile>> first;
  slot<int> last;

  /// Empty if the launch has no runs.
  EVENLY_FN static constexpr carry_slots lay_out(storage_layout& layout, block_shape shape, bool any) {
    return {layout.take<segmented<T>>(any ? block_scan_slots(shape) : 0),
            layout.take<carry_record<T, Tile>>(any ? 1 : 0), layout.take<int>(any ? 1 : 0)};
  }
};

/// Selects the code that reduces the tree of carries.
enum class carry_fix_up {
  by_size,   ///< few blocks: the launch, with a workspace's tickets; many blocks: fix_up_kernel
  in_kernel, ///< the launch, for any number of blocks, with tickets of its own
  deferred   ///< fix_up_kernel
};

/// Except for by_size, a counter before the tickets has the number of trees combined so far.
template <class T, class Tile, carry_fix_up How = carry_fix_up::by_size> struct carries {
  static constexpr int group_size = 256;
  static constexpr int max_blocks = 2048; ///< of a launch that fixes up its own carries
  static_assert(max_blocks / group_size < workspace::counters);
  static constexpr bool counted = How != carry_fix_up::by_size;
  using record = carry_record<T, Tile>;
  using slots = carry_slots<T, Tile>;

  int* tickets = nullptr; ///< one per group, then one for all groups; 0 before and after each launch;
                          ///< the groups' tickets are unused if the fix-up is deferred
  record* records = nullptr;
  record* group_records = nullptr;
  int blocks = 0; ///< the first blocks of a launch write records, the others write none

  EVENLY_FN static constexpr int groups(int blocks) { return ceil_div(blocks, group_size); }
  EVENLY_FN static constexpr int ticket_of_groups(int blocks) {
    return counted ? groups(blocks) : max_blocks / group_size;
  }
  static workspace::sizes memory_for(int blocks) {
    return {.scratch = (static_cast<std::size_t>(blocks) + static_cast<std::size_t>(groups(blocks))) *
                       sizeof(record)};
  }
  /// Returns the carries of `blocks` blocks, in memory for `max`. The memory is needed until the launch, and that of
  /// fix_up_kernel, is done.
  template <class Executor>
  static carries in(const Executor& exec, workspace::lease& lease, int blocks, int max) {
    if (blocks == 0) return {};
    const auto memory = lease.take(exec, 0, memory_for(max).scratch);
    auto* const records = reinterpret_cast<record*>(memory.scratch);
    return {memory.counters, records, records + max, blocks};
  }
  /// Returns the same for another number of blocks, at most the number that there is memory for.
  EVENLY_FN carries for_blocks(int number) const { return {tickets, records, group_records, number}; }

  /// Whether fix_up_kernel walks the tree after a launch of `blocks` blocks: more than a large GPU runs at one time.
  /// With fewer, no block waits for a place.
  EVENLY_FN static constexpr bool is_deferred(int blocks) {
    return How == carry_fix_up::deferred ? blocks > 1 : How == carry_fix_up::by_size && blocks > max_blocks;
  }

  /// Finishes a block's carries. Unless deferred, it calls store(tile, value) once for every tile that blocks share, by
  /// some thread of some block. All threads of every block of the launch call it once; `mine` counts at rank 0.
  /// Synchronises the block.
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

  /// Reduces the records of one group and, if it is the last group, the groups' records. All threads of a block call
  /// it, once per group, when all records of the group are visible.
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
  /// Stores the first tile to end. `all`: the record of all blocks together. The tile began in no earlier block, so its
  /// value is complete.
  template <class Block, class Store>
  EVENLY_FN void store_first(const Block& block, const record& all, const Store& store) const {
    if (block.rank() != 0) return;
    if (all.state == (record::ends | record::head_open)) store(all.tile, all.head);
    if constexpr (counted) atomic_ref(tickets[-1]).fetch_add(1);
  }

  EVENLY_FN int members(int group) const { return smaller(group_size, blocks - group * group_size); }

  /// Writes a record and takes a ticket. Returns whether it was the last of `count`; all records are then visible.
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

  /// Stores the tiles that begin and end within `count` consecutive records. Returns one record for all of them, valid
  /// in all threads. All threads of a block call it; it synchronises the block.
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
          first[0] = r; // its beginning lies in earlier records
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

/// The tree of a launch, as a kernel of one block per group.
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
