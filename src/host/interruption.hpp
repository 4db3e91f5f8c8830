// SPDX-License-Identifier: Apache-2.0
// What is done before SIGINT (Ctrl-C), SIGTERM or SIGHUP ends the program.
//
// A thread of its own waits for these signals, which all others block. So an interruption is answered at once whatever
// the program computes, and by ordinary code, which may allocate, lock and write.
#pragma once

#include <functional>
#include <string_view>

namespace evenly::host {

/// Starts to watch. Call once, before another thread starts: threads inherit that the signals are blocked. A signal
/// that is ignored, as nohup does, stays ignored. Throws std::system_error without a thread.
///
/// On a signal the actions that are registered run, newest first; then the signal ends the process, as if it had not
/// been watched. If another comes more than a third of a second later while they run, it ends the process at once; one
/// that comes while they wait for something uninterrupted changes nothing.
void watch_interruptions();

/// An action while this lives.
class at_interruption {
 public:
  /// Takes the signal's name, `SIGINT`. Called on another thread; what it throws is dropped. It may register actions,
  /// but must not wait for a lock whose holder does.
  using action = std::function<void(std::string_view signal)>;

  explicit at_interruption(action what);
  /// Waits while actions run, which is for ever: the process ends.
  ~at_interruption();
  at_interruption(const at_interruption&) = delete;
  at_interruption& operator=(const at_interruption&) = delete;

 private:
  friend struct registered_actions;
  action action_;
};

/// While this lives, actions wait; in an action, the end by a second signal: for short work that must not be left half
/// done.
class uninterrupted {
 public:
  uninterrupted();
  ~uninterrupted();
  uninterrupted(const uninterrupted&) = delete;
  uninterrupted& operator=(const uninterrupted&) = delete;
};

} // namespace evenly::host
