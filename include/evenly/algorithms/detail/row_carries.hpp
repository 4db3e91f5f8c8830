// SPDX-License-Identifier: Apache-2.0
// Carries of rows: for each lane's columns the records of carries.hpp, which one more launch joins
// (docs/decisions/0016). The records that one lane leaves, block after block, lie side by side.
//
// A block of the launch has some neighbouring records, and a few before them. Most tiles that end in its own records
// began in one of these, and one segmented scan joins them all. Of one tile at most more is lacking: then the block
// goes back, many records at a time, until one of them ends a tile. So no block waits for another, a giant is gone
// through once, by the block where it ends, and what is combined with what depends on the tiles alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/detail/row_calls.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/algorithms/detail/sized_kernel.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/kernel_part.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// `Row`: a lane_values.
template <class Row, class Tile> struct row_carries {
  using record = carry_record<Row, Tile>;

  record* records = nullptr;
  int blocks = 0; ///< the first of a launch, which leave records
  int most = 0;   ///< how many there is memory for

  static workspace::room memory_for(int parts, int most) {
    return {.scratch = static_cast<std::size_t>(parts) * static_cast<std::size_t>(most) * sizeof(record)};
  }
  /// For `parts` parts of rows. Needs the memory until the launch that joins is done.
  template <class Executor>
  static row_carries in(const Executor& exec, workspace::lease& lease, int parts, int blocks, int most) {
    if (blocks == 0) return {};
    const auto memory = lease.take(exec, 0, memory_for(parts, most).scratch);
    return {reinterpret_cast<record*>(memory.scratch), blocks, most};
  }
  EVENLY_FN row_carries for_blocks(int number) const { return {records, number, most}; }

  /// The records of one part of the rows.
  EVENLY_FN record* of(int part) const {
    return records + static_cast<std::size_t>(part) * static_cast<std::size_t>(most);
  }
};

/// Stores a lane's columns of a row. Serial: on a serial block, whose lane has all that follow each other.
template <class Store, bool Serial> struct store_columns {
  /// Whether a lane's columns may be a pack, and store takes one.
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

/// How many blocks have left records: so many; or, of tiles that are sized on the device, what the mapping says.
struct known_blocks {
  int blocks;
  EVENLY_FN int operator()() const { return blocks; }
};
template <class Mapping> struct blocks_by_sizes {
  Mapping mapping;
  capacity most;
  block_shape shape; ///< of the launch
  int pieces;        ///< of each block
  EVENLY_FN int operator()() const {
    const auto here = mapping.sized(most, shape);
    return evenly::cutting_blocks(here.mapping, here.blocks) * pieces;
  }
};

/// Joins the records of every part, as a kernel.
template <class Blocks, class Row, class Tile, monoid Op, class Store> struct join_rows {
  using record = carry_record<Row, Tile>;
  using slots = carry_slots<Row, Tile>;
  static constexpr int tuned_block_size = 128;
  static constexpr int before = 16; ///< records of other blocks, before a block's own
  static constexpr int own = tuned_block_size - before;
  static constexpr int back = 8; ///< records of a thread, where a block goes further back
  static constexpr bool only_tuned_size = true;
  static constexpr bool parts_checked =
      std::is_trivially_copyable_v<Blocks> && is_kernel_part<Op> && is_kernel_part<Store>;

  Blocks blocks;
  row_carries<Row, Tile> shared;
  row_shape rows;
  Op op; ///< a row_monoid
  Store store;

  EVENLY_FN static constexpr int groups(int records) { return ceil_div(records, own); }
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return slots::lay_out(layout, shape, true);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const int left = blocks();
    const std::int64_t work = static_cast<std::int64_t>(groups(left)) * rows.parts();
    for (std::int64_t i = block.index(); i < work; i += block.count()) {
      const auto part = static_cast<int>(i % rows.parts());
      const auto first = static_cast<int>(i / rows.parts()) * own;
      const auto columns = lane_columns::of(rows, part / rows.lanes, rows.lanes, part % rows.lanes, 0);
      join(block, place, shared.of(part), first, smaller(first + own, left),
           store_columns<Store, Block::is_serial>{store, columns});
      block.sync();
    }
  }

 private:
  /// The tiles that end in records [first, end) and were open before. All threads call; synchronises the block.
  template <class Block, class StoreHere>
  EVENLY_FN void join(Block& block, const slots& place, const record* records, int first, int end,
                      const StoreHere& store_here) const {
    const segmented_monoid<Op> chain{op};
    const auto lacking = block.storage(place.first); // the record whose tile began before `from`
    const auto lacks = block.storage(place.last);
    if (block.rank() == 0) lacks[0] = 0;
    const int from = larger(first - before, 0);
    auto so_far = chain.identity();
    for (int base = from; base < end; base += block.size()) {
      const int i = base + block.rank();
      record r;
      r.tail = op.identity();
      if (i < end) r = counted_load(records + i);
      const int ends = r.state & record::ends;
      const auto scan =
          block_segmented_scan(block, segmented<Row>{ends, r.tail}, op, block.storage(place.warps));
      if (i >= first && r.state == (record::ends | record::head_open)) {
        const auto open = chain(so_far, scan.before);
        r.head = op(open.open, r.head);
        if (open.ends || from == 0) {
          store_here(r.tile, r.head);
        } else {
          lacking[0] = r;
          lacks[0] = 1;
        }
      }
      so_far = chain(so_far, scan.total);
      block.sync();
    }
    if (lacks[0] == 0) return;
    const Row more = open_before(block, place, records, from);
    if (block.rank() != 0) return;
    const record r = lacking[0];
    store_here(r.tile, op(more, r.head));
  }

  /// What is open before record `end`. All threads call; synchronises the block.
  template <class Block>
  EVENLY_FN Row open_before(Block& block, const slots& place, const record* records, int end) const {
    const segmented_monoid<Op> chain{op};
    auto found = chain.identity();
    while (end > 0 && !found.ends) {
      const int begin = larger(end - block.size() * back, 0);
      const int mine = begin + block.rank() * back;
      auto some = chain.identity();
      for (int i = mine; i < smaller(mine + back, end); ++i) {
        const record r = counted_load(records + i);
        some = chain(some, {r.state & record::ends, r.tail});
      }
      found = chain(block_segmented_scan(block, some, op, block.storage(place.warps)).total, found);
      block.sync();
      end = begin;
    }
    return found.open;
  }
};

/// Joins what a launch's blocks have left, after it. `blocks`: how many have left records, or may have.
template <class Executor, class Blocks, class Row, class Tile, monoid Op, class Store>
void join_row_carries(const Executor& exec, const Blocks& blocks, const row_carries<Row, Tile>& shared,
                      const row_shape& rows, const Op& op, const Store& store) {
  using kernel = join_rows<Blocks, Row, Tile, Op, Store>;
  constexpr int most_blocks = 65536; // each goes through as many groups as there are more
  if (shared.blocks < 2) return;
  const std::int64_t work = static_cast<std::int64_t>(kernel::groups(shared.blocks)) * rows.parts();
  launch(exec, {static_cast<int>(smaller<std::int64_t>(work, most_blocks)), kernel::tuned_block_size},
         kernel{blocks, shared, rows, op, store});
}

} // namespace evenly
