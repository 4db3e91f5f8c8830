// SPDX-License-Identifier: Apache-2.0
// evenly spmv: y = A x of files, so that a result can be checked with other tools.
#pragma once

#include <string>

#include "cli/schedule_names.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "measure/executor_kind.hpp"

namespace evenly::cli {

struct spmv_options {
  std::string input;
  io::read_options reading;
  std::string x;            ///< a file (io::read_vector); empty: all ones
  std::string output = "-"; ///< likewise (io::write_vector); `-`: standard output
  executor_kind executor = executor_kind::cpu;
  any_schedule schedule = default_schedule();
  int threads = 0; ///< of the CPU; 0: all
};

/// Computes in double precision. Throws evenly::error; then no output file is left.
void multiply_files(const spmv_options& options);

} // namespace evenly::cli
