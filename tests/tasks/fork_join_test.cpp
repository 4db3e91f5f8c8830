// SPDX-License-Identifier: Apache-2.0
// Joins on cpu: the laws under every pool, few frames, long chains, bodies that throw, and refusals.

#include "evenly/tasks/fork_join.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/tasks/registry.hpp"
#include "support/messages.hpp"
#include "tasks/fork_join_laws.hpp"

namespace evenly {
namespace {

using namespace join_laws;

join_options blocks_of(int blocks, std::int64_t frames = 0) {
  join_options options;
  options.blocks = blocks;
  options.frames = frames;
  return options;
}

TEST(ForkJoin, KeepsTheLawsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    const auto run = run_on<tasks::each_thread>(cpu(), pool);
    for (const int blocks : {1, 2, 5}) {
      join_options options = blocks_of(blocks);
      expect_trees<tasks::each_thread>(cpu(), run, options, 3000);
      options.capacity = 3;
      expect_trees<tasks::each_thread>(cpu(), run, options, 500);
      options.frames = 40'000;
      expect_joined<tasks::each_thread>(cpu(), run, {20'000, 2}, options);
    }
    expect_joined<tasks::each_thread>(cpu(), run, {20'000, 2}, blocks_of(3), 7000);
    for (const int blocks : {1, 3}) {
      join_options options = blocks_of(blocks);
      options.stack = 3;
      expect_deep_join(cpu(), pool, options, 5000);
    }
  });
}

TEST(ForkJoin, GoesDepthFirstWhereFramesAreFew) {
  expect_few_frames<tasks::each_thread>(cpu(), run_on<tasks::each_thread>(cpu(), batched_stealing{}), {});
  expect_few_frames<tasks::each_thread>(cpu(), run_on<tasks::each_thread>(cpu(), stealing{}), {});
}
TEST(ForkJoin, AChainNeedsAFrameForEachThatWaits) {
  const auto run = run_on<tasks::each_thread>(cpu(), batched_stealing{});
  EXPECT_EQ(expect_joined<tasks::each_thread>(cpu(), run, {101, 1}, blocks_of(1, 101)).frames_used, 101);
  EXPECT_THROW(expect_joined<tasks::each_thread>(cpu(), run, {101, 1}, blocks_of(1, 99)),
               tasks::frame_overflow);
  expect_joined<tasks::each_thread>(cpu(), run, {1'000'001, 1}, blocks_of(2));
}

struct throwing {
  static constexpr int max_children = 2;
  using result = int;
  bool in_resume;

  template <class Team, class Sink> void operator()(Team&, int n, Sink& sink) const {
    if (n == 0 && !in_resume) throw std::out_of_range("a leaf");
    if (n == 0) return;
    sink.fork_join(n, n - 1, n - 1);
  }
  template <class Team, class Results, class Sink> void resume(Team&, int n, const Results&, Sink&) const {
    if (n == 3) throw std::out_of_range("a join");
  }
};
TEST(ForkJoin, EndsByExceptions) {
  int found = 0;
  for (const bool in_resume : {false, true})
    for (const int blocks : {1, 4})
      EXPECT_THROW(run_fork_join(cpu(), batched_stealing{}, std::vector<int>{8}, throwing{in_resume},
                                 std::span(&found, 1), blocks_of(blocks)),
                   std::out_of_range);
}

/// The number of calls below n, by two children each: pushes `more` than it says.
struct pushing {
  static constexpr int max_children = 2;
  using result = int;
  int more;
  bool joins;

  template <class Team, class Sink> void operator()(Team&, int n, Sink& sink) const {
    if (n == 0) return;
    for (int i = 0; i < (n == 3 ? 2 + more : 1); ++i) sink.push(n - 1);
    if (joins) sink.join(n);
  }
  template <class Team, class Results, class Sink>
  void resume(Team&, int, const Results& results, Sink& sink) const {
    sink.give(results[0] + 1);
  }
};
TEST(ForkJoin, RefusesWhatCannotBe) {
  int found = 0;
  const std::vector<int> first{5};
  const auto refused = [&](const pushing& body, const join_options& options, std::size_t results = 1) {
    return message_of<invalid_argument>(
        [&] { run_fork_join(cpu(), batched_stealing{}, first, body, std::span(&found, results), options); });
  };
  EXPECT_EQ(refused({}, blocks_of(1, -3)), "frames = -3: must not be negative");
  EXPECT_EQ(refused({}, blocks_of(1, std::int64_t{1} << 31)),
            "frames = 2147483648: must be at most 1073741823 with 2 children and 1 initial tasks");
  EXPECT_EQ(refused({}, blocks_of(-1)), "blocks = -1: must not be negative");
  EXPECT_EQ(refused({}, {}, 0), "0 results for 1 initial tasks: the numbers must be equal");
  EXPECT_TRUE(contains(refused({1, true}, {}), "a body pushed more tasks than its max_children, after "));
  EXPECT_EQ(run_fork_join(cpu(), batched_stealing{}, first, pushing{0, true}, std::span(&found, 1)).run, 9);
  EXPECT_EQ(found, 5);
}

TEST(ForkJoin, NothingIsDoneAtOnce) {
  const join_report done =
      run_fork_join(cpu(), batched_stealing{}, std::vector<int>{}, pushing{}, std::span<int>());
  EXPECT_EQ(done.run, 0);
  EXPECT_EQ(done.left(), 0);
}

} // namespace
} // namespace evenly
