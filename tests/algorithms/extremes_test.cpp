// SPDX-License-Identifier: Apache-2.0
// minimum, maximum and the pair that ignores NaN, of arrays with NaN: the same on cpu and simt, under every form of
// sharing.

#include <gtest/gtest.h>

#include "algorithms/extreme_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"

namespace evenly::extremes {
namespace {

TEST(Extremes, OfWholeArraysAreTheSameOnAllExecutors) {
  expect_all_primitives<float>(cpu(2), {0, 1, 5, 300, 40'001});
  expect_all_primitives<double>(cpu(2), {0, 1, 5, 300, 40'001});
  expect_all_primitives<float>(simt(), {0, 1, 5, 300, 9'001});
  expect_all_primitives<double>(simt(), {0, 1, 5, 300, 9'001});
}

TEST(Extremes, OfTilesAreTheSameInAllFormsOfSharing) {
  for_each_form_on<cpu>([](const char* name, const auto& schedule) {
    expect_skeletons<float>(cpu(2), name, schedule, 20'000); // in several blocks
  });
  for_each_form_on<simt>(
      [](const char* name, const auto& schedule) { expect_skeletons<float>(simt(), name, schedule, 5'000); });
}

TEST(Extremes, OfTilesAreTheSameForDoubles) {
  expect_skeletons<double>(cpu(2), "merge_path", merge_path{}, 20'000);
  expect_skeletons<double>(simt(), "merge_path", merge_path{}, 5'000);
  expect_skeletons<double>(simt(), "streamed", streamed{}, 5'000);
}

} // namespace
} // namespace evenly::extremes
