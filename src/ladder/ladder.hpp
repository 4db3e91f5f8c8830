// SPDX-License-Identifier: Apache-2.0
// evenly ladder: the versions of the course on reduction and prefix sums, checked, and then timed or counted.
#pragma once

#include <cstdint>
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
  std::optional<std::int64_t> n; ///< none: as many as say something on the executor
  ladder_type type = ladder_type::int32;
  bool exclusive = false;            ///< for scan
  std::vector<std::string> versions; ///< by name; none: all, and what they are compared with
  std::string json;                  ///< a file's path, `-` for standard output, empty for none
  std::string report;                ///< likewise: a page of HTML
  int repeat = 0;                    ///< 0: as often as is needed
  int block_size = 0;                ///< 0: each version's own
  bench_options bench;
};

/// The versions of a ladder, by name.
std::vector<std::string> version_names(ladder_kind kind);

/// Whether one of these versions, or of all where none is named, can have blocks of another size.
bool takes_block_size(ladder_kind kind, const std::vector<std::string>& versions);

/// `text` as a number of elements: 1000, 1e6 or 2^28. Throws usage_error.
std::int64_t parse_length(const std::string& text);

/// The ladder's name, for scan with its kind.
std::string operation_of(const ladder_options& options);

/// Prints the table of times; writes JSON, if it is asked for, also of a part. Returns whether all results were right.
/// Throws evenly::error.
bool time_ladder(const ladder_options& options);

/// Prints what each version teaches, what simt counts of it, and the formulas, each once. Returns whether these agree.
/// Throws evenly::error.
bool count_ladder(const ladder_options& options);

} // namespace evenly::ladder
