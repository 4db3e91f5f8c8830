// SPDX-License-Identifier: Apache-2.0
// task_sink: takes the output of a body: new tasks, numbers for the run's sum, requests to end the run.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/take_place.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/report.hpp"

namespace evenly::tasks {

/// Puts new tasks on the worker's private stack. If threads push independently, the height of the stack is a word of
/// storage.
template <class Body, class Worker, class Stack, class Heights, class Exchange> class task_sink {
  using block_type = std::remove_cvref_t<decltype(std::declval<Worker&>().block)>;

 public:
  using task = typename Worker::task;

  EVENLY_FN task_sink(Worker& worker, Stack& stack, const Heights& heights, Exchange& exchange)
      : worker_(worker), stack_(stack), heights_(heights), exchange_(exchange),
        before_(detail::lanes_before(worker.warp)) {}

  /// Pushes a task.
  EVENLY_INLINE_FN void push(const task& what)
  requires(!detail::is_in_step<Body>)
  {
    int at = 0;
    if constexpr (block_type::is_serial) {
      at = stack_.top();
      stack_.set_top(at + 1);
    } else
      at = take_place(atomic_ref(heights_[worker_.in_block], scope::block{}));
    if (at < stack_.capacity()) stack_.store(at, what); // else the caller finds too many pushes
  }

  /// Pushes one or several tasks of each lane with `has`. Called by all lanes.
  template <class... More>
  EVENLY_INLINE_FN void push(bool has, const task& first, const More&... more)
  requires(detail::is_in_step<Body> && (std::is_convertible_v<const More&, task> && ...))
  {
    const lane_mask having = worker_.warp.ballot(has);
    const int lanes = lanes_in(having), count = lanes * (1 + static_cast<int>(sizeof...(more)));
    if constexpr (!detail::says_max_children<Body>()) {
      worker_.pushed += count;
      if (stack_.room() < count) exchange_.relieve(stack_, count);
      if (stack_.room() < count) {
        if (worker_.leads()) worker_.overflow(count);
        return;
      }
    }
    int at = stack_.top() + lanes_in(having & before_);
    bool fits = true; // else the caller finds too many pushes
    if constexpr (block_type::is_serial) {
      stack_.set_top(stack_.top() + count);
      fits = stack_.room() >= 0;
    } else
      fits = stack_.raise(count);
    if (!has || !fits) return;
    stack_.store(at, first);
    (stack_.store(at += lanes, more), ...);
  }

  /// Adds to the sum that the run reports.
  EVENLY_INLINE_FN void add(std::uint64_t number) { worker_.sum += number; }

  /// Returns the number of the worker that runs the task: in [0, blocks times workers of a block).
  EVENLY_INLINE_FN int worker() const { return worker_.index(); }

  /// Ends the run. Running tasks finish; waiting tasks are not run.
  EVENLY_INLINE_FN void cancel() { worker_.end(task_outcome::cancelled); }

 private:
  Worker& worker_;
  Stack& stack_;
  const Heights& heights_;
  Exchange& exchange_;
  lane_mask before_; ///< the lanes before the calling lane
};

} // namespace evenly::tasks
