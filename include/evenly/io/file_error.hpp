// SPDX-License-Identifier: Apache-2.0
// What readers and writers of files throw (evenly::io).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "evenly/core/errors.hpp"

namespace evenly::io {

/// A file cannot be opened, read, understood or written, or there is too little memory for what it holds. what() is
/// one line without control characters: `file:line: rule`, or `file: rule` where there is no line.
class file_error : public error {
 public:
  /// `line`: from 1 on; 0 where there is none, in binary files say. `rule`: what was found and which rule it breaks.
  file_error(std::string file, std::int64_t line, std::string rule)
      : error(place_of(file, line) + ": " + rule), file_(std::move(file)), rule_(std::move(rule)),
        line_(line) {}
  /// Of no file in particular.
  explicit file_error(const std::string& rule) : error(rule), rule_(rule) {}

  const std::string& file() const { return file_; } ///< as the reader was told, or `standard input`
  std::int64_t line() const { return line_; }
  const std::string& rule() const { return rule_; }

 private:
  /// By append: of "..." + std::string, GCC 12 warns wrongly at -O3 (bug 105651).
  static std::string place_of(std::string file, std::int64_t line) {
    if (line > 0) file.append(1, ':').append(std::to_string(line));
    return file;
  }

  std::string file_;
  std::string rule_;
  std::int64_t line_ = 0;
};

} // namespace evenly::io
