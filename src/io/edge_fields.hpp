// SPDX-License-Identifier: Apache-2.0
// The fields of a line of a list of edges, and the attributes that NetworkX writes after them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenly::io {

/// Splits lines into fields. A separator of 0 stands for free text: fields are separated by commas if the line has one,
/// by blanks otherwise, and a field that begins with # or % begins a comment. Any other separator (, ; or a tab) stands
/// for delimited text, where fields may be in double quotes ("" is a quote inside).
class edge_fields {
 public:
  explicit edge_fields(char separator) : separator_(separator) {}

  /// The fields, without blanks around them. False if a quote is not closed. Valid until the next call, as long as
  /// `line` is.
  bool split(std::string_view line);
  const std::vector<std::string_view>& all() const { return fields_; }

 private:
  void split_at_blanks(std::string_view line);
  void split_at(std::string_view line, char separator);
  bool split_quoted(std::string_view line);

  char separator_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_; ///< fields that had "" inside
};

std::string_view trimmed(std::string_view text);

/// Whether a field is a real number, in the range of a double or beyond.
bool is_number(std::string_view text);

/// The part of a line before a field that begins with # or %.
std::string_view without_comment(std::string_view line);

/// Attributes of an edge as Python's text of a dictionary: {'weight': 3.5, 'color': 'a b'}.
struct edge_attributes {
  std::optional<std::string_view> weight = {}; ///< the text of the value of 'weight'
  bool has_others = false;
};

/// Takes attributes apart; nothing if `text` is not such a dictionary.
std::optional<edge_attributes> parse_attributes(std::string_view text);

} // namespace evenly::io
