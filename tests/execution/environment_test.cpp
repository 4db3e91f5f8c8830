// SPDX-License-Identifier: Apache-2.0
// Environments: what stands for one, how parts are put together, and where an operation runs.

#include <array>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/uniform.hpp"

namespace evenly {
namespace {

using a_plan = decltype(make_plan(cpu(), merge_path{}, uniform_tiles(1, 1)));

template <class T> constexpr bool has_schedule = !std::is_same_v<T, detail::unset>;

TEST(Environments, AreWhatStandsForOne) {
  static_assert(environment_argument<cpu> && environment_argument<const simt&>);
  static_assert(environment_argument<merge_path<>> && environment_argument<automatic>);
  static_assert(environment_argument<a_plan&> && environment_argument<workspace&>);
  static_assert(environment_argument<environment<>> &&
                environment_argument<const environment<cpu, merge_path<>>&>);
  static_assert(!environment_argument<int> && !environment_argument<std::vector<float>> &&
                !environment_argument<std::plus<>> && !environment_argument<plus<float>>);
}

TEST(Environments, AreRangesWhereElementsAreSideBySide) {
  using detail::contiguous_values;
  static_assert(contiguous_values<std::vector<int>> && contiguous_values<const std::array<int, 3>> &&
                contiguous_values<int[3]> && contiguous_values<std::span<const float>> &&
                contiguous_values<buffer<int>> && contiguous_values<vector<int, simt>>);
  static_assert(!contiguous_values<cpu> && !contiguous_values<int*> &&
                !contiguous_values<std::vector<bool>> && !contiguous_values<merge_path<>>);
}

TEST(Environments, KeepTheirPartsInAnyOrder) {
  workspace memory;
  const auto all = on(cpu(3)).with(merge_path<>{.block_size = 64}).with(memory);
  EXPECT_EQ(all.executor().threads(), 3);
  EXPECT_EQ(all.schedule().block_size, 64);
  EXPECT_EQ(all.memory(), &memory);
  const auto turned = with(memory).with(merge_path<>{.block_size = 64}).on(cpu(3));
  static_assert(std::is_same_v<decltype(all), decltype(turned)>);
  EXPECT_EQ(turned.executor().threads(), 3);
  EXPECT_EQ(turned.schedule().block_size, 64);
  EXPECT_EQ(turned.memory(), &memory);

  const auto last = all.on(cpu(2)).with(merge_path<>{.block_size = 32});
  EXPECT_EQ(last.executor().threads(), 2);
  EXPECT_EQ(last.schedule().block_size, 32);

  const auto none = environment<>{};
  static_assert(!has_schedule<std::remove_cvref_t<decltype(none.schedule())>>);
  EXPECT_EQ(none.memory(), nullptr);
}

TEST(Environments, KeepPlansByReference) {
  auto plan = make_plan(cpu(2), merge_path{}, uniform_tiles(4, 3));
  EXPECT_EQ(with(plan).schedule().of, &plan);
  EXPECT_EQ(detail::environment_of(plan).schedule().of, &plan);
  EXPECT_EQ(on(cpu(1)).with(plan).schedule().of, &plan);
}

TEST(Environments, RunWhereTheDataAre) {
  const std::vector<int> plain{1};
  const vector on_simt(simt({.warp_size = 8}), plain);
  const vector on_two_cores(cpu(2), plain);
  const environment<> none;
  static_assert(std::is_same_v<decltype(detail::executor_for(none, plain)), cpu>);
  static_assert(std::is_same_v<decltype(detail::executor_for(none, on_simt)), simt>);
  EXPECT_EQ(detail::executor_for(none, plain, on_two_cores).threads(), 2);
  EXPECT_EQ(detail::executor_for(none, plain, on_simt, on_two_cores).options().warp_size, 8);
  EXPECT_EQ(detail::executor_for(none).threads(), cpu().threads());
}

TEST(Environments, RunOnTheExecutorThatIsGivenBeforeThatOfThePlanAndOfTheData) {
  const vector on_two_cores(cpu(2), std::vector<int>{1});
  auto plan = make_plan(cpu(3), merge_path{}, uniform_tiles(4, 3));
  EXPECT_EQ(detail::executor_for(with(plan), on_two_cores).threads(), 3);
  EXPECT_EQ(detail::executor_for(with(plan).on(cpu(4)), on_two_cores).threads(), 4);
  EXPECT_EQ(detail::executor_for(with(merge_path{}), on_two_cores).threads(), 2);
}

TEST(Environments, LendTheirWorkspaceAndNoOther) {
  workspace memory;
  EXPECT_TRUE(detail::with_workspace(with(memory), [&](workspace& lent) { return &lent == &memory; }));
  EXPECT_FALSE(detail::with_workspace(environment<>{}, [&](workspace& lent) { return &lent == &memory; }));
}

} // namespace
} // namespace evenly
