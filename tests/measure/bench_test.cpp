// SPDX-License-Identifier: Apache-2.0
// What the program times rests on: a bench overwrites its output, knows a right one again, and counts memory.
#include <cstddef>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "measure/bench_simt.hpp"
#include "measure/host_bench.hpp"

namespace evenly::cli {
namespace {

/// A bench that lets others at its output.
template <class Executor, class Problem> class open_bench : public host_bench<Executor, Problem> {
 public:
  using host_bench<Executor, Problem>::host_bench;
  using host_bench<Executor, Problem>::data;

  std::vector<candidate> candidates(int block_size) override {
    thread_mapped schedule;
    if (block_size > 0) schedule.block_size = block_size;
    multi_phase<> with_memory;
    return {this->make_candidate("thread_mapped", schedule),
            this->make_candidate("multi_phase", with_memory)};
  }
};

const std::vector<int> offsets{0, 3, 3, 1000, 20'000};

template <class Executor> class Bench : public testing::Test {};
using executors = testing::Types<cpu, simt>;
TYPED_TEST_SUITE(Bench, executors);

TYPED_TEST(Bench, KnowsARightOutputAgain) {
  open_bench<TypeParam, update_problem> on(TypeParam(), update_problem{offsets}, {});
  EXPECT_FALSE(on.as_accepted());
  const prepared_run made = on.candidates(0).front().prepare();
  on.poison();
  EXPECT_EQ(std::get<std::vector<int>>(on.result()), std::vector<int>(20'000, -1));
  made.run();
  const auto first = std::get<std::vector<int>>(on.result());
  for (std::size_t a = 0; a < first.size(); ++a) ASSERT_EQ(first[a], a < 3 ? 0 : a < 1000 ? 2 : 3);
  EXPECT_FALSE(on.as_accepted());
  on.accept();
  EXPECT_TRUE(on.as_accepted());
  on.poison();
  EXPECT_FALSE(on.as_accepted());
  made.run();
  EXPECT_TRUE(on.as_accepted());
  made.run(); // updates once more
  EXPECT_FALSE(on.as_accepted());
  for (const std::size_t wrong : {0, 777, 19'999}) {
    on.poison();
    made.run();
    on.data().out()[wrong] ^= 1 << 20;
    EXPECT_FALSE(on.as_accepted()) << wrong;
  }
}

TYPED_TEST(Bench, KnowsFloatsByTheirBits) {
  const std::vector<int> rows{0, 1};
  const int column = 0;
  const float value = 0;
  spmv_problem<float> p;
  p.a = {1, 1, rows.data(), &column, &value};
  p.x = {0};
  open_bench<TypeParam, spmv_problem<float>> on(TypeParam(), p, {});
  on.poison();
  on.accept(); // not a number is what it is
  EXPECT_TRUE(on.as_accepted());
  on.data().out()[0] = 0.0F;
  on.accept();
  on.data().out()[0] = -0.0F;
  EXPECT_FALSE(on.as_accepted());
}

TYPED_TEST(Bench, WithoutAtomsNothingIsKnown) {
  const std::vector<int> none{0, 0, 0};
  open_bench<TypeParam, update_problem> on(TypeParam(), update_problem{none}, {});
  on.poison();
  on.accept();
  EXPECT_FALSE(on.as_accepted());
}

TYPED_TEST(Bench, CountsMemoryAndThreads) {
  open_bench<TypeParam, update_problem> on(TypeParam(), update_problem{offsets}, {});
  const std::size_t before = on.memory_in_use();
  EXPECT_EQ(before, offsets.size() * sizeof(int) + 20'000 * sizeof(int));
  {
    const auto all = on.candidates(64);
    const prepared_run without = all[0].prepare();
    EXPECT_EQ(on.memory_in_use(), before);
    const prepared_run with = all[1].prepare();
    EXPECT_GT(on.memory_in_use(), before);
    ASSERT_EQ(without.launches.size(), 1U);
    EXPECT_EQ(without.launches[0].blocks, 1);
    EXPECT_EQ(without.launches[0].block_size, TypeParam::serial_blocks ? 1 : 64);
    EXPECT_EQ(without.launches[0].storage, 0U);
    EXPECT_GT(with.launches[0].storage, 0U);
  }
  EXPECT_EQ(on.memory_in_use(), before);
}

} // namespace
} // namespace evenly::cli
