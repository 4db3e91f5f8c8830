// SPDX-License-Identifier: Apache-2.0
// evenly explain: the memory accesses of an operation under a schedule, or of references under a layout, counted on the
// simulated GPU.
#pragma once

#include <string>

#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"

namespace evenly::explaining {

using measure::bench_options, measure::number_type, measure::operation;

struct explain_options {
  std::string input;
  io::read_options reading;
  std::string
      layout; ///< the input is a workload of references (layouts/access_workload.hpp) under this one; empty: it is not
  int block_size = 256; ///< for layouts
  operation op{};
  number_type type = number_type::single_precision; ///< for products
  any_schedule schedule = any_schedule("merge_path");
  std::string json;   ///< path of a file, `-` for standard output, empty for none
  std::string report; ///< likewise, for the HTML page
  bench_options bench;
};

/// Prints the explanation of one run without its plan, and writes JSON and HTML if requested. Throws evenly::error,
/// also if the result is wrong.
void explain_input(const explain_options& options);

} // namespace evenly::explaining
