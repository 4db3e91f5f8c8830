// SPDX-License-Identifier: Apache-2.0
// stealing: the laws of pools.

#include "evenly/tasks/stealing.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

EVENLY_TEST_POOL(Stealing, stealing)

TEST(Stealing, FromAnybodyKeepsTheLaws) {
  const stealing anybody{.order_of_victims = tasks::victims::random};
  expect_tree<tasks::each_thread>(cpu(), anybody, 5000, 3, 1, blocks_of(4));
  on_simt(anybody, 12, [](const simt& exec, const stealing& of, const task_options& options) {
    expect_tree<tasks::each_thread>(exec, of, 100, 2, 1, options);
  });
}

/// A deque has room for the tasks that wait and for those that were stolen since it was last found empty.
TEST(Stealing, IndicesBeginAgainWhenADequeIsFoundEmpty) {
  const tasks::pool_shape shape{2, 1, 1, 1, 64, 2 * 3, 0}; // two workers with room for three tasks each
  tasks::pool_memory sizes;
  stealing().make<int>(sizes, shape);
  std::vector<detail::task_word> memory(
      (sizes.zeroed_bytes() + sizes.other_bytes()) / sizeof(detail::task_word) + 1);
  auto* const begin = reinterpret_cast<std::byte*>(memory.data());
  tasks::pool_memory at(begin, begin + sizes.zeroed_bytes());
  const auto view = stealing().make<int>(at, shape);

  const detail::task_run<int> run{};
  cpu_block first(0, 2, nullptr), second(1, 2, nullptr);
  using worker = detail::task_worker<int, cpu_block>;
  worker owner(first, run, 1, 0, 1), thief(second, run, 1, 0, 1);
  using handle = detail::task_deques<int>::handle<worker>;
  handle of_owner(view.queue, owner), of_thief(view.queue, thief);
  std::vector<int> got;
  const auto push = [&](int count) { return of_owner.push(count, [](int i) { return i; }); };
  const auto pop = [&](handle& by) { return by.pop(1, [&](int, int task) { got.push_back(task); }); };

  EXPECT_EQ(push(2), 2);
  for (int look = 0; look < 8 && got.size() < 2; ++look) pop(of_thief); // not each look is at the other
  EXPECT_EQ(got, (std::vector{0, 1}));                                  // the oldest first
  EXPECT_EQ(push(2), 1);                                                // nothing waits, but two were stolen
  EXPECT_EQ(pop(of_owner), 1);
  EXPECT_EQ(pop(of_owner), 0); // which finds it empty
  for (int again = 0; again < 1000; ++again) {
    ASSERT_EQ(push(4), 3);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(pop(of_owner), 1);
  }
  EXPECT_GE(view.queue.heads[0].value >> 32, 1000) << "a tag for each beginning";
}

} // namespace
} // namespace evenly
