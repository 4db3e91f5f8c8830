// SPDX-License-Identifier: Apache-2.0
// minimum, maximum and the pair that ignores NaN on a GPU, which has instructions of its own for them: the laws of
// algorithms/extreme_laws.hpp. Tests whose name begins with Reduced are few and small enough for compute-sanitizer.

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/extreme_laws.hpp"
#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/cta_warp_scan.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/two_phase.hpp"

namespace evenly::extremes {
namespace {

TEST(ExtremesOnCuda, OfWholeArraysAreWhatALoopGives) {
  expect_all_primitives<float>(cuda_of_tuned_size(), {0, 1, 5, 300, 40'001, 2'000'003});
  expect_all_primitives<double>(cuda_of_tuned_size(), {0, 1, 5, 300, 40'001, 2'000'003});
}

/// Few kernels, for compile time's sake: together they have every way of sharing.
TEST(ReducedExtremesOnCuda, OfTilesAreTheSameUnderAllSchedules) {
  const cuda_of_tuned_size exec;
  expect_skeletons<float>(exec, "merge_path", merge_path{}, 50'000);
  expect_skeletons<float>(exec, "two_phase", two_phase{}, 50'000);
  expect_skeletons<float>(exec, "streamed", streamed{}, 50'000);
  expect_skeletons<float>(exec, "multi_phase", multi_phase{}, 50'000);
  expect_skeletons<float>(exec, "cta_warp_scan", cta_warp_scan{}, 50'000);
  expect_skeletons<float>(exec, "binned", binned{}, 50'000);
  expect_skeletons<double>(exec, "merge_path", merge_path{}, 50'000);
}

/// Functions of the standard library and lambdas are monoids there too.
std::vector<long long> sums_by_function(const cuda& exec, const buffer<int>& in) {
  const auto size = static_cast<std::int64_t>(in.size());
  const auto add = [] EVENLY_FN(long long a, long long b) { return a + b; };
  return {reduce(exec, in.data(), size, monoid_of(std::plus<>{}, 0LL)),
          reduce(exec, in.data(), size, monoid_of(add, 0LL, commutative)),
          reduce(exec, in.data(), size, plus<long long>{})};
}

TEST(ReducedExtremesOnCuda, AnyFunctionIsAMonoid) {
  const cuda exec;
  std::vector<int> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 2'000'000'000);
  const auto in = to_executor(exec, numbers);
  EXPECT_EQ(sums_by_function(exec, in), std::vector<long long>(3, 20'000'049'995'000LL));
}

} // namespace
} // namespace evenly::extremes
