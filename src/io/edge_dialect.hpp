// SPDX-License-Identifier: Apache-2.0
// How a list of edges is written: separators, a header, the roles of columns. The first 64 KiB of a file decide, so
// that the result does not depend on how the file is cut into blocks.
//
// Recognised are SNAP's lists, KONECT's (`% sym weighted`), what NetworkX writes (write_edgelist, write_adjlist), and
// CSV files with and without a header. What is ambiguous becomes a remark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/io/file_format.hpp"
#include "evenly/io/read_options.hpp"

namespace evenly::io {

struct edge_dialect {
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  char separator = 0;            ///< as of edge_fields
  bool has_header = false;       ///< the first line that is no comment has names of columns
  bool is_adjacency = false;     ///< each line is a vertex and its neighbours
  bool has_attributes = false;   ///< of NetworkX
  bool has_names = false;        ///< the first edge's vertices are no numbers
  bool is_bipartite = false;     ///< sources and targets are numbered apart (KONECT)
  bool are_roles_guessed = true; ///< neither a header nor read_options say which columns are which
  int first_vertex = 0;
  std::size_t columns = 2; ///< fields on a line, at most
  std::size_t source = 0;  ///< which field, like `target`
  std::size_t target = 1;
  std::size_t weight = absent;
  std::int64_t line = 0;   ///< the first edge's
  std::string remark = {}; ///< how the file is read, if that is ambiguous; else empty

  bool has_weights() const { return weight != absent; }
  /// Whether lines begin with two integers, or two and a weight, in this order.
  bool is_plain() const;
};

/// `first`: the file's first bytes, all of them or sniffed_bytes. `name` stands for the file in errors. `format` is
/// pairs, weighted or adjacency_list. Throws file_error for a header without names of a source and a target.
edge_dialect find_dialect(std::string_view first, file_format format, const read_options& how,
                          const std::string& name);

} // namespace evenly::io
