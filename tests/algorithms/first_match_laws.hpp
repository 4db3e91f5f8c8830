// SPDX-License-Identifier: Apache-2.0
// A skeleton of the three required handlers, under every schedule, on adversarial tile sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/first_match.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/work/csr.hpp"
#include "laws/battery.hpp"
#include "laws/tile_sets.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {

/// One atom in `every`, at random.
struct one_in {
  std::uint64_t every;
  EVENLY_FN bool operator()(int a) const {
    std::uint64_t random = static_cast<std::uint64_t>(a) * 0x9e3779b97f4a7c15u;
    return (random >> 40) % every == 0;
  }
};

template <class Executor> void expect_first_matches(const Executor& exec, int block_size) {
  for_each_schedule_on<Executor>([&](const char* name, auto schedule) {
    schedule.block_size = block_size;
    for (const named_tiles& set : adversarial_tile_sets(items_of_a_block(schedule))) {
      const auto offsets = to_executor(exec, std::vector<int>(set.offsets.begin(), set.offsets.end()));
      const auto first = make_buffer<int>(exec, set.offsets.size());
      auto plan = make_plan(exec, schedule, csr_tiles(offsets.span()));
      for (const one_in matches : {one_in{1}, one_in{7}, one_in{500}}) {
        first_match(exec, plan, matches, first.data());
        const std::vector<int> got = to_host(exec, first);
        for (std::size_t t = 0; t + 1 < set.offsets.size(); ++t) {
          auto want = static_cast<int>(set.offsets[t]);
          while (want < set.offsets[t + 1] && !matches(want)) ++want;
          ASSERT_EQ(got[t], want) << "tile " << t << " of \"" << set.name << "\" under " << name
                                  << ", blocks of " << block_size << ", one atom in " << matches.every;
        }
      }
    }
  });
}

} // namespace evenly::laws
