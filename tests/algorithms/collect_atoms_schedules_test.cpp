// SPDX-License-Identifier: Apache-2.0
// collect_atoms in any order, which has a worker of its own, under every schedule, on the CPU and on the simulated GPU.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/collect_atoms.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/work/csr.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

struct find_some_of {
  std::optional<std::int64_t> operator()(int tile, int atom) const {
    if (mixed(static_cast<std::uint64_t>(atom)) % 3 != 0) return {};
    return std::int64_t{atom} << 32 | tile;
  }
};

std::vector<std::int64_t> expected(const std::vector<int>& offsets) {
  std::vector<std::int64_t> all;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    for (int a = offsets[t]; a < offsets[t + 1]; ++a)
      if (const auto found = find_some_of{}(static_cast<int>(t), a)) all.push_back(*found);
  return all;
}

template <class Executor> void expect_collected_under_every_schedule(const Executor& exec) {
  for (const named_tiles& set :
       {random_runs(200, 900, 1), tile_sizes().add(3).add(40, 0).add(9000).named("a giant")}) {
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    const std::vector<std::int64_t> want = expected(offsets);
    for_each_schedule_on<Executor>([&](const char* name, auto schedule) {
      std::vector<std::int64_t> got(want.size() + 1);
      std::int64_t count = 0;
      collect_atoms(exec, schedule, csr_tiles(offsets), find_some_of{}, std::span(got), &count, in_any_order);
      got.resize(static_cast<std::size_t>(std::min<std::int64_t>(count, std::ssize(got))));
      std::sort(got.begin(), got.end());
      EXPECT_EQ(got, want) << name << ", \"" << set.name << "\"";
    });
  }
}

TEST(CollectAtomsUnderEverySchedule, FindsTheSame) {
  expect_collected_under_every_schedule(cpu(3));
  expect_collected_under_every_schedule(simt({.warp_size = 32}));
}

} // namespace
} // namespace evenly::laws
