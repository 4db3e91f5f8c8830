// SPDX-License-Identifier: Apache-2.0
// What a user names on the command line as a matrix: a file or a generator.
#pragma once

#include <string>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/row_profile.hpp"

namespace evenly::io {

struct input {
  std::string name; ///< the file's without folders and endings, `standard input`, or the generator's text
  csr_matrix<double> matrix;
};

/// Reads a Matrix Market file or makes a generated matrix. A file: `-`, which is standard input, what exists (a
/// folder only if no generator is called like it), contains a slash, or ends in .mtx or .mtx and the ending of a
/// compressed file. Throws file_error for these, spec_error for generators and for what can be neither.
input load_input(const std::string& file_or_generator);

/// Whether load_input takes it for a file.
bool names_file(const std::string& text);

/// The name of an input that is not loaded yet.
std::string input_name(const std::string& file_or_generator);

struct input_profile {
  std::string name; ///< as above
  row_profile rows;
};

/// The sizes of rows alone, without memory for what is in them.
input_profile load_profile(const std::string& file_or_generator);

/// Throws what load_input would throw that can be told at once: checks a generator's text, and of a file its existence,
/// banner and sizes; of a pipe, which can be read but once, its existence. For whoever has several inputs.
void check_input(const std::string& file_or_generator);

} // namespace evenly::io
