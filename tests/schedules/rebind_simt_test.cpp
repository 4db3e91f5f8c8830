// SPDX-License-Identifier: Apache-2.0
// Plans that are bound to other tiles, on the simulated GPU: planning_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "schedules/planning_laws.hpp"

namespace evenly::laws {
namespace {

TEST(Rebinding, GivesOtherTilesToAPlanOnSimt) {
  for_each_kind_that_rebinds(96, [](const char* name, const auto& schedule) {
    expect_rebinding<simt, int>(simt({.seed = 5}), schedule, sets_to_bind(schedule), name);
  });
}

} // namespace
} // namespace evenly::laws
