// SPDX-License-Identifier: Apache-2.0
// A graph in the memory of an executor, and algorithms that give each of its vertices a number.
//
// The interface separates the commands, which know no executor, from executors, which have their own translation units.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evenly/graph/graph_view.hpp"
#include "graphs/place.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

class score_place {
 public:
  virtual ~score_place() = default;
  virtual timer& time() = 0;
  /// Triangles (graph/triangles.hpp): counts them; the counts of the last run, on the host.
  virtual void count_triangles() = 0;
  virtual std::vector<std::int64_t> triangles() = 0;
  /// Betweenness (graph/betweenness.hpp): computes it; the scores of the last run, on the host.
  virtual void compute_betweenness(const std::vector<int>& sources, bool normalized) = 0;
  virtual std::vector<double> betweenness() = 0;
};

/// Copies the graph, which is on the host; as place_graph.
std::unique_ptr<score_place> place_scores(executor_kind kind, const graph_view<>& graph,
                                          const place_options& options);

/// The same for a known executor. Instantiated in separate translation units (scores_on.hpp).
template <class Executor>
std::unique_ptr<score_place> scores_on(const graph_view<>& graph, const place_options& options);

} // namespace evenly::graphs
