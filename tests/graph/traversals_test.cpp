// SPDX-License-Identifier: Apache-2.0
// dfs, reachable and strong_components on the CPU.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/traversal_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Traversals, KeepTheLawsOnCores) {
  expect_traversals_of_all_kinds(cpu(1));
  expect_traversals_of_all_kinds(cpu(3));
}

TEST(Traversals, KeepTheLawsOnRandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int vertices = 1 + static_cast<int>(seed * 7 % 90);
    const test_graph<int> g = random_graph(vertices, vertices * static_cast<int>(seed % 5) / 2, seed);
    expect_traversals(cpu(1 + static_cast<int>(seed % 3)), g, static_cast<int>(seed) % vertices);
  }
}

TEST(Traversals, FollowLongPaths) {
  constexpr int vertices = 1'000'000;
  const test_graph<int> path = path_graph(vertices);
  expect_dfs(cpu(2), path, 0);
  expect_reachable(cpu(2), path, 0);
  const graph g(cpu(2), path.view());
  const std::vector<int> labels = strong_components(g);
  for (int v = 0; v < vertices; ++v) ASSERT_EQ(labels[static_cast<std::size_t>(v)], v);
  std::vector<int> on_tasks(vertices);
  graphs::strong_components_on_tasks(cpu(2), g.view(), on_tasks);
  EXPECT_EQ(on_tasks, labels);
  std::vector<test_edge> edges;
  for (int v = 0; v < vertices; ++v) edges.push_back({v, (v + 1) % vertices, 1});
  const graph ring(cpu(2), graph_of("ring", vertices, edges).view());
  EXPECT_EQ(strong_components(ring), std::vector<int>(vertices));
  graphs::strong_components_on_tasks(cpu(2), ring.view(), on_tasks);
  EXPECT_EQ(on_tasks, std::vector<int>(vertices));
}

/// Many more threads than cores: workers that wait must not keep those that work from running.
TEST(Traversals, HoldOnManyMoreThreadsThanCores) {
  for (const int threads : {16, 48}) {
    const cpu exec(threads);
    expect_traversals(exec, random_graph(3000, 4500, 1), 7);
    const test_graph<int> path = path_graph(20'000);
    expect_dfs(exec, path, 0);
    EXPECT_EQ(strong_components(graph(exec, path.view())), strong_components(graph(cpu(1), path.view())));
  }
}

TEST(Traversals, GoDepthFirstInTheOrderOfEdgesOnOneCore) {
  const test_graph<int> g = graph_of("two ways", 6, {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {3, 2, 1}, {2, 4, 1}});
  const auto [parents, order] = dfs(graph(cpu(1), g.view()), 0);
  EXPECT_EQ(parents, (std::vector<int>{0, 0, 3, 1, 2, -1}));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 3, 2, 4, -1}));
}

TEST(Traversals, BeginAgainWithALargerPool) {
  std::vector<std::int64_t> capacities;
  const auto run_from_100 = [&](const tasks::task_options& with) {
    capacities.push_back(with.capacity.value_or(-1));
    if (capacities.back() >= 100) return 7;
    tasks::task_report report; // 3 tasks were left, with room for 1 less than needed
    report.initial = 3;
    report.capacity = with.capacity.value_or(2);
    report.short_of = 1;
    report.stack = 4;
    throw tasks::task_overflow(report);
  };
  EXPECT_EQ(detail::with_room_for_tasks({}, run_from_100), 7);
  EXPECT_EQ(capacities, (std::vector<std::int64_t>{-1, 6, 24, 96, 384}));
  const auto never = [](const tasks::task_options&) -> int {
    tasks::task_report report;
    report.capacity = std::int64_t{1} << 50;
    throw tasks::task_overflow(report);
  };
  EXPECT_THROW(detail::with_room_for_tasks({}, never), tasks::task_overflow);
}

TEST(Traversals, FindAllOfACompleteGraphFromTheLeastRoom) {
  const test_graph<int> g = complete_graph(700);
  std::vector<std::uint8_t> reached(700);
  graphs::reachable_on_tasks(cpu(2), g.view(), 3, std::span(reached), {.capacity = 1});
  EXPECT_EQ(reached, std::vector<std::uint8_t>(700, 1));
}

TEST(Traversals, CountBy64Bits) {
  const auto same = [](int weight) { return weight; };
  const auto g = converted<int, std::int64_t>(uneven_graph(500), same);
  expect_dfs(cpu(2), g, std::int64_t{0});
  expect_reachable(cpu(2), g, std::int64_t{0});
  expect_components(cpu(2), g);
}

TEST(Traversals, HaveFormsOfOneLine) {
  const csr_matrix<int> a{4, 4, {0, 1, 2, 4, 4}, {1, 0, 0, 3}, {1, 1, 1, 1}};
  const auto [parents, order] = dfs(a, 2);
  EXPECT_EQ(parents[2], 2);
  EXPECT_EQ(order[2], 0);
  const std::vector<std::uint8_t> reached = reachable(a, 0);
  EXPECT_EQ(reached, (std::vector<std::uint8_t>{1, 1, 0, 0}));
  EXPECT_EQ(strong_components(a), (std::vector<int>{0, 0, 2, 3}));
  EXPECT_EQ(strong_components(graph(a).to(simt({.seed = 3}))), strong_components(a, cpu(3)));

  std::array<int, 4> p{}, o{}, labels{};
  EXPECT_EQ(dfs(a, 0, p, o, cpu(2)), 2);
  EXPECT_EQ(p, (std::array<int, 4>{0, 0, -1, -1}));
  EXPECT_EQ(o, (std::array<int, 4>{0, 1, -1, -1}));
  std::vector<std::uint8_t> there(4);
  reachable(graph(a), 3, there);
  EXPECT_EQ(there, (std::vector<std::uint8_t>{0, 0, 0, 1}));
  strong_components(graph(a).view(), labels, cpu(1));
  EXPECT_EQ(labels, (std::array<int, 4>{0, 0, 2, 3}));
  EXPECT_TRUE(strong_components(graph_from_edges(0, {}, {})).empty());
}

TEST(Traversals, RefuseWhatCannotBe) {
  const graph g(cpu(1), path_graph(4).view());
  const auto refused = [](const auto& call) { return message_of<invalid_argument>(call); };
  const std::string no_vertex = "source 4 is not a vertex: vertices are numbered from 0 to 3";
  EXPECT_EQ(refused([&] { dfs(g, 4); }), no_vertex);
  EXPECT_EQ(refused([&] { reachable(g, 4); }), no_vertex);
  EXPECT_EQ(refused([&] { reachable(graph_from_edges(0, {}, {}), 0); }),
            "source 0 is not a vertex: the graph has none");
  std::vector<int> three(3), four(4);
  EXPECT_EQ(refused([&] { dfs(g, 0, three, four); }), "parents has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(refused([&] { dfs(g, 0, four, three); }), "order has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(refused([&] { strong_components(g, three); }),
            "labels has 3 elements, but the graph has 4 vertices");
  std::vector<std::uint8_t> bytes(3);
  EXPECT_EQ(refused([&] { reachable(g, 0, bytes); }), "reached has 3 elements, but the graph has 4 vertices");
  const csr_matrix<int> wide{1, 2, {0, 1}, {1}, {1}};
  EXPECT_EQ(refused([&] { strong_components(wide); }),
            "a matrix of 1 rows and 2 columns is not a graph: it must be square");
}

TEST(TraversalLaws, FindWhatIsWrong) {
  const test_graph<int> g = graph_of("triangle and tail", 5, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {2, 3, 1}});
  const auto& out = g.view().out;
  const auto of_dfs = [&](std::vector<int> parents, std::vector<int> order) {
    return graphs::wrong_with_dfs(out, 0, parents, order).value_or("");
  };
  EXPECT_EQ(of_dfs({0, 0, 1, 2, -1}, {0, 1, 2, 3, -1}), "");
  EXPECT_EQ(of_dfs({0, 0, 1, -1, -1}, {0, 1, 2, -1, -1}),
            "vertex 3 is not reached, but it has an edge from vertex 2, which is");
  EXPECT_EQ(of_dfs({0, 0, 1, 1, -1}, {0, 1, 2, 3, -1}), "vertex 3 has no edge from its parent 1");
  EXPECT_EQ(of_dfs({0, 0, 1, 2, -1}, {0, 2, 1, 3, -1}),
            "vertex 2 has place 1 in the order, but its parent 1 has 2");
  EXPECT_EQ(of_dfs({0, 0, 1, 2, -1}, {0, 1, 2, 4, -1}), "no vertex has place 3 in the order");
  EXPECT_EQ(of_dfs({0, 0, 1, 2, -1}, {0, 1, 2, 2, -1}),
            "vertex 3 has place 2 in the order, which is taken or none");
  EXPECT_EQ(of_dfs({0, 0, 1, 2, -1}, {0, 1, 2, 3, 4}), "vertex 4 has parent -1 and place 4 in the order");
  EXPECT_EQ(of_dfs({1, 0, 1, 2, -1}, {0, 1, 2, 3, -1}),
            "the source is not its own parent, or not first in the order");
  const auto of_components = [&](std::vector<int> labels) {
    return graphs::wrong_with_components(out, labels).value_or("");
  };
  EXPECT_EQ(of_components({0, 0, 0, 3, 4}), "");
  EXPECT_EQ(of_components({0, 0, 0, 0, 4}),
            "vertex 3 is labelled with 0, but there is no path back within the component");
  EXPECT_EQ(of_components({0, 0, 0, 3, 0}),
            "vertex 4 is labelled with 0, but there is no path to it within the component");
  EXPECT_EQ(of_components({0, 1, 2, 3, 4}), "the edges between components form a cycle");
  EXPECT_EQ(of_components({0, 0, 1, 3, 4}),
            "vertex 2 has label 1, which is not the smallest vertex number of a component");
}

} // namespace
} // namespace evenly::graph_tests
