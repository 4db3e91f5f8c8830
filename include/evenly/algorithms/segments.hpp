// SPDX-License-Identifier: Apache-2.0
// Segments of an array: reduce or scan each segment, or write the segment of each element.
//
//   const auto sums = evenly::segmented_reduce(values, offsets);                          // one per segment
//   const auto minima = evenly::segmented_reduce(values, offsets, evenly::minimum<float>{});
//   const auto prefixes = evenly::segmented_inclusive_scan(values, offsets);
//   const auto segment_of = evenly::expand(offsets);
//   const auto sums = evenly::reduce_tiles(tiles, [=](int k) { return values[k] * values[k]; });   // of a function
//
// Requirements:
// - Segment s is [offsets[s], offsets[s + 1]) of `values`; there is one more offset than segments. A segment may be
//   empty.
// - Offsets are int or std::int64_t, do not decrease, and are at most the number of values.
//
// The optional last argument is the environment (execution/environment.hpp). By default an operation runs where the
// values are, under `automatic`. Functions that return arrays allocate. All functions synchronise while they plan,
// unless a plan is given. Every run with one executor and schedule returns the same bits. Complexity: O(values +
// segments). Throws invalid_argument for offsets that break the rules.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/default_plan.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <class Executor, class T> struct segment_value {
  span_on<Executor, const T> values;
  EVENLY_INLINE_FN T operator()(std::int64_t i) const { return values[i]; }
};
/// The map of an array. It uses wide loads where accesses are not checked.
template <class Executor, class T> auto map_of(const T* values, std::size_t size) {
  if constexpr (std::is_same_v<span_on<Executor, const T>, plain_span<const T>>)
    return values_of<T>{values};
  else
    return segment_value<Executor, T>{{values, size}};
}

/// Plans the segments of `values` and calls body(exec, plan). Throws invalid_argument if a segment ends beyond the
/// values.
template <class Values, class Offsets, class Env, class Body>
void with_segments(const Values& values, const Offsets& offsets, Env&& env, work_kind work,
                   const Body& body) {
  const auto where = environment_of(env);
  const auto exec = executor_for(where, values, offsets);
  with_plan(exec, where, csr_tiles(std::span(std::data(offsets), std::size(offsets))), work, [&](auto& plan) {
    require(plan.first_atom() + plan.atoms() <= static_cast<std::int64_t>(std::size(values)), [&] {
      return concat("the last segment ends at ", plan.first_atom() + plan.atoms(), ", but there are ",
                    std::size(values), " values: offsets must be at most the number of values");
    });
    body(exec, plan);
  });
}
/// Throws invalid_argument unless `out` has `size` elements, one for each of `what`, and does not overlap the values.
template <class T, class Values, class Out>
void require_output(const Values& values, Out& out, std::size_t size, const char* what, bool in_place) {
  static_assert(std::is_same_v<decltype(std::data(out)), T*>,
                "out must have writable elements of the monoid's value_type");
  require(std::size(out) == size, [&] {
    return concat("out has ", std::size(out), " elements, but there are ", size, " ", what,
                  ": it needs one for each");
  });
  require_apart("values", std::data(values), static_cast<std::int64_t>(std::size(values)), "out",
                std::data(out), static_cast<std::int64_t>(size), in_place);
}
template <class Offsets> std::size_t segments_of(const Offsets& offsets) {
  require(std::size(offsets) > 0,
          [] { return "offsets is empty: it needs one more element than there are segments"; });
  return std::size(offsets) - 1;
}

template <bool Inclusive, class Values, class Offsets, class Out, class Op, class Env>
void scan_segments(const Values& values, const Offsets& offsets, Out&& out, const Op& op, Env&& env) {
  using T = combined_type<Op, Values>;
  require_output<T>(values, out, std::size(values), "values", true);
  with_segments(values, offsets, env, work_kind::prefixes,
                [&]<class Executor>(const Executor& exec, auto& plan) {
                  const auto map = map_of<Executor>(std::data(values), std::size(values));
                  const store_at<Executor, T> store{{std::data(out), std::size(out)}};
                  if constexpr (Inclusive)
                    scan_tiles(exec, plan, map, op, store);
                  else
                    scan_tiles_exclusive(exec, plan, map, op, store);
                });
}
template <bool Inclusive, class Values, class Offsets, class Op, class Env>
auto scanned_segments(const Values& values, const Offsets& offsets, const Op& op, Env&& env) {
  const auto exec = executor_for(environment_of(env), values, offsets);
  auto out = make_values<combined_type<Op, Values>>(exec, static_cast<std::int64_t>(std::size(values)));
  scan_segments<Inclusive>(values, offsets, out, op, env);
  exec.synchronize();
  return out;
}

} // namespace detail

/// Writes out[s] = the values of segment s combined by `op`; the identity for an empty segment.
///
/// - `out`: one element per segment; it does not overlap the values.
/// - Asynchronous on cuda under a plan.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, detail::contiguous_values Out,
          monoid_argument Op = plus<>, environment_argument Env = environment<>>
void segmented_reduce(const Values& values, const Offsets& offsets, Out&& out, const Op& op = {},
                      Env&& env = {}) {
  using T = detail::combined_type<Op, Values>;
  detail::require_output<T>(values, out, detail::segments_of(offsets), "segments", false);
  detail::with_segments(
      values, offsets, env, work_kind::sums, [&]<class Executor>(const Executor& exec, auto& plan) {
        reduce_tiles(exec, plan, detail::map_of<Executor>(std::data(values), std::size(values)), op,
                     detail::store_at<Executor, T>{{std::data(out), std::size(out)}});
      });
}
/// Returns the same as an array. The default monoid is plus.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto segmented_reduce(const Values& values, const Offsets& offsets, const Op& op = {}, Env&& env = {}) {
  const auto exec = detail::executor_for(detail::environment_of(env), values, offsets);
  auto out = detail::make_values<detail::combined_type<Op, Values>>(
      exec, static_cast<std::int64_t>(detail::segments_of(offsets)));
  evenly::segmented_reduce(values, offsets, out, op, env);
  exec.synchronize();
  return out;
}
/// Returns the sums of the segments, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, environment_argument Env>
auto segmented_reduce(const Values& values, const Offsets& offsets, Env&& env) {
  return evenly::segmented_reduce(values, offsets, plus<>{}, env);
}

/// Returns for each tile map(atom) of its atoms, combined by `op`; the identity for an empty tile. The default monoid
/// is plus. Many threads call `map`, which is copied to the executor: by default that of the tiles if they have one,
/// otherwise the cores of this machine.
template <tile_set Tiles, class Map, monoid_argument Op = plus<>, environment_argument Env = environment<>>
auto reduce_tiles(const Tiles& tiles, const Map& map, const Op& op = {}, Env&& env = {}) {
  using given = std::invoke_result_t<const Map&, typename Tiles::atom_type>;
  using T = typename detail::monoid_type<Op, given>::value_type;
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, tiles);
  auto out = detail::make_values<T>(exec, tiles.tiles());
  const std::span<T> to(std::data(out), std::size(out));
  detail::with_plan(exec, where, detail::plain_tiles(tiles), work_kind::sums, [&](auto& plan) {
    evenly::reduce_tiles(exec, plan, map, op,
                         detail::store_at<std::remove_const_t<decltype(exec)>, T>{{to.data(), to.size()}});
  });
  exec.synchronize();
  return out;
}
/// Returns the sums of the tiles, with an environment.
template <tile_set Tiles, class Map, environment_argument Env>
auto reduce_tiles(const Tiles& tiles, const Map& map, Env&& env) {
  return evenly::reduce_tiles(tiles, map, plus<>{}, env);
}

/// Writes out[i] = the values of i's segment up to and including i, combined by `op`.
///
/// - `out`: as many elements as `values`; it may be the same range. Elements in no segment keep their contents.
/// - Asynchronous on cuda under a plan.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, detail::contiguous_values Out,
          monoid_argument Op = plus<>, environment_argument Env = environment<>>
void segmented_inclusive_scan(const Values& values, const Offsets& offsets, Out&& out, const Op& op = {},
                              Env&& env = {}) {
  detail::scan_segments<true>(values, offsets, out, op, env);
}
/// The same without element i itself: the identity for the first element of a segment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, detail::contiguous_values Out,
          monoid_argument Op = plus<>, environment_argument Env = environment<>>
void segmented_exclusive_scan(const Values& values, const Offsets& offsets, Out&& out, const Op& op = {},
                              Env&& env = {}) {
  detail::scan_segments<false>(values, offsets, out, op, env);
}
/// Returns the same as an array. The default monoid is plus.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto segmented_inclusive_scan(const Values& values, const Offsets& offsets, const Op& op = {},
                              Env&& env = {}) {
  return detail::scanned_segments<true>(values, offsets, op, env);
}
/// Returns the same as an array. The default monoid is plus.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto segmented_exclusive_scan(const Values& values, const Offsets& offsets, const Op& op = {},
                              Env&& env = {}) {
  return detail::scanned_segments<false>(values, offsets, op, env);
}
/// Returns prefix sums, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, environment_argument Env>
auto segmented_inclusive_scan(const Values& values, const Offsets& offsets, Env&& env) {
  return detail::scanned_segments<true>(values, offsets, plus<>{}, env);
}
/// Returns prefix sums, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, environment_argument Env>
auto segmented_exclusive_scan(const Values& values, const Offsets& offsets, Env&& env) {
  return detail::scanned_segments<false>(values, offsets, plus<>{}, env);
}
/// Writes the sums of the segments, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, detail::contiguous_values Out,
          environment_argument Env>
void segmented_reduce(const Values& values, const Offsets& offsets, Out&& out, Env&& env) {
  evenly::segmented_reduce(values, offsets, out, plus<>{}, env);
}
/// Writes prefix sums, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, detail::contiguous_values Out,
          environment_argument Env>
void segmented_inclusive_scan(const Values& values, const Offsets& offsets, Out&& out, Env&& env) {
  detail::scan_segments<true>(values, offsets, out, plus<>{}, env);
}
/// Writes prefix sums, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Offsets, detail::contiguous_values Out,
          environment_argument Env>
void segmented_exclusive_scan(const Values& values, const Offsets& offsets, Out&& out, Env&& env) {
  detail::scan_segments<false>(values, offsets, out, plus<>{}, env);
}

/// Overload for a missing monoid: fails to compile with a hint.
template <detail::contiguous_values Values, class... Rest>
requires detail::lacks_monoid<Rest...>
auto segmented_reduce(const Values&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}
template <detail::contiguous_values Values, class... Rest>
requires detail::lacks_monoid<Rest...>
auto segmented_inclusive_scan(const Values&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}
template <detail::contiguous_values Values, class... Rest>
requires detail::lacks_monoid<Rest...>
auto segmented_exclusive_scan(const Values&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}

/// Returns the segment of each element from offsets.front() to offsets.back(), as int.
template <detail::contiguous_values Offsets, environment_argument Env = environment<>>
requires std::signed_integral<detail::value_of<Offsets>>
auto expand(const Offsets& offsets, Env&& env = {}) {
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, offsets);
  const auto tiles = csr_tiles(std::span(std::data(offsets), std::size(offsets)));
  return detail::with_plan(exec, where, tiles, work_kind::visits, [&](auto& plan) {
    auto out = detail::make_values<int>(exec, plan.atoms());
    evenly::expand(exec, plan, std::span<int>(std::data(out), std::size(out)));
    exec.synchronize();
    return out;
  });
}

} // namespace evenly
