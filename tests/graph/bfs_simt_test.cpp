// SPDX-License-Identifier: Apache-2.0
// bfs on the simulated GPU, in several interleavings.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/search_laws.hpp"
#include "support/schedules.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsOnSimt, KeepsTheLawsUnderEveryFormOfSharing) {
  const simt exec({.warp_size = 32, .seed = 1});
  for_each_form_on<simt>([&]<class Schedule>(const char* name, const Schedule& schedule) {
    if constexpr (graphs::takes_frontiers<Schedule, simt, int, int>) {
      const search<int> run = bfs_under(exec, schedule);
      expect_bfs(name, run, uneven_graph(400), 0);
      expect_bfs(name, run, star_graph(300), 7);
    }
  });
}

TEST(BfsOnSimt, FindsTheSameInAnyInterleaving) {
  for (const std::uint64_t seed : {0, 2, 3}) {
    const simt exec({.warp_size = 8, .seed = seed, .threads = 2});
    expect_bfs_everywhere("merge_path", bfs_under(exec, merge_path<>{}));
  }
}

} // namespace
} // namespace evenly::graph_tests
