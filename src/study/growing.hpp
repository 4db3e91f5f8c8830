// SPDX-License-Identifier: Apache-2.0
// The results of a running study, for files that another thread may write.
#pragma once

#include <mutex>
#include <utility>

namespace evenly::study {

template <class Results> class growing {
 public:
  growing() = default;
  explicit growing(Results all) : all_(std::move(all)) {}

  /// Calls change(Results&) with the lock held.
  template <class Change> void change(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(all_);
  }
  /// Read access for the thread that changes the results.
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
