// SPDX-License-Identifier: Apache-2.0
// evenly gap: the six kernels of the GAP benchmark suite by its rules (S. Beamer, K. Asanovic, D. Patterson, "The GAP
// benchmark suite", 2015).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generate/gap_draws.hpp"
#include "io/graph_input.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

struct gap_options {
  std::vector<std::string> inputs;
  io::graph_reading reading;
  std::vector<std::string> kernels;               ///< by name; empty: all
  bool in_place = false;                          ///< generate kron and urand on the executor, however small
  int trials = 0;                                 ///< 0: as many as GAP makes
  double delta = 0;                               ///< the width of a bucket of shortest paths; 0: chosen
  std::optional<measure::executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string json;                               ///< path of a file, `-` for standard output, empty for none
  std::string report;                             ///< likewise, for a page
  measure::bench_options bench;
};

/// The names of the kernels, in the order in which they run.
std::vector<std::string> gap_kernels();

/// The shape of an input that can be generated on an executor: kron or urand. Throws spec_error for malformed keys.
std::optional<generate::gap_shape> shape_in_place(const gap_options& options, const std::string& input);

/// Prints a table for each graph and writes the requested files. Returns whether all results are correct. Throws
/// evenly::error.
bool time_gap(const gap_options& options);

} // namespace evenly::graphs
