// SPDX-License-Identifier: Apache-2.0
// A gate that a function of a kernel waits at, so that a test can do something in the middle of a run.
#pragma once

#include <atomic>
#include <thread>

namespace evenly {

/// Blocks threads until open(), and reports that a thread has arrived.
class gate {
 public:
  void wait() {
    come_ = true;
    come_.notify_all();
    open_.wait(false);
  }
  void await_someone() const { come_.wait(false); }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> come_{false};
  std::atomic<bool> open_{false};
};

/// Calls `meanwhile` while `run`, on another thread, waits at `g`; returns when both are done. `run` throws nothing.
template <class Run, class Meanwhile>
void while_waiting(gate& g, const Run& run, const Meanwhile& meanwhile) {
  const std::jthread other(run);
  g.await_someone();
  meanwhile();
  g.open();
}

} // namespace evenly
