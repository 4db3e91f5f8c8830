// SPDX-License-Identifier: Apache-2.0
// Plans of tile sets that are sized on the device, on a GPU: schedules/planning_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "schedules/planning_laws.hpp"

namespace evenly::laws {
namespace {

TEST(SizesOnTheDevice, AreFoundOnCuda) {
  for_each_kind_that_rebinds(0, [](const char* name, const auto& schedule) {
    expect_sizes_on_device<cuda_of_tuned_size, int>({cuda()}, schedule, sets_to_bind(schedule), name);
  });
}

} // namespace
} // namespace evenly::laws
