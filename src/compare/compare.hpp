// SPDX-License-Identifier: Apache-2.0
// evenly compare: every schedule on every executor, checked and timed.
#pragma once

#include <string>
#include <vector>

#include "cli/option_values.hpp"
#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"
#include "sparse/format_bench.hpp"

namespace evenly::compare {

using cli::choices;
using measure::bench_options, measure::executor_kind, measure::number_type, measure::operation;
using sparse::matrix_format;

inline const choices<matrix_format> matrix_formats{
    {"csr", matrix_format::csr},        {"csc", matrix_format::csc},   {"coo", matrix_format::coo},
    {"ell", matrix_format::ell},        {"bcsr", matrix_format::bcsr}, {"dia", matrix_format::dia},
    {"packed", matrix_format::packed},  {"half", matrix_format::half}, {"bfloat16", matrix_format::bfloat16},
    {"pattern", matrix_format::pattern}};

struct compare_options {
  std::vector<std::string> inputs; ///< empty: a tour of differently shaped inputs
  io::read_options reading;
  operation op = operation::spmv;
  int width = 0; ///< greater than 0: compare C = A B with this many columns, and ignore op
  number_type type = number_type::single_precision;
  /// For spmv. Formats other than csr support few schedules, as C = A B does.
  std::vector<matrix_format> formats{matrix_format::csr};
  std::vector<executor_kind> executors; ///< empty: all usable ones; on simt a few schedules are only counted
  std::vector<any_schedule> schedules;  ///< empty: all
  std::vector<std::string> beside;      ///< names of peers to time as well
  std::string json;                     ///< path of a file, `-` for standard output, empty for none
  std::string report;                   ///< HTML page, likewise
  int repeat = 0;                       ///< 0: until the times settle
  int block_size = 0;                   ///< 0: the default of each schedule
  bench_options bench;
};

/// Prints each table when it is complete, and writes JSON. Returns whether all results are correct. Throws
/// evenly::error.
///
/// On cpu, schedules with the same code (runtime/cpu_mappings.hpp) share a row, unless the user names them.
bool compare(const compare_options& options);

} // namespace evenly::compare
