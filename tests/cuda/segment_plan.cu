// SPDX-License-Identifier: Apache-2.0
// Segment plans on a GPU: the laws of sparse/segment_plan_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "sparse/segment_plan_laws.hpp"

namespace evenly::products {
namespace {

TEST(SegmentPlanOnCuda, FollowsItsDefinitions) {
  expect_segment_laws(cuda_of_any_size(), {{200'000, 3000}, {40, 90}, {0, 3}}, {1, 3, 8}, "cuda");
}

TEST(SegmentPlanOnCuda, PropagatesWhatIsNotANumber) { expect_segments_of_not_numbers(cuda_of_any_size()); }

} // namespace
} // namespace evenly::products
