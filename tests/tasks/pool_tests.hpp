// SPDX-License-Identifier: Apache-2.0
// The laws of tests/tasks/task_laws.hpp for one pool on cpu and simt.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "support/messages.hpp"
#include "tasks/task_laws.hpp"

namespace evenly::task_laws {

inline task_options blocks_of(int blocks, int block_size = 0, int stack = 0) {
  task_options options;
  options.blocks = blocks;
  options.block_size = block_size;
  options.stack = stack;
  return options;
}

/// Whether all forms of bodies, large tasks and the answers of searches are tested under Pool. The core does it under
/// one pool: cli.tasks_test finds the same answers under all pools.
template <class Pool>
inline constexpr bool tests_all_bodies =
#ifdef EVENLY_FEW_SCHEDULES
    std::is_same_v<Pool, tasks::batched_stealing>;
#else
    true;
#endif

template <class Pool> void expect_laws_on_cpu(const Pool& pool) {
  for (const int blocks : {1, 2, 5}) {
    SCOPED_TRACE(std::to_string(blocks) + " blocks");
    expect_trees<tasks::each_thread>(cpu(), pool, blocks_of(blocks), 5000);
    if constexpr (tests_all_bodies<Pool>) {
      expect_trees<tasks::in_step>(cpu(), pool, blocks_of(blocks, 0, 40), 1000);
      expect_answers(cpu(), pool, blocks_of(blocks), 20, 8, 92, 2057);
      expect_searches(cpu(), pool, blocks_of(blocks));
      expect_deep_tree<tasks::in_step>(cpu(), pool, blocks_of(blocks, 0, 3), 1000);
      expect_large_tree<tasks::each_thread, 2048>(cpu(), pool, blocks_of(blocks), 1000);
    }
    expect_burst(cpu(), pool, blocks_of(blocks), 3000);
    expect_overflow(cpu(), pool, blocks_of(blocks));
    expect_ends(cpu(), pool, blocks_of(blocks), 5000);
    expect_deep_tree<tasks::each_thread>(cpu(), pool, blocks_of(blocks, 0, 3), 3000);
    expect_large_tree<tasks::each_thread, 64>(cpu(), pool, blocks_of(blocks), 1000);
    expect_profile(cpu(), tasks::profiled<Pool>{pool}, blocks_of(blocks));
  }
  expect_plain_is_not_profiled(cpu(), pool);
  const int levels = 300'000;
  EXPECT_LE(expect_all_run(cpu(), pool, 0, deep_tree<tasks::each_thread>{levels}, blocks_of(1), 2 * levels),
            2)
      << "the pool's own capacity, and then the advised one";
}

/// Blocks of 2 warps of 8 lanes and other shapes, in order and in interleavings of many seeds.
template <class Pool, class Check> void on_simt(const Pool& pool, int seeds, const Check& check) {
  for (int seed = 0; seed <= seeds; ++seed) {
    simt_options of;
    of.seed = static_cast<std::uint64_t>(seed);
    of.switch_at_atomics = seed % 2 == 1;
    of.warp_size = seed % 3 == 0 ? 8 : 4;
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(simt(of), pool, blocks_of(1 + seed % 3, of.warp_size * (1 + seed % 2), seed % 4 == 0 ? 0 : 24));
    if (testing::Test::HasFailure()) return; // one seed says enough
  }
}

template <class Pool> void expect_laws_on_simt(const Pool& pool, int seeds) {
  on_simt(pool, seeds, [](const simt& exec, const Pool& of, const task_options& options) {
    for (const int capacity : {-1, 0, 1, 3, 64}) {
      SCOPED_TRACE("capacity " + std::to_string(capacity));
      const task_options with = with_capacity(options, capacity);
      expect_tree<tasks::each_thread>(exec, of, 60, 2, 1, with);
      if constexpr (tests_all_bodies<Pool>) expect_tree<tasks::in_step>(exec, of, 60, 4, 1, with);
      expect_tree<tasks::each_thread>(exec, of, 40, 0, 40, with);
    }
    expect_tree<tasks::each_thread>(exec, of, 12, 1, 1, options);
    expect_tree<tasks::each_warp>(exec, of, 30, 3, 1, options);
    if constexpr (tests_all_bodies<Pool>) expect_tree<tasks::each_block>(exec, of, 30, 3, 1, options);
  });
}
/// Little work in very many interleavings of two or three workers, changing over at atomic operations.
template <class Pool> void expect_interleavings(const Pool& pool, int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    simt_options of;
    of.seed = static_cast<std::uint64_t>(seed);
    of.switch_at_atomics = true;
    of.check_races = seed % 8 == 0;
    of.warp_size = 1 + seed % 2;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int warps = 1 + seed % 3 / 2;
    task_options options = blocks_of(seed % 3 == 0 ? 3 : 2, of.warp_size * warps, 12);
    expect_tree<tasks::each_thread>(simt(of), pool, 13, 2 + seed % 2, 1,
                                    with_capacity(options, seed % 5 - 1));
    if (testing::Test::HasFailure()) return;
  }
}
template <class Pool> void expect_answers_on_simt(const Pool& pool) {
  on_simt(pool, 3, [](const simt& exec, const Pool& of, const task_options& options) {
    if constexpr (tests_all_bodies<Pool>) expect_answers(exec, of, options, 9, 5, 10, 54);
    expect_burst(exec, of, options, 200);
    expect_overflow(exec, of, options);
    expect_ends(exec, of, options, 100);
  });
  on_simt(pool, 3, [](const simt& exec, const Pool& of, task_options options) {
    options.stack = exec.shape_of(1).warp + 2;
    expect_deep_tree<tasks::each_thread>(exec, of, options, 200);
    if constexpr (tests_all_bodies<Pool>) {
      expect_deep_tree<tasks::in_step>(exec, of, options, 200);
      options.stack = 3;
      expect_deep_tree<tasks::each_warp>(exec, of, options, 200);
      expect_deep_tree<tasks::each_block>(exec, of, options, 200);
    }
  });
  expect_large_tree<tasks::each_thread, 2048>(simt(), pool, blocks_of(2), 300);
  expect_profile(simt(), pool, blocks_of(2, 32));
  if constexpr (tests_all_bodies<Pool>) {
    expect_large_tree<tasks::in_step, 192>(simt(), pool, blocks_of(2), 300);
    expect_searches(simt(), pool, blocks_of(2));
    expect_tree<tasks::each_block>(simt(), pool, 100, 4, 1, blocks_of(3, 96));
  }
}

/// A body that throws ends the run.
template <class Pool> void expect_exceptions(const Pool& pool) {
  for (const int blocks : {1, 4}) {
    const std::vector<int> first{0};
    const auto throws = at_most<2>([](auto&, int n, auto& sink) {
      if (n == 500) throw std::out_of_range("five hundred");
      sink.push(n + 1);
      if (n % 7 == 0) sink.push(1000);
      if (n >= 1000) throw std::out_of_range("a thousand");
    });
    EXPECT_THROW(run_tasks(cpu(), pool, first, throws, blocks_of(blocks)), std::out_of_range);
  }
}

/// A body that says it pushes two tasks and pushes so many: more than a stack has room for, perhaps.
struct pushes_more {
  static constexpr int max_children = 2;
  using form = tasks::in_step;
  int times;
  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, int n, Sink& sink) const {
    const bool pushes = team.has_task() && n == 0;
    for (int i = 0; i < (team.any(pushes) ? times : 0); ++i) sink.push(pushes, 1);
  }
};
template <class Pool> void expect_too_many_in_step(const Pool& pool) {
  for (const int times : {3, 5000})
    for (const int blocks : {1, 2}) {
      const std::vector<int> first{0, 0, 0};
      const auto message = [&](const auto& exec) {
        return message_of<invalid_argument>(
            [&] { run_tasks(exec, pool, first, pushes_more{times}, blocks_of(blocks)); });
      };
      EXPECT_TRUE(contains(message(cpu()), "a body pushed more tasks than its max_children, after "));
      EXPECT_TRUE(contains(message(simt()), "a body pushed more tasks than its max_children")) << times;
    }
}

/// Impossible arguments, and errors of a body, are reported by one line.
template <class Pool> void expect_refusals(const Pool& pool) {
  const std::vector<std::int64_t> first{0};
  const auto refused = [&](const task_options& options) {
    return message_of<invalid_argument>([&] { run_tasks(simt(), pool, first, searches::chain{3}, options); });
  };
  task_options negative;
  negative.capacity = -5;
  EXPECT_EQ(refused(negative), "capacity = -5: must not be negative");
  EXPECT_EQ(refused(blocks_of(-1)), "blocks = -1: must not be negative");
  EXPECT_EQ(refused(blocks_of(1, -32)), "block_size = -32: must not be negative");
  EXPECT_EQ(refused(blocks_of(1, 0, -1)), "stack = -1: must not be negative");
  EXPECT_EQ(refused(blocks_of(1, 33)), "block_size = 33: workers must be whole warps of 32 threads");
  EXPECT_EQ(
      refused(blocks_of(1, 32, 32)),
      "stack = 32: must be at least 33, to hold the 32 tasks that a worker runs at a time and those that one "
      "of them pushes");
  EXPECT_EQ(refused(blocks_of(5000)), "blocks = 5000: no more than 1024 can run at the same time");
  const auto pushes_three = at_most<2>([](auto&, std::int64_t n, auto& sink) {
    for (int i = 0; i < (n == 0 ? 3 : 0); ++i) sink.push(n + 1);
  });
  for (const int blocks : {1, 2}) {
    const auto message = [&](const auto& exec) {
      return message_of<invalid_argument>(
          [&] { run_tasks(exec, pool, first, pushes_three, blocks_of(blocks)); });
    };
    EXPECT_TRUE(contains(message(cpu()), "a body pushed more tasks than its max_children, after "));
    EXPECT_TRUE(contains(message(simt()), "a body pushed more tasks than its max_children"));
  }
  if constexpr (tests_all_bodies<Pool>) expect_too_many_in_step(pool);
}

/// The tests of a pool.
#define EVENLY_TEST_POOL(Name, pool)                                                                         \
  TEST(Name, KeepsTheLawsOnCpu) { task_laws::expect_laws_on_cpu(pool{}); }                                   \
  TEST(Name, KeepsTheLawsOnSimt) {                                                                           \
    task_laws::expect_laws_on_simt(pool{}, 24);                                                              \
    task_laws::expect_answers_on_simt(pool{});                                                               \
  }                                                                                                          \
  TEST(Name, KeepsTheLawsInManyInterleavings) { task_laws::expect_interleavings(pool{}, 1000); }             \
  TEST(Name, EndsByExceptions) { task_laws::expect_exceptions(pool{}); }                                     \
  TEST(Name, RefusesWhatCannotBe) { task_laws::expect_refusals(pool{}); }

} // namespace evenly::task_laws
