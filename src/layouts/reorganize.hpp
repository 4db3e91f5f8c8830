// SPDX-License-Identifier: Apache-2.0
// evenly reorganize: references A[P[i]] under every layout, checked, then timed or counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"

namespace evenly::layouts {

using measure::bench_options, measure::executor_kind;

struct reorganize_options {
  std::string workload;
  io::read_options reading;
  std::vector<std::string> layouts;      ///< names; empty: all
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU; simt to count
  std::string json;                      ///< path of a file, `-` for standard output, empty for none
  std::string report;                    ///< likewise, for an HTML page
  bool count = false;
  int iterations = 10;
  int change_every = 0; ///< iterations; 0: never
  int repeat = 0;       ///< 0: until the times settle
  int block_size = 256;
  bench_options bench;
};

/// The layouts of any references, and those of some workloads only.
std::vector<std::string> layout_names();

/// Prints the table and writes JSON if requested, even of partial results. Returns whether all results are correct.
/// Throws evenly::error.
bool reorganize(const reorganize_options& options);

} // namespace evenly::layouts
