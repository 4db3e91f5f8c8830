// SPDX-License-Identifier: Apache-2.0
// evenly triangles and evenly betweenness: a number for each vertex of a graph, checked, then timed.
#pragma once

#include <string>
#include <vector>

#include "graphs/analysis.hpp"

namespace evenly::graphs {

/// Sources of betweenness: all vertices, random vertices with edges, or vertices by their labels in the input.
struct betweenness_sources {
  int random = 0; ///< 0: none
  std::vector<std::string> labels;

  bool are_all() const { return random == 0 && labels.empty(); }
};

/// As time_pagerank.
bool time_triangles(const analysis_options& options);
bool time_betweenness(const analysis_options& options, const betweenness_sources& sources, bool normalized);

} // namespace evenly::graphs
