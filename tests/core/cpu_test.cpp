// SPDX-License-Identifier: Apache-2.0
// The cpu executor: every block once, exceptions carried out, and blocks that wait for each other.

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

template <class Body> struct kernel {
  const Body* body;
  int bytes = 0;
  slot<char> lay_out(storage_layout& layout, block_shape) const { return layout.take<char>(bytes); }
  template <class Block> void operator()(Block& block) const { (*body)(block); }
};
template <class Body> void run(const cpu& exec, launch_shape shape, const Body& body, int bytes = 0) {
  launch(exec, shape, kernel<Body>{&body, bytes});
}

struct stores_nothing {};
struct stores_an_int_a_thread {
  static slot<int> lay_out(storage_layout& layout, block_shape shape) { return layout.take<int>(shape.size); }
};

TEST(Storage, IsWhatTheKernelLaysOut) {
  EXPECT_EQ(storage_bytes(stores_nothing{}, {100, 32}), 0u);
  EXPECT_EQ(storage_bytes(stores_an_int_a_thread{}, {100, 32}), 400u);
  EXPECT_EQ(storage_bytes(kernel<int>{nullptr, 33}, {100, 32}), 48u); // in lines of 16 bytes
}

TEST(Cpu, RunsEveryBlockOnceAsOneThread) {
  for (const int threads : {0, 1, 2, 5})
    for (const int blocks : {0, 1, 2, 1000})
      for (const bool together : {false, true}) {
        if (together && blocks > 2) continue;
        std::vector<std::atomic<int>> runs(blocks);
        run(cpu(threads), {blocks, 128, together}, [&](auto& block) {
          EXPECT_EQ(block.size(), 1);
          EXPECT_EQ(block.rank(), 0);
          EXPECT_EQ(block.count(), blocks);
          ++runs[block.index()];
        });
        for (const auto& each : runs) EXPECT_EQ(each, 1);
      }
}

TEST(Cpu, HasRoomForABlockOnEachThread) {
  EXPECT_EQ(resident_blocks(cpu(3), stores_nothing{}, 256), 3);
  EXPECT_EQ(resident_blocks(cpu(3), stores_an_int_a_thread{}, 1), 3);
  EXPECT_THROW(resident_blocks(cpu(3), stores_nothing{}, 0), invalid_argument);
}

TEST(Cpu, HasEventsThatAreAlwaysThere) {
  const cpu one(1), other(2);
  int value = 0;
  run(one, {1, 1}, [&](auto&) { value = 1; });
  const host_event done = one.record();
  other.wait(done);
  run(other, {1, 1}, [&](auto&) { value += 1; });
  EXPECT_EQ(value, 2);
}

TEST(Cpu, UsesNoMoreThreadsThanAsked) {
  std::atomic<int> running{0}, max{0};
  run(cpu(2), {200, 1}, [&](auto&) {
    const int now = ++running;
    for (int seen = max; now > seen && !max.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::yield();
    --running;
  });
  EXPECT_LE(max, 2);
}

TEST(Cpu, OneThreadGoesThroughBlocksInOrder) {
  std::vector<int> order;
  run(cpu(1), {20, 1}, [&](auto& block) { order.push_back(block.index()); });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order[i], i);
}

TEST(Cpu, RethrowsWhatABlockThrows) {
  for (const int threads : {1, 2})
    for (const bool together : {false, true}) {
      const auto words = message_of<std::logic_error>([&] {
        run(cpu(threads), {8, 1, together}, [](auto& block) {
          if (block.index() == 3) throw std::logic_error("block 3");
        });
      });
      EXPECT_EQ(words, "block 3");
    }
}

TEST(Cpu, CallsAHookBeforeBlocks) {
  static std::atomic<int> calls{0};
  evenly::detail::interrupt_hook = [] {
    if (++calls > 5) throw std::logic_error("hook");
  };
  int blocks = 0;
  const auto words = message_of<std::logic_error>([&] { run(cpu(1), {8, 1}, [&](auto&) { ++blocks; }); });
  evenly::detail::interrupt_hook = nullptr;
  EXPECT_EQ(words, "hook");
  EXPECT_EQ(blocks, 5);
  run(cpu(1), {8, 1}, [&](auto&) { ++blocks; });
  EXPECT_EQ(blocks, 13);
}

TEST(Cpu, TheCallingThreadRunsTheFirstCoResidentBlock) {
  std::vector<std::thread::id> threads(3);
  run(cpu(1), {3, 1, true},
      [&](auto& block) { threads[static_cast<std::size_t>(block.index())] = std::this_thread::get_id(); });
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], threads[0]);
  EXPECT_NE(threads[2], threads[0]);
}

TEST(Cpu, CoResidentBlocksWaitForEachOther) {
  constexpr int blocks = 12; // more than most machines that test this have cores
  int arrived = 0;
  run(cpu(1), {blocks, 1, true}, [&](auto& block) {
    atomic_ref(arrived).fetch_add(1);
    while (atomic_ref(arrived).load() < blocks) block.backoff();
  });
  EXPECT_EQ(arrived, blocks);
}

TEST(Cpu, CoResidentBlocksEndWhenOneThatTheyWaitForThrows) {
  int never = 0;
  const auto words = message_of<std::logic_error>([&] {
    run(cpu(1), {4, 1, true}, [&](auto& block) {
      if (block.index() == 2) throw std::logic_error("block 2");
      while (atomic_ref(never).load() == 0) block.backoff();
    });
  });
  EXPECT_EQ(words, "block 2");
}

TEST(Cpu, GivesStorageSmallAndLarge) {
  for (const int count : {1, 100, 100'000})
    run(
        cpu(2), {4, 1},
        [&](auto& block) {
          storage_layout layout;
          const auto numbers = block.storage(layout.template take<int>(count));
          EXPECT_EQ(numbers.size(), count);
          for (int i = 0; i < count; ++i) numbers[i] = i + block.index();
          for (int i = 0; i < count; ++i) EXPECT_EQ(numbers[i], i + block.index());
        },
        count * sizeof(int));
}

TEST(Cpu, RefusesBadShapesAndOptions) {
  const auto nothing = [](auto&) {};
  EXPECT_EQ(message_of<invalid_argument>([&] { run(cpu(), {-1, 1}, nothing); }),
            "blocks = -1: must not be negative");
  EXPECT_EQ(message_of<invalid_argument>([&] { run(cpu(), {1, 0}, nothing); }),
            "block_size = 0: a block has 1 to 1024 threads");
  EXPECT_THROW(run(cpu(), {1, 1025}, nothing), invalid_argument);
  EXPECT_EQ(message_of<invalid_argument>([] { cpu(-2); }), "threads = -2: must not be negative");
  EXPECT_EQ(message_of<invalid_argument>([] { cpu(0, nullptr); }),
            "resource is null: an executor needs a std::pmr::memory_resource");
  EXPECT_GE(cpu().threads(), 1);
}

TEST(Shape, BlockCountsFitAGrid) {
  EXPECT_EQ(block_count(0, 5), 0);
  EXPECT_EQ(block_count(11, 5), 3);
  EXPECT_EQ(block_count(std::int64_t{2147483647} * 4, 4), 2147483647);
  EXPECT_EQ(message_of<invalid_argument>([] { block_count(std::int64_t{2147483647} * 4 + 1, 4); }),
            "2147483648 blocks exceed the maximum of a grid (2147483647): use larger blocks");
}

TEST(Atomic, OperationsGiveBackWhatWasThere) {
  int value = 5;
  const atomic_ref<int> shared(value);
  EXPECT_EQ(shared.load(), 5);
  EXPECT_EQ(shared.fetch_add(3), 5);
  EXPECT_EQ(shared.fetch_min(2), 8);
  EXPECT_EQ(shared.fetch_min(4), 2);
  int expected = 9;
  EXPECT_FALSE(shared.compare_exchange(expected, 1));
  EXPECT_EQ(expected, 2);
  EXPECT_TRUE(shared.compare_exchange(expected, 1));
  shared.store(7);
  EXPECT_EQ(value, 7);
}

TEST(Atomic, ThreadsLoseNothing) {
  std::int64_t sum = 0, min = 1'000'000;
  run(cpu(4), {1000, 1}, [&](auto& block) {
    atomic_ref(sum).fetch_add(block.index());
    atomic_ref(min).fetch_min(1000 - block.index());
  });
  EXPECT_EQ(sum, 999 * 1000 / 2);
  EXPECT_EQ(min, 1);
}

} // namespace
} // namespace evenly
