// SPDX-License-Identifier: Apache-2.0
// evenly spgemm: C = A B of sparse matrices, checked and timed, or written to a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"

namespace evenly::cli {

struct spgemm_options {
  std::string a;
  std::string b; ///< empty: A A
  io::read_options reading;
  std::string output;      ///< C as Matrix Market; `-`: standard output; empty: C is checked and timed
  std::string json;        ///< a file's path, `-` for standard output, empty for none
  std::int64_t memory = 0; ///< the most bytes for plan, copies of A and B, and C; 0: all there is
  std::optional<executor_kind> executor; ///< none: cuda, or cpu without a GPU
  number_type type = number_type::double_precision;
  int repeat = 0; ///< 0: until times settle
  bench_options bench;
};

/// Returns whether all results were right. Throws evenly::error; then no output file is left.
bool multiply_sparse(const spgemm_options& options);

/// A number of bytes: 4G, 512M, 64k or 1000000; G is 10^9. Throws usage_error.
std::int64_t parse_bytes(const std::string& option, const std::string& text);

} // namespace evenly::cli
