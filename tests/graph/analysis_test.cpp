// SPDX-License-Identifier: Apache-2.0
// pagerank and core_numbers on the CPU.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/analysis_laws.hpp"
#include "measure/metered_memory.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Pagerank, KeepsTheLawsOnCores) {
  expect_pageranks(cpu(1));
  expect_pageranks(cpu(3));
  expect_pageranks(cpu(2), small_graphs());
}

TEST(Pagerank, HasClosedForms) {
  const graph ring = graph_from_edges(4, std::vector<int>{0, 1, 2, 3}, std::vector<int>{1, 2, 3, 0});
  for (const double score : pagerank(ring).scores) EXPECT_DOUBLE_EQ(score, 0.25);
  const graph alone = graph_from_edges(1, std::vector<int>{}, std::vector<int>{});
  EXPECT_EQ(pagerank(alone).scores, std::vector<double>{1.0});
  const graph none = graph_from_edges(0, std::vector<int>{}, std::vector<int>{});
  EXPECT_TRUE(pagerank(none).scores.empty());
  EXPECT_TRUE(pagerank(none).converged);
  const csr_matrix<double> pair{2, 2, {0, 1, 2}, {1, 0}, {1, 7}};
  EXPECT_EQ(pagerank(pair, {}, cpu(2)).scores, (std::vector<double>{0.5, 0.5}));
}

/// Sums are exact, so the bits are the same for any number of threads, on every run and under any schedule.
TEST(Pagerank, RepeatsBits) {
  const test_graph<int> g = uneven_graph(5000);
  for (const pagerank_options& options :
       {pagerank_options{.weighted = true}, pagerank_options{.tolerance = 1e-9}}) {
    const auto want = pagerank(graph(cpu(1), g.view()), options);
    for (const int threads : {1, 2, 3, 7}) {
      const auto got = pagerank(graph(cpu(threads), g.view()), options);
      EXPECT_EQ(got.scores, want.scores) << threads;
      EXPECT_EQ(got.iterations, want.iterations);
      EXPECT_EQ(got.error, want.error);
    }
    EXPECT_EQ(pagerank(g.view(), options, on(cpu(2)).with(merge_path{})).scores, want.scores);
    EXPECT_EQ(pagerank(g.view(), options, on(cpu(2)).with(thread_mapped{})).scores, want.scores);
  }
}

TEST(Pagerank, ReportsThatItDidNotConverge) {
  const graph g(cpu(2), uneven_graph(300).view());
  const auto early = pagerank(g, {.tolerance = 1e-9, .max_iterations = 3});
  EXPECT_FALSE(early.converged);
  EXPECT_EQ(early.iterations, 3);
  EXPECT_GT(early.error, 1e-9);
  const auto later = pagerank(g, {.tolerance = 1e-9});
  EXPECT_TRUE(later.converged);
  EXPECT_LT(later.error, early.error);
}

TEST(Pagerank, WritesToExistingMemory) {
  const graph g(cpu(2), uneven_graph(300).view());
  std::vector<float> narrow(300);
  pagerank(g, narrow);
  const auto want = pagerank(g).scores;
  for (std::size_t v = 0; v < narrow.size(); ++v) EXPECT_EQ(narrow[v], static_cast<float>(want[v]));
  std::vector<double> few(299);
  EXPECT_THROW(pagerank(g, few), invalid_argument);
}

TEST(Pagerank, RefusesBadOptionsAndWeights) {
  const auto message = [](const pagerank_options& options, const std::vector<double>& weights = {1, 1}) {
    const graph g = graph_from_edges(2, std::vector<int>{0, 1}, std::vector<int>{1, 0}, weights);
    return message_of<invalid_argument>([&] { pagerank(g, options); });
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message({.damping = 1}), "damping = 1: must be at least 0 and less than 1");
  EXPECT_EQ(message({.damping = nan}), "damping = nan: must be at least 0 and less than 1");
  EXPECT_EQ(message({.tolerance = -0.5}), "tolerance = -0.5: must be finite and not negative");
  EXPECT_EQ(message({.max_iterations = 0}), "max_iterations = 0: must be at least 1");
  EXPECT_EQ(message({.weighted = true}, {1, nan}),
            "edge 1, from 1 to 0, has weight nan: weights must be 0 or greater");
  const std::vector<double> three(3, 1.0), zeros(2), negative{1, -1};
  EXPECT_EQ(message({.personalization = three}),
            "the personalization has 3 weights, but the graph has 2 vertices");
  EXPECT_EQ(message({.personalization = zeros}), "the personalization is 0 at all vertices");
  EXPECT_EQ(message({.personalization = negative}),
            "the personalization of vertex 1 is -1: it must be finite and not negative");
  graph_view<> bare = uneven_graph(20).view();
  bare.weights = nullptr;
  EXPECT_EQ(message_of<invalid_argument>([&] { pagerank(bare, {.weighted = true}); }),
            "the graph has no weights");
}

/// Sums of weights that overflow double are no reason for wrong scores.
TEST(Pagerank, TakesHugeWeights) {
  const std::vector<int> sources{0, 0, 1, 2}, targets{1, 2, 0, 0};
  const graph huge = graph_from_edges(3, sources, targets, std::vector<double>{1.5e308, 1.5e308, 1, 1e-300});
  const graph plain = graph_from_edges(3, sources, targets);
  EXPECT_EQ(pagerank(huge, {.weighted = true}).iterations, pagerank(plain).iterations);
  const auto got = pagerank(huge, {.weighted = true}).scores, want = pagerank(plain).scores;
  for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(got[v], want[v], 1e-6);
}

TEST(Pagerank, HasTheSameBitsWithHubsFirst) { expect_same_bits_with_hubs_first(cpu(2)); }

/// The stated memory is an upper bound of what is in use.
TEST(Pagerank, HoldsItsMemory) {
  const test_graph<int> g = uneven_graph(100'000);
  for (const bool undirected : {false, true})
    for (const bool weighted : {false, true}) {
      const pagerank_options options{.tolerance = weighted == undirected ? 1e-6 : 1e-9, .weighted = weighted};
      measure::metered_memory memory(cpu(2).resource());
      const cpu exec(2, &memory);
      graph_view<> view = g.view();
      if (undirected) {
        view.in = view.out;
        view.in_weights = view.weights;
      }
      graphs::pagerank_solver solver(exec, automatic{}, view, options);
      std::vector<double> scores(100'000);
      solver.run(std::span(scores));
      const auto peak = static_cast<std::int64_t>(memory.peak());
      const auto stated =
          graphs::pagerank_memory<int, int>(view.out.vertices, view.out.edges, undirected, options);
      EXPECT_LE(peak, stated);
      EXPECT_GE(2 * peak, stated); // not far above
    }
}

TEST(CoreNumbers, KeepTheLawsOnCores) {
  expect_cores(cpu(1));
  expect_cores(cpu(3));
  expect_cores(cpu(3), {{scattered_graph(500), 0}});
}

TEST(CoreNumbers, AndPagerankTakeVerticesOf64Bits) { expect_analysis_of_wide_graphs(cpu(2)); }

TEST(CoreNumbers, HaveClosedForms) {
  EXPECT_EQ(core_numbers(graph(cpu(2), complete_graph(6).view())), std::vector<int>(6, 5));
  EXPECT_EQ(core_numbers(graph(cpu(2), grid_graph(4, 5).view())), std::vector<int>(20, 2));
  EXPECT_EQ(core_numbers(graph(cpu(2), binary_tree(31).view())), std::vector<int>(31, 1));
  std::vector<int> numbers(5, 9);
  EXPECT_EQ(core_numbers(graph_from_edges(5, std::vector<int>{}, std::vector<int>{}), numbers), 1);
  EXPECT_EQ(numbers, std::vector<int>(5));
  std::vector<int> few(4);
  EXPECT_THROW(core_numbers(graph(cpu(2), grid_graph(4, 5).view()), few), invalid_argument);
}

TEST(CoreNumbers, RepeatOverThreads) {
  const auto simple = simple_graph(graph(cpu(2), uneven_graph(5000).view()));
  const std::vector<int> want = core_numbers(simple, cpu(1));
  for (int run = 0; run < 20; ++run) EXPECT_EQ(core_numbers(simple, cpu(1 + run % 4)), want);
}

/// What breaks each law is found.
TEST(AnalysisLaws, SeeWhatIsWrong) {
  const test_graph<int> g = grid_graph(3, 2);
  graph_view<> view = g.view();
  view.weights = nullptr;
  std::vector<double> scores = pagerank(view).scores;
  EXPECT_EQ(graphs::wrong_with_pagerank(view, {}, scores), std::nullopt);
  std::swap(scores[0], scores[1]);
  EXPECT_NE(graphs::wrong_with_pagerank(view, {}, scores).value_or("").find("one more iteration"),
            std::string::npos);
  scores[0] += 0.1;
  EXPECT_NE(graphs::wrong_with_pagerank(view, {}, scores).value_or("").find("sum to"), std::string::npos);
  scores[0] = -0.1;
  EXPECT_NE(graphs::wrong_with_pagerank(view, {}, scores).value_or("").find("score of vertex 0"),
            std::string::npos);
  std::vector<int> numbers = core_numbers(view);
  EXPECT_EQ(graphs::wrong_with_core_numbers(view.out, numbers), std::nullopt);
  numbers[4] = 3;
  EXPECT_EQ(graphs::wrong_with_core_numbers(view.out, numbers),
            "the core number of vertex 4 is 3, but should be 2");
}

} // namespace
} // namespace evenly::graph_tests
