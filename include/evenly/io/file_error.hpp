// SPDX-License-Identifier: Apache-2.0
// file_error: the exception of readers and writers of files (evenly::io).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "evenly/core/errors.hpp"

namespace evenly::io {

/// A file cannot be opened, read, parsed or written, or there is too little memory for its contents. what() is one line
/// without control characters: `file:line: rule`, or `file: rule` without a line.
class file_error : public error {
 public:
  /// `line`: from 1; 0 if there is none, as in binary files. `rule`: what was found, and the rule that it breaks.
  file_error(std::string file, std::int64_t line, std::string rule)
      : error(place_of(file, line) + ": " + rule), file_(std::move(file)), rule_(std::move(rule)),
        line_(line) {}
  /// An error without a file.
  explicit file_error(const std::string& rule) : error(rule), rule_(rule) {}

  const std::string& file() const { return file_; } ///< as passed to the reader, or `standard input`
  std::int64_t line() const { return line_; }
  const std::string& rule() const { return rule_; }

 private:
  /// Uses append: for "..." + std::string, GCC 12 warns wrongly at -O3 (bug 105651).
  static std::string place_of(std::string file, std::int64_t line) {
    if (line > 0) file.append(1, ':').append(std::to_string(line));
    return file;
  }

  std::string file_;
  std::string rule_;
  std::int64_t line_ = 0;
};

} // namespace evenly::io
