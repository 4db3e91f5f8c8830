// SPDX-License-Identifier: Apache-2.0
// A simulated thread that overflows its stack is reported, for every kind of overflow; other faults do not change.

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/simulator/detail/fibre.hpp"
#include "execution/reports.hpp"

namespace evenly {
namespace {

constexpr auto stack = static_cast<std::intptr_t>(detail::default_stack_bytes);

/// Whether local variables lie elsewhere than frames: on the address sanitizer's own stack, whose frames its runtime
/// makes, so that an overflow is one inside a library.
__attribute__((noinline)) bool locals_lie_elsewhere() {
  volatile char local[64];
  const auto* here = const_cast<const char*>(local);
  asm volatile("" : : "r"(here) : "memory");
  return std::abs(here - static_cast<const char*>(__builtin_frame_address(0))) > (1 << 16);
}

class SimtStack : public testing::Test {
 protected:
  void SetUp() override {
    if (locals_lie_elsewhere())
      GTEST_SKIP() << "local variables lie on the address sanitizer's stack: "
                      "ASAN_OPTIONS=detect_stack_use_after_return=0";
  }
};

/// Uses `bytes` bytes of stack, all of it.
__attribute__((noinline)) int use_stack(std::intptr_t bytes, const char* start) {
  volatile char frame[128];
  for (auto& c : frame) c = 1;
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  if (start - here > bytes) return frame[5];
  return use_stack(bytes, start) + frame[7];
}

/// Thread `who` of each block uses `bytes` of its stack, by recursion.
auto recursion(std::intptr_t bytes, int who = 2) {
  return [=](auto& block) {
    if (block.rank() != who) return;
    EXPECT_GT(use_stack(bytes, static_cast<const char*>(__builtin_frame_address(0))), 0);
  };
}

/// Writes the first element of a local array of 1 MiB, and nothing between it and the caller's frame.
__attribute__((noinline)) int use_array() {
  volatile char values[1 << 20];
  asm volatile("" : : "r"(values) : "memory"); // else the compiler may keep no more of it than the element
  values[0] = 1;
  return values[0];
}

simt_options with_stack(std::size_t bytes) {
  simt_options options;
  options.stack_bytes = bytes;
  return options;
}

std::string overflow(int block, int thread, std::intptr_t bytes = stack) {
  return "block " + std::to_string(block) + ": thread " + std::to_string(thread) +
         " has overflowed its stack of " + std::to_string(bytes) +
         " bytes: increase simt_options::stack_bytes";
}

TEST_F(SimtStack, OverflowByRecursionIsReported) {
  const simt exec;
  EXPECT_EQ(report(exec, {1, 4}, 0, recursion(stack * 7 / 8)), "");
  for (const std::intptr_t bytes : {stack + 16 * 1024, 2 * stack, std::intptr_t{1} << 30}) {
    if (!EVENLY_CATCHES_OVERFLOWS && bytes > 2 * stack) continue; // beyond the gap
    EXPECT_EQ(report(exec, {1, 4}, 0, recursion(bytes)), overflow(0, 2));
    EXPECT_EQ(report(exec, {1, 4}, 0, recursion(stack / 2)), ""); // and the executor is as good as new
  }
}

TEST_F(SimtStack, OverflowByALargeArrayIsReported) {
#if defined(EVENLY_ADDRESS_SANITIZER)
  GTEST_SKIP() << "the address sanitizer keeps what a function declares in memory of its own";
#endif
  const simt exec;
  for (int turn = 0; turn < 3; ++turn)
    EXPECT_EQ(report(exec, {1, 4}, 0,
                     [](auto& block) {
                       if (block.rank() != 3) return;
                       EXPECT_EQ(use_array(), 1);
                     }),
              overflow(0, 3));
}

#if EVENLY_CATCHES_OVERFLOWS // else the thread goes on
TEST_F(SimtStack, OthersAreUnwoundAfterAnOverflow) {
  struct counted {
    std::atomic<int>& live;
    explicit counted(std::atomic<int>& count) : live(count) { ++live; }
    ~counted() { --live; }
  };
  std::atomic<int> live{0};
  for (const bool together : {false, true}) {
    EXPECT_EQ(report(simt(), {3, 64, together}, 0,
                     [&](auto& block) {
                       if (block.index() == 1 && block.rank() == 33) {
                         block.sync();
                         recursion(2 * stack, 33)(block);
                       }
                       const counted here(live);
                       block.sync();
                       block.sync();
                     }),
              overflow(1, 33));
    EXPECT_EQ(live, 0);
  }
}
#endif

TEST_F(SimtStack, BlocksOfSeveralThreadsOverflow) {
  simt_options options;
  options.threads = 4;
  for (int turn = 0; turn < 10; ++turn)
    EXPECT_EQ(report(simt(options), {100, 32}, 0, recursion(2 * stack, 7)), overflow(0, 7));
}

TEST_F(SimtStack, HasTheSizeThatWasAskedFor) {
  for (const std::intptr_t bytes : {std::intptr_t{stack}, 4 * stack, std::intptr_t{5} << 20}) {
    const simt exec(with_stack(static_cast<std::size_t>(bytes)));
    EXPECT_EQ(report(exec, {1, 4}, 0, recursion(bytes * 7 / 8)), "");
    EXPECT_EQ(report(exec, {1, 4}, 0, recursion(bytes + 16 * 1024)), overflow(0, 2, bytes));
  }
  EXPECT_EQ(report(simt(with_stack(2 << 20)), {1, 4}, 0, [](auto&) { EXPECT_EQ(use_array(), 1); }), "");
  for (const std::size_t refused : {std::size_t{0}, std::size_t{16383}, (std::size_t{1} << 30) + 1}) {
    try {
      simt exec(with_stack(refused));
      FAIL() << refused;
    } catch (const invalid_argument& e) {
      EXPECT_TRUE(says(e.what(), {"stack_bytes = " + std::to_string(refused), "16384", "1073741824"}));
    }
  }
}

#if !defined(EVENLY_THREAD_SANITIZER) // which has room for some 8,000 fibres
TEST_F(SimtStack, OverflowIsReportedWhereStacksAreTooManyForGuards) {
  constexpr int blocks = detail::guarded_stacks / 1024 + 2;
  auto deep = [](std::intptr_t bytes) {
    return [bytes](auto& block) {
      block.sync();
      if (block.index() == blocks - 1) recursion(bytes, 900)(block);
    };
  };
  const simt exec;
  EXPECT_EQ(report(exec, {blocks, 1024, true}, 0, deep(stack + 16 * 1024)), overflow(blocks - 1, 900));
  EXPECT_EQ(report(exec, {blocks, 1024, true}, 0, deep(stack / 2)), "");
}
#endif

#if EVENLY_CATCHES_OVERFLOWS && !defined(EVENLY_THREAD_SANITIZER) // whose runtime is left as the kernel is
/// Calls a function of the C library, which needs more stack than this one does, at all depths.
__attribute__((noinline)) int print_and_descend(int depth) {
  if (depth < 0) return 0;
  char text[32]; // room for all that is printed
  const int printed = std::snprintf(text, sizeof text, "%d %f", depth, depth * 0.5);
  return print_and_descend(depth + printed) + text[0];
}

TEST(SimtStackDeathTest, OverflowInALibraryEndsTheProcess) {
  auto overflow_there = [] {
    run(simt(with_stack(16384)), {4, 4}, 0, [](auto& block) {
      if (block.index() == 2 && block.rank() == 3) use(print_and_descend(1));
    });
  };
  EXPECT_EXIT(overflow_there(), testing::KilledBySignal(SIGABRT),
              "evenly: block 2: thread 3 has overflowed its stack of 16384 bytes in a library function, such "
              "as malloc, so the process ends: increase simt_options::stack_bytes");
}

/// Takes memory in each frame.
__attribute__((noinline)) int allocate_and_descend(std::size_t bytes) {
  if (bytes == 0) return 0;
  auto* volatile memory = static_cast<char*>(std::malloc(bytes));
  memory[0] = 1;
  const int below = allocate_and_descend(bytes < 2500 ? bytes + 8 : 1500);
  std::free(memory);
  return below + 1;
}
__attribute__((noinline)) int allocate_shifted(std::size_t shift) {
  auto* volatile pad = static_cast<char*>(__builtin_alloca(shift));
  pad[0] = 1;
  return allocate_and_descend(1500) + pad[0];
}

TEST(SimtStackDeathTest, OverflowAroundMallocDoesNotHang) {
#if defined(EVENLY_ADDRESS_SANITIZER)
  GTEST_SKIP() << "the sanitizer's malloc is another, and has been seen to hang when a fibre is left in it";
#endif
  for (std::size_t shift = 16; shift <= 256; shift += 16) {
    auto overflow_there = [shift] {
      alarm(60); // a lock that is left locked
      simt_options options = with_stack(16384);
      options.threads = 2;
      for (int turn = 0; turn < 10; ++turn)
        EXPECT_NE(report(simt(options), {4, 4}, 0, [shift](auto&) { use(allocate_shifted(shift)); }), "");
      std::_Exit(0); // frames that were left have freed nothing, which is no leak to tell of
    };
    const auto reported_or_ended = [](int status) {
      return testing::ExitedWithCode(0)(status) || testing::KilledBySignal(SIGABRT)(status);
    };
    EXPECT_EXIT(overflow_there(), reported_or_ended, "") << shift;
  }
}
#endif

/// One thread writes where nothing is.
void fault() {
  run(simt(), {1, 4}, 0, [](auto& block) {
    if (block.rank() == 1) *reinterpret_cast<volatile int*>(16) = 1;
  });
}

#if !defined(EVENLY_ADDRESS_SANITIZER) && !defined(EVENLY_THREAD_SANITIZER) // whose handlers report and exit
TEST(SimtStackDeathTest, AnotherFaultIsNoOverflow) {
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGSEGV), "");
}
#endif

TEST(SimtStackDeathTest, AnotherFaultGoesToTheHandlerBefore) {
  // In a process of its own, in which no launch has installed a handler yet.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto simple = [] {
    std::signal(SIGSEGV, [](int signal) { _exit(signal == SIGSEGV ? 42 : 1); });
    fault();
  };
  auto with_information = [] {
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void* state) {
      _exit(info->si_addr == reinterpret_cast<void*>(16) && state ? 43 : 1);
    };
    sigaction(SIGSEGV, &action, nullptr);
    fault();
  };
  EXPECT_EXIT(simple(), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(with_information(), testing::ExitedWithCode(43), "");
  testing::FLAGS_gtest_death_test_style = "fast";
}

#if !defined(EVENLY_ADDRESS_SANITIZER) &&                                                                    \
    !defined(EVENLY_THREAD_SANITIZER) // they need address space themselves
TEST(SimtStackDeathTest, NoMemoryForStacks) {
  auto starve = [] {
    const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    try {
      run(simt(with_seed(1)), {64, 1024, true}, 0, [](auto& block) { block.sync(); });
    } catch (const device_error& e) {
      std::fputs(e.what(), stderr);
      std::exit(1);
    }
  };
  EXPECT_EXIT(starve(), testing::ExitedWithCode(1), "no memory for stacks: 65[0-9]+ threads of 65536 bytes");
}
#endif

} // namespace
} // namespace evenly
