// SPDX-License-Identifier: Apache-2.0
// The actions of a process between a signal and its end. Each case is a process of its own.
#include "host/interruption.hpp"

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace evenly::io::testing {
namespace {

using namespace std::chrono_literals;

struct ended {
  std::string said;
  int status; ///< as of waitpid
};

/// Runs body(say) in a process that watches, and waits for its end.
ended run(
    const std::function<void(const std::function<void(std::string_view)>&)>& body,
    const std::function<void()>& before = [] {}) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) std::signal(each, SIG_DFL);
    before();
    host::watch_interruptions();
    body([&](std::string_view word) {
      if (::write(ends[1], word.data(), word.size()) < 0) ::_exit(1);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  ended found{"", 0};
  char letter = 0;
  while (::read(ends[0], &letter, 1) == 1) found.said += letter;
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(child, &found.status, 0), child);
  return found;
}

/// Long enough for what must have happened by then, unless it never does.
void wait() { std::this_thread::sleep_for(20s); }

class interruptions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "a sanitizer does not let a forked process start threads";
  }
};

TEST_F(interruptions, run_the_newest_action_first_and_end_by_the_signal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const ended found = run([&](const auto& say) {
      const host::at_interruption first([&](std::string_view name) { say(name); });
      const host::at_interruption second([&](std::string_view) { say("second "); });
      {
        const host::at_interruption over([&](std::string_view) { say("never"); });
      }
      ::kill(::getpid(), signal);
      wait();
    });
    EXPECT_EQ(found.said, std::string("second ") + (signal == SIGINT    ? "SIGINT"
                                                    : signal == SIGTERM ? "SIGTERM"
                                                                        : "SIGHUP"));
    EXPECT_TRUE(WIFSIGNALED(found.status));
    EXPECT_EQ(WTERMSIG(found.status), signal);
  }
}

TEST_F(interruptions, an_ignored_signal_stays_ignored) {
  const ended found = run(
      [](const auto& say) {
        const host::at_interruption never([&](std::string_view) { say("never"); });
        ::kill(::getpid(), SIGHUP);
        std::this_thread::sleep_for(300ms);
        say("alive");
      },
      [] { std::signal(SIGHUP, SIG_IGN); });
  EXPECT_EQ(found.said, "alive");
  EXPECT_EQ(found.status, 0);
}

TEST_F(interruptions, actions_may_register_and_throw) {
  const ended found = run([](const auto& say) {
    const host::at_interruption first([&](std::string_view) { say("first"); });
    const host::at_interruption second([&](std::string_view) {
      const host::at_interruption inner([&](std::string_view) { say("never"); });
      say("second ");
      throw 1;
    });
    ::kill(::getpid(), SIGINT);
    wait();
  });
  EXPECT_EQ(found.said, "second first");
  EXPECT_EQ(WTERMSIG(found.status), SIGINT);
}

TEST_F(interruptions, the_end_of_a_registration_waits_for_actions) {
  const ended found = run([](const auto& say) {
    {
      const host::at_interruption slow([&](std::string_view) {
        say("begun ");
        std::this_thread::sleep_for(300ms);
        say("done");
      });
      ::kill(::getpid(), SIGINT);
      std::this_thread::sleep_for(150ms);
    }
    say("never");
  });
  EXPECT_EQ(found.said, "begun done");
  EXPECT_EQ(WTERMSIG(found.status), SIGINT);
}

TEST_F(interruptions, actions_wait_for_what_must_not_be_interrupted) {
  const ended found = run([](const auto& say) {
    const host::at_interruption after([&](std::string_view) { say("after"); });
    {
      const host::uninterrupted here;
      ::kill(::getpid(), SIGINT);
      std::this_thread::sleep_for(300ms);
      say("whole ");
    }
    wait();
  });
  EXPECT_EQ(found.said, "whole after");
}

TEST_F(interruptions, a_second_signal_ends_at_once_but_not_one_that_comes_with_the_first) {
  const auto start = std::chrono::steady_clock::now();
  const ended found = run([](const auto& say) {
    const host::at_interruption stuck([&](std::string_view) {
      say("stuck");
      wait();
    });
    ::kill(::getpid(), SIGINT);
    std::this_thread::sleep_for(50ms);
    ::kill(::getpid(), SIGINT);
    std::this_thread::sleep_for(500ms);
    say(" still");
    ::kill(::getpid(), SIGTERM);
    wait();
  });
  EXPECT_EQ(found.said, "stuck still");
  EXPECT_EQ(WTERMSIG(found.status), SIGTERM);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST_F(interruptions, a_second_signal_waits_too_for_what_must_not_be_interrupted) {
  const ended found = run([](const auto& say) {
    const host::at_interruption after([&](std::string_view name) { say(name); });
    {
      const host::uninterrupted here;
      ::kill(::getpid(), SIGINT);
      std::this_thread::sleep_for(400ms);
      ::kill(::getpid(), SIGTERM);
      std::this_thread::sleep_for(300ms);
      say("whole ");
    }
    wait();
  });
  EXPECT_EQ(found.said, "whole SIGINT");
  EXPECT_EQ(WTERMSIG(found.status), SIGINT);
}

TEST_F(interruptions, a_second_signal_waits_for_what_an_action_must_not_leave_half_done) {
  const ended found = run([](const auto& say) {
    const host::at_interruption long_action([&](std::string_view) {
      {
        const host::uninterrupted here;
        std::this_thread::sleep_for(700ms);
        say("whole");
      }
      wait();
      say(" never");
    });
    ::kill(::getpid(), SIGINT);
    std::this_thread::sleep_for(400ms);
    ::kill(::getpid(), SIGTERM);
    wait();
  });
  EXPECT_EQ(found.said, "whole");
  EXPECT_EQ(WTERMSIG(found.status), SIGTERM);
}

} // namespace
} // namespace evenly::io::testing
