// SPDX-License-Identifier: Apache-2.0
// What reading, writing and generating throw. Every message is one line without control characters.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "evenly/core/errors.hpp"
#include "evenly/io/file_error.hpp"

namespace evenly::host {

/// What should be written cannot be: there is no use in going on with the next input.
class output_error : public io::file_error {
 public:
  using io::file_error::file_error;
};

/// The reader of standard output has gone, as `head` goes when it has its lines: no error that is worth a message.
class broken_pipe : public output_error {
 public:
  broken_pipe() : output_error("standard output", 0, "cannot write: Broken pipe") {}
};

/// A generator's text (`powerlaw:rows=1e6,...`) breaks a rule.
class spec_error : public error {
 public:
  using error::error;
};

/// There is too little memory: `text: how much is needed, how much there is, and what allows no more`.
class memory_error : public error {
 public:
  using error::error;
};

/// `text` as one line that a terminal can be shown: UTF-8 stays as it is; the bytes of anything else, and of characters
/// that control the terminal or the direction and breaks of lines, become \xNN.
std::string printable(std::string_view text);

/// ` (did you mean NAME?)` for the one of `names` that `text` is most likely a slip of: a letter too many, missing,
/// changed, or two swapped, per three letters; empty if there is none.
std::string did_you_mean(std::string_view text, std::span<const std::string> names);

/// `text` in quotes for a message, printable, cut with dots after 40 bytes.
std::string in_quotes(std::string_view text);

} // namespace evenly::host
