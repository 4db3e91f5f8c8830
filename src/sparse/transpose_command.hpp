// SPDX-License-Identifier: Apache-2.0 evenly transpose: A^T of a file, with the file's own values: integers, patterns
// and complex values stay what they are.
#pragma once

#include <string>

#include "evenly/io/read_options.hpp"

namespace evenly::cli {

struct transpose_options {
  std::string input;
  io::read_options reading;
  std::string output = "-"; ///< Matrix Market or .npz by its ending; `-`: standard output
  int threads = 0;          ///< of the CPU; 0: all. convert has no use for them
};

/// Throws evenly::error; then no output file is left.
void transpose_file(const transpose_options& options);

/// Writes the matrix itself, in the format of the output's ending. Throws as transpose_file.
void convert_file(const transpose_options& options);

} // namespace evenly::cli
