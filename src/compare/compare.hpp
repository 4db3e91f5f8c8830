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
  std::vector<std::string> inputs; ///< none: a tour of differently shaped work
  io::read_options reading;
  operation op = operation::spmv;
  int width = 0; ///< more than 0: C = A B of so many columns is compared, and op is not
  number_type type = number_type::single_precision;
  /// For spmv. All but csr go by few schedules, as C = A B does.
  std::vector<matrix_format> formats{matrix_format::csr};
  std::vector<executor_kind> executors; ///< none: those there are; on simt a few schedules are only counted
  std::vector<any_schedule> schedules;  ///< none: all
  std::string json;                     ///< a file's path, `-` for standard output, empty for none
  std::string report;                   ///< likewise: a page of HTML
  int repeat = 0;                       ///< 0: as often as is needed
  int block_size = 0;                   ///< 0: each schedule's own
  bench_options bench;
};

/// Prints tables, each when it is done; writes JSON. Returns whether all results were right. Throws evenly::error.
///
/// Schedules that run the same code on the cpu (runtime/cpu_mappings.hpp) are one row, unless they are named.
bool compare(const compare_options& options);

} // namespace evenly::compare
