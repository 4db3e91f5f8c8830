// SPDX-License-Identifier: Apache-2.0
// The body: the function that a worker calls for each task.
//
//   struct fibonacci {                                   // leaves are added up
//     static constexpr int max_children = 2;            // tasks that one call pushes
//     template <class Team, class Sink> EVENLY_FN void operator()(Team&, int n, Sink& sink) const {
//       if (n < 2) return sink.add(n);
//       sink.push(n - 1);
//       sink.push(n - 2);
//     }
//   };
//
// A task is a value: trivially copyable, default-constructible, of at most 2,048 bytes aligned to at most 16. Keep
// larger data in memory, and use their number as the task. A body is a function object that is copied to the executor.
// It is called once for each task as body(team, task, sink). Its member type `form` determines the calling threads:
//
//   form         calling threads                                    team             pushes
//   each_thread  one thread, for a task of its own (the default)    team<1>          sink.push(task), by any thread
//   in_step      all threads of a warp, each for a task of its own  task_lanes       sink.push(has, task...), by all
//   each_warp    all threads of a warp, for one task                lanes            sink.push(task), by any thread
//   each_block   all threads of a block, for one task               team<whole_block>  sink.push(task), by any thread
//
// In step, threads without a task call too: team.has_task() is false for them, and their argument `task` is
// unspecified. Therefore the threads of a warp may use its collectives, and a push costs a ballot. On blocks of one
// thread all forms are the same.
//
// Other members of a body:
// * max_children: the maximum number of tasks that one call pushes. The worker makes room for them before the call. If
//   a call pushes more, the run ends with an error. Optional for a body in step: without it each push looks for room.
// * block_size (optional): threads of a block on a GPU. The default suits small tasks; with fewer threads each has more
//   registers.
// * runs_long (optional): whether a call takes longer than a gift of tasks, some thousand cycles. Then a worker of
//   batched_stealing on a GPU answers requests after each step. By default true if a warp or a block runs a task,
//   because such bodies loop over data. The body declares its cost because a kernel that measured it would need more
//   registers (decision 20).
//
// The number of pushes is checked for all lanes of a step together. Without EVENLY_CHECKED it is checked for up to 16
// steps of a body in step together. A push without room ends the run in any case.
#pragma once

#include <cstddef>
#include <type_traits>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::tasks {

/// The forms of a body. See the head of this file.
struct each_thread {};
struct in_step {};
struct each_warp {};
struct each_block {};

/// The lanes of a warp that call a body in step.
template <class Block> class task_lanes : public lanes<Block> {
 public:
  EVENLY_FN task_lanes(const lanes<Block>& all, bool has) : lanes<Block>(all), has_(has) {}
  /// Returns whether the calling lane has a task.
  EVENLY_FN bool has_task() const { return has_; }

 private:
  bool has_;
};

/// A body that calls a function with the form each_thread, and pushes at most `Most` tasks.
template <int Most, class Function> struct task_function {
  static constexpr int max_children = Most;
  static constexpr bool is_copyable = is_device_copyable<Function>;
  Function function;

  EVENLY_MAY_CALL_HOST
  template <class Team, class Task, class Sink>
  EVENLY_FN void operator()(Team& team, const Task& task, Sink& sink) const {
    function(team, task, sink);
  }
};
/// Returns a body that calls `function` and pushes at most `Most` tasks.
template <int Most, class Function> task_function<Most, Function> at_most(const Function& function) {
  return {function};
}

} // namespace evenly::tasks

namespace evenly::detail {

template <class Body> struct form {
  using type = tasks::each_thread;
};
template <class Body>
requires requires { typename Body::form; }
struct form<Body> {
  using type = typename Body::form;
};
template <class Body> using form_of = typename form<Body>::type;

template <class Body> inline constexpr bool is_in_step = std::is_same_v<form_of<Body>, tasks::in_step>;
/// Whether a worker runs one task at a time.
template <class Body>
inline constexpr bool is_for_team =
    std::is_same_v<form_of<Body>, tasks::each_warp> || std::is_same_v<form_of<Body>, tasks::each_block>;
template <class Body> inline constexpr bool is_for_block = std::is_same_v<form_of<Body>, tasks::each_block>;

template <class Body> constexpr bool says_max_children() {
  return requires { Body::max_children; } || requires { Body::most_children; };
}
/// The body's max_children, or 0 if it has none: then no room is reserved.
template <class Body> constexpr int max_children_of() {
  if constexpr (requires { Body::max_children; })
    return static_cast<int>(Body::max_children);
  else if constexpr (requires { Body::most_children; }) // deprecated name
    return static_cast<int>(Body::most_children);
  else
    return 0;
}
template <class Body> inline constexpr int max_children = max_children_of<Body>();

/// The maximum size of a task in bytes.
inline constexpr std::size_t max_task_bytes = 2048;

/// Checks `Task` and `Body`, so that the compiler's first error names the broken rule.
template <class Task, class Body> constexpr void check_task_types() {
  static_assert(std::is_trivially_copyable_v<Task>, "a task must be trivially copyable");
  static_assert(std::is_default_constructible_v<Task>, "a task must be default-constructible");
  static_assert(
      sizeof(Task) <= max_task_bytes && alignof(Task) <= 16,
      "a task must have at most 2,048 bytes, aligned to at most 16: store a pointer to larger data");
  static_assert(is_device_copyable<Body>,
                "a body must be trivially copyable, because it is copied to the device");
  static_assert(is_in_step<Body> || says_max_children<Body>(),
                "a body needs max_children, the maximum number of tasks that one call pushes, as in "
                "evenly::at_most<2>(function)");
  static_assert(max_children<Body> >= 0, "max_children must not be negative");
}

/// The default number of tasks of a worker's private stack: at most 6 KiB, so that 32 warps have room on a
/// multiprocessor. On an H200 1,024 tasks of 4 bytes are 5% faster than 512, since bursts may be longer.
template <class Task, class Body>
inline constexpr int tuned_stack =
    larger(smaller(static_cast<int>(6144 / sizeof(Task)), 1024), larger(2 * max_children<Body>, 32));

/// Threads of a block on a GPU. Each warp is a worker. A multiprocessor has 32 of them, or as many as have room with
/// their stacks.
template <class Task, class Body> constexpr int tuned_block_threads() {
  if constexpr (requires { Body::block_size; })
    return static_cast<int>(Body::block_size);
  else if constexpr (is_for_block<Body>)
    return 128;
  else {
    const int storage = 200 * 1024, each = tuned_stack<Task, Body> * static_cast<int>(sizeof(Task));
    return 32 * larger(smaller(storage / each, 32), 1);
  }
}
template <class Task, class Body> inline constexpr int task_block_size = tuned_block_threads<Task, Body>();

/// Whether a call of the body takes longer than a gift of tasks.
template <class Body> constexpr bool takes_long() {
  if constexpr (requires { Body::runs_long; })
    return Body::runs_long;
  else
    return is_for_team<Body>;
}

} // namespace evenly::detail

namespace evenly {

using tasks::at_most;

} // namespace evenly
