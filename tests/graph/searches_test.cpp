// SPDX-License-Identifier: Apache-2.0
// Searches in one line, against loops, and refusals.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// A path of 8 vertices, edges at random among others, vertices without any.
csr_matrix<int> random_edges(int vertices) {
  std::mt19937 random(11);
  csr_matrix<int> a{vertices, vertices, {0}, {}, {}};
  for (int v = 0; v < vertices; ++v) {
    if (v < 7 && v + 1 < vertices) a.columns.push_back(v + 1);
    if (v % 3 == 0)
      for (int e = 0; e < 4; ++e)
        a.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(vertices)));
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  for (std::size_t e = 0; e < a.columns.size(); ++e) a.values.push_back(static_cast<int>(random() % 9));
  return a;
}

/// The least distances by Bellman and Ford; weight 1 for levels. -1 if there is no way.
std::vector<std::int64_t> distances_by_loop(const csr_matrix<int>& a, int source, bool has_weights) {
  std::vector<std::int64_t> d(static_cast<std::size_t>(a.rows), -1);
  d[static_cast<std::size_t>(source)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t u = 0; u < d.size(); ++u)
      for (auto e = static_cast<std::size_t>(a.offsets[u]);
           d[u] >= 0 && e < static_cast<std::size_t>(a.offsets[u + 1]); ++e) {
        auto& to = d[static_cast<std::size_t>(a.columns[e])];
        const std::int64_t over = d[u] + (has_weights ? a.values[e] : 1);
        if (to >= 0 && to <= over) continue;
        to = over;
        changed = true;
      }
  }
  return d;
}

template <class Levels> void expect_levels(const csr_matrix<int>& a, const Levels& levels, const char* how) {
  const auto expected = distances_by_loop(a, 0, false);
  EXPECT_EQ(std::vector<std::int64_t>(levels.begin(), levels.end()), expected) << how;
}

TEST(Searches, HaveTheLevelsOfALoopInAllForms) {
  for (const int vertices : {1, 2, 200}) {
    const auto a = random_edges(vertices);
    const auto [levels, parents] = bfs(a, 0);
    expect_levels(a, levels, "matrix");
    EXPECT_EQ(parents[0], 0);
    for (std::size_t v = 1; v < parents.size(); ++v)
      EXPECT_EQ(parents[v] < 0, levels[v] < 0) << "every reached vertex has a parent";
    graph g(a);
    const auto of_graph = bfs(g, 0);
    EXPECT_EQ(of_graph.levels, levels);
    EXPECT_EQ(of_graph.parents, parents);
    EXPECT_EQ(bfs(g.view(), 0).parents, parents);
    const auto under = bfs(g, 0, on(cpu(2)).with(merge_path{}));
    EXPECT_EQ(under.levels, levels);
    EXPECT_EQ(under.parents, parents) << "the same bits either way";
    g.make_in_edges();
    EXPECT_EQ(bfs(g, 0, cpu(2)).parents, parents);
  }
}

TEST(Searches, WriteToMemoryThatIsThere) {
  const auto a = random_edges(8);
  const auto expected = bfs(a, 0);
  std::vector<int> levels(8), parents(8);
  const std::int64_t count = bfs(a, 0, levels, parents);
  EXPECT_EQ(count, *std::max_element(expected.levels.begin(), expected.levels.end()) + 1);
  EXPECT_EQ(levels, expected.levels);
  EXPECT_EQ(parents, expected.parents);
  std::array<int, 8> of_array{};
  int of_pointer[8];
  const graph g(a);
  EXPECT_EQ(bfs(g, 0, of_array, std::span(of_pointer), on(cpu(2)).with(merge_path{})), count);
  EXPECT_TRUE(std::equal(of_array.begin(), of_array.end(), levels.begin()));
  EXPECT_TRUE(std::equal(of_pointer, of_pointer + 8, parents.begin()));
  std::vector<int> alone(8);
  EXPECT_EQ(bfs(g.view(), 0, alone), count);
  EXPECT_EQ(alone, levels);
  const auto refused = [](const auto& search) { return message_of<invalid_argument>(search); };
  alone.pop_back();
  EXPECT_EQ(refused([&] { bfs(a, 0, alone); }), "levels has 7 elements, but the graph has 8 vertices");
  EXPECT_EQ(refused([&] { bfs(a, 0, levels, alone); }),
            "parents has 7 elements, but the graph has 8 vertices");
  EXPECT_EQ(refused([&] { bfs(a, 0, levels, alone, merge_path{}); }),
            "parents has 7 elements, but the graph has 8 vertices");
  EXPECT_EQ(refused([&] { bfs(a, 8, levels, parents); }),
            "source 8 is not a vertex: vertices are numbered from 0 to 7");
}

TEST(Searches, AreOfListsOfEdges) {
  const int from[] = {0, 1, 3}, to[] = {1, 2, 0};
  const auto [levels, parents] = bfs(graph_from_edges(4, from, to), 0);
  EXPECT_EQ(levels, (std::vector<int>{0, 1, 2, -1}));
  EXPECT_EQ(parents, (std::vector<int>{0, 0, 1, -1}));
  const std::vector<int> none;
  EXPECT_EQ(bfs(graph_from_edges(2, none, none), 1).levels, (std::vector<int>{-1, 0}));
}

TEST(Searches, RunWhereTheGraphIs) {
  const auto a = random_edges(60);
  const auto expected = bfs(a, 0);
  const auto there = graph(a).to(simt({.seed = 3}));
  const auto found = bfs(there, 0);
  EXPECT_EQ(found.levels, expected.levels);
  EXPECT_EQ(found.parents, expected.parents);
  EXPECT_EQ(bfs(a.to(simt()), 0).levels, expected.levels);
}

TEST(Searches, HaveTheDistancesOfALoop) {
  const auto a = random_edges(200);
  const auto [distances, parents] = sssp(graph(a), 0);
  static_assert(std::is_same_v<decltype(distances), const std::vector<std::int64_t>>);
  auto expected = distances_by_loop(a, 0, true);
  std::replace(expected.begin(), expected.end(), std::int64_t{-1}, unreached<std::int64_t>);
  EXPECT_EQ(distances, expected);
  EXPECT_EQ(parents[0], 0);
  EXPECT_EQ(sssp(a, 0, merge_path{}).distances, distances);

  const csr_matrix<float> real{3, 3, {0, 2, 3, 3}, {1, 2, 2}, {0.5f, 2, 0.25f}};
  const auto of_reals = sssp(real, 0);
  static_assert(std::is_same_v<decltype(of_reals.distances), std::vector<float>>);
  EXPECT_EQ(of_reals.distances, (std::vector<float>{0, 0.5f, 0.75f}));
  EXPECT_EQ(of_reals.parents, (std::vector<int>{0, 0, 1}));
}

TEST(Searches, WriteDistancesToExistingMemory) {
  const auto a = random_edges(40);
  const graph g(a);
  const auto expected = sssp(g, 0);
  std::vector<std::int64_t> distances(40);
  std::vector<int> parents(40);
  EXPECT_GT(sssp(a, 0, distances, parents), 1);
  EXPECT_EQ(distances, expected.distances);
  EXPECT_EQ(parents, expected.parents);
  std::array<int, 40> narrow{}; // distances of the width of weights
  int of_pointer[40];
  EXPECT_GT(sssp(g, 0, narrow, std::span(of_pointer), on(cpu(2)).with(merge_path{})), 1);
  EXPECT_TRUE(std::equal(narrow.begin(), narrow.end(), distances.begin(), [](int short_one, auto of_64) {
    return short_one == of_64 || (short_one == unreached<int> && of_64 == unreached<std::int64_t>);
  }));
  EXPECT_TRUE(std::equal(of_pointer, of_pointer + 40, parents.begin()));
  std::vector<std::int64_t> alone(40);
  sssp(g.view(), 0, alone);
  EXPECT_EQ(alone, distances);
  const auto refused = [](const auto& search) { return message_of<invalid_argument>(search); };
  parents.pop_back();
  EXPECT_EQ(refused([&] { sssp(g, 0, distances, parents); }),
            "parents has 39 elements, but the graph has 40 vertices");
  alone.pop_back();
  for (const auto& of_39 : {refused([&] { sssp(g, 0, alone); }),
                            refused([&] { sssp(g, 0, alone, std::span<int>(), merge_path{}); })})
    EXPECT_EQ(of_39, "distances has 39 elements, but the graph has 40 vertices");
  EXPECT_EQ(refused([&] { sssp(a, 40, distances); }),
            "source 40 is not a vertex: vertices are numbered from 0 to 39");
}

TEST(Searches, AssumeThatTheEdgesOfAViewAreValid) {
  const csr_matrix<int> a{3, 3, {0, 1, 1, 2}, {1, 99}, {1, 1}}; // no search from 0 reads the edge to 99
  const auto view = graph_view_of(a);
  EXPECT_EQ(bfs(view, 0).levels, (std::vector<int>{0, 1, -1}));
  const std::string message = "edge 1 ends at 99, which is not a vertex: vertices are numbered from 0 to 2";
  EXPECT_EQ(message_of<invalid_argument>([&] { graphs::check_edges(cpu(1), view.out); }), message);
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs(a, 0); }), message);
  EXPECT_EQ(message_of<invalid_argument>([&] { graph{a}; }), message);
}

TEST(Searches, TakeAViewOfAMatrix) {
  auto a = random_edges(40);
  const auto view = a.view();
  EXPECT_EQ(bfs(view, 3).levels, bfs(a, 3).levels);
  EXPECT_EQ(bfs(view, 3, on(cpu(2)).with(merge_path{})).parents, bfs(a, 3).parents);
  EXPECT_EQ(sssp(view, 3).distances, sssp(a, 3).distances);
  EXPECT_EQ(sssp(make_csr_view(40, 40, a.offsets, a.columns, a.values), 3).distances, sssp(a, 3).distances);
  const auto refused = [](const auto& search) { return message_of<invalid_argument>(search); };
  a.columns[3] = 40;
  EXPECT_EQ(refused([&] { bfs(view, 3); }),
            "edge 3 ends at 40, which is not a vertex: vertices are numbered from 0 to 39");
  EXPECT_EQ(refused([&] { bfs(csr_view<int>{40, 41, a.offsets.data(), a.columns.data(), nullptr}, 3); }),
            "a matrix of 40 rows and 41 columns is not a graph: it must be square");
  EXPECT_EQ(refused([&] { bfs(csr_view<int>{40, 40}, 3); }),
            "the graph needs offsets, and an end for every edge");
}

TEST(Searches, AreRefusedWhenArgumentsDoNotFit) {
  const auto a = random_edges(20);
  const graph g(a);
  const auto refused = [](const auto& search) { return message_of<invalid_argument>(search); };
  EXPECT_TRUE(contains(refused([&] { bfs(g, 20); }), "20"));
  EXPECT_TRUE(contains(refused([&] { bfs(g, -1); }), "-1"));
  EXPECT_TRUE(contains(refused([&] { sssp(a, 20); }), "20"));
  csr_matrix<int> broken = a;
  broken.columns[3] = 20;
  EXPECT_EQ(refused([&] { bfs(broken, 0); }),
            "edge 3 ends at 20, which is not a vertex: vertices are numbered from 0 to 19");
  broken = a;
  broken.values[2] = -1;
  EXPECT_TRUE(contains(refused([&] { sssp(broken, 0); }), "-1"));
  broken = a;
  broken.cols = 21;
  EXPECT_EQ(refused([&] { bfs(broken, 0); }),
            "a matrix of 20 rows and 21 columns is not a graph: it must be square");
  EXPECT_THROW(bfs(csr_matrix<int>{}, 0), invalid_argument);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(sssp(csr_matrix<float>{1, 1, {0, 1}, {0}, {nan}}, 0), invalid_argument);
}

TEST(Searches, RunForTwoThreadsAtATime) {
  const auto a = random_edges(300);
  const auto expected = bfs(a, 0);
  std::vector<int> results[2];
  {
    std::vector<std::jthread> threads;
    for (auto& result : results)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) result = bfs(a, 0).parents;
      });
  }
  for (const auto& result : results) EXPECT_EQ(result, expected.parents);
}

TEST(GraphsOfEdges, HaveThemByTheirSources) {
  const std::vector<int> sources{2, 0, 2}, targets{1, 2, 0};
  const auto g = graph_from_edges(3, sources, targets, std::vector<double>{1.5, 2.5, 3.5});
  EXPECT_EQ(g.vertices(), 3);
  EXPECT_EQ(g.edges(), 3);
  EXPECT_EQ(sssp(g, 0).distances, (std::vector<double>{0, 4, 2.5}));
  EXPECT_EQ(bfs(graph_from_edges(3, sources, targets), 0).levels, (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(bfs(graph_from_edges(1, {}, {}), 0).levels, (std::vector<int>{0}));
}

TEST(GraphsOfEdges, AreRefusedWhenTheyAreNone) {
  const auto refused = [](int vertices, std::vector<int> sources, std::vector<int> targets) {
    return message_of<invalid_argument>([&] { graph_from_edges(vertices, sources, targets); });
  };
  EXPECT_EQ(refused(2, {0, 2}, {1, 1}),
            "edge 1 begins at 2, which is not a vertex: vertices are numbered from 0 to 1");
  EXPECT_TRUE(contains(refused(2, {0}, {-1}), "ends at -1, which is not a vertex"));
  EXPECT_EQ(refused(2, {0, 1}, {1}), "2 sources, 1 targets and 2 weights: every edge needs one of each");
  EXPECT_EQ(refused(-1, {}, {}), "vertices = -1: must not be negative");
}

} // namespace
} // namespace evenly
