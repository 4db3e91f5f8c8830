// SPDX-License-Identifier: Apache-2.0
// evenly spmm: C = A B of a sparse and a dense matrix, checked and timed, or written to a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"

namespace evenly::cli {

struct spmm_options {
  std::string a;
  std::string b; ///< a file with all of B's values; empty: random ones
  io::read_options reading;
  int width = 32; ///< columns of a random B
  dense_layout layout = dense_layout::rows;
  std::vector<any_schedule> schedules; ///< of spmm_schedules()
  std::string output; ///< C as Matrix Market; `-`: standard output; empty: C is checked and timed
  std::string json;   ///< a file's path, `-` for standard output, empty for none
  std::optional<executor_kind> executor; ///< none: cuda, or cpu without a GPU
  number_type type = number_type::double_precision;
  int repeat = 0;      ///< 0: until times settle
  bench_options bench; ///< whose seed is also that of B
};

/// Those that the command knows, and `evenly compare` of it and of formats other than csr.
std::vector<any_schedule> spmm_schedules();

/// Returns whether all results were right. Throws evenly::error; then no output file is left.
bool multiply_dense(const spmm_options& options);

} // namespace evenly::cli
