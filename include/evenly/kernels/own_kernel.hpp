// SPDX-License-Identifier: Apache-2.0
// for_each_range on the host: a kernel of your own in one call. The library lays out memory, launches, and combines the
// partial results of shared tiles.
//
//   evenly::for_each_range(evenly::rows_of(a), [&](auto& range) {
//     for (auto row : range.tiles()) {
//       float sum = 0;
//       for (auto k : range.atoms(row)) sum += values[k] * x[columns[k]];
//       range.combine(row, sum);
//     }
//   }, evenly::plus{}, [&](int row, float sum) { y[row] = sum; });
//
// Without the last function, for_each_range returns the combined values.
//
// The body is a generic lambda on cpu and simt. On cuda lambdas that run on the device cannot be generic; there it is a
// struct with one `template <class Range> EVENLY_FN void operator()(Range& range) const`. The form for use inside a
// kernel is for_each_range(block, ...) (kernels/for_each_range.hpp).
#pragma once

#include <concepts>
#include <iterator>
#include <type_traits>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/kernels/ranges.hpp"
#include "evenly/kernels/work_range.hpp"
#include "evenly/schedules/default_plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// Calls the body for all ranges; `store` stores the combined values.
template <class Work, monoid Op, class Store, class Body> struct combining_kernel : kernel_of_work<Work> {
  using value = typename Op::value_type;
  static constexpr bool is_copyable = is_device_copyable<Op, Store, Body>;

  Work work;
  partials<value, typename Work::tile, carry_fix_up::deferred> carries;
  Op op;
  Store store;
  Body body;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return lay_out_combine<value>(layout, shape, work);
  }
  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto slots = lay_out(layout, block.shape());
    for_each_range(block, work, slots, combine_with{carries, op, store}, body);
  }
};

/// Calls the body for all ranges.
template <class Work, class Body> struct visiting_kernel : kernel_of_work<Work> {
  static constexpr bool is_copyable = is_device_copyable<Body>;

  Work work;
  Body body;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return work.lay_out(layout, shape);
  }
  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto slots = lay_out(layout, block.shape());
    for_each_range(block, work, slots, body);
  }
};

template <class Executor, class Plan, class Body>
void visit_ranges(const Executor& exec, Plan& plan, const Body& body) {
  if constexpr (chosen<Plan>) {
    plan.visit([&](auto& each) { visit_ranges(exec, each, body); });
  } else {
    const auto work = work_of(plan);
    if (work.blocks == 0) return;
    note_parts(exec, work, body);
    launch(exec, {work.blocks, work.block_size},
           visiting_kernel<std::remove_const_t<decltype(work)>, Body>{{}, work, body});
  }
}

template <class Executor, class Plan, class Body, monoid Op, class Store>
void combine_ranges(const Executor& exec, Plan& plan, const Body& body, const Op& op, const Store& store) {
  if constexpr (chosen<Plan>) {
    plan.visit([&](auto& each) { combine_ranges(exec, each, body, op, store); });
  } else {
    const auto work = work_of(plan);
    if (work.blocks == 0) return;
    note_parts(exec, work, body, op, store);
    const auto carries = make_partials<typename Op::value_type>(exec, work);
    launch(exec, {work.blocks, work.block_size},
           combining_kernel<std::remove_const_t<decltype(work)>, Op, Store, Body>{
               {}, work, carries.deferred(), op, store, body});
    fix_up_carries(exec, work, carries, op, store);
    if constexpr (!Executor::on_host) exec.synchronize(); // before `carries` is freed
  }
}

/// Whether a body accepts ranges. `Whole` and `Value`: as in tile_range.
template <class Body, class Tiles, bool Whole, class Value>
concept body_of_ranges =
    std::invocable<const Body&,
                   tile_range<tile_type<Tiles>, consecutive_range<atom_type<Tiles>>, Whole, Value>&>;

/// The value type of a store(tile, value) with concrete parameter types.
template <class R, class Store, class Tile, class T>
std::type_identity<std::remove_cvref_t<T>> stored_by(R (Store::*)(Tile, T) const);
template <class Store>
concept states_value_type = requires { stored_by(&Store::operator()); };

/// The monoid of for_each_range: the value type of plus<> is that of `store`.
template <class Op, class Store> struct combined_by {
  static_assert(
      monoid<Op> || states_value_type<Store>,
      "plus{} takes its type from the second parameter of store, which must be concrete, as in [=](int "
      "tile, float value); otherwise name the type, as in evenly::plus<float>{}");
  using type = monoid_type<Op, int>;
};
template <class Op, states_value_type Store> struct combined_by<Op, Store> {
  using type = monoid_type<Op, typename decltype(stored_by(&Store::operator()))::type>;
};

} // namespace detail

/// Calls body(range) so that every atom is in exactly one range of its tile. Calls store(tile, value) once for every
/// tile with the values that its ranges passed to range.combine(tile, value), combined by `op`; the identity for an
/// empty tile.
///
/// - `tiles`: a tile set, such as rows_of(a) or csr_tiles(offsets). Its laws are checked unless a plan is given.
/// - `op`: a monoid; plus{} without a type takes the type of store's second parameter.
/// - `body`, `op`, `store`: copied to the executor and called by many threads. body calls range.combine once for each
///   of range.tiles().
/// - `env`: executor, schedule or plan. Default: the executor of the tiles, if they have one, otherwise the cores of
///   this machine; under `automatic`.
/// - Allocates and synchronises. Every run of one plan returns the same bits.
/// - Throws invalid_argument for invalid tiles, and for a plan of other tiles.
template <tile_set Tiles, class Body, monoid_argument Op, class Store,
          environment_argument Env = environment<>>
requires(!environment_argument<Store>)
void for_each_range(const Tiles& tiles, const Body& body, const Op& given, const Store& store,
                    Env&& env = {}) {
  using monoid_of_values = typename detail::combined_by<Op, Store>::type;
  using value = typename monoid_of_values::value_type;
  static_assert(
      std::invocable<const Store&, tile_type<Tiles>, value>,
      "store must accept store(tile, value), as in [=](int tile, float value), and be callable if const");
  static_assert(detail::body_of_ranges<Body, Tiles, false, value>,
                "body must accept body(range), as in [=](auto& range), and be callable if const");
  const monoid_of_values& op = detail::monoid_for<value>(given);
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, tiles);
  detail::with_plan(exec, where, detail::plain_tiles(tiles), work_kind::sums,
                    [&](auto& plan) { detail::combine_ranges(exec, plan, body, op, store); });
}
/// The same without a store: element t of the result is the combined value of tile t.
template <tile_set Tiles, class Body, monoid_argument Op, environment_argument Env = environment<>>
auto for_each_range(const Tiles& tiles, const Body& body, const Op& op, Env&& env = {}) {
  static_assert(monoid<Op>, "without a store the monoid must have a type, as in evenly::plus<float>{}");
  using T = typename Op::value_type;
  const auto exec = detail::executor_for(detail::environment_of(env), tiles);
  auto out = detail::make_values<T>(exec, tiles.tiles());
  const detail::store_at<std::remove_const_t<decltype(exec)>, T> store{{std::data(out), std::size(out)}};
  evenly::for_each_range(tiles, body, op, store, env);
  return out;
}
/// The same for a body that combines nothing. It must write atomically (execution/atomic.hpp) if other threads may have
/// atoms of the same tile. Asynchronous on cuda under a plan.
template <tile_set Tiles, class Body, environment_argument Env = environment<>>
requires(!monoid<Env>)
void for_each_range(const Tiles& tiles, const Body& body, Env&& env = {}) {
  static_assert(detail::body_of_ranges<Body, Tiles, true, void>,
                "body must accept body(range), as in [=](auto& range), and be callable if const");
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, tiles);
  detail::with_plan(exec, where, detail::plain_tiles(tiles), work_kind::visits,
                    [&](auto& plan) { detail::visit_ranges(exec, plan, body); });
}
/// Overload for other arguments: fails to compile with a hint.
template <class Tiles, class Body, class... Rest>
requires(!requires(Tiles& block) { block.shape(); } &&
         (!tile_set<Tiles> || (sizeof...(Rest) > 0 && !(monoid_argument<Rest> || ...) &&
                               !(sizeof...(Rest) == 1 && (environment_argument<Rest> && ...)))))
void for_each_range(const Tiles&, const Body&, const Rest&...) {
  static_assert(tile_set<Tiles>,
                "for_each_range needs tiles: rows_of(a) for a matrix, csr_tiles(offsets) for offsets");
  if constexpr (tile_set<Tiles>) static_assert(detail::has_monoid<Rest...>::holds);
}

} // namespace evenly
