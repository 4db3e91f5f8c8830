// SPDX-License-Identifier: Apache-2.0
// evenly scc: the strong components of a graph, checked, then timed.
#pragma once

#include <optional>
#include <string>

#include "io/graph_input.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

struct component_options {
  std::string input;
  io::graph_reading reading;
  std::optional<measure::executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string output; ///< path of a file for the labels, `-` for standard output, empty for none
  std::string map;    ///< likewise, for the labels of the vertices
  std::string json;   ///< likewise
  int repeat = 0;     ///< 0: until the times settle
  measure::bench_options bench;
};

/// Prints a table of times and writes the requested files. Returns whether the result is correct. Throws
/// evenly::error.
bool time_components(const component_options& options);

} // namespace evenly::graphs
