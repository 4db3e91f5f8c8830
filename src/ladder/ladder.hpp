// SPDX-License-Identifier: Apache-2.0
// evenly ladder: versions of reduction, prefix sum and matrix rotation, checked, then timed or counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ladder/ladder_problem.hpp"
#include "measure/bench.hpp"

namespace evenly::ladder {

using measure::bench_options, measure::executor_kind;

struct ladder_options {
  ladder_kind kind = ladder_kind::reduce;
  std::optional<executor_kind>
      executor;                  ///< none: cuda, or cpu without a GPU; simt where versions are counted
  std::optional<std::int64_t> n; ///< default: large enough for the executor
  ladder_type type = ladder_type::int32;
  ladder_operation operation = ladder_operation::sum;
  bool exclusive = false;            ///< for scan
  std::vector<std::string> versions; ///< names; empty: all, and the baselines
  std::string json;                  ///< path of a file, `-` for standard output, empty for none
  std::string report;                ///< likewise, for an HTML page
  int repeat = 0;                    ///< 0: until the times settle
  int block_size = 0;                ///< 0: the default of each version
  bench_options bench;
};

/// The versions of a ladder, by name.
std::vector<std::string> version_names(ladder_kind kind);

/// Whether one of these versions, or of all if the list is empty, supports other block sizes.
bool takes_block_size(ladder_kind kind, const std::vector<std::string>& versions);

/// Parses a number of elements: 1000, 1e6 or 2^28. Throws usage_error.
std::int64_t parse_length(const std::string& text);

/// The name of the ladder, for scan with its kind, and the operation unless it is a sum.
std::string operation_of(const ladder_options& options);

/// Prints the table of times and writes JSON if requested, even of partial results. Returns whether all results are
/// correct. Throws evenly::error.
bool time_ladder(const ladder_options& options);

/// Returns the average number of active lanes in the requests of a warp of 32, on simt for a few elements, by version.
std::map<std::string, double> active_lanes_of(const ladder_options& options);

/// Prints the lesson and the counts of each version, and each formula once. Returns whether they agree. Throws
/// evenly::error.
bool count_ladder(const ladder_options& options);

} // namespace evenly::ladder
