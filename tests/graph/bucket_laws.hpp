// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on any executor: the result of sssp under a schedule, with every setting.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evenly/graph/sssp_in_buckets.hpp"
#include "graph/search_laws.hpp"

namespace evenly::graph_tests {

template <class Distance, class Weight, class Executor>
search<Distance, Weight>
bucket_search(const Executor& exec, const graphs::path_settings& settings = {},
              const detail::path_tuning& tuning = detail::path_tuning::of<Executor>()) {
  return [=](const test_graph<Weight>& g, int source) {
    return found_by<Distance>(exec, g,
                              [&](const auto& graph, auto distances, auto parents, const auto& report) {
                                graphs::check_weights(exec, graph);
                                sssp_buckets search(exec, graph, settings, tuning);
                                return search.run(source, distances, parents, report);
                              });
  };
}

/// Settings that go different ways: one bucket and many, one at a time and as many as keep all busy, with and without
/// rounds of a block by itself.
inline std::vector<std::pair<std::string, graphs::path_settings>> ways_to_go() {
  return {{"automatic", {}},
          {"delta-stepping", {.method = graphs::path_method::delta_stepping}},
          {"near-far", {.method = graphs::path_method::near_far}},
          {"Bellman-Ford", {.method = graphs::path_method::bellman_ford}},
          {"narrow buckets", {.delta = 1e-9, .rounds = 3, .target_entries = 1000000}}};
}

template <class Distance, class Weight, class Executor, class Convert>
void expect_every_way(const Executor& exec, const test_graph<int>& g, int source, const Convert& convert) {
  const auto converted_graph = converted<Weight>(g, convert);
  auto tuning = detail::path_tuning::of<Executor>();
  tuning.per_core = 16; // so that small graphs have several cores too
  for (const auto& [name, settings] : ways_to_go())
    expect_sssp(name, bucket_search<Distance, Weight>(exec, settings, tuning), converted_graph, source);
}

/// As expect_every_way, with integer and floating-point weights, also with distances that leave no bits for a parent.
template <class Executor>
void expect_bucket_laws(const Executor& exec, const test_graph<int>& g, int source) {
  expect_every_way<int, int>(exec, g, source, [](int weight) { return weight; });
  expect_every_way<float, float>(exec, g, source,
                                 [](int weight) { return static_cast<float>(weight) * 0.1f; });
  const auto lost = [](int weight) { return weight == 1 ? 1e17 : static_cast<double>(weight) * 1e-3; };
  expect_sssp("automatic", bucket_search<double, double>(exec), converted<double>(g, lost), source);
}

} // namespace evenly::graph_tests
