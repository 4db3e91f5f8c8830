// SPDX-License-Identifier: Apache-2.0
// Every schedule by name, on every executor of the host, for offsets of both widths: what a plan whose schedule is a
// type computes, bit for bit, and refusals.
#include "evenly/runtime/any_plan.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/spmv.hpp"

namespace evenly {
namespace {

/// Empty tiles, short ones, and one of 3,000 atoms; the first atom has the number `first`.
template <class Offset> std::vector<Offset> offsets_from(Offset first) {
  std::vector<Offset> offsets{first};
  for (int t = 0; t < 400; ++t) {
    const int size = t == 150 ? 3000 : t % 5 == 0 ? 0 : t % 17;
    offsets.push_back(static_cast<Offset>(offsets.back() + size));
  }
  return offsets;
}

template <class Value, class Offset> struct matrix {
  std::vector<Offset> offsets = offsets_from<Offset>(0);
  std::vector<int> columns;
  std::vector<Value> values;
  std::vector<Value> x = std::vector<Value>(100);

  matrix() {
    for (int i = 0; i < static_cast<int>(x.size()); ++i)
      x[static_cast<std::size_t>(i)] = number(i % 7 - 3, i % 5);
    for (int k = 0; k < static_cast<int>(offsets.back()); ++k) {
      columns.push_back(k % 100);
      values.push_back(number(k % 11 - 4, k % 3));
    }
  }
  static Value number(int real, int imaginary) {
    if constexpr (std::is_arithmetic_v<Value>)
      return static_cast<Value>(real);
    else
      return {static_cast<typename Value::value_type>(real),
              static_cast<typename Value::value_type>(imaginary)};
  }
  csr_view<Value, Offset> view() const {
    return {static_cast<int>(offsets.size()) - 1, 100, offsets.data(), columns.data(), values.data()};
  }
};

/// The executor, and the type of the offsets.
template <class Case> class AnyPlan : public testing::Test {
 public:
  using executor = std::tuple_element_t<0, Case>;
  using offset = std::tuple_element_t<1, Case>;
};
using cases = testing::Types<std::tuple<cpu, int>, std::tuple<cpu, std::int64_t>, std::tuple<simt, int>,
                             std::tuple<simt, std::int64_t>>;
TYPED_TEST_SUITE(AnyPlan, cases);

template <class Value, class Offset> void multiply(const any_executor& exec, const any_schedule& schedule) {
  const matrix<Value, Offset> a;
  any_plan plan(exec, schedule, rows_of(a.view()));
  std::vector<Value> y(a.offsets.size() - 1, Value{1});
  plan.spmv(a.view(), a.x, y, 2, 1);
  for (std::size_t row = 0; row < y.size(); ++row) {
    Value sum = 0; // small whole numbers: exact in any order
    for (Offset k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum += a.values[at] * a.x[static_cast<std::size_t>(a.columns[at])];
    }
    ASSERT_EQ(y[row], Value{2} * sum + Value{1}) << schedule.text() << " row " << row;
  }
}

TYPED_TEST(AnyPlan, RunsEverySchedule) {
  using offset = typename TestFixture::offset;
  const any_executor exec{typename TestFixture::executor()};
  const std::vector<offset> offsets = offsets_from<offset>(7);
  const auto atoms = static_cast<std::size_t>(offsets.back() - offsets.front());
  for (const std::string& name : schedule_names()) {
    const any_schedule schedule(name + ":block_size=96");
    multiply<float, offset>(exec, schedule);
    multiply<double, offset>(exec, schedule);
    any_plan plan(exec, schedule, csr_tiles(offsets));
    ASSERT_EQ(plan.atoms(), static_cast<std::int64_t>(atoms));
    std::vector<int> tile_of(atoms, -1), numbers(atoms, -1);
    plan.expand(tile_of);
    plan.update(numbers);
    for (std::size_t tile = 0; tile + 1 < offsets.size(); ++tile)
      for (offset a = offsets[tile]; a < offsets[tile + 1]; ++a) {
        ASSERT_EQ(tile_of[static_cast<std::size_t>(a - 7)], static_cast<int>(tile)) << name;
        ASSERT_EQ(numbers[static_cast<std::size_t>(a - 7)], static_cast<int>(tile)) << name;
      }
  }
}

const std::vector<std::string> complex_schedules{"thread_mapped", "warp_mapped", "merge_path"};

TYPED_TEST(AnyPlan, RunsComplexValuesUnderSomeSchedules) {
  using offset = typename TestFixture::offset;
  using complex = std::complex<double>;
  const any_executor exec{typename TestFixture::executor()};
  const matrix<complex, offset> a;
  std::vector<complex> y(a.offsets.size() - 1);
  for (const std::string& name : schedule_names()) {
    const any_schedule schedule(name + ":block_size=96");
    if (std::ranges::count(complex_schedules, name) > 0) {
      multiply<complex, offset>(exec, schedule);
      continue;
    }
    any_plan plan(exec, schedule, rows_of(a.view()));
    try {
      plan.spmv(a.view(), a.x, y);
      ADD_FAILURE() << name << " was taken";
    } catch (const invalid_argument& e) {
      EXPECT_EQ(e.what(),
                name + ": complex values need one of automatic, thread_mapped, warp_mapped, merge_path");
    }
  }
}

TYPED_TEST(AnyPlan, RunsComplexValuesUnderWhatAutomaticChooses) {
  using offset = typename TestFixture::offset;
  const any_executor exec{typename TestFixture::executor()};
  const matrix<std::complex<double>, offset> a;
  bool is_other_schedule = false;
  for (const work_kind work : {work_kind::gathered_sums, work_kind::visits, work_kind::prefixes}) {
    any_plan plan(exec, any_schedule("automatic:block_size=96"), rows_of(a.view()), work);
    is_other_schedule |= std::ranges::count(complex_schedules, plan.schedule_name()) == 0;
    std::vector<std::complex<double>> y(a.offsets.size() - 1, 1), first;
    for (int run = 0; run < 2; ++run) {
      plan.spmv(a.view(), a.x, y, 2, 0);
      if (run == 0) first = y;
    }
    EXPECT_EQ(y, first) << plan.schedule_name();
    for (std::size_t row = 0; row < y.size(); ++row) {
      std::complex<double> sum = 0;
      for (auto k = static_cast<std::size_t>(a.offsets[row]);
           k < static_cast<std::size_t>(a.offsets[row + 1]); ++k)
        sum += a.values[k] * a.x[static_cast<std::size_t>(a.columns[k])];
      ASSERT_EQ(y[row], 2.0 * sum) << plan.schedule_name() << " row " << row;
    }
  }
  EXPECT_TRUE(is_other_schedule || TestFixture::executor::serial_blocks)
      << "no plan had to choose another schedule for complex values";
}

TYPED_TEST(AnyPlan, IsOfWhatAutomaticChose) {
  using offset = typename TestFixture::offset;
  const any_executor exec{typename TestFixture::executor()};
  const matrix<float, offset> m;
  const auto product_under = [&](any_plan<offset>& plan) {
    std::vector<float> y(m.offsets.size() - 1);
    plan.spmv(m.view(), m.x, y);
    return y;
  };
  for (const work_kind work : {work_kind::gathered_sums, work_kind::visits}) {
    any_plan plan(exec, any_schedule("automatic:block_size=64"), rows_of(m.view()), work);
    EXPECT_EQ(plan.explain().rfind(plan.schedule_name() + ": 400 tiles with ", 0), 0U) << plan.explain();
    any_plan same(exec, any_schedule(plan.schedule_name() + ":block_size=64"), rows_of(m.view()));
    EXPECT_EQ(same.explain(), "");
    EXPECT_EQ(same.schedule_name(), plan.schedule_name());
    EXPECT_EQ(same.launch().block_size, plan.launch().block_size);
    EXPECT_EQ(product_under(plan), product_under(same));
  }
  const std::vector<offset> bad{0, 5, 3};
  EXPECT_THROW(any_plan(exec, any_schedule("automatic"), csr_tiles(bad)), invalid_argument);
}

TYPED_TEST(AnyPlan, TellsItsLaunch) {
  using executor = typename TestFixture::executor;
  const any_executor exec{executor()};
  const auto offsets = offsets_from<typename TestFixture::offset>(0);
  const planned_launch launch =
      any_plan(exec, any_schedule("merge_path:block_size=64"), csr_tiles(offsets)).launch();
  EXPECT_GT(launch.blocks, 0);
  EXPECT_EQ(launch.cutting_blocks, launch.blocks);
  EXPECT_EQ(launch.block_size, executor::serial_blocks ? 1 : 64);
  EXPECT_GT(launch.storage, 0U);
  EXPECT_EQ(any_plan(exec, any_schedule("thread_mapped"), csr_tiles(offsets)).launch().cutting_blocks, 0);
}

TYPED_TEST(AnyPlan, RefusesWhatAPlanRefuses) {
  using offset = typename TestFixture::offset;
  const any_executor exec{typename TestFixture::executor()};
  const any_schedule schedule("streamed");
  const std::vector<offset> falling{0, 3, 2};
  EXPECT_THROW(any_plan(exec, schedule, csr_tiles(falling)), invalid_argument);
  const matrix<float, offset> a, other;
  any_plan plan(exec, schedule, rows_of(a.view()));
  std::vector<float> y(a.offsets.size() - 1);
  EXPECT_THROW(plan.spmv(other.view(), a.x, y), invalid_argument);
  EXPECT_THROW(plan.spmv(a.view(), std::span(a.x).first(99), y), invalid_argument);
  std::vector<int> few(static_cast<std::size_t>(plan.atoms()) - 1);
  EXPECT_THROW(plan.expand(few), invalid_argument);
  EXPECT_THROW(plan.update(few), invalid_argument);
}

/// The same bits as where the schedule is a type.
TEST(AnyPlanOnCpu, IsThePlan) {
  matrix<float, int> a;
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = 1.0F / static_cast<float>(k + 1);
  const cpu exec(2);
  std::vector<float> typed(a.offsets.size() - 1), by_name(a.offsets.size() - 1);
  auto plan = make_plan(exec, merge_path<>{}, rows_of(a.view()));
  spmv(exec, plan, a.view(), a.x, typed);
  any_plan any(any_executor(exec), any_schedule("merge_path"), rows_of(a.view()));
  any.spmv(a.view(), a.x, by_name);
  EXPECT_EQ(typed, by_name);
}

TEST(AnyExecutor, IsMadeByName) {
  const std::vector<int> numbers{3, 1, 2};
  for (const char* name : {"cpu", "simt"}) {
    const any_executor exec = make_executor(name, {.threads = 1, .seed = 9});
    EXPECT_EQ(exec.name(), name);
    const auto copy = to_executor(exec, numbers);
    EXPECT_EQ(to_host(exec, copy), numbers);
    exec.fill_zero(copy.data(), sizeof(int));
    exec.synchronize();
    EXPECT_EQ(to_host(exec, copy), (std::vector<int>{0, 1, 2}));
  }
  try {
    make_executor("gpu");
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "'gpu' is not an executor; choose one of cpu, simt, cuda");
  }
}

} // namespace
} // namespace evenly
