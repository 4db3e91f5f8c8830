// SPDX-License-Identifier: Apache-2.0
// Carries of rows: the records of carries.hpp for each lane's columns, combined by one more launch
// (docs/decisions/0016). The records that one lane writes, block after block, are contiguous.
//
// A thread of the launch has one record. If the tile that is open at the record's end began there, the thread continues
// through the following records up to the tile's end. No block waits for another, and the association depends only on
// the tiles. For a giant tile, which spans many records, the threads of a block take consecutive records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/detail/row_calls.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/algorithms/detail/sized_kernel.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/reduce.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/trace/counted_memory.hpp"

namespace evenly {

/// `Row`: a lane_values.
template <class Row, class Tile> struct row_carries {
  using record = carry_record<Row, Tile>;

  record* records = nullptr;
  int blocks = 0; ///< the first blocks of a launch, which write records
  int max = 0;    ///< how many blocks there is memory for

  static workspace::sizes memory_for(int parts, int max) {
    return {.scratch = static_cast<std::size_t>(parts) * static_cast<std::size_t>(max) * sizeof(record)};
  }
  /// Returns carries for `parts` parts of rows. The memory is needed until the combining launch is done.
  template <class Executor>
  static row_carries in(const Executor& exec, workspace::lease& lease, int parts, int blocks, int max) {
    if (blocks == 0) return {};
    const auto memory = lease.take(exec, 0, memory_for(parts, max).scratch);
    return {reinterpret_cast<record*>(memory.scratch), blocks, max};
  }
  EVENLY_FN row_carries for_blocks(int number) const { return {records, number, max}; }

  /// Returns the records of one part of the rows.
  EVENLY_FN record* of(int part) const {
    return records + static_cast<std::size_t>(part) * static_cast<std::size_t>(max);
  }
};

/// Stores a lane's columns of a row. `Serial`: on a serial block, whose lane has consecutive columns.
template <class Store, bool Serial> struct store_columns {
  /// Whether a lane's columns may be a pack, and store accepts one.
  template <class Tile, class T, int Columns>
  static constexpr bool takes_packs = [] {
    if constexpr (!Serial && Columns * sizeof(T) == 16 && Columns > 1)
      return detail::stores_packs<Store, Tile, T>;
    else
      return false;
  }();

  const Store& store;
  lane_columns columns;

  template <class Tile, class T, int Columns>
  EVENLY_INLINE_FN void operator()(Tile t, const lane_values<T, Columns>& row) const {
    if constexpr (takes_packs<Tile, T, Columns>) {
      if (columns.packed) {
        row_pack<T> pack;
        EVENLY_UNROLL
        for (int i = 0; i < Columns; ++i) pack.of[i] = row.of[i];
        if (columns.has(0)) store.pack(t, columns.first, pack);
        return;
      }
    }
    for_columns<Columns>(columns.count, [&](int i) {
      if constexpr (Serial)
        store(t, columns.first + i, row.of[i]);
      else if (columns.has(i))
        store(t, columns[i], row.of[i]);
    });
  }
};

/// How many blocks have written records: a known number; for tile sets sized on the device, the mapping's number.
struct known_blocks {
  int blocks;
  EVENLY_FN int operator()() const { return blocks; }
};
template <class Mapping> struct blocks_by_sizes {
  Mapping mapping;
  capacity max_size;
  block_shape shape; ///< of the launch
  int pieces;        ///< of each block
  EVENLY_FN int operator()() const {
    const auto here = mapping.sized(max_size, shape);
    return evenly::cutting_blocks(here.mapping, here.blocks) * pieces;
  }
};

/// The storage of a block that combines records.
template <class Row> struct fix_up_slots {
  slot<Row> sums; ///< for reductions
  slot<int> ends; ///< for scans
  slot<int> count;
  slot<int> giants; ///< `count` records where giant tiles begin

  EVENLY_FN static constexpr fix_up_slots lay_out(storage_layout& layout, block_shape shape, int max_giants) {
    return {layout.take<Row>(block_reduce_slots(shape)), layout.take<int>(block_scan_slots(shape)),
            layout.take<int>(1), layout.take<int>(max_giants)};
  }
};

/// Combines the records of every part, as a kernel.
template <class Blocks, class Row, class Tile, monoid Op, class Store> struct fix_up_rows {
  using record = carry_record<Row, Tile>;
  using slots = fix_up_slots<Row>;
  static constexpr int tuned_block_size = 128;
  static constexpr int alone = 32;   ///< records after its own that a thread processes alone
  static constexpr int together = 8; ///< records per thread, if a block processes them
  static constexpr bool only_tuned_size = true;
  static constexpr bool is_copyable = std::is_trivially_copyable_v<Blocks> && is_device_copyable<Op, Store>;

  Blocks blocks;
  row_carries<Row, Tile> shared;
  row_shape rows;
  Op op; ///< a row_monoid
  Store store;

  EVENLY_FN static constexpr int groups(int records) { return ceil_div(records, tuned_block_size); }
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return slots::lay_out(layout, shape, tuned_block_size / alone + 1);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const int left = blocks();
    const std::int64_t work = static_cast<std::int64_t>(groups(left)) * rows.parts();
    for (std::int64_t i = block.index(); i < work; i += block.count()) {
      const auto part = static_cast<int>(i % rows.parts());
      const int first = static_cast<int>(i / rows.parts()) * tuned_block_size;
      const auto columns = lane_columns::of(rows, part / rows.lanes, rows.lanes, part % rows.lanes, 0);
      fix_up(block, place, shared.of(part), first, left,
             store_columns<Store, Block::is_serial>{store, columns});
      block.sync();
    }
  }

 private:
  EVENLY_FN static bool ends_in(const record& r) { return (r.state & record::ends) != 0; }
  template <class StoreHere>
  EVENLY_FN void end(const record& last, const Row& before, const StoreHere& store_here) const {
    if (last.state & record::head_open) store_here(last.tile, op(before, last.head));
  }

  /// Stores the tiles that begin in and are open at the ends of `tuned_block_size` records from `first` on. All threads
  /// call; synchronises the block.
  template <class Block, class StoreHere>
  EVENLY_FN void fix_up(Block& block, const slots& place, const record* records, int first, int left,
                        const StoreHere& store_here) const {
    const auto count = block.storage(place.count), giants = block.storage(place.giants);
    if (block.rank() == 0) count[0] = 0;
    block.sync();
    for (int i = first + block.rank(); i < smaller(first + tuned_block_size, left - 1); i += block.size())
      if (!go_on<Block::is_serial>(records, i, left, store_here))
        giants[atomic_ref(count[0], scope::block{}).fetch_add(1, order::relaxed{})] = i;
    if constexpr (Block::is_serial) return;
    block.sync();
    const int some = count[0];
    for (int k = 0; k < some; ++k) fix_up_giant(block, place, records, giants[k], left, store_here);
  }

  /// Completes the tile that is open at the end of record i, if it began there. Returns whether it is done; false for a
  /// giant tile.
  template <bool Serial, class StoreHere>
  EVENLY_FN bool go_on(const record* records, int i, int left, const StoreHere& store_here) const {
    const record mine = counted_load(records + i), next = counted_load(records + i + 1);
    if (i > 0 && !ends_in(mine)) return true;
    if (ends_in(next)) {
      end(next, mine.tail, store_here);
      return true;
    }
    Row sum = op(mine.tail, next.tail);
    for (int k = i + 2; k < left; ++k) {
      if (!Serial && k > i + alone) return false;
      const record r = counted_load(records + k);
      if (ends_in(r)) {
        end(r, sum, store_here);
        return true;
      }
      sum = op(sum, r.tail);
    }
    return true; // the tile does not end
  }

  /// The same for a giant tile, by all threads, in the order of records. Synchronises the block.
  template <class Block, class StoreHere>
  EVENLY_FN void fix_up_giant(Block& block, const slots& place, const record* records, int i, int left,
                              const StoreHere& store_here) const {
    const auto sums = block.storage(place.sums);
    const auto ends = block.storage(place.ends);
    Row sum = counted_load(records + i).tail;
    for (int base = i + 1; base < left; base += block.size() * together) {
      const int from = smaller(base + block.rank() * together, left), to = smaller(from + together, left);
      Row mine = op.identity();
      int last = left; // the record where the tile ends, if this thread has it
      for (int k = from; k < to && last == left; ++k) {
        const record r = counted_load(records + k);
        if (ends_in(r))
          last = k;
        else
          mine = op(mine, r.tail);
      }
      const int end_here = block_scan(block, last, minimum<int>{}, ends).total;
      if (from > end_here) mine = op.identity();
      sum = op(sum, block_reduce(block, mine, op, sums));
      block.sync();
      if (end_here == left) continue;
      if (block.rank() == 0) end(counted_load(records + end_here), sum, store_here);
      return;
    }
  }
};

/// Combines the records of a launch's blocks, after the launch. `blocks`: how many have written records, at most.
template <class Executor, class Blocks, class Row, class Tile, monoid Op, class Store>
void fix_up_row_carries(const Executor& exec, const Blocks& blocks, const row_carries<Row, Tile>& shared,
                        const row_shape& rows, const Op& op, const Store& store) {
  using kernel = fix_up_rows<Blocks, Row, Tile, Op, Store>;
  constexpr int max_blocks = 65536; // beyond this number a block processes several groups
  if (shared.blocks < 2) return;
  const std::int64_t work = static_cast<std::int64_t>(kernel::groups(shared.blocks)) * rows.parts();
  launch(exec, {static_cast<int>(smaller<std::int64_t>(work, max_blocks)), kernel::tuned_block_size},
         kernel{blocks, shared, rows, op, store});
}

} // namespace evenly
