// SPDX-License-Identifier: Apache-2.0
// Reduce, scan, sort, select, reduce by key and by index on ranges. Sizes come from the ranges; results are returned.
//
//   const float sum = evenly::reduce(values);
//   const std::vector<int> offsets = evenly::exclusive_scan(counts);
//   evenly::sort_by_key(keys, values);                             // in place
//   auto [distinct, sums] = evenly::reduce_by_key(keys, values);   // of runs of equal keys
//   const auto totals = evenly::reduce_by_index(index, values, 10); // totals[i]: of the values whose index is i
//
// A range is a std::vector, an array, a std::span, a buffer or an evenly::vector. The optional last argument is an
// executor, a workspace or both (execution/environment.hpp); by default operations run where the range is. On the host
// results are std::vectors, otherwise evenly::vectors of the executor.
//
// Every run returns the same bits. Functions that return arrays or numbers allocate and synchronise; functions with an
// output are asynchronous on cuda. Complexity: O(elements), and for sorts O(elements) per byte of a key. The headers of
// the single operations have the exact costs and errors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/primitives/detail/element_at.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/reduce_by_index.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly {

namespace detail {

/// Copies to[i] = from[i], both in memory of `exec`.
template <class Executor, class T>
void copy_values(const Executor& exec, const T* from, std::int64_t count, T* to) {
  if (count > 0) tabulate(exec, count, element_at<T>{from}, to);
}

/// Sorts `count` keys, and values with them unless these are no_values. Waits.
template <class Executor, class Key, class Value>
void sort_in_place(const Executor& exec, Key* keys, Value* values, std::int64_t count, workspace& memory) {
  static_assert(!std::is_const_v<Key> && !std::is_const_v<Value>,
                "a range that is sorted in place must not be const");
  static_assert(radix_key<Key>, "keys must be integers or floating-point numbers of 8 to 64 bits");
  static_assert(std::is_trivially_copyable_v<Value>, "values must be trivially copyable");
  if (count == 0) return;
  constexpr bool has_values = !std::is_same_v<Value, no_values>;
  const Key* const from = keys;
  const Value* const values_from = values;
  if constexpr (Executor::on_host) {
    radix_sort(exec, from, values_from, count, keys, values, memory, 8 * sizeof(Key));
  } else {
    const auto size = static_cast<std::size_t>(count);
    const auto sorted = make_buffer<Key>(exec, size);
    const auto moved = make_buffer<Value>(exec, has_values ? size : 0);
    radix_sort(exec, from, values_from, count, sorted.data(), moved.data(), memory, 8 * sizeof(Key));
    copy_values(exec, sorted.data(), count, keys);
    if constexpr (has_values) copy_values(exec, moved.data(), count, values);
    exec.synchronize(); // before memory is freed
  }
}

/// Calls body(count, memory), which writes a number to *count on `exec`; returns that number. Waits.
template <class Executor, class Env, class Body>
std::int64_t counted_with_workspace(const Executor& exec, const Env& env, const Body& body) {
  const auto on_executor = make_buffer<std::int64_t>(exec, 1);
  with_workspace(env, [&](workspace& memory) { body(on_executor.data(), memory); });
  std::int64_t count = 0;
  exec.copy_to_host(&count, on_executor.data(), sizeof(count));
  return count;
}

/// Returns the first `count` elements.
template <class Executor, class T>
std::vector<T> first_values_of(const Executor&, std::vector<T> all, std::int64_t count) {
  all.resize(static_cast<std::size_t>(count));
  return all;
}
template <class Executor, class T>
vector<T, Executor> first_values_of(const Executor& exec, vector<T, Executor> all, std::int64_t count) {
  if (count == length_of(all)) return all;
  vector<T, Executor> first(exec, static_cast<std::size_t>(count));
  copy_values(exec, all.data(), count, first.data());
  exec.synchronize(); // before `all` is freed
  return first;
}

} // namespace detail

/// Returns values[0] op values[1] op ... ; the identity if there are none. The default monoid is plus.
template <detail::contiguous_values Values, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
detail::combined_type<Op, Values> reduce(const Values& values, const Op& op = {}, Env&& env = {}) {
  using T = detail::combined_type<Op, Values>;
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, values);
  const auto out = make_buffer<T>(exec, 1);
  detail::with_workspace(where, [&](workspace& memory) {
    evenly::reduce(exec, std::data(values), detail::length_of(values), op, out.data(), memory);
  });
  T result{};
  exec.copy_to_host(&result, out.data(), sizeof(T));
  return result;
}
/// Returns the sum, with an environment.
template <detail::contiguous_values Values, environment_argument Env>
detail::value_of<Values> reduce(const Values& values, Env&& env) {
  return evenly::reduce(values, plus<>{}, env);
}

/// Writes out[i] = values[0] op ... op values[i]. `out` has as many elements as `values` and may be the same range.
template <detail::contiguous_values Values, detail::contiguous_values Out, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
void inclusive_scan(const Values& values, Out&& out, const Op& op = {}, Env&& env = {}) {
  detail::require_same_length("values", values, "out", out);
  const auto where = detail::environment_without_schedule(env);
  detail::with_workspace(where, [&](workspace& memory) {
    evenly::inclusive_scan(detail::executor_for(where, values, out), std::data(values),
                           detail::length_of(values), op, std::data(out), memory);
  });
}
/// Writes out[i] = values[0] op ... op values[i - 1]; out[0] is the identity. `out` has as many elements as `values`
/// and may be the same range.
template <detail::contiguous_values Values, detail::contiguous_values Out, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
void exclusive_scan(const Values& values, Out&& out, const Op& op = {}, Env&& env = {}) {
  detail::require_same_length("values", values, "out", out);
  const auto where = detail::environment_without_schedule(env);
  detail::with_workspace(where, [&](workspace& memory) {
    evenly::exclusive_scan(detail::executor_for(where, values, out), std::data(values),
                           detail::length_of(values), op, std::data(out), memory);
  });
}
/// Returns the same as an array. The default monoid is plus.
template <detail::contiguous_values Values, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto inclusive_scan(const Values& values, const Op& op = {}, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, values);
  auto out = detail::make_values<detail::combined_type<Op, Values>>(exec, detail::length_of(values));
  evenly::inclusive_scan(values, out, op, where.on(exec));
  exec.synchronize();
  return out;
}
/// Returns the same as an array. The default monoid is plus.
template <detail::contiguous_values Values, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto exclusive_scan(const Values& values, const Op& op = {}, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, values);
  auto out = detail::make_values<detail::combined_type<Op, Values>>(exec, detail::length_of(values));
  evenly::exclusive_scan(values, out, op, where.on(exec));
  exec.synchronize();
  return out;
}

/// Sorts keys in ascending order, in place (primitives/sort.hpp). Allocates scratch memory for as many keys; on cuda
/// for twice as many.
template <detail::contiguous_values Keys, environment_argument Env = environment<>>
void sort(Keys&& keys, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, keys);
  detail::with_workspace(where, [&](workspace& memory) {
    detail::sort_in_place(exec, std::data(keys), static_cast<detail::no_values*>(nullptr),
                          detail::length_of(keys), memory);
  });
}

/// Sorts keys in ascending order and moves each value with its key, in place. Stable. Values must be trivially
/// copyable. Allocates scratch memory for as many keys and values; on cuda for twice as many. Throws invalid_argument
/// if the numbers of values and keys differ, or if the two ranges overlap.
template <detail::contiguous_values Keys, detail::contiguous_values Values,
          environment_argument Env = environment<>>
void sort_by_key(Keys&& keys, Values&& values, Env&& env = {}) {
  detail::require_same_length("keys", keys, "values", values);
  const std::int64_t count = detail::length_of(keys);
  detail::require_apart("keys", std::data(keys), count, "values", std::data(values), count, false);
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, keys, values);
  detail::with_workspace(where, [&](workspace& memory) {
    detail::sort_in_place(exec, std::data(keys), std::data(values), count, memory);
  });
}

/// Returns the values for which predicate(value) holds, in their order. `predicate`: a trivially copyable function
/// object that runs where the values are.
template <detail::contiguous_values Values, class Predicate, environment_argument Env = environment<>>
requires std::predicate<const Predicate&, const detail::value_of<Values>&>
auto select(const Values& values, const Predicate& predicate, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, values);
  auto out = detail::make_values<detail::value_of<Values>>(exec, detail::length_of(values));
  const auto found = detail::counted_with_workspace(exec, where, [&](std::int64_t* count, workspace& memory) {
    evenly::select(exec, std::data(values), detail::length_of(values), predicate, out.data(), count, memory);
  });
  return detail::first_values_of(exec, std::move(out), found);
}

/// Runs of equal keys: each run's key, and the combination of its values.
template <class Keys, class Values> struct reduced_runs {
  Keys keys;
  Values values;
};
/// Combines the values of each run of equal consecutive keys. The default monoid is plus. Throws invalid_argument if
/// the numbers of values and keys differ.
template <detail::contiguous_values Keys, detail::contiguous_values Values, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto reduce_by_key(const Keys& keys, const Values& values, const Op& op = {}, Env&& env = {}) {
  detail::require_same_length("keys", keys, "values", values);
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, keys, values);
  const std::int64_t count = detail::length_of(keys);
  auto found = detail::make_values<detail::value_of<Keys>>(exec, count);
  auto sums = detail::make_values<detail::combined_type<Op, Values>>(exec, count);
  const auto runs = detail::counted_with_workspace(exec, where, [&](std::int64_t* number, workspace& memory) {
    evenly::reduce_by_key(exec, std::data(keys), std::data(values), count, op, found.data(), sums.data(),
                          number, memory);
  });
  return reduced_runs<decltype(found), decltype(sums)>{detail::first_values_of(exec, std::move(found), runs),
                                                       detail::first_values_of(exec, std::move(sums), runs)};
}
/// Returns the sums of the runs, with an environment.
template <detail::contiguous_values Keys, detail::contiguous_values Values, environment_argument Env>
auto reduce_by_key(const Keys& keys, const Values& values, Env&& env) {
  return evenly::reduce_by_key(keys, values, plus<>{}, env);
}

/// Returns for each i in [0, size) the combination of the values whose index is i (primitives/reduce_by_index.hpp). The
/// default monoid is plus. Throws invalid_argument if an index is not in [0, size), or if the numbers of values and
/// indices differ.
template <detail::contiguous_values Indices, detail::contiguous_values Values, monoid_argument Op = plus<>,
          environment_argument Env = environment<>>
auto reduce_by_index(const Indices& index, const Values& values, std::int64_t size, const Op& op = {},
                     Env&& env = {}) {
  detail::require_same_length("index", index, "values", values);
  require(size >= 0, [&] { return detail::concat("size = ", size, ": must not be negative"); });
  const auto where = detail::environment_without_schedule(env);
  const auto exec = detail::executor_for(where, index, values);
  auto out = detail::make_values<detail::combined_type<Op, Values>>(exec, size);
  detail::with_workspace(where, [&](workspace& memory) {
    evenly::reduce_by_index(exec, std::data(index), std::data(values), detail::length_of(index), op,
                            out.data(), size, memory);
  });
  exec.synchronize();
  return out;
}
/// Returns sums, with an environment.
template <detail::contiguous_values Indices, detail::contiguous_values Values, environment_argument Env>
auto reduce_by_index(const Indices& index, const Values& values, std::int64_t size, Env&& env) {
  return evenly::reduce_by_index(index, values, size, plus<>{}, env);
}
/// Returns prefix sums, with an environment.
template <detail::contiguous_values Values, environment_argument Env>
auto inclusive_scan(const Values& values, Env&& env) {
  return evenly::inclusive_scan(values, plus<>{}, env);
}
/// Returns prefix sums, with an environment.
template <detail::contiguous_values Values, environment_argument Env>
auto exclusive_scan(const Values& values, Env&& env) {
  return evenly::exclusive_scan(values, plus<>{}, env);
}
/// Writes prefix sums, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Out, environment_argument Env>
void inclusive_scan(const Values& values, Out&& out, Env&& env) {
  evenly::inclusive_scan(values, out, plus<>{}, env);
}
/// Writes prefix sums, with an environment.
template <detail::contiguous_values Values, detail::contiguous_values Out, environment_argument Env>
void exclusive_scan(const Values& values, Out&& out, Env&& env) {
  evenly::exclusive_scan(values, out, plus<>{}, env);
}

/// Overload for a missing monoid: fails to compile with a hint.
template <detail::contiguous_values Values, class... Rest>
requires detail::lacks_monoid<Rest...>
auto reduce(const Values&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}
template <detail::contiguous_values Values, class... Rest>
requires detail::lacks_monoid<Rest...>
auto inclusive_scan(const Values&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}
template <detail::contiguous_values Values, class... Rest>
requires detail::lacks_monoid<Rest...>
auto exclusive_scan(const Values&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}
template <detail::contiguous_values Keys, class... Rest>
requires detail::lacks_monoid<Rest...>
auto reduce_by_key(const Keys&, const Rest&...) {
  static_assert(detail::has_monoid<Rest...>::holds);
}

} // namespace evenly
