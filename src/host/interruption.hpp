// SPDX-License-Identifier: Apache-2.0
// Actions before SIGINT (Ctrl-C), SIGTERM or SIGHUP ends the program.
//
// A separate thread waits for these signals; all other threads block them. An interruption is therefore handled at
// once, during any computation, and by ordinary code, which may allocate, lock and write.
#pragma once

#include <functional>
#include <string_view>

namespace evenly::host {

/// Starts the watching thread. Call this once, before starting other threads: they inherit the blocked signals. A
/// signal that is ignored, for example by nohup, stays ignored. Throws std::system_error if the thread cannot be
/// started.
///
/// On a signal, the registered actions run, newest first; then the signal ends the process as usual. A second signal
/// during the actions, more than a third of a second later, ends the process at once, unless the actions wait for an
/// `uninterrupted` object.
void watch_interruptions();

/// Registers an action for its lifetime.
class at_interruption {
 public:
  /// Receives the name of the signal, `SIGINT`. Called on another thread; exceptions are dropped. An action may
  /// register actions, but must not wait for a lock whose holder registers or removes one.
  using action = std::function<void(std::string_view signal)>;

  explicit at_interruption(action what);
  /// Waits while actions run, which is forever, because the process ends.
  ~at_interruption();
  at_interruption(const at_interruption&) = delete;
  at_interruption& operator=(const at_interruption&) = delete;

 private:
  friend struct registered_actions;
  action action_;
};

/// Delays actions for its lifetime, and within an action the end by a second signal: for short work that must not be
/// interrupted.
class uninterrupted {
 public:
  uninterrupted();
  ~uninterrupted();
  uninterrupted(const uninterrupted&) = delete;
  uninterrupted& operator=(const uninterrupted&) = delete;
};

} // namespace evenly::host
