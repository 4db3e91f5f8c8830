// SPDX-License-Identifier: Apache-2.0
// sssp on the CPU with weights of other types than int: rounded sums, 64 bits, and refused weights.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "graph/search_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

/// 0.1 and its like, so that sums are rounded; and some that are lost in the sum.
TEST(SsspOfOtherTypes, KeepsTheLawsOfFloatingPointWeights) {
  const auto rounded = [](int weight) { return static_cast<float>(weight) * 0.1f; };
  const auto lost = [](int weight) { return weight == 1 ? 1e9f : static_cast<float>(weight) * 1e-3f; };
  const auto run = sssp_search<float, float>(cpu(3), merge_path<>{});
  expect_sssp_everywhere("merge_path", run, rounded);
  expect_sssp_everywhere("merge_path", run, lost);
}

TEST(SsspOfOtherTypes, CountsBy64Bits) {
  const auto run = [](const test_graph<std::int64_t, std::int64_t>& g, std::int64_t source) {
    const cpu exec(2);
    return found_by<std::int64_t>(
        exec, g, [&](const auto& graph, auto distances, auto parents, const auto& report) {
          return sssp_loop(exec, merge_path{}, graph).run(source, distances, parents, report);
        });
  };
  const auto long_way = [](int weight) { return std::int64_t{weight} << 40; };
  expect_sssp<std::int64_t, std::int64_t, std::int64_t>(
      "64 bits", run, converted<std::int64_t, std::int64_t>(uneven_graph(500), long_way), 0);
}

template <class Weight> std::string refused(const test_graph<Weight>& g) {
  const cpu exec(1);
  const auto distances = make_buffer<Weight>(exec, static_cast<std::size_t>(g.vertices()));
  return message_of<invalid_argument>(
      [&] { sssp(g.view(), 0, distances.span(), {}, on(exec).with(merge_path{})); });
}

TEST(SsspOfOtherTypes, RefusesWhatIsNoNumberAndOverflow) {
  const test_graph<int> g = graph_of("", 4, {{0, 1, 3}, {1, 2, 4}, {1, 3, 5}});
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto said = refused(converted<double>(g, [&](int weight) { return weight == 5 ? bad : 1.0; }));
    EXPECT_TRUE(contains(said, "edge 2, from 1 to 3, has weight " + std::to_string(bad))) << said;
  }
  const auto huge = converted<float>(graph_of("", 3, {{0, 1, 0}, {1, 2, 0}}), [](int) { return 3e38f; });
  EXPECT_EQ(refused(huge), "edge 1, from 1 to 2: distance 3e+38 and weight 3e+38 overflow a distance, which "
                           "must be less than inf");
}

/// For programs that call vertices otherwise.
TEST(SsspOfOtherTypes, TellsWhichEdgeLeadsTooFar) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const auto g =
      converted<std::int64_t>(graph_of("", 3, {{0, 2, 0}, {2, 1, 0}}), [](int) { return max - 1; });
  const cpu exec(1);
  std::vector<std::int64_t> distances(3);
  try {
    sssp(g.view(), 0, distances, {}, on(exec).with(merge_path{}));
    FAIL() << "nothing was refused";
  } catch (const graphs::distance_overflow& e) {
    const graphs::far_edge& where = e.where();
    EXPECT_EQ(std::make_tuple(where.edge, where.from, where.to), std::make_tuple(1, 2, 1));
    EXPECT_EQ(where.distance, "9223372036854775806");
    EXPECT_EQ(where.weight, "9223372036854775806");
  }
}

} // namespace
} // namespace evenly::graph_tests
