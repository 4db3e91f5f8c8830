// SPDX-License-Identifier: Apache-2.0
// minimum, maximum and the pair that ignores NaN on a GPU, which has instructions of its own for them: the laws of
// algorithms/extreme_laws.hpp. Tests whose name begins with Reduced are few and small enough for compute-sanitizer.

#include <gtest/gtest.h>

#include "algorithms/extreme_laws.hpp"
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
  expect_all_primitives<float>(cuda(), {0, 1, 5, 300, 40'001, 2'000'003});
  expect_all_primitives<double>(cuda(), {0, 1, 5, 300, 40'001, 2'000'003});
}

/// Few kernels, for compile time's sake: together they have every way of sharing.
TEST(ReducedExtremesOnCuda, OfTilesAreTheSameUnderAllSchedules) {
  const cuda exec;
  expect_skeletons<float>(exec, "merge_path", merge_path{}, 50'000);
  expect_skeletons<float>(exec, "two_phase", two_phase{}, 50'000);
  expect_skeletons<float>(exec, "streamed", streamed{}, 50'000);
  expect_skeletons<float>(exec, "multi_phase", multi_phase{}, 50'000);
  expect_skeletons<float>(exec, "cta_warp_scan", cta_warp_scan{}, 50'000);
  expect_skeletons<float>(exec, "binned", binned{}, 50'000);
  expect_skeletons<double>(exec, "merge_path", merge_path{}, 50'000);
}

} // namespace
} // namespace evenly::extremes
