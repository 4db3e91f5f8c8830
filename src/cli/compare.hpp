// SPDX-License-Identifier: Apache-2.0
// evenly compare: every schedule on every executor, checked and timed.
#pragma once

#include <string>
#include <vector>

#include "cli/bench.hpp"
#include "cli/problem.hpp"

namespace evenly::cli {

struct compare_options {
  std::vector<std::string> inputs; ///< none: a tour of differently shaped work
  operation op = operation::spmv;
  number_type type = number_type::single_precision;
  std::vector<executor_kind> executors; ///< none: those there are, simt only where it does not take minutes
  std::vector<std::string> schedules;   ///< by name
  std::string json;                     ///< a file's path, `-` for standard output, empty for none
  int repeat = 0;                       ///< 0: as often as is needed
  int block_size = 0;                   ///< 0: each schedule's own
  bench_options bench;
};

/// Prints tables; writes JSON, if at all, when all is done. Returns whether all results were right. Throws
/// evenly::error.
bool compare(const compare_options& options);

} // namespace evenly::cli
