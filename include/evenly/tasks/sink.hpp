// SPDX-License-Identifier: Apache-2.0
// Where a body puts what it makes: new tasks, a number for the run's sum, the wish to end.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/take_place.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/report.hpp"

namespace evenly {

/// Puts new tasks on the worker's private stack. Where threads push by themselves, its height is a word of storage.
template <class Body, class Worker, class Stack, class Heights, class Exchange> class task_sink {
  using block_type = std::remove_cvref_t<decltype(std::declval<Worker&>().block)>;

 public:
  using task = typename Worker::task;

  EVENLY_FN task_sink(Worker& worker, Stack& stack, const Heights& heights, Exchange& exchange)
      : worker_(worker), stack_(stack), heights_(heights), exchange_(exchange),
        before_(detail::lanes_before(worker.warp)) {}

  /// A new task.
  EVENLY_INLINE_FN void push(const task& what)
  requires(!detail::is_in_step<Body>)
  {
    int at = 0;
    if constexpr (block_type::is_serial) {
      at = stack_.top();
      stack_.set_top(at + 1);
    } else
      at = take_place(atomic_ref(heights_[worker_.in_block], scope::block{}));
    if (at < stack_.capacity()) stack_.store(at, what); // else the call is found to have pushed too many
  }

  /// A new task of each lane that has one, or several of each. Called by all lanes.
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
    bool fits = true; // else the call is found to have pushed too many
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

  /// The number of the worker that runs the task, below blocks times workers in a block.
  EVENLY_INLINE_FN int worker() const { return worker_.index(); }

  /// Ends the run. Tasks that are running are finished; those that wait are not run.
  EVENLY_INLINE_FN void cancel() { worker_.end(task_outcome::cancelled); }

 private:
  Worker& worker_;
  Stack& stack_;
  const Heights& heights_;
  Exchange& exchange_;
  lane_mask before_; ///< the lanes before the calling one
};

} // namespace evenly
