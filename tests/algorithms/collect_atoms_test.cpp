// SPDX-License-Identifier: Apache-2.0
// collect_atoms: its laws (collect_atoms_laws.hpp) on the CPU, and on the simulated GPU under every schedule in any
// order, which has a worker of its own; and refusals.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/collect_atoms_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

constexpr auto all_ways = [](auto&& visit) { for_each_form_on<cpu>(visit); };

TEST(CollectAtoms, KeepsItsLawsOnCpu) {
  for (const int threads : {1, 3}) expect_collects_under(cpu(threads), 128, all_ways, adversarial_tile_sets);
}

TEST(CollectAtoms, KeepsItsLawsWithAtomsOf64Bits) {
  for (const named_tiles& set : adversarial_tile_sets(700))
    expect_collects<std::int64_t>(cpu(2), "merge_path", merge_path<>{}, set);
}

struct find_nothing {
  std::optional<int> operator()(int, int) const { return {}; }
};

TEST(CollectAtoms, RefusesWhereNothingCanBeWritten) {
  const cpu exec(1);
  const std::vector<int> offsets = {0, 3};
  auto plan = make_plan(exec, merge_path<>{}, csr_tiles(offsets));
  std::vector<int> out(4);
  std::int64_t counts[2] = {7, 7};
  const auto message = [&](std::span<int> to, std::int64_t* count) {
    return message_of<invalid_argument>([&] { collect_atoms(exec, plan, find_nothing{}, to, count); });
  };
  EXPECT_EQ(message(out, nullptr), "count is null: it must point to the output for the number of values");
  EXPECT_EQ(message({static_cast<int*>(nullptr), 3}, counts), "out is null, but must have 3 elements");
  EXPECT_EQ(message({reinterpret_cast<int*>(counts), 4}, counts + 1),
            "count begins 8 bytes after the start of out and overlaps it: they must be disjoint");
  collect_atoms(exec, plan, find_nothing{}, std::span<int>(), counts);
  EXPECT_EQ(counts[0], 0);
}

TEST(CollectAtoms, TakesNoMemoryInALaterRun) {
  counting_resource memory;
  const cpu exec(2, &memory);
  const std::vector<int> offsets = {0, 3, 3000}, fewer = {0, 5, 7};
  auto plan = make_plan(exec, merge_path<>{}, csr_tiles(fewer), capacity{2, 3000});
  plan.reserve(collects<int>{});
  std::vector<int> out(3000), times(3000);
  std::int64_t count = 0;
  const find_some<int, int> visit{3, 0, times.data()};
  const int before = memory.allocations;
  collect_atoms(exec, plan, visit, std::span(out), &count);
  plan.rebind(csr_tiles(offsets));
  collect_atoms(exec, plan, visit, std::span(out), &count);
  collect_atoms(exec, plan, visit, std::span(out), &count, in_any_order);
  EXPECT_EQ(memory.allocations, before);
  EXPECT_GT(count, 500);
}

TEST(CollectAtomsOnSimt, KeepsItsLaws) {
  const auto all_ways = [](auto&& visit) { for_each_form_on<simt>(visit); };
  expect_collects_under(simt({.warp_size = 32}), 33, all_ways, adversarial_tile_sets);
  expect_collects_under(simt({.warp_size = 4, .seed = 1}), 8, all_ways, adversarial_tile_sets);
}

} // namespace
} // namespace evenly::laws
