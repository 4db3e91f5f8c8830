// SPDX-License-Identifier: Apache-2.0
// sssp by buckets: the laws on the CPU, and on the simulated GPU in several interleavings, also at atomic operations;
// closed forms, refusals, and memory that turns out to be too little.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "graph/bucket_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SsspInBuckets, KeepsTheLaws) {
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_bucket_laws(cpu(3), g, source);
}

const search<int>& any_bucket_search() {
  static const search<int> found = bucket_search<int, int>(cpu(2));
  return found;
}

TEST(SsspInBuckets, FindsWhatClosedFormsSay) { expect_closed_forms(any_bucket_search(), 1000000, 200); }

TEST(SsspInBuckets, ParentsAreNearerByOrLeadToOnesThatAre) {
  EXPECT_EQ(
      any_bucket_search()(graph_of("two ways", 4, {{3, 2, 1}, {3, 1, 1}, {2, 0, 4}, {1, 0, 4}}), 3).parents,
      (std::vector<int>{1, 3, 3, 3}));
  const std::vector<int> circles{-1, 2, 3, 4, 5, 8, 7, 8, 8};
  EXPECT_EQ(any_bucket_search()(circles_of_zeros(), 8).parents, circles);
  const auto in_64_bits = converted<double>(circles_of_zeros(), [](int weight) { return double(weight); });
  EXPECT_EQ((bucket_search<double, double>(cpu(2))(in_64_bits, 8).parents), circles);
}

TEST(SsspInBuckets, CountsBy64Bits) {
  const cpu exec(2);
  const search<std::int64_t, std::int64_t, std::int64_t> run =
      [&](const test_graph<std::int64_t, std::int64_t>& g, std::int64_t source) {
        return found_by<std::int64_t>(
            exec, g, [&](const auto& graph, auto distances, auto parents, const auto& report) {
              return sssp_buckets(exec, graph).run(source, distances, parents, report);
            });
      };
  const auto long_way = [](int weight) { return std::int64_t{weight} << 40; };
  expect_sssp("64 bits", run, converted<std::int64_t, std::int64_t>(uneven_graph(500), long_way),
              std::int64_t{0});
}

/// Sums of int weights are added in 32 bits, unless one is too much for them.
TEST(SsspInBuckets, LongDistancesOfShortWeights) {
  const auto run = bucket_search<std::int64_t, int>(cpu(2));
  for (const int factor : {1, 1 << 27})
    expect_sssp("long distances", run, converted<int>(uneven_graph(800), [=](int w) { return w * factor; }),
                0);
}

std::string bucket_refusal(const test_graph<int>& g, int source = 0,
                           const graphs::path_settings& settings = {}) {
  const cpu exec(1);
  const auto distances = make_buffer<int>(exec, static_cast<std::size_t>(g.vertices()));
  return message_of<invalid_argument>([&] {
    const auto view = g.view();
    graphs::check_weights(exec, view);
    sssp_buckets(exec, view, settings).run(source, distances.span());
  });
}

TEST(SsspInBuckets, RefusesWhatCannotBe) {
  const test_graph<int> g = graph_of("", 4, {{0, 1, 3}, {1, 2, -4}, {1, 3, -5}});
  EXPECT_EQ(bucket_refusal(g), "edge 1, from 1 to 2, has weight -4: weights must be 0 or greater");
  const test_graph<int> one = graph_of("", 1, {});
  EXPECT_EQ(bucket_refusal(one, 2), "source 2 is not a vertex: vertices are numbered from 0 to 0");
  EXPECT_EQ(bucket_refusal(one, 0, {.delta = -1}), "delta = -1.000000: must be 0 or greater");
  EXPECT_TRUE(
      contains(bucket_refusal(one, 0, {.delta = std::numeric_limits<double>::quiet_NaN()}), "delta = nan"));
  EXPECT_EQ(bucket_refusal(one, 0, {.rounds = -2}), "rounds = -2: must not be negative");
  EXPECT_EQ(bucket_refusal(one, 0, {.target_entries = -3}), "target_entries = -3: must not be negative");
  const graph_view<std::int64_t, std::int64_t, std::int64_t> vast{{std::int64_t{1} << 31, 0}};
  EXPECT_EQ(message_of<invalid_argument>([&] { sssp_buckets(cpu(1), vast); }),
            "2147483648 vertices: shortest paths without a schedule support at most 2147483647");
}

TEST(SsspInBuckets, RefusesDistancesThatOverflow) {
  expect_overflow_refused(any_bucket_search(), [](const auto& g) { return bucket_refusal(g); });
}

/// One search serves any number of sources.
TEST(SsspInBuckets, SearchesFromOneVertexAfterAnother) {
  for (const int threads : {1, 2, 5}) {
    const cpu exec(threads);
    const test_graph<int> g = converted<int>(uneven_graph(40000), as_it_is);
    const auto view = g.view();
    sssp_buckets search(exec, view);
    std::vector<int> distances(40000), parents(40000);
    for (const int source : {0, 11, 0}) {
      search.run(source, std::span(distances), parents);
      EXPECT_EQ(distances, distances_by_dijkstra<int>(g, source));
      EXPECT_EQ(graphs::wrong_with_sssp(g.view(), source, distances, parents).value_or(""), "");
    }
  }
}

TEST(SsspInBucketsOnSimt, KeepsTheLawsInAnyInterleaving) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const simt exec({.warp_size = seed == 0 ? 32 : 8, .seed = seed});
    for (const auto& [g, source] : graphs_of_all_kinds())
      if (g.vertices() < 1000) expect_bucket_laws(exec, g, source);
    expect_bucket_laws(exec, uneven_graph(200), 0);
  }
}

TEST(SsspInBucketsOnSimt, ThreadsMayChangeOverAtAtomicOperations) {
  const simt exec({.warp_size = 4, .seed = 5, .switch_at_atomics = true});
  expect_bucket_laws(exec, uneven_graph(120), 0);
  expect_bucket_laws(exec, circles_of_zeros(), 8);
}

/// One search serves any number of sources, and takes more memory when it runs out of it.
TEST(SsspInBucketsOnSimt, BeginsAgainWithMoreMemory) {
  const simt exec;
  const test_graph<int> g = converted<int>(uneven_graph(300), [](int weight) { return weight; });
  auto tuning = detail::path_tuning::small();
  tuning.chunk_log = 0;
  tuning.cut_log = 0;
  tuning.min_room = 1;
  tuning.stage = 4;
  const auto view = g.view();
  sssp_buckets search(exec, view, graphs::path_settings{.delta = 1}, tuning);
  std::vector<int> distances(300), parents(300);
  for (const int source : {0, 11, 0}) {
    search.run(source, std::span(distances), parents);
    EXPECT_EQ(distances, distances_by_dijkstra<int>(g, source));
    EXPECT_EQ(graphs::wrong_with_sssp(g.view(), source, distances, parents).value_or(""), "");
  }
}

} // namespace
} // namespace evenly::graph_tests
