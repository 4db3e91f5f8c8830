// SPDX-License-Identifier: Apache-2.0
#include "host/interruption.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace evenly::host {

/// Holding the mutex delays interruptions; once actions run, it is never released.
struct registered_actions {
  std::recursive_mutex mutex;
  std::recursive_mutex whole;      ///< holding it also delays the end by a second signal
  std::atomic<bool> begun = false; ///< whether `mutex` is held by actions
  std::vector<at_interruption*> newest_last;

  void run(std::string_view signal) {
    while (!newest_last.empty()) {
      const at_interruption& each = *newest_last.back();
      newest_last.pop_back();
      try {
        each.action_(signal);
      } catch (...) { // there is no place left to report to
      }
    }
  }
};

namespace {

/// Never destroyed: a signal may arrive during the destruction of the program's last objects.
registered_actions& registered() {
  static auto* const only = new registered_actions;
  return *only;
}

std::string_view name_of(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/// The signals that were not ignored at program start.
sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    sigaction(each, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, each);
  }
  return signals;
}

int wait_for(const sigset_t& signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  return signal;
}

/// Ends the process by `signal`, which must have its default disposition.
[[noreturn]] void end_by(const sigset_t& signals, int signal) {
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(signal);
  std::_Exit(128 + signal);
}

void watch(const sigset_t& signals) {
  constexpr auto one_press = std::chrono::milliseconds(333); // timeout sends a signal twice
  const int first = wait_for(signals);
  const auto start = std::chrono::steady_clock::now();
  const auto answer = [signals, first] {
    registered_actions& all = registered();
    all.mutex.lock();
    all.begun = true;
    all.run(name_of(first));
    end_by(signals, first);
  };
  try {
    std::thread(answer).detach();
  } catch (const std::system_error&) {
    answer();
  }
  int next = 0;
  do next = wait_for(signals);
  while (!registered().begun || std::chrono::steady_clock::now() - start < one_press);
  registered().whole.lock();
  end_by(signals, next);
}

} // namespace

void watch_interruptions() {
  const sigset_t signals = watched_signals();
  registered();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] { watch(signals); }).detach();
}

at_interruption::at_interruption(action what) : action_(std::move(what)) {
  const uninterrupted here;
  registered().newest_last.push_back(this);
}

at_interruption::~at_interruption() {
  const uninterrupted here;
  std::erase(registered().newest_last, this);
}

uninterrupted::uninterrupted() {
  registered().mutex.lock();
  registered().whole.lock();
}

uninterrupted::~uninterrupted() {
  registered().whole.unlock();
  registered().mutex.unlock();
}

} // namespace evenly::host
