// SPDX-License-Identifier: Apache-2.0
// evenly reorganize: references A[P[i]] under every layout, checked, then timed, or counted.
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
  std::vector<std::string> layouts;      ///< by name; none: all
  std::optional<executor_kind> executor; ///< none: cuda, or cpu without a GPU; simt to count
  std::string json;                      ///< a file's path, `-` for standard output, empty for none
  std::string report;                    ///< likewise: a page of HTML
  bool count = false;
  int iterations = 10;
  int change_every = 0; ///< iterations; 0: never
  int repeat = 0;       ///< 0: as often as is needed
  int block_size = 256;
  bench_options bench;
};

/// Those that any references can have, and those of workloads of their own.
std::vector<std::string> layout_names();

/// Prints the table; writes JSON, if it is asked for, also of a part. Returns whether all results were right. Throws
/// evenly::error.
bool reorganize(const reorganize_options& options);

} // namespace evenly::layouts
