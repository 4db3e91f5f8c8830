// SPDX-License-Identifier: Apache-2.0
// dfs, reachable and strong_components on any executor: the laws of src/graphs/traversal_laws.hpp hold, and serial
// references find the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/dfs.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/reachable.hpp"
#include "evenly/graph/strong_components.hpp"
#include "graph/graphs.hpp"
#include "graphs/traversal_laws.hpp"

namespace evenly::graph_tests {

/// The smallest vertex number in each vertex's strong component, by the algorithm of Tarjan (1972) as it is printed,
/// with a stack in place of recursion.
template <class Weight, class Vertex>
std::vector<Vertex> components_by_tarjan(const test_graph<Weight, Vertex>& g) {
  const auto size = static_cast<std::size_t>(g.vertices());
  std::vector<Vertex> labels(size, -1), numbers(size, -1), low(size), next(size), stack, calls;
  std::vector<bool> on_stack(size);
  Vertex number = 0;
  const auto enter = [&](Vertex v) {
    numbers[v] = low[v] = number++;
    next[v] = g.offsets[v];
    on_stack[v] = true;
    stack.push_back(v);
    calls.push_back(v);
  };
  for (Vertex root = 0; root < g.vertices(); ++root) {
    if (numbers[root] < 0) enter(root);
    while (!calls.empty()) {
      const Vertex v = calls.back();
      if (next[v] < g.offsets[v + 1]) {
        const Vertex w = g.targets[next[v]++];
        if (numbers[w] < 0)
          enter(w);
        else if (on_stack[w])
          low[v] = std::min(low[v], numbers[w]);
        continue;
      }
      calls.pop_back();
      if (!calls.empty()) low[calls.back()] = std::min(low[calls.back()], low[v]);
      if (low[v] != numbers[v]) continue;
      const auto first = std::ranges::find(stack, v);
      const Vertex least = *std::min_element(first, stack.end());
      for (auto each = first; each != stack.end(); ++each) {
        labels[*each] = least;
        on_stack[*each] = false;
      }
      stack.erase(first, stack.end());
    }
  }
  return labels;
}

template <class Executor, class Vertex>
void expect_dfs(const Executor& exec, const test_graph<int, Vertex>& g, Vertex source,
                const tasks::task_options& options = {}) {
  SCOPED_TRACE("dfs of " + g.name + " from " + std::to_string(source));
  const graph on(exec, g.view());
  const auto size = static_cast<std::size_t>(g.vertices());
  const auto parents = make_buffer<Vertex>(exec, size), order = make_buffer<Vertex>(exec, size);
  const Vertex reached = graphs::dfs_on_tasks(exec, on.view(), source, parents.span(), order.span(), options);
  const std::vector<Vertex> found = to_host(exec, parents);
  EXPECT_EQ(graphs::wrong_with_dfs(g.view().out, source, found, to_host(exec, order)).value_or(""), "");
  EXPECT_EQ(reached, static_cast<Vertex>(size) - std::ranges::count(found, Vertex{-1}));
}

template <class Executor, class Vertex>
void expect_reachable(const Executor& exec, const test_graph<int, Vertex>& g, Vertex source,
                      const tasks::task_options& options = {}) {
  SCOPED_TRACE("reachable in " + g.name + " from " + std::to_string(source));
  const graph on(exec, g.view());
  const auto size = static_cast<std::size_t>(g.vertices());
  std::vector<std::uint8_t> expected(size);
  const std::vector<Vertex> levels = levels_by_queue(g, source);
  for (std::size_t v = 0; v < size; ++v) expected[v] = levels[v] >= 0 ? 1 : 0;
  const auto reached = make_buffer<std::uint8_t>(exec, size);
  graphs::reachable_on_tasks(exec, on.view(), source, reached.span(), options);
  EXPECT_EQ(to_host(exec, reached), expected) << "on tasks";
  graphs::find_reachable(exec, on.view(), source, reached.span());
  EXPECT_EQ(to_host(exec, reached), expected);
}

/// Without and with edges that arrive.
template <class Executor, class Vertex>
void expect_components(const Executor& exec, const test_graph<int, Vertex>& g,
                       const tasks::task_options& options = {}) {
  SCOPED_TRACE("components of " + g.name);
  const std::vector<Vertex> expected = components_by_tarjan(g);
  EXPECT_EQ(graphs::wrong_with_components(g.view().out, expected).value_or(""), "");
  graph on(exec, g.view());
  const auto labels = make_buffer<Vertex>(exec, static_cast<std::size_t>(g.vertices()));
  graphs::strong_components_on_tasks(exec, on.view(), labels.span(), options);
  EXPECT_EQ(to_host(exec, labels), expected) << "on tasks";
  on.make_in_edges();
  graphs::strong_components_on_tasks(exec, on.view(), labels.span(), options);
  EXPECT_EQ(to_host(exec, labels), expected) << "on tasks, with the edges that arrive";
  graphs::find_strong_components(exec, on.view(), labels.span());
  EXPECT_EQ(to_host(exec, labels), expected);
}

/// `edges` random edges, loops and multiple edges among them.
inline test_graph<int> random_graph(int vertices, int edges, unsigned seed) {
  std::mt19937 random(seed);
  const auto vertex = [&] { return static_cast<int>(random() % static_cast<unsigned>(vertices)); };
  std::vector<test_edge> made;
  for (int e = 0; e < edges; ++e) {
    const int from = vertex();
    made.push_back({from, random() % 16 == 0 ? from : vertex(), 1});
  }
  return graph_of("random graph " + std::to_string(seed), vertices, std::move(made));
}
/// Rings of `size` vertices; an edge leads from each ring to the next one.
inline test_graph<int> chain_of_rings(int rings, int size) {
  std::vector<test_edge> edges;
  for (int v = 0; v < rings * size; ++v) {
    edges.push_back({v, v / size * size + (v + 1) % size, 1});
    if (v % size == 0 && v + size < rings * size) edges.push_back({v, v + size, 1});
  }
  return graph_of("chain of rings", rings * size, std::move(edges));
}

template <class Executor> void expect_traversals(const Executor& exec, const test_graph<int>& g, int source) {
  expect_dfs(exec, g, source);
  expect_reachable(exec, g, source);
  expect_components(exec, g);
}

template <class Executor> void expect_traversals_of_all_kinds(const Executor& exec) {
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_traversals(exec, g, source);
  expect_traversals(exec, chain_of_rings(40, 3), 0);
  expect_traversals(exec, graph_of("no vertices but one", 1, {}), 0);
}

} // namespace evenly::graph_tests
