// SPDX-License-Identifier: Apache-2.0
// Cases of the skeletons that the laws do not cover: calls that plan and run at once, arguments that are refused.

#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

const std::vector<int> offsets = {2, 4, 4, 9};

template <class Executor> class Skeletons : public testing::Test {
 protected:
  Executor exec;
};
using executors = testing::Types<cpu, simt>;
TYPED_TEST_SUITE(Skeletons, executors);

struct write_rank {
  int* ranks;
  void operator()(int, int a, int rank) const { ranks[a] = rank; }
};
struct number {
  int operator()(int a) const { return a; }
};
struct keep {
  int* values;
  void operator()(int t, int value) const { values[t] = value; }
};

TYPED_TEST(Skeletons, PlanAndRunInOneCall) {
  const auto expect_right = [&](const char* name, const auto& schedule) {
    std::vector<int> ranks(9, -1), tile_of(7, -1), min(3, -1);
    for_each_atom(this->exec, schedule, csr_tiles(offsets), write_rank{ranks.data()});
    EXPECT_EQ(ranks, (std::vector<int>{-1, -1, 0, 1, 0, 1, 2, 3, 4})) << name;
    expand(this->exec, schedule, csr_tiles(offsets), std::span(tile_of));
    EXPECT_EQ(tile_of, (std::vector<int>{0, 0, 2, 2, 2, 2, 2})) << name;
    reduce_tiles(this->exec, schedule, csr_tiles(offsets), number{}, minimum<int>{}, keep{min.data()});
    EXPECT_EQ(min, (std::vector<int>{2, 2147483647, 4})) << name;
  };
  expect_right("thread_mapped", thread_mapped{});
  expect_right("merge_path", merge_path{});
  expect_right("streamed", streamed{});
}

TYPED_TEST(Skeletons, TakeLambdas) {
  std::vector<int> sums(3);
  auto plan = make_plan(this->exec, merge_path{}, csr_tiles(offsets));
  reduce_tiles(
      this->exec, plan, [](int t, int a) { return t * a; }, plus<int>{},
      [y = sums.data()](int t, int sum) { y[t] = sum; });
  EXPECT_EQ(sums, (std::vector<int>{0, 0, 2 * (4 + 5 + 6 + 7 + 8)}));
}

TYPED_TEST(Skeletons, TakeMonoidsOfFunctions) {
  std::vector<int> found(3);
  auto plan = make_plan(this->exec, merge_path{}, csr_tiles(offsets));
  reduce_tiles(this->exec, plan, number{}, monoid_of(std::plus<>{}, 0, commutative), keep{found.data()});
  EXPECT_EQ(found, (std::vector<int>{2 + 3, 0, 4 + 5 + 6 + 7 + 8}));
  const auto latest = monoid_of([](int a, int b) { return b < 0 ? a : b; }, -1);
  reduce_tiles(this->exec, plan, number{}, latest, keep{found.data()});
  EXPECT_EQ(found, (std::vector<int>{3, -1, 8}));

  const std::vector<int> values = {3, -1, 4, -1};
  std::vector<int> scanned(4);
  inclusive_scan(this->exec, values.data(), 4, latest, scanned.data());
  EXPECT_EQ(scanned, (std::vector<int>{3, 3, 4, 4}));
  EXPECT_EQ(reduce(this->exec, values.data(), 4, monoid_of(std::multiplies<>{}, 1)), 12);
}

TYPED_TEST(Skeletons, ExpandRefusesAnOutputOfTheWrongSize) {
  std::vector<int> tile_of(8);
  auto plan = make_plan(this->exec, thread_mapped{}, csr_tiles(offsets));
  EXPECT_EQ(message_of<invalid_argument>([&] { expand(this->exec, plan, std::span(tile_of)); }),
            "tile_of has 8 elements: expand needs one for each of 7 atoms");
}

TYPED_TEST(Skeletons, ExpandRefusesToWriteOverItsOffsets) {
  std::vector<int> both = {2, 4, 4, 9, 0, 0, 0, 0, 0, 0, 0};
  auto plan = make_plan(this->exec, thread_mapped{}, csr_tiles(std::span(both).first(4)));
  EXPECT_EQ(message_of<invalid_argument>([&] { expand(this->exec, plan, std::span(both).subspan(3, 7)); }),
            "tile_of begins 12 bytes after the start of offsets and overlaps it: they must be disjoint");
  expand(this->exec, plan, std::span(both).subspan(4));
  EXPECT_EQ(both, (std::vector<int>{2, 4, 4, 9, 0, 0, 2, 2, 2, 2, 2}));
}

} // namespace
} // namespace evenly
