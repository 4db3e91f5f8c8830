// SPDX-License-Identifier: Apache-2.0
// Carries of rows: for each lane's columns the records and the tree of carries.hpp, which two more launches walk
// (docs/decisions/0016). The records that one lane leaves, block after block, lie side by side.
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
  using part = carries<Row, Tile>;
  using record = typename part::record;

  record* records = nullptr;
  int blocks = 0; ///< the first of a launch, which leave records
  int most = 0;   ///< how many there is memory for

  static workspace::room memory_for(int parts, int most) {
    return {.scratch = static_cast<std::size_t>(parts) * part::memory_for(most).scratch};
  }
  /// For `parts` parts of rows. Needs the memory until the launches that join are done.
  template <class Executor>
  static row_carries in(const Executor& exec, workspace::lease& lease, int parts, int blocks, int most) {
    if (blocks == 0) return {};
    const auto memory = lease.take(exec, 0, memory_for(parts, most).scratch);
    return {reinterpret_cast<record*>(memory.scratch), blocks, most};
  }
  EVENLY_FN row_carries for_blocks(int number) const { return {records, number, most}; }

  /// The carries of one part of the rows.
  EVENLY_FN part of(int number) const {
    record* const first =
        records + static_cast<std::size_t>(number) * static_cast<std::size_t>(most + part::groups(most));
    return {nullptr, first, first + most, blocks};
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

/// One level of the tree of every part, as a kernel: first the groups of blocks, in a second launch (Top) what groups
/// leave.
template <bool Top, class Blocks, class Row, class Tile, monoid Op, class Store> struct join_rows {
  using part = carries<Row, Tile>;
  static constexpr int tuned_block_size = part::group_size;
  static constexpr bool only_tuned_size = true;
  static constexpr bool parts_checked =
      std::is_trivially_copyable_v<Blocks> && is_kernel_part<Op> && is_kernel_part<Store>;

  Blocks blocks;
  row_carries<Row, Tile> shared;
  row_shape rows;
  Op op; ///< a row_monoid
  Store store;

  EVENLY_FN static constexpr carry_slots<Row, Tile> lay_out(storage_layout& layout, block_shape shape) {
    return carry_slots<Row, Tile>::lay_out(layout, shape, true);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const auto left = shared.for_blocks(blocks());
    const int groups = part::groups(left.blocks);
    if (Top && groups < 2) return;
    const std::int64_t work = static_cast<std::int64_t>(Top ? 1 : groups) * rows.parts();
    for (std::int64_t i = block.index(); i < work; i += block.count()) {
      const auto number = static_cast<int>(i % rows.parts());
      const auto columns = lane_columns::of(rows, number / rows.lanes, rows.lanes, number % rows.lanes, 0);
      const store_columns<Store, Block::is_serial> store_here{store, columns};
      if constexpr (Top)
        left.of(number).join_groups(block, place, op, store_here);
      else
        left.of(number).join_group(block, place, static_cast<int>(i / rows.parts()), op, store_here);
      block.sync();
    }
  }
};

/// Joins the trees of a launch's carries, after it. `blocks`: how many have left records, or may have.
template <class Executor, class Blocks, class Row, class Tile, monoid Op, class Store>
void join_row_carries(const Executor& exec, const Blocks& blocks, const row_carries<Row, Tile>& shared,
                      const row_shape& rows, const Op& op, const Store& store) {
  using part = carries<Row, Tile>;
  constexpr int most_blocks = 65536; // each goes through as many groups as there are more
  if (shared.blocks < 2) return;
  const int groups = part::groups(shared.blocks);
  const auto some = [](std::int64_t work) {
    return static_cast<int>(smaller<std::int64_t>(work, most_blocks));
  };
  launch(exec, {some(static_cast<std::int64_t>(groups) * rows.parts()), part::group_size},
         join_rows<false, Blocks, Row, Tile, Op, Store>{blocks, shared, rows, op, store});
  if (groups > 1)
    launch(exec, {some(rows.parts()), part::group_size},
           join_rows<true, Blocks, Row, Tile, Op, Store>{blocks, shared, rows, op, store});
}

} // namespace evenly
