// SPDX-License-Identifier: Apache-2.0
// What a user names on the command line as a graph: a list of edges, or a matrix, whose rows are sources.
#pragma once

#include <memory>
#include <string>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/edge_list.hpp"

namespace evenly::io {

struct graph_reading : read_options {
  bool undirected = false; ///< each edge goes both ways (both_directions)
};

struct graph_input {
  std::string name; ///< as of load_input
  csr_matrix<double> edges;
  bool has_weights = false;  ///< else all are 1, or of no use
  vertex_labels labels = {}; ///< how the file calls each vertex; of generators from 0 on
  bool is_list = false;      ///< a list of edges, which read_options::renumber is for
  std::string source = {};   ///< for messages: the file's path as it was given, or the name; printable

  /// What follows an error of memory: that vertices without edges can be left out, if that helps; else empty.
  std::string memory_remedy() const;
};

/// Reads a file (read_graph) or makes a generated matrix; what has a format is a file. Throws what load_input and
/// read_graph throw, and spec_error for a generated matrix that is not square.
graph_input load_graph(const std::string& file_or_generator, const graph_reading& how);

struct checked_file;

/// A graph that is not read yet. A file is opened and recognised once.
class graph_source {
 public:
  /// Throws what load_graph would throw and what can be found without reading to the end, as input_source does.
  graph_source(std::string file_or_generator, const graph_reading& how);
  ~graph_source();

  /// As load_graph. To be called once.
  graph_input load();

 private:
  std::string text_;
  graph_reading how_;
  std::unique_ptr<checked_file> file_; ///< null: a generator, or what can be read only once
};

} // namespace evenly::io
