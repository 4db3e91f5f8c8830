// SPDX-License-Identifier: Apache-2.0
// The body of tasks that wait for their children. run_fork_join (tasks/fork_join.hpp) calls it.
//
//   struct fibonacci {
//     static constexpr int max_children = 2;
//     using result = std::uint64_t;
//     template <class Team, class Sink> EVENLY_FN void operator()(Team&, int n, Sink& sink) const {
//       if (n < 2) return sink.give(n);
//       sink.fork_join(n, n - 1, n - 2);                 // resumes when both have given their values
//     }
//     template <class Team, class Results, class Sink>
//     EVENLY_FN void resume(Team&, int n, const Results& results, Sink& sink) const {
//       sink.give(results[0] + results[1]);
//     }
//   };
//
// A call ends in one of two ways:
// * It gives a value, which goes to the parent that waits for it. A call that does neither gives result{}.
// * It joins: its continuation, which is a task too, waits until all tasks pushed by the call have given their values.
//   Then resume(team, continuation, results, sink) is called. results[0], results[1], ... are in the order of the
//   pushes. That call gives or joins in turn; the value that it gives is the value of the task.
//
// If a call pushes tasks without joining them, their values are dropped.
//
// A body has the members listed in tasks/body.hpp, with these differences:
// * form: each_thread or in_step. In step, all threads of a warp call. team.has_task() is true for threads with a task
//   to run, and each of these uses the sink independently. resume is called if any thread resumes.
// * result: trivially copyable and default-constructible, aligned to at most 16.
// * max_children: the maximum number of tasks that one call pushes. A call that pushes without joining counts one more,
//   for the value that it gives.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/tasks/body.hpp"

namespace evenly::detail {

template <class Body> struct result_type {
  using type = int; // rejected by joining_types
};
template <class Body>
requires requires { typename Body::result; }
struct result_type<Body> {
  using type = typename Body::result;
};
template <class Body> using result_of = typename result_type<Body>::type;

} // namespace evenly::detail

namespace evenly::tasks {

/// The values of the children. `View`: a view of the values in the parent's frame.
template <class R, class View> class join_results {
 public:
  EVENLY_INLINE_FN join_results(const View& values, int count) : values_(values), count_(count) {}

  EVENLY_INLINE_FN int size() const { return count_; }
  EVENLY_INLINE_FN R operator[](int child) const { return values_[child]; }

 private:
  View values_;
  int count_;
};

/// The requests of one call. They stay in registers until the call returns.
template <class Task, class Body, class Sink> class join_sink {
  using result = detail::result_of<Body>;
  static constexpr int max = detail::max_children<Body>;

 public:
  EVENLY_INLINE_FN explicit join_sink(Sink& sink) : sink_(sink) {}

  /// Pushes a task.
  EVENLY_INLINE_FN void push(const Task& child) {
    if constexpr (max <= 8) { // a run-time index would move the array from registers to memory
      EVENLY_UNROLL
      for (int i = 0; i < max; ++i)
        if (i == count_) children_[i] = child;
    } else if (count_ < max)
      children_[count_] = child;
    ++count_;
  }
  /// Joins: the call resumes with `continuation` when all its pushed tasks, earlier and later ones, have given their
  /// values.
  EVENLY_INLINE_FN void join(const Task& continuation) {
    continuation_ = continuation;
    joins_ = true;
  }
  /// Pushes `children`, and joins.
  template <class... Children>
  EVENLY_INLINE_FN void fork_join(const Task& continuation, const Children&... children) {
    static_assert(sizeof...(Children) <= max, "a call must not push more than the body's max_children");
    (push(children), ...);
    join(continuation);
  }
  /// Sets the call's value. Has no effect if the call joins.
  EVENLY_INLINE_FN void give(const result& value) { value_ = value; }

  /// As in tasks/sink.hpp.
  EVENLY_INLINE_FN void add(std::uint64_t number) { sink_.add(number); }
  EVENLY_INLINE_FN void cancel() { sink_.cancel(); }

  /// Used by the caller of the body.
  EVENLY_INLINE_FN int count() const { return count_; }
  EVENLY_INLINE_FN bool joins() const { return joins_; }
  EVENLY_INLINE_FN const Task& child(int i) const { return children_[i]; }
  EVENLY_INLINE_FN const Task& continuation() const { return continuation_; }
  EVENLY_INLINE_FN const result& value() const { return value_; }

 private:
  Sink& sink_;
  Task children_[larger(max, 1)]{};
  Task continuation_{};
  result value_{};
  int count_ = 0;
  bool joins_ = false;
};

} // namespace evenly::tasks

namespace evenly::detail {

/// Checks `Task` and `Body`, so that the compiler's first error names the broken rule.
template <class Task, class Body> struct joining_types {
  static_assert(std::is_trivially_copyable_v<Task>, "a task must be trivially copyable");
  static_assert(
      requires { typename Body::result; },
      "a joining body needs a member type result, the value that a task returns to its parent");
  static_assert(std::is_trivially_copyable_v<result_of<Body>> &&
                    std::is_default_constructible_v<result_of<Body>> && alignof(result_of<Body>) <= 16,
                "a result must be trivially copyable and default-constructible, aligned to at most 16");
  static_assert(!is_for_team<Body>,
                "the form of a joining body must be each_thread or in_step, with one task per thread");
  static_assert(
      says_max_children<Body>() && max_children<Body> >= 0 && max_children<Body> < 1 << 15,
      "a joining body needs max_children, the maximum number of tasks that one call pushes, below 32,768");
  static constexpr bool are_right = true;
};

} // namespace evenly::detail
