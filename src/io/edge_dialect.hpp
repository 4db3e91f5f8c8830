// SPDX-License-Identifier: Apache-2.0
// Detection of the format of an edge list: separators, header, roles of columns. The first 64 KiB of a file decide, so
// that the result does not depend on the division of the file into blocks.
//
// Supports the lists of SNAP, KONECT (`% sym weighted`) and NetworkX (write_edgelist, write_adjlist), and CSV files
// with and without a header. Ambiguities give a remark.
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
