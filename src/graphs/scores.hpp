// SPDX-License-Identifier: Apache-2.0
// evenly triangles and evenly betweenness: a number for each vertex of a graph, checked, then timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/graph_input.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

enum class score_kind { triangles, betweenness };

/// Sources of betweenness: all vertices, random vertices with edges, or vertices by their labels in the input.
struct score_sources {
  int random = 0; ///< 0: none
  std::vector<std::string> labels;

  bool are_all() const { return random == 0 && labels.empty(); }
};

struct score_options {
  score_kind kind = score_kind::triangles;
  std::string input;
  io::graph_reading reading;
  bool simple = false; ///< make the simple undirected graph first
  score_sources sources;
  bool normalized = false;
  std::optional<measure::executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string output; ///< path of a file for the numbers, `-` for standard output, empty for none
  std::string map;    ///< likewise, for the labels of the vertices
  std::string json;   ///< likewise
  std::string report; ///< likewise, for a page of the results
  int repeat = 0;     ///< 0: until the times settle
  measure::bench_options bench;
};

/// Prints a table of times and writes the requested files. Returns whether the result is correct. Throws
/// evenly::error.
bool time_scores(const score_options& options);

} // namespace evenly::graphs
