// SPDX-License-Identifier: Apache-2.0
// What a study has measured so far, for files that may be written from another thread while it grows.
#pragma once

#include <mutex>
#include <utility>

namespace evenly::study {

template <class Results> class growing {
 public:
  growing() = default;
  explicit growing(Results all) : all_(std::move(all)) {}

  /// Changes them by change(Results&).
  template <class Change> void change(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(all_);
  }
  /// To read, on the thread that changes them.
  const Results& here() const { return all_; }
  Results copy() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  Results all_;
};

} // namespace evenly::study
