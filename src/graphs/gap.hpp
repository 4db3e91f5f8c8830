// SPDX-License-Identifier: Apache-2.0
// evenly gap: the six kernels of the GAP benchmark suite by its rules (S. Beamer, K. Asanovic, D. Patterson, "The GAP
// benchmark suite", 2015).
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/graph_input.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

struct gap_options {
  std::vector<std::string> inputs;
  io::graph_reading reading;
  std::vector<std::string> kernels;               ///< by name; empty: all
  int trials = 0;                                 ///< 0: as many as GAP makes
  double delta = 0;                               ///< the width of a bucket of shortest paths; 0: chosen
  std::optional<measure::executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string json;                               ///< path of a file, `-` for standard output, empty for none
  std::string report;                             ///< likewise, for a page
  measure::bench_options bench;
};

/// The names of the kernels, in the order in which they run.
std::vector<std::string> gap_kernels();

/// GAP's sources: random vertices with edges, from one sequence per kernel.
class gap_sources {
 public:
  /// The graph has edges, and outlives this object.
  explicit gap_sources(const csr_matrix<double>& edges);
  int next();

 private:
  const csr_matrix<double>& edges_;
  std::mt19937_64 random_;
};

/// Prints a table for each graph and writes the requested files. Returns whether all results are correct. Throws
/// evenly::error.
bool time_gap(const gap_options& options);

} // namespace evenly::graphs
