// SPDX-License-Identifier: Apache-2.0
// Detection of the format of an edge list: separators, header, roles of columns. The first 64 KiB of a file decide, so
// that the result does not depend on the division of the file into blocks.
//
// Supports the lists of SNAP, KONECT (`% sym weighted`) and NetworkX (write_edgelist, write_adjlist), and CSV files
// with and without a header. Ambiguities give a remark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/io/file_format.hpp"
#include "evenly/io/read_options.hpp"

namespace evenly::io {

// The fields of a line of a list of edges, and the attributes that NetworkX writes after them.

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

struct edge_dialect {
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  char separator = 0;            ///< as of edge_fields
  bool has_header = false;       ///< the first line after comments has column names
  bool is_adjacency = false;     ///< each line is a vertex and its neighbours
  bool has_attributes = false;   ///< of NetworkX
  bool has_names = false;        ///< the vertices of the first edge are not numbers
  bool is_bipartite = false;     ///< sources and targets are numbered separately (KONECT)
  bool are_roles_guessed = true; ///< neither a header nor read_options name the roles of columns
  int first_vertex = 0;
  std::size_t columns = 2; ///< maximum number of fields per line
  std::size_t source = 0;  ///< index of the field, like `target`
  std::size_t target = 1;
  std::size_t weight = absent;
  std::int64_t line = 0;   ///< of the first edge
  std::string remark = {}; ///< the interpretation of the file if it is ambiguous; else empty

  bool has_weights() const { return weight != absent; }
  /// Whether lines begin with two integers, or two and a weight, in this order.
  bool is_plain() const;
};

/// `first`: the first bytes of the file, all of them or sniffed_bytes. `name` is the file in errors. `format` must be
/// pairs, weighted or adjacency_list. Throws file_error for a header without names of a source and a target.
edge_dialect find_dialect(std::string_view first, file_format format, const read_options& how,
                          const std::string& name);

} // namespace evenly::io
