// SPDX-License-Identifier: Apache-2.0
// What a user names on the command line as a graph: a list of edges, or a matrix, whose rows are sources.
#pragma once

#include <optional>
#include <string>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/edge_list.hpp"

namespace evenly::io {

struct graph_reading {
  bool by_ending = true;                  ///< whether a file is what its ending says (format_by_ending)
  std::optional<edge_format> format = {}; ///< what it is if not; nothing: a Matrix Market file
  bool undirected = false;                ///< whether each edge goes both ways (both_directions)
};

struct graph_input {
  std::string name; ///< as of load_input
  csr_matrix<double> edges;
  bool has_weights = false; ///< else all are 1, or of no use
  int first_vertex = 0;     ///< how the file calls the first vertex; of generators 0
};

/// Reads a file or makes a generated matrix. A file whose ending says nothing is a Matrix Market file, as standard
/// input is. Throws what load_input and read_edges throw, and file_error or spec_error
/// for a matrix that is not square.
graph_input load_graph(const std::string& file_or_generator, const graph_reading& how);

/// Throws what load_graph would throw that can be told at once: of a list of edges nothing, of others as check_input.
void check_graph(const std::string& file_or_generator, const graph_reading& how);

} // namespace evenly::io
