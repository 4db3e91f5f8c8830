// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide: combines the atoms of each tile to a row of `width` values, column by column. This is the skeleton
// of products with several vectors or dense matrices, of pooling, and of everything that gathers rows.
//
// The lanes of a logical thread go over columns (detail/rows.hpp), so rows stored contiguously are read coalesced under
// every schedule. How tiles are shared: detail/reduce_wide_consumer.hpp. Reasons: docs/decisions/0016.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "evenly/algorithms/detail/reduce_wide_consumer.hpp"
#include "evenly/algorithms/detail/renumbered_block.hpp"
#include "evenly/algorithms/detail/row_calls.hpp"
#include "evenly/algorithms/detail/row_carries.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/detail/group_size.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// Steps per thread, for mappings that use only a merge path; otherwise 0.
template <class Sharings> inline constexpr int items_of_path = 0;
template <class Form> inline constexpr int items_of_path<sharing::list<Form>> = sharing::blocked_items<Form>;

} // namespace detail

/// The kernel of a skeleton for rows of several panels: first all blocks of the first panel, then all of the second.
/// Blocks that replace one block of the plan are consecutive.
template <class Kernel> struct panel_kernel {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  /// Registers per thread for maps that separate loads from arithmetic:
  /// - Entries exchanged among lanes: 72. By default nvcc takes 80, and a seventh fewer blocks fit.
  /// - Other merge paths: 64.
  /// - Otherwise: 80. By default nvcc takes 64 and has two rows in flight instead of four.
  static constexpr int min_blocks = [] {
    using consumer = typename Kernel::consumer_type;
    if (!consumer::distinguishes_loads) return Kernel::min_blocks;
    constexpr bool path = detail::items_of_path<typename Kernel::mapping_type::sharings> > 0;
    return (consumer::hands_round ? 896 : path ? 1024 : 768) / tuned_block_size;
  }();
  static constexpr bool is_copyable = Kernel::is_copyable;

  Kernel kernel;
  capacity max_size; ///< for tile sets sized on the device

  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    return kernel.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int panels = kernel.consumer.rows.panels, pieces = kernel.consumer.rows.pieces;
    if constexpr (sized_on_device<typename Kernel::tiles_type>) {
      const auto here = kernel.mapping.sized(max_size, block.shape());
      const Kernel each = kernel.for_sizes(here.mapping, cutting_blocks(here.mapping, here.blocks) * pieces);
      const std::int64_t of_panel = static_cast<std::int64_t>(here.blocks) * pieces;
      for (std::int64_t number = block.index(); number < of_panel * panels; number += block.count()) {
        const auto panel = static_cast<int>(number / of_panel);
        const auto in_panel = static_cast<int>(number % of_panel);
        panel_block<successive_block<Block>> as(successive_block<Block>(block, in_panel / pieces), panel,
                                                in_panel % pieces);
        each(as);
        block.sync();
      }
    } else {
      int panel = 0, piece = 0, index = block.index();
      if (panels > 1) { // no division for one panel, as most rows have
        const int of_panel = quotient(block.count(), panels);
        panel = quotient(index, of_panel);
        index -= panel * of_panel;
      }
      if (pieces > 1) {
        piece = remainder(index, pieces);
        index = quotient(index, pieces);
      }
      panel_block<renumbered_block<Block>> as(renumbered_block<Block>(block, index), panel, piece);
      kernel(as);
    }
  }
};

namespace detail {

/// Returns how rows of T are cut for a plan's launch. A schedule distributes its steps among threads and does not know
/// how many lanes a strand has. For strands of at least eight lanes on a merge path, several blocks replace one block
/// of the plan. Each thread then has about 6 steps, which is 48 per strand of 8 lanes.
template <class T, class Mapping, class Executor>
row_shape rows_for(const Executor& exec, int width, const launch_of<Mapping>& each, bool packed = false) {
  constexpr int max = columns_of_lane<T, Executor::serial_blocks>;
  row_shape rows = row_shape::of(width, max, shape_of_block(exec, each.shape.block_size), packed);
  if constexpr (!Executor::serial_blocks) {
    constexpr int items_wanted = 6, items = items_of_path<typename Mapping::sharings>;
    const int pieces =
        rows.lanes < lanes_that_hand ? 1 : larger((items + items_wanted / 2) / items_wanted, 1);
    const std::int64_t blocks = std::int64_t{larger(each.shape.blocks, each.max_blocks)} * rows.panels;
    if (blocks * pieces <= std::numeric_limits<int>::max()) rows.pieces = pieces;
  }
  return rows;
}

/// Returns the number of blocks of all panels. Throws invalid_argument if a grid cannot have that many.
template <class Mapping> int blocks_of_panels(const launch_of<Mapping>& each, const row_shape& rows) {
  return block_count(static_cast<std::int64_t>(each.shape.blocks) * rows.panels * rows.pieces, 1);
}

/// Runs a consumer under a plan's launch, for each panel.
template <class Executor, class Mapping, class Consumer>
void launch_panels(const Executor& exec, const launch_of<Mapping>& each, const Consumer& consumer) {
  if (each.shape.blocks == 0) return;
  const int size = each.shape.block_size;
  const panel_kernel<skeleton_kernel<Mapping, Consumer>> kernel{{each.mapping, consumer}, each.max_size};
  int blocks = blocks_of_panels(each, consumer.rows);
  if constexpr (sized_on_device<typename Mapping::tiles_type>)
    blocks = smaller(blocks, resident_blocks(exec, kernel, size));
  launch(exec, {blocks, size}, kernel);
}

/// reduce_tiles_wide for rows of a given shape, by a given consumer.
template <class Consumer, class Executor, class Plan, class Map, monoid Op, class Store>
void reduce_rows(const Executor& exec, Plan& plan, const row_shape& rows, const Map& map, const Op& op,
                 const Store& store) {
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  auto lease = plan.start(exec);
  Consumer bound{{plan.tiles(), map, op}, store, rows, {}};
  using shared = decltype(bound.shared);
  bound.shared = shared::in(exec, lease, rows.parts(), cutting_blocks(each) * rows.pieces,
                            max_cutting_blocks(each) * rows.pieces);
  launch_panels(exec, each, bound);
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    const typename Consumer::values_op both{op, rows.of_lane};
    if constexpr (sized_on_device<typename Plan::tiles_type>)
      fix_up_row_carries(exec,
                         blocks_by_sizes<mapping>{each.mapping, each.max_size,
                                                  shape_of_block(exec, each.shape.block_size), rows.pieces},
                         bound.shared, rows, both, store);
    else
      fix_up_row_carries(exec, known_blocks{bound.shared.blocks}, bound.shared, rows, both, store);
  }
}

/// reduce_tiles_wide; if Packed, lanes have packs.
template <bool Packed, class Executor, class Plan, class Map, monoid Op, class Store>
void reduce_wide(const Executor& exec, Plan& plan, int width, const Map& map, const Op& op,
                 const Store& store) {
  using tiles = typename Plan::tiles_type;
  using value = typename Op::value_type;
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  constexpr int of_lane = columns_of_lane<value, Executor::serial_blocks>;
  constexpr bool path = !Executor::serial_blocks && items_of_path<typename mapping::sharings> > 0;
  using unshared = reduce_wide_consumer<tiles, Map, Op, Store, of_lane, Packed, false>;
  const row_shape rows = rows_for<value>(exec, width, each, Packed);
  blocks_of_panels(each, rows); // before memory is allocated for the blocks
  // Two kernels: one kernel for both would need the larger number of registers.
  if constexpr (path && unshared::fetches) {
    using handed_round = reduce_wide_consumer<tiles, Map, Op, Store, of_lane, Packed, true>;
    if (rows.lanes >= lanes_that_hand) return reduce_rows<handed_round>(exec, plan, rows, map, op, store);
  }
  reduce_rows<unshared>(exec, plan, rows, map, op, store);
}

template <class Executor, class Plan, class Map, class Op, class Store>
void reduce_wide_planned(const Executor& exec, Plan& plan, int width, const Map& map, const Op& op,
                         const Store& store) {
  using tiles = typename Plan::tiles_type;
  using value = typename Op::value_type;
  static_assert(combinable_rows<tiles, Map, Op>::holds);
  static_assert(stores_rows<Store, tile_type<tiles>, value>::holds);
  note_parts(exec, plan.tiles(), map, op, store);
  constexpr int of_lane = columns_of_lane<value, Executor::serial_blocks>;
  if constexpr (!Executor::serial_blocks && of_lane > 1 && maps_packs<Map, tiles, value>) {
    if (width % of_lane == 0) return reduce_wide<true>(exec, plan, width, map, op, store);
  }
  reduce_wide<false>(exec, plan, width, map, op, store);
}

} // namespace detail

/// reduce_tiles_wide(exec, plan, width, map, op, store)
/// reduce_tiles_wide(exec, schedule, tiles, width, map, op, store)
///
/// Calls store(tile, column, value) exactly once for EVERY tile and every column in [0, width). `value` combines the
/// tile's atoms in that column by `op`, in atom order; for an empty tile it is the identity. The value of an atom is
/// map(atom, column) or map(tile, atom, column). Columns are of type int.
///
/// Requirements:
/// - `width` is in [1, 2^30].
/// - `map`, `store`: as for reduce_tiles. map has no side effects and may be called more than once per atom and column.
///
/// Advice: prefer map(atom, column), because its values can be loaded before tile ends are known. Store the columns of
/// a row contiguously: consecutive threads, or the innermost loop of a serial block, evaluate consecutive columns.
///
/// Optional members for loads of 16 bytes on a GPU:
/// - map.pack(atom, column) returns the values of `row_pack<T>::size` columns from `column` on, a multiple of that
///   size. It replaces map(atom, column) if the width is a multiple of the size. Rows begin at multiples of 16 bytes;
///   load_pack and store_pack move packs.
/// - store.pack(tile, column, values) stores a pack.
/// - map.fetch(atom), map.load(fetched, column) and map.values_in(fetched, loaded) separate loads from arithmetic:
///   fetch reads the data that all columns share. They may be called for several atoms before the first value is used,
///   and more than once per atom. The result of fetch is default-constructible, trivially copyable, and aligned to at
///   most 16 bytes; otherwise these members are not used.
///
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate two rows for each block
///   that cuts tiles, or for each piece of about six steps per thread.
/// - Determinism: every run of one plan with one width returns the same bits.
/// - Cost: the schedule's, for each panel of columns (detail/rows.hpp); the threads of a block process several atoms of
///   a row at a time. Several threads store the first empty tile that a schedule hands to one thread; that thread
///   stores its later ones.
/// - Throws invalid_argument for a width out of range.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void reduce_tiles_wide(const Executor& exec, How&& how, Rest&&... rest) {
  static_assert(detail::has_monoid<std::remove_cvref_t<Rest>...>::holds);
  detail::run_skeleton(
      exec, how, work_kind::wide_sums,
      [&](auto& plan, auto&... arguments) { detail::reduce_wide_planned(exec, plan, arguments...); },
      rest...);
}

/// For plan.reserve: reserves memory for reduce_tiles_wide with values of type Value and rows of at most this width.
template <class Value> struct reduces_wide {
  int width;

  template <class Plan> workspace::room memory_for(const Plan& plan) const {
    constexpr int max = columns_of_lane<Value, Plan::executor_type::serial_blocks>;
    const row_shape rows = detail::rows_for<Value>(plan.exec(), width, plan.launch());
    return row_carries<lane_values<Value, max>, tile_type<typename Plan::tiles_type>>::memory_for(
        rows.parts(), max_cutting_blocks(plan.launch()) * rows.pieces);
  }
};

} // namespace evenly
