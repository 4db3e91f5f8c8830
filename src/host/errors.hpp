// SPDX-License-Identifier: Apache-2.0
// Errors of reading, writing and generating. Every message is one line without control characters.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "evenly/core/errors.hpp"
#include "evenly/io/file_error.hpp"

namespace evenly::host {

/// Output cannot be written, so processing further inputs is useless.
class output_error : public io::file_error {
 public:
  using io::file_error::file_error;
};

/// The reader of standard output has exited, as `head` does after its last line. Not an error worth a message.
class broken_pipe : public output_error {
 public:
  broken_pipe() : output_error("standard output", 0, "cannot write: Broken pipe") {}
};

/// The text of a generator (`powerlaw:rows=1e6,...`) violates a rule.
class spec_error : public error {
 public:
  using error::error;
};

/// Too little memory: `text: required memory, available memory, and the limit`.
class memory_error : public error {
 public:
  using error::error;
};

/// `text` as one line for a terminal: UTF-8 is unchanged; other bytes, and characters that control the terminal, the
/// text direction or line breaks, become \xNN.
std::string printable(std::string_view text);

/// ` (did you mean NAME?)` for the most similar of `names`: per three letters of `text`, one may be added, missing,
/// changed or swapped. Empty if there is none.
std::string did_you_mean(std::string_view text, std::span<const std::string> names);

/// `text` in quotes for a message, printable, truncated with dots after 40 bytes.
std::string in_quotes(std::string_view text);

} // namespace evenly::host
