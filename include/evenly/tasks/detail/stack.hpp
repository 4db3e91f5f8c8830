// SPDX-License-Identifier: Apache-2.0
// task_stack: a worker's private stack of tasks, in the storage of its block.
//
// It is linear: the tasks are in [bottom, top) of its places. New tasks are pushed and popped at the top, the oldest
// are taken at the bottom, and compact() moves the rest down again. All lanes of the worker have the same bounds, in
// registers. The lanes synchronise before one of them reads what another has stored.
#pragma once

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

template <class Task, class Storage> class task_stack {
 public:
  EVENLY_FN task_stack(const Storage& tasks, int capacity) : tasks_(tasks), capacity_(capacity) {}

  EVENLY_INLINE_FN int size() const { return top_ - bottom_; }
  EVENLY_INLINE_FN bool empty() const { return top_ == bottom_; }
  EVENLY_INLINE_FN int capacity() const { return capacity_; }
  EVENLY_INLINE_FN int top() const { return top_; }
  /// Returns the number of places above the top.
  EVENLY_INLINE_FN int room() const { return capacity_ - top_; }

  /// Return the i-th oldest and the i-th newest task.
  EVENLY_INLINE_FN Task oldest(int i) const { return tasks_[bottom_ + i]; }
  EVENLY_INLINE_FN Task newest(int i) const { return tasks_[top_ - 1 - i]; }
  EVENLY_INLINE_FN void drop_oldest(int count) { bottom_ += count; }
  EVENLY_INLINE_FN void drop_newest(int count) { top_ -= count; }

  /// Stores a task in place `at`, below capacity().
  EVENLY_INLINE_FN void store(int at, const Task& task) const { tasks_[at] = task; }
  /// Raises the top by `count` tasks if there is room. Returns whether there was.
  EVENLY_INLINE_FN bool raise(int count) {
    const int top = top_ + count;
    const bool fits = top <= capacity_;
    highest_ = larger(highest_, top);
    top_ = fits ? top : top_;
    return fits;
  }
  /// Returns the highest top that raise() was asked for since forget_highest(), or the top at that call.
  EVENLY_INLINE_FN int highest() const { return highest_; }
  EVENLY_INLINE_FN void forget_highest() { highest_ = top_; }
  /// Sets the number of places in use.
  EVENLY_INLINE_FN void set_top(int top) { top_ = top; }
  /// Holds the tasks that have been stored at [0, count).
  EVENLY_INLINE_FN void hold(int count) { bottom_ = 0, top_ = count; }

  /// Moves the tasks down to place 0. Called by all lanes.
  template <class Lanes> EVENLY_INLINE_FN void compact(const Lanes& lanes) {
    if (bottom_ == 0) return;
    const int count = size();
    lanes.sync();
    EVENLY_DO_NOT_UNROLL
    for (int i = lanes.rank(); i - lanes.rank() < count; i += lanes.size()) {
      Task task{};
      if (i < count) task = oldest(i);
      lanes.sync();
      if (i < count) store(i, task);
      lanes.sync();
    }
    hold(count);
  }

 private:
  Storage tasks_;
  int capacity_;
  int bottom_ = 0;
  int top_ = 0;
  int highest_ = 0;
};

} // namespace evenly::detail
