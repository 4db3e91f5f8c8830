// SPDX-License-Identifier: Apache-2.0
// environment: where and how an operation runs. It is the optional last argument of operations on ranges, matrices and
// graphs.
//
//   evenly::segmented_reduce(values, offsets);                           // where the data are, under `automatic`
//   evenly::segmented_reduce(values, offsets, evenly::merge_path{});     // under this schedule
//   evenly::segmented_reduce(values, offsets, plan);                     // under an existing plan
//   evenly::sort(keys, evenly::cpu(4));                                  // on this executor
//   evenly::sort(keys, evenly::on(evenly::cpu(4)).with(memory));         // and with this workspace
//
// An executor, a schedule, a plan or a workspace is accepted as an environment with nothing else set. A stream is part
// of its executor: on(cuda(device, stream)). The options of a schedule are its members: with(merge_path<>{.block_size =
// 256}).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

class cpu;

namespace detail {

/// Stands for a part of an environment that is not given: the operation chooses it.
struct unset {};

/// A reference to a plan in an environment. Plans cannot be copied.
template <class Plan> struct plan_reference {
  static_assert(!std::is_const_v<Plan>, "the plan must not be const, because the operation changes it");
  Plan* of;
};

/// The members that distinguish a plan from all other arguments that an environment takes.
template <class P>
concept plan_like = requires(P& plan) {
  typename P::executor_type;
  typename P::tiles_type;
  plan.tiles();
  plan.exec();
};
/// A schedule or a chooser of schedules. std::copyable comes last: GCC 12 evaluates it for a lambda and then regards
/// the lambda as not trivially copyable.
template <class S>
concept schedule_like = (requires(const S& of) {
                          { of.block_size } -> std::convertible_to<int>;
                        } || requires(const S& of, std::int64_t atoms) {
                          { of.wants_sizes(atoms) } -> std::same_as<bool>;
                        }) && std::copyable<S>;

} // namespace detail

/// The executor, schedule or plan, and workspace of an operation. Each may be unset. Plans and workspaces are kept by
/// reference and must outlive the environment.
template <class Executor = detail::unset, class Schedule = detail::unset> class environment {
 public:
  environment() = default;
  environment(Executor exec, Schedule schedule, workspace* memory)
      : exec_(std::move(exec)), schedule_(std::move(schedule)), memory_(memory) {}

  /// Returns a copy of this environment that runs on `exec`.
  template <executor E> environment<E, Schedule> on(const E& exec) const {
    return {exec, schedule_, memory_};
  }
  /// Returns a copy of this environment with a copy of a schedule or chooser.
  template <detail::schedule_like S> environment<Executor, S> with(const S& schedule) const {
    return {exec_, schedule, memory_};
  }
  /// Returns a copy of this environment with a reference to a plan.
  template <detail::plan_like P> environment<Executor, detail::plan_reference<P>> with(P& plan) const {
    return {exec_, {&plan}, memory_};
  }
  /// Returns a copy of this environment with a workspace for operations on plain ranges (primitives/on_ranges.hpp) and
  /// for sparse results (sparse/operators.hpp). These operations then allocate only their result, no scratch memory.
  /// Plans have scratch memory of their own.
  environment with(workspace& memory) const { return {exec_, schedule_, &memory}; }

  const Executor& executor() const { return exec_; }
  const Schedule& schedule() const { return schedule_; }
  /// Returns null if unset.
  workspace* memory() const { return memory_; }

 private:
  Executor exec_;
  Schedule schedule_;
  workspace* memory_ = nullptr;
};

/// Returns an environment that runs on `exec`.
template <executor E> environment<E> on(const E& exec) { return environment<>{}.on(exec); }
/// Returns an environment with a schedule, a chooser, a plan or a workspace.
template <detail::schedule_like S> environment<detail::unset, S> with(const S& schedule) {
  return environment<>{}.with(schedule);
}
template <detail::plan_like P> environment<detail::unset, detail::plan_reference<P>> with(P& plan) {
  return environment<>{}.with(plan);
}
inline environment<> with(workspace& memory) { return environment<>{}.with(memory); }

namespace detail {

template <class T> inline constexpr bool is_environment = false;
template <class E, class S> inline constexpr bool is_environment<environment<E, S>> = true;

/// The types that are accepted as an environment.
template <class T>
concept environment_part = executor<T> || std::same_as<T, workspace> || plan_like<T> || schedule_like<T>;

} // namespace detail

/// The last argument of operations: an environment, or one part of one.
template <class T>
concept environment_argument =
    detail::is_environment<std::remove_cvref_t<T>> || detail::environment_part<std::remove_cvref_t<T>>;
namespace detail {

/// Converts any environment argument to an environment.
template <class Env> auto environment_of(Env&& env) {
  using given = std::remove_cvref_t<Env>;
  if constexpr (is_environment<given>)
    return env;
  else if constexpr (executor<given>)
    return on(env);
  else if constexpr (plan_like<given>)
    return with(static_cast<std::remove_reference_t<Env>&>(env));
  else
    return with(env);
}

/// The same for operations on plain ranges. They take no schedule.
template <class Env> auto environment_without_schedule(Env&& env) {
  const auto given = environment_of(env);
  static_assert(std::is_same_v<decltype(given.schedule()), const unset&>,
                "this operation has no schedule: its environment must be an executor, a workspace or both");
  return given;
}

/// Contiguous elements: a std::vector, an array, a std::span, a buffer, an evenly::vector.
template <class R>
concept contiguous_values = !executor<std::remove_cvref_t<R>> && requires(R& values) {
  { std::data(values) } -> std::convertible_to<const volatile void*>;
  { std::size(values) } -> std::convertible_to<std::size_t>;
};
template <class R> using value_of = std::remove_cvref_t<decltype(*std::data(std::declval<R&>()))>;
/// The type of combined values of a range.
template <class Op, class R> using combined_type = typename monoid_type<Op, value_of<R>>::value_type;

/// Whether a monoid is missing: no argument is one, and some argument is neither data nor an environment.
template <class... Arguments>
concept lacks_monoid = !(monoid_argument<Arguments> || ...) &&
                       !((contiguous_values<const Arguments> || environment_argument<Arguments>) && ...);

/// Data with an executor of their own.
template <class T>
concept placed =
    requires(const T& data) { requires executor<std::remove_cvref_t<decltype(data.executor())>>; };

/// Whether the type of data says that they are on the host.
template <class T> inline constexpr bool is_on_host = std::is_array_v<T>;
template <class T, class A> inline constexpr bool is_on_host<std::vector<T, A>> = true;
template <class T, std::size_t N> inline constexpr bool is_on_host<std::array<T, N>> = true;
template <class T>
requires requires { requires T::executor_type::on_host; }
inline constexpr bool is_on_host<T> = true;
/// Whether the type of data says that they are on a device.
template <class T> inline constexpr bool is_on_device = false;
template <class T>
requires requires { requires !T::executor_type::on_host; }
inline constexpr bool is_on_device<T> = true;

/// Returns the executor of the first of `data` that has one, otherwise the cores of this machine.
template <class Cores> Cores executor_of_data() { return Cores(); }
template <class Cores, class First, class... Rest>
auto executor_of_data(const First& first, const Rest&... rest) {
  if constexpr (placed<First>)
    return first.executor();
  else
    return executor_of_data<Cores>(rest...);
}

template <class Cores, class E, class S, class... Data>
auto chosen_executor(const environment<E, S>& env, const Data&... data) {
  if constexpr (!std::is_same_v<E, unset>)
    return env.executor();
  else if constexpr (requires { env.schedule().of->exec(); })
    return std::remove_cvref_t<decltype(env.schedule().of->exec())>(env.schedule().of->exec());
  else
    return executor_of_data<Cores>(data...);
}
/// Returns the executor that an operation on `data` runs on.
template <class E, class S, class... Data>
auto executor_for(const environment<E, S>& env, const Data&... data) {
  using chosen = decltype(chosen_executor<cpu>(env, data...));
  static_assert(chosen::on_host || !(is_on_host<Data> || ...),
                "an operation on a device was given data on the host: copy them with evenly::vector(exec, "
                "values) or a.to(exec)");
  static_assert(!chosen::on_host || !(is_on_device<Data> || ...),
                "an operation on the host was given data on a device: copy them with x.to_host() or "
                "a.to(evenly::cpu())");
  return chosen_executor<cpu>(env, data...);
}

/// Calls body(temporaries) with an executor for temporaries: of memory that the workspace of `env` keeps, or `exec`.
template <class E, class S, class Executor, class Body>
decltype(auto) with_temporaries(const environment<E, S>& env, const Executor& exec, const Body& body) {
  if (env.memory() == nullptr) return body(exec);
  workspace::lease lease(*env.memory());
  return body(lease.temporaries(exec));
}

/// Calls body(memory) with the workspace of `env`, or with a temporary one.
template <class E, class S, class Body>
decltype(auto) with_workspace(const environment<E, S>& env, const Body& body) {
  if (env.memory() != nullptr) return body(*env.memory());
  workspace memory;
  return body(memory);
}

} // namespace detail

} // namespace evenly
