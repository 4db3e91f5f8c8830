// SPDX-License-Identifier: Apache-2.0
// sssp on the simulated GPU, in several interleavings.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/search_laws.hpp"
#include "support/schedules.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SsspOnSimt, KeepsTheLawsUnderEveryFormOfSharing) {
  const simt exec({.warp_size = 32, .seed = 1});
  for_each_form_on<simt>([&]<class Schedule>(const char* name, const Schedule& schedule) {
    if constexpr (graphs::takes_frontiers<Schedule, simt, int, int>) {
      const search<int> run = sssp_search<int, int>(exec, schedule);
      expect_sssp(name, run, uneven_graph(150), 0);
      expect_sssp(name, run, circles_of_zeros(), 8);
    }
  });
}

TEST(SsspOnSimt, FindsTheSameInAnyInterleaving) {
  for (const std::uint64_t seed : {0, 2}) {
    const simt exec({.warp_size = 8, .seed = seed, .threads = 2});
    expect_sssp_everywhere("merge_path", sssp_search<float, float>(exec, merge_path<>{}),
                           [](int weight) { return static_cast<float>(weight) * 0.3f; });
  }
}

} // namespace
} // namespace evenly::graph_tests
