// SPDX-License-Identifier: Apache-2.0
// The basis of the program's times: a bench overwrites its output, recognizes a correct one, and counts memory.
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "measure/host_timer.hpp"
#include "measure/work_on.hpp"

namespace evenly::cli {

using measure::prepared_run, measure::schedule_candidate, measure::spmv_problem, measure::update_problem,
    measure::work_on;

namespace {

template <class Executor, class Problem> std::shared_ptr<work_on<Executor, Problem>> place(const Problem& p) {
  return std::make_shared<work_on<Executor, Problem>>(Executor(), p);
}

const std::vector<int> offsets{0, 3, 3, 1000, 20'000};

template <class Executor> class Bench : public testing::Test {};
using executors = testing::Types<cpu, simt>;
TYPED_TEST_SUITE(Bench, executors);

TYPED_TEST(Bench, KnowsARightOutputAgain) {
  const auto work = place<TypeParam>(update_problem{offsets});
  EXPECT_FALSE(work->as_accepted());
  const prepared_run made = schedule_candidate(work, any_schedule("thread_mapped")).prepare();
  work->poison();
  EXPECT_EQ(std::get<std::vector<int>>(work->result()), std::vector<int>(20'000, -1));
  made.run();
  const auto first = std::get<std::vector<int>>(work->result());
  for (std::size_t a = 0; a < first.size(); ++a) ASSERT_EQ(first[a], a < 3 ? 0 : a < 1000 ? 2 : 3);
  EXPECT_FALSE(work->as_accepted());
  work->accept();
  EXPECT_TRUE(work->as_accepted());
  work->poison();
  EXPECT_FALSE(work->as_accepted());
  made.run();
  EXPECT_TRUE(work->as_accepted());
  made.run(); // updates once more
  EXPECT_FALSE(work->as_accepted());
  for (const std::size_t wrong : {0, 777, 19'999}) {
    work->poison();
    made.run();
    work->data().out()[wrong] ^= 1 << 20;
    EXPECT_FALSE(work->as_accepted()) << wrong;
  }
}

TYPED_TEST(Bench, KnowsFloatsByTheirBits) {
  const std::vector<int> rows{0, 1};
  const int column = 0;
  const float value = 0;
  spmv_problem<float> p;
  p.a = {1, 1, rows.data(), &column, &value};
  p.x = {0};
  const auto work = place<TypeParam>(p);
  work->poison();
  work->accept(); // not a number is what it is
  EXPECT_TRUE(work->as_accepted());
  work->data().out()[0] = 0.0F;
  work->accept();
  work->data().out()[0] = -0.0F;
  EXPECT_FALSE(work->as_accepted());
}

TYPED_TEST(Bench, WithoutAtomsNothingIsKnown) {
  const std::vector<int> none{0, 0, 0};
  const auto work = place<TypeParam>(update_problem{none});
  work->poison();
  work->accept();
  EXPECT_FALSE(work->as_accepted());
}

TYPED_TEST(Bench, CountsMemoryAndThreads) {
  const auto work = place<TypeParam>(update_problem{offsets});
  const std::size_t before = work->memory_in_use();
  EXPECT_EQ(before, offsets.size() * sizeof(int) + 20'000 * sizeof(int));
  {
    const prepared_run without =
        schedule_candidate(work, any_schedule("thread_mapped:block_size=64")).prepare();
    EXPECT_EQ(work->memory_in_use(), before);
    const char* const with_tables = TypeParam::serial_blocks ? "binned" : "multi_phase";
    const prepared_run with = schedule_candidate(work, any_schedule(with_tables)).prepare();
    EXPECT_GT(work->memory_in_use(), before);
    ASSERT_EQ(without.launches.size(), 1U);
    EXPECT_EQ(without.launches[0].blocks, 1);
    EXPECT_EQ(without.launches[0].block_size, TypeParam::serial_blocks ? 1 : 64);
    EXPECT_EQ(without.launches[0].storage, 0U);
    EXPECT_EQ(with.launches[0].storage > 0, !TypeParam::serial_blocks);
  }
  EXPECT_EQ(work->memory_in_use(), before);
}

} // namespace
} // namespace evenly::cli
