// SPDX-License-Identifier: Apache-2.0
// evenly pagerank and evenly kcore: one value per vertex of a graph, checked, then timed.
#pragma once

#include <optional>
#include <string>

#include "evenly/graph/pagerank.hpp"
#include "io/graph_input.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

struct analysis_options {
  std::string input;
  io::graph_reading reading; ///< undirected: the simple graph, without self-loops and parallel edges
  std::optional<measure::executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string output; ///< path of a file for the values, `-` for standard output, empty for none
  std::string map;    ///< likewise, for the labels of the vertices
  std::string json;   ///< likewise
  std::string report; ///< likewise, for a page
  int repeat = 0;     ///< 0: until the times settle
  measure::bench_options bench;

  pagerank_options ranking; ///< without its personalization
  std::string personalize;  ///< labels of vertices with commas between, or the path of a file; empty for all
};

/// Print a table of times and write the requested files. Return whether the result is correct and, of pagerank, has
/// converged. Throw evenly::error.
bool time_pagerank(const analysis_options& options);
bool time_core_numbers(const analysis_options& options);

} // namespace evenly::graphs
