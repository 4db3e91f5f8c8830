// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide: a row of `width` values for each tile, combined column by column from its atoms. The skeleton of
// products with several vectors and dense matrices, of pooling, and of all that gathers rows.
//
// The lanes of a logical thread go over columns (detail/rows.hpp), so that rows which lie in memory column after column
// are read coalesced, whatever the schedule. How tiles are shared: detail/reduce_wide_consumer.hpp; why so:
// docs/decisions/0016.
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

/// Steps of a thread, of mappings that hand out nothing but a merge path; else 0.
template <class Sharings> inline constexpr int items_of_path = 0;
template <class Form> inline constexpr int items_of_path<sharing::list<Form>> = sharing::blocked_items<Form>;

} // namespace detail

/// A skeleton's kernel for rows of several panels: all blocks of the first, then all of the second. Blocks in the place
/// of one of the plan's follow each other.
template <class Kernel> struct panel_kernel {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  /// Where loads are told from arithmetic: 72 registers a thread for entries that are handed round, where nvcc takes 80
  /// by itself, with which a seventh fewer blocks have room; 64 for other merge paths; else 80, where nvcc takes 64 and
  /// has two rows under way in place of four.
  static constexpr int min_blocks = [] {
    using consumer = typename Kernel::consumer_type;
    if (!consumer::distinguishes_loads) return Kernel::min_blocks;
    constexpr bool path = detail::items_of_path<typename Kernel::mapping_type::sharings> > 0;
    return (consumer::hands_round ? 896 : path ? 1024 : 768) / tuned_block_size;
  }();
  static constexpr bool is_copyable = Kernel::is_copyable;

  Kernel kernel;
  capacity max_size; ///< of tiles that are sized on the device

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
      if (panels > 1) { // where there is but one, as for most rows, no division
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

/// How rows of T are cut for a plan's launch. A schedule deals out its steps to threads, and cannot know how many lanes
/// a strand has: of a merge path, if that is eight or more, so many blocks take the place of one that each thread has
/// about 6 steps, which is 48 for a strand of 8 lanes.
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

/// As many blocks as all panels take together. Throws invalid_argument when a grid cannot have so many.
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

/// reduce_tiles_wide of such rows, by a consumer.
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

/// reduce_tiles_wide, by lanes that have packs, if Packed.
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
  blocks_of_panels(each, rows); // before memory is taken for them
  // Two kernels: one of both would have the registers of the larger.
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
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
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
/// Calls store(tile, column, value) exactly once for EVERY tile and every column in [0, width), with the values of the
/// tile's atoms in that column combined by `op` in atom order (the identity for an empty tile), where an atom's value
/// is map(atom, column) or map(tile, atom, column); columns are of type int.
///
/// map, store: as of reduce_tiles, function objects or EVENLY_FN lambdas with concrete parameter types; map has no side
/// effects, and may be called more than once for an atom and column. Take map(atom, column) where you can: values are
/// then loaded before it is known where tiles end. Consecutive columns are evaluated by neighbouring threads, on a
/// serial block by the innermost loop: keep the columns of a row side by side.
/// On a GPU it is faster still to load 16 bytes at once. If map has a member pack(atom, column), which returns the
/// values of `row_pack<T>::size` columns from `column` on, a multiple of it, that is called in its place where the
/// width is a multiple of it; and store.pack(tile, column, values), if store has it. Rows then begin at multiples of 16
/// bytes; load_pack and store_pack move them. If map tells loads from arithmetic, as fetch(atom), which reads what is
/// the same for all columns, load(fetched, column) and values_in(fetched, loaded), it may be asked for several atoms
/// before the values of the first are, and for an atom again; what fetch gives is then default-constructible, trivially
/// copyable, and aligned to at most 16 bytes, or it is not asked.
/// Throws invalid_argument if `width` is less than 1 or more than 2^30.
/// Asynchronous on cuda, but for the first run of a kind under a plan, which may allocate: for each block that cuts
/// tiles, or each piece of about six steps a thread, two rows. The result has the same bits on every run of the same
/// plan with the same width. Cost: the schedule's, for each panel of columns (detail/rows.hpp), in which a block's
/// threads have several atoms a row at a time; empty tiles that one thread gets are stored by several, but for the
/// second and later ones.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void reduce_tiles_wide(const Executor& exec, How&& how, Rest&&... rest) {
  static_assert(detail::has_monoid<std::remove_cvref_t<Rest>...>::holds);
  detail::run_skeleton(
      exec, how, work_kind::wide_sums,
      [&](auto& plan, auto&... arguments) { detail::reduce_wide_planned(exec, plan, arguments...); },
      rest...);
}

/// For plan.reserve: reduce_tiles_wide of such values, and of rows of this width or a smaller one, will run.
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
