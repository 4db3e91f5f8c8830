// SPDX-License-Identifier: Apache-2.0
// A value that one thread changes, and that others may copy at any time: results that are written if the program is
// interrupted.
#pragma once

#include <mutex>
#include <utility>

namespace evenly::host {

template <class T> class guarded {
 public:
  guarded() = default;
  explicit guarded(T value) : value_(std::move(value)) {}

  /// Calls change(value) with the lock held.
  template <class Change> void change(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(value_);
  }
  void set(T value) {
    change([&](T& all) { all = std::move(value); });
  }
  const T& here() const { return value_; } ///< for the thread that changes the value
  T copy() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

} // namespace evenly::host
