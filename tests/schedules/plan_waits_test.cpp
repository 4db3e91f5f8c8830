// SPDX-License-Identifier: Apache-2.0
// The number of waits and allocations of plans, also with sizes that only the device knows.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/planning_laws.hpp"
#include "support/counting_resource.hpp"
#include "support/counts_waits.hpp"
#include "support/messages.hpp"

namespace evenly::laws {
namespace {

/// Runs everything under a plan, and returns how many allocations that takes.
template <class Plan>
int allocations_of_runs(const counts_waits& exec, const counting_resource& memory, Plan& plan) {
  static std::vector<planned_value> values(100'000);
  const int before = memory.allocations;
  reduce_tiles(exec, plan, planned_value_of<int>{}, affine_maps{}, keep_value<int>{values.data(), 0});
  scan_tiles(exec, plan, planned_value_of<int>{}, affine_maps{}, keep_value<int>{values.data(), 0});
  return memory.allocations - before;
}

TEST(PlansOfKnownSizes, NeitherWaitNorAllocateWhenBound) {
  std::vector<int> small{0, 3, 3, 60}, large{0};
  for (int t = 0; t < 2000; ++t) large.push_back(large.back() + (t == 77 ? 20'000 : t % 30));
  for_each_kind_that_rebinds(128, [&](const char* name, const auto& schedule) {
    int waits = 0;
    counting_resource memory;
    const counts_waits exec(&waits, &memory);
    auto plan = make_plan(exec, schedule, assume_valid(csr_tiles(small), 60), capacity{2000, large.back()});
    EXPECT_LE(memory.allocations, 1) << name; // the table of a partition
    plan.reserve(reduces<planned_value>{}, scans<planned_value>{});
    EXPECT_EQ(allocations_of_runs(exec, memory, plan), 0) << name;
    const int before = memory.allocations;
    plan.rebind(assume_valid(csr_tiles(large), large.back()));
    EXPECT_EQ(allocations_of_runs(exec, memory, plan), 0) << name;
    plan.rebind(assume_valid(csr_tiles(small), 60));
    EXPECT_EQ(allocations_of_runs(exec, memory, plan), 0) << name;
    EXPECT_EQ(memory.allocations, before) << name;
    EXPECT_EQ(waits, 0) << name;
    plan.rebind(csr_tiles(small));
    EXPECT_EQ(waits, 1) << name; // two numbers are read back
    EXPECT_EQ(plan.atoms(), 60) << name;
  });
}

TEST(PlansOfSizesOnTheDevice, NeverWait) {
  std::vector<int> offsets{0, 3, 3, 60};
  int count = 3;
  offsets.resize(2001);
  for_each_kind_that_rebinds(128, [&](const char* name, const auto& schedule) {
    int waits = 0;
    counting_resource memory;
    const counts_waits exec(&waits, &memory);
    auto plan = make_plan(exec, schedule, csr_tiles_on_device(offsets.data(), &count, {2000, 50'000}));
    plan.reserve(reduces<planned_value>{}, scans<planned_value>{});
    const int before = memory.allocations;
    for (count = 3; count >= 0; --count) {
      plan.rebind(plan.tiles());
      EXPECT_EQ(allocations_of_runs(exec, memory, plan), 0) << name;
    }
    EXPECT_EQ(memory.allocations, before) << name;
    EXPECT_EQ(waits, 0) << name;
    count = 3;
    EXPECT_EQ(plan.read_sizes(exec).all.atoms, 60) << name;
    EXPECT_EQ(waits, 1) << name;
  });
}

TEST(PlansOfSizesOnTheDevice, DoNothingForMoreThanTheirCapacity) {
  std::vector<int> offsets{0, 3, 3, 60};
  int count = 3, waits = 0;
  counting_resource memory;
  const counts_waits exec(&waits, &memory);
  for_each_kind_that_rebinds(128, [&](const char* name, const auto& schedule) {
    for (const capacity& max_size : {capacity{3, 60}, capacity{2, 60}, capacity{3, 59}}) {
      auto plan = make_plan(exec, schedule, csr_tiles_on_device(offsets.data(), &count, max_size));
      std::vector<planned_value> sums(4, unwritten), prefixes(60, unwritten);
      reduce_tiles(exec, plan, planned_value_of<int>{}, affine_maps{}, keep_value<int>{sums.data(), 0});
      scan_tiles(exec, plan, planned_value_of<int>{}, affine_maps{}, keep_value<int>{prefixes.data(), 0});
      const bool fits = max_size == capacity{3, 60};
      const auto want = expected_results({0, 3, 3, 60}, {4, 60});
      EXPECT_EQ(sums, fits ? want.sums : std::vector<planned_value>(4, unwritten)) << name;
      EXPECT_EQ(prefixes, fits ? want.prefixes : std::vector<planned_value>(60, unwritten)) << name;
      const auto words = message_of<invalid_argument>([&] {
        plan.read_sizes(exec);
        throw invalid_argument("fits");
      });
      const std::string excess =
          max_size.tiles < 3 ? "2 tiles, but there are 3" : "59 atoms, but there are 60";
      EXPECT_EQ(words,
                fits ? "fits"
                     : "the plan has room for " + excess + ": make it with a larger capacity{tiles, atoms}")
          << name;
    }
  });
}

} // namespace
} // namespace evenly::laws
