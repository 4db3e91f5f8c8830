// SPDX-License-Identifier: Apache-2.0
// A matrix that the user names on the command line: a file or a generator.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "evenly/io/read.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "generate/row_profile.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

struct input {
  std::string name; ///< input_name
  csr_matrix<double> matrix;
};

/// Reads a matrix from a file (read_matrix) or generates one.
///
/// - A file is `-` (standard input), an existing path (a folder only if no generator has its name), text with a slash,
///   or text with the ending of a format.
/// - Throws file_error for files, and spec_error for generators and other text.
input load_input(const std::string& file_or_generator, const read_options& how = {});

/// The same, but a complex value counts as 1: for the positions of entries only.
input load_structure(const std::string& file_or_generator, const read_options& how = {});

/// The same, with complex values if the file has them.
struct any_input {
  std::string name;
  any_matrix matrix;
};
any_input load_any_input(const std::string& file_or_generator, const read_options& how = {});

/// The same with the values of the file: complex values and exact integers.
struct exact_input {
  std::string name;
  exact_matrix matrix;
};
exact_input load_exact_input(const std::string& file_or_generator, const read_options& how = {});

/// Whether load_input treats the text as a file.
bool names_file(const std::string& text);

/// The name of an input that is not loaded yet: the text that the user gave, or `standard input`.
std::string input_name(const std::string& file_or_generator);

/// A file's name without folders and endings; else the same.
std::string short_name(const std::string& file_or_generator);

struct input_profile {
  std::string name; ///< as above
  generate::row_profile rows;
  std::optional<point_set> points = {}; ///< of a file of points, which has no rows
};

/// The row sizes only (read_rows), or points.
input_profile load_profile(const std::string& file_or_generator, const read_options& how = {});

struct checked_file;

/// An input that is not read yet. A file is opened and its format detected once.
class input_source {
 public:
  /// Throws the exceptions of load_input that do not require the end of the file. It checks the text of a generator, or
  /// the existence, format, banner and sizes of a file. Of a pipe it checks only the existence, because a pipe can be
  /// read only once.
  explicit input_source(std::string file_or_generator, const read_options& how = {});
  input_source(input_source&&) noexcept;
  ~input_source();

  const std::string& text() const { return text_; } ///< as the user gave it
  std::string name() const { return input_name(text_); }

  /// Like load_input and load_structure. Call one of them, once.
  input load() const;
  input load_structure() const;

 private:
  std::string text_;
  read_options how_;
  std::unique_ptr<checked_file> file_; ///< null: a generator, or a source that can be read only once
};

} // namespace evenly::io
