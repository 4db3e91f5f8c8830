// SPDX-License-Identifier: Apache-2.0
// environment: where and how an operation runs. The optional last argument of operations on ranges, matrices and
// graphs.
//
//   evenly::segmented_reduce(values, offsets);                           // where the data are, under `automatic`
//   evenly::segmented_reduce(values, offsets, evenly::merge_path{});     // under this schedule
//   evenly::segmented_reduce(values, offsets, plan);                     // under a plan that was made before
//   evenly::sort(keys, evenly::cpu(4));                                  // on this executor
//   evenly::sort(keys, evenly::on(evenly::cpu(4)).with(memory));         // and with this workspace
//
// An executor, a schedule, a plan and a workspace stand for the environment that has nothing else. A stream is part of
// its executor: on(cuda(device, stream)). Options of a schedule are its members: with(merge_path<>{.block_size = 256}).
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
#include "evenly/execution/workspace.hpp"

namespace evenly {

class cpu;

namespace detail {

/// A part of an environment that is left to the operation.
struct unset {};

/// A plan, which cannot be copied, in an environment.
template <class Plan> struct plan_reference {
  static_assert(!std::is_const_v<Plan>, "the plan must not be const, because the operation changes it");
  Plan* of;
};

/// What only plans have, of all arguments that an environment takes.
template <class P>
concept plan_like = requires(P& plan) {
  typename P::executor_type;
  typename P::tiles_type;
  plan.tiles();
  plan.exec();
};
/// A schedule or a chooser of schedules. std::copyable comes last: once it has been evaluated for a lambda, GCC 12
/// regards the lambda as not trivially copyable.
template <class S>
concept schedule_like = (requires(const S& of) {
                          { of.block_size } -> std::convertible_to<int>;
                        } || requires(const S& of, std::int64_t atoms) {
                          { of.wants_sizes(atoms) } -> std::same_as<bool>;
                        }) && std::copyable<S>;

} // namespace detail

/// Executor, schedule or plan, and workspace of an operation; each may be unset. Plans and workspaces are kept by
/// reference and outlive it.
template <class Executor = detail::unset, class Schedule = detail::unset> class environment {
 public:
  environment() = default;
  environment(Executor exec, Schedule schedule, workspace* memory)
      : exec_(std::move(exec)), schedule_(std::move(schedule)), memory_(memory) {}

  /// The same on `exec`.
  template <executor E> environment<E, Schedule> on(const E& exec) const {
    return {exec, schedule_, memory_};
  }
  /// The same under a schedule or a chooser, which is copied.
  template <detail::schedule_like S> environment<Executor, S> with(const S& schedule) const {
    return {exec_, schedule, memory_};
  }
  /// The same under a plan.
  template <detail::plan_like P> environment<Executor, detail::plan_reference<P>> with(P& plan) const {
    return {exec_, {&plan}, memory_};
  }
  /// The same with scratch memory that lasts, for operations on plain ranges (primitives/on_ranges.hpp): they allocate
  /// what they return, and no scratch. Plans have scratch memory of their own.
  environment with(workspace& memory) const { return {exec_, schedule_, &memory}; }

  const Executor& executor() const { return exec_; }
  const Schedule& schedule() const { return schedule_; }
  /// Null if unset.
  workspace* memory() const { return memory_; }

 private:
  Executor exec_;
  Schedule schedule_;
  workspace* memory_ = nullptr;
};

/// Runs on `exec`.
template <executor E> environment<E> on(const E& exec) { return environment<>{}.on(exec); }
/// Runs under a schedule, a chooser or a plan, or with a workspace.
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

/// The types that stand for an environment.
template <class T>
concept environment_part = executor<T> || std::same_as<T, workspace> || plan_like<T> || schedule_like<T>;

} // namespace detail

/// What operations take as their last argument: an environment, or one part of one.
template <class T>
concept environment_argument =
    detail::is_environment<std::remove_cvref_t<T>> || detail::environment_part<std::remove_cvref_t<T>>;
namespace detail {

/// Any environment argument as an environment.
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

/// The same for operations on plain ranges.
template <class Env> auto environment_without_schedule(Env&& env) {
  const auto given = environment_of(env);
  static_assert(std::is_same_v<decltype(given.schedule()), const unset&>,
                "this operation has no schedule: its environment must be an executor, a workspace or both");
  return given;
}

/// Elements side by side: a std::vector, an array, a std::span, a buffer, an evenly::vector.
template <class R>
concept contiguous_values = !executor<std::remove_cvref_t<R>> && requires(R& values) {
  { std::data(values) } -> std::convertible_to<const volatile void*>;
  { std::size(values) } -> std::convertible_to<std::size_t>;
};
template <class R> using value_of = std::remove_cvref_t<decltype(*std::data(std::declval<R&>()))>;

/// Arguments of which one should have been a monoid: it is neither that nor data nor an environment.
template <class... Arguments>
concept lacks_monoid = !(monoid<Arguments> || ...) &&
                       !((contiguous_values<const Arguments> || environment_argument<Arguments>) && ...);

/// Data that know their executor.
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

/// The executor of the first of `data` that knows its own; else the cores of this machine.
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
/// The executor that an operation on `data` runs on.
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

/// Calls body(memory) with the workspace of `env`, or with one that lasts for the call.
template <class E, class S, class Body>
decltype(auto) with_workspace(const environment<E, S>& env, const Body& body) {
  if (env.memory() != nullptr) return body(*env.memory());
  workspace memory;
  return body(memory);
}

} // namespace detail

} // namespace evenly
