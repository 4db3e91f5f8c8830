// SPDX-License-Identifier: Apache-2.0
// sssp on the CPU: the laws under a schedule of each form of sharing, closed forms, and refusals; and on the
// simulated GPU, in several interleavings.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/searches.hpp"
#include "graph/search_laws.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Sssp, KeepsTheLawsUnderEveryFormOfSharing) {
  const cpu exec(3);
  for_each_form_on<cpu>([&]<class Schedule>(const char* name, const Schedule& schedule) {
    if constexpr (graphs::takes_frontiers<Schedule, cpu, int, int>)
      expect_sssp_everywhere(name, sssp_search<int, int>(exec, schedule), as_it_is);
  });
}

const search<int>& any_sssp() {
  static const search<int> found = sssp_search<int, int>(cpu(2), merge_path<>{});
  return found;
}

TEST(Sssp, FindsWhatClosedFormsSay) { expect_closed_forms(any_sssp(), 40, 20); }

/// The lowest number among those nearer by; where there are none, of those with fewest edges of weight 0 to such a
/// vertex.
TEST(Sssp, ParentsAreNearerByOrLeadToOnesThatAre) {
  EXPECT_EQ(any_sssp()(graph_of("two ways", 4, {{3, 2, 1}, {3, 1, 1}, {2, 0, 4}, {1, 0, 4}}), 3).parents,
            (std::vector<int>{1, 3, 3, 3}));
  EXPECT_EQ(any_sssp()(circles_of_zeros(), 8).parents, (std::vector<int>{-1, 2, 3, 4, 5, 8, 7, 8, 8}));
}

std::string sssp_refusal(const test_graph<int>& g, int source = 0) {
  const cpu exec(1);
  const auto distances = make_buffer<int>(exec, static_cast<std::size_t>(g.vertices()));
  return message_of<invalid_argument>(
      [&] { sssp(g.view(), source, distances.span(), {}, on(exec).with(merge_path{})); });
}

TEST(Sssp, RefusesWeightsThatCannotBe) {
  const test_graph<int> g = graph_of("", 4, {{0, 1, 3}, {1, 2, -4}, {1, 3, -5}});
  EXPECT_EQ(sssp_refusal(g), "edge 1, from 1 to 2, has weight -4: weights must be 0 or greater");
  test_graph<int> none = g;
  auto view = none.view();
  view.weights = nullptr;
  EXPECT_EQ(message_of<invalid_argument>([&] { graphs::check_weights(cpu(1), view); }),
            "the graph has no weights");
  EXPECT_EQ(sssp_refusal(graph_of("", 1, {}), 2),
            "source 2 is not a vertex: vertices are numbered from 0 to 0");
}

TEST(Sssp, RefusesDistancesThatOverflow) {
  expect_overflow_refused(any_sssp(), [](const auto& g) { return sssp_refusal(g); });
}

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
