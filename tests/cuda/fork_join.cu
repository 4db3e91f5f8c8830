// SPDX-License-Identifier: Apache-2.0
// Joins on a GPU: the laws of tests/tasks/fork_join_laws.hpp, and a Fibonacci number.

#include "evenly/tasks/fork_join.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/ticket_ring.hpp"
#include "tasks/fork_join_laws.hpp"
#include "tasks/joined_searches.hpp"

namespace evenly {
namespace {

using namespace join_laws;

join_options of_blocks(int blocks, std::int64_t frames = 0) {
  join_options options;
  options.blocks = blocks;
  options.frames = frames;
  return options;
}

TEST(ReducedForkJoin, KeepsTheLaws) {
  const evenly::cuda exec;
  const auto run = run_on<tasks::each_thread>(exec, batched_stealing{});
  for (const int blocks : {1, 3}) {
    expect_joined<tasks::each_thread>(exec, run, {500, 3}, of_blocks(blocks, 20'000));
    expect_joined<tasks::each_thread>(exec, run, {20, 1}, of_blocks(blocks, 20'000));
    expect_joined<tasks::each_thread>(exec, run, {300, 0}, of_blocks(blocks, 20'000));
  }
}

TEST(ForkJoinOnCuda, KeepsTheLaws) {
  const evenly::cuda exec;
  const auto run = run_on<tasks::each_thread>(exec, batched_stealing{});
  for (int repeat = 0; repeat < 5; ++repeat)
    expect_joined<tasks::each_thread>(exec, run, {300'000, 2 + repeat % 3}, {});
  expect_joined<tasks::each_thread>(exec, run, {300'000, 4},
                                    of_blocks(0, 600'000)); // which go from worker to worker
  expect_joined<tasks::each_thread>(exec, run, {10'001, 1}, {});
  expect_joined<tasks::each_thread>(exec, run, {100'000, 0}, {});
  expect_joined<tasks::each_thread>(exec, run_on<tasks::each_thread>(exec, ticket_ring{}), {100'000, 3}, {});
}

TEST(ForkJoinOnCuda, EndsWhereThereAreNoFrames) {
  const evenly::cuda exec;
  EXPECT_THROW(expect_joined<tasks::each_thread>(exec, run_on<tasks::each_thread>(exec, batched_stealing{}),
                                                 {100'001, 1}, of_blocks(0, 50'000)),
               tasks::frame_overflow);
}

TEST(ForkJoinOnCuda, FindsAFibonacciNumber) {
  const evenly::cuda exec;
  const auto first = to_executor(exec, std::vector<int>{30});
  const auto number = make_buffer<std::uint64_t>(exec, 1);
  const join_report done =
      run_fork_join(exec, batched_stealing{}, first.span(), searches::joined_fibonacci{}, number.span());
  EXPECT_EQ(to_host(exec, number)[0], 832'040u);
  EXPECT_EQ(done.run, 2'692'537);
  EXPECT_EQ(done.resumed, 1'346'268);
}

} // namespace
} // namespace evenly
