// SPDX-License-Identifier: Apache-2.0
// Graphs on any executor: edges that arrive are those that leave, turned around; frontiers are the same as lists and as
// bitmaps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/frontier.hpp"
#include "evenly/graph/graph.hpp"
#include "graph/graphs.hpp"

namespace evenly::graph_tests {

/// Each edge (from, to, weight) of compressed rows, in order; of edges that arrive, ends come first.
template <class Executor, class Weight, class Vertex, class Edge>
auto edges_of(const Executor& exec, const adjacency<Vertex, Edge>& rows, const Weight* weights) {
  const auto all = [&]<class T>(const T* data, std::int64_t count) {
    return to_host(exec, std::span<const T>(data, static_cast<std::size_t>(count)));
  };
  const auto offsets = all(rows.offsets, std::int64_t{rows.vertices} + 1);
  const auto ends = all(rows.ends, rows.edges);
  const auto weight = all(weights, rows.edges);
  std::vector<std::tuple<Vertex, Vertex, Weight>> edges;
  for (Vertex v = 0; v < rows.vertices; ++v)
    for (Edge e = offsets[v]; e < offsets[v + 1]; ++e) edges.emplace_back(v, ends[e], weight[e]);
  return edges;
}

template <class Executor, class Weight, class Vertex>
void expect_edges_that_arrive(const Executor& exec, const test_graph<Weight, Vertex>& g) {
  graph on(exec, g.view());
  EXPECT_FALSE(on.view().has_in_edges());
  on.make_in_edges(exec);
  const auto& view = on.view();
  EXPECT_TRUE(view.has_in_edges() && !view.is_undirected());
  auto want = edges_of(exec, view.out, view.weights);
  for (auto& [from, to, weight] : want) std::swap(from, to);
  std::ranges::stable_sort(want,
                           [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  EXPECT_EQ(edges_of(exec, view.in, view.in_weights), want) << g.name;
}

/// A graph that is said to be undirected has one copy of its edges, and one without weights makes none.
template <class Executor> void expect_views(const Executor& exec) {
  graph on(exec, grid_graph(3, 3).view());
  on.set_undirected();
  EXPECT_TRUE(on.view().is_undirected());
  EXPECT_EQ(on.view().in.ends, on.view().out.ends);
  EXPECT_EQ(on.view().in_weights, on.view().weights);
  const test_graph<int> g = path_graph(3);
  graph_view<> bare = g.view();
  bare.weights = nullptr;
  graph without(exec, bare);
  without.make_in_edges(exec);
  EXPECT_EQ(without.view().in_weights, nullptr);
  EXPECT_EQ(to_host(exec, std::span<const int>(without.view().in.offsets, 4)),
            (std::vector<int>{0, 0, 1, 2}));
}

/// The vertices of [0, vertices) that are multiples of `step`, from list to bitmap and back.
template <class Vertex, class Executor>
void expect_lists_and_bitmaps(const Executor& exec, Vertex vertices, Vertex step) {
  std::vector<Vertex> want;
  for (Vertex v = 0; v < vertices; v += step) want.push_back(v);
  std::vector<Vertex> mixed_up(want.rbegin(), want.rend());
  const auto count = static_cast<std::int64_t>(want.size());
  mixed_up.resize(static_cast<std::size_t>(vertices), -7); // behind the list, where nothing is read
  auto there = to_executor(exec, mixed_up);
  auto length = to_executor(exec, std::vector<std::int64_t>{count});
  const auto words = static_cast<std::size_t>(graphs::vertex_bits<Vertex>::words_for(vertices));
  const auto bits_there = to_executor(exec, std::vector<std::uint64_t>(words, ~std::uint64_t{0}));
  const graphs::vertex_list<Vertex> list{there.data(), length.data(), vertices};
  const graphs::vertex_bits<Vertex> bits{bits_there.data(), vertices};
  graphs::list_to_bits(exec, list, bits);
  std::vector<std::uint64_t> want_bits(words);
  for (const Vertex v : want) want_bits[static_cast<std::size_t>(v / 64)] |= std::uint64_t{1} << (v % 64);
  EXPECT_EQ(to_host(exec, bits_there), want_bits);
  workspace memory;
  graphs::bits_to_list(exec, bits, list, memory);
  EXPECT_EQ(to_host(exec, length).front(), count);
  std::vector<Vertex> got = to_host(exec, there);
  got.resize(want.size());
  EXPECT_EQ(got, want);
}

template <class Executor> void expect_frontiers(const Executor& exec) {
  for (const int vertices : {1, 63, 64, 65, 1000, 20000})
    for (const int step : {1, 3, 64, 30000}) expect_lists_and_bitmaps<int>(exec, vertices, step);
  expect_lists_and_bitmaps<std::int64_t>(exec, 700, 5);
}

template <class Executor> void expect_graph_laws(const Executor& exec) {
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_edges_that_arrive(exec, g);
  expect_edges_that_arrive(exec,
                           converted<float, std::int64_t>(uneven_graph(300), [](int w) { return w * 0.5f; }));
  expect_views(exec);
  expect_frontiers(exec);
}

} // namespace evenly::graph_tests
