// SPDX-License-Identifier: Apache-2.0
// evenly explain: what an operation under a schedule, or references under a layout, ask of memory on a GPU, counted on
// the simulated one.
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
  int block_size = 256; ///< of layouts
  operation op{};
  number_type type = number_type::single_precision; ///< of products
  any_schedule schedule = any_schedule("merge_path");
  std::string json;   ///< a file's path, `-` for standard output, empty for none
  std::string report; ///< the same, of the page of HTML
  bench_options bench;
};

/// Prints the page; writes JSON and HTML, if they are asked for. What is explained is one run, without its plan. Throws
/// evenly::error, also where the result is wrong.
void explain_input(const explain_options& options);

} // namespace evenly::explaining
