// SPDX-License-Identifier: Apache-2.0
// Buffers own what they hold, and all memory comes from the user's resource and goes back to it, however a call ends.

#include "evenly/execution/memory.hpp"

#include <cstdint>
#include <memory_resource>
#include <new>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/work/csr.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly {
namespace {

TEST(Buffer, HoldsAndMoves) {
  counting_resource memory;
  {
    buffer<int> a(&memory, 10);
    EXPECT_EQ(memory.bytes_out, 40u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    int* const data = a.data();
    buffer<int> b(std::move(a));
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(a.size(), 0u);
    EXPECT_EQ(b.data(), data);
    a = std::move(b);
    EXPECT_EQ(a.data(), data);
    EXPECT_EQ(a.span().size(), 10u);
    a = buffer<int>(&memory, 3);
    EXPECT_EQ(memory.bytes_out, 12u);
    a = buffer<int>();
    EXPECT_EQ(memory.bytes_out, 0u);
  }
  EXPECT_EQ(memory.allocations, 2);
  EXPECT_EQ(memory.bytes_out, 0u);
}

TEST(Buffer, OfNothingAllocatesNothing) {
  counting_resource memory;
  const cpu exec(1, &memory);
  EXPECT_EQ(make_buffer<double>(exec, 0).size(), 0u);
  EXPECT_EQ(to_host(exec, to_executor(exec, std::vector<int>{})), std::vector<int>{});
  EXPECT_EQ(memory.allocations, 0);
}

TEST(Buffer, ComesFromAResource) {
  std::pmr::memory_resource* volatile none = nullptr; // so that the compiler does not see it
  EXPECT_EQ(message_of<invalid_argument>([&] { buffer<int>(none, 5); }),
            "5 elements are requested, but there is no memory resource");
  EXPECT_EQ(buffer<int>(nullptr, 0).size(), 0u);
}

TEST(Buffer, CopiesThereAndBack) {
  const cpu exec(1);
  const std::vector<double> values = {1, 2, 3};
  EXPECT_EQ(to_host(exec, to_executor(exec, values)), values);
  EXPECT_EQ(to_host(exec, std::span<const double>(values).subspan(1)), (std::vector<double>{2, 3}));
}

struct one {
  int operator()(int) const { return 1; }
};
struct keep {
  int* sums;
  void operator()(int t, int sum) const { sums[t] = sum; }
};

/// Plans and runs every schedule with the `fail_at`-th allocation failing; whether none did.
template <class Executor>
bool runs_without_leak(const Executor& exec, counting_resource& memory, int fail_at) {
  const std::vector<int> offsets = {0, 3, 3, 20'000};
  std::vector<int> sums(3);
  bool all = true;
  for_each_kind_on<Executor>([&](const char*, const auto& schedule) {
    memory.allocations = 0;
    memory.fail_at = fail_at;
    try {
      auto plan = make_plan(exec, schedule, csr_tiles(offsets));
      for (int i = 0; i < 3; ++i) reduce_tiles(exec, plan, one{}, plus<int>{}, keep{sums.data()});
      EXPECT_EQ(sums, (std::vector<int>{3, 0, 19'997}));
    } catch (const std::bad_alloc&) {
      all = false;
    }
    EXPECT_EQ(memory.bytes_out, 0u);
  });
  return all;
}

TEST(Memory, ComesFromTheUsersResourceAndGoesBack) {
  counting_resource memory;
  int fail_at = 0;
  while (!runs_without_leak(cpu(2, &memory), memory, fail_at)) ++fail_at;
  EXPECT_GT(fail_at, 0);
  EXPECT_LT(fail_at, 10);
  EXPECT_TRUE(runs_without_leak(simt({}, &memory), memory, -1));
}

TEST(Memory, IsNotAskedForInLaterRuns) {
  const std::vector<int> offsets = {0, 3, 3, 20'000};
  std::vector<int> sums(3);
  counting_resource memory;
  const cpu exec(2, &memory);
  for_each_kind_on<cpu>([&](const char* name, const auto& schedule) {
    auto plan = make_plan(exec, schedule, csr_tiles(offsets));
    reduce_tiles(exec, plan, one{}, plus<int>{}, keep{sums.data()});
    const int before = memory.allocations;
    for (int i = 0; i < 3; ++i) reduce_tiles(exec, plan, one{}, plus<int>{}, keep{sums.data()});
    EXPECT_EQ(memory.allocations, before) << name;
  });
}

} // namespace
} // namespace evenly
