// SPDX-License-Identifier: Apache-2.0
// A graph that the user names on the command line: an edge list, or a matrix with one row per source.
#pragma once

#include <memory>
#include <string>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/edge_list.hpp"

namespace evenly::io {

struct graph_reading : read_options {
  bool undirected = false; ///< add the reverse of each edge (both_directions)
};

struct graph_input {
  std::string name; ///< as of load_input
  csr_matrix<double> edges;
  bool has_weights = false;  ///< otherwise all weights are 1, or unused
  vertex_labels labels = {}; ///< labels of the vertices in the file; numbers from 0 for generators
  bool is_list = false;      ///< an edge list, which supports read_options::renumber
  std::string source = {};   ///< for messages: the file's path as it was given, or the name; printable

  /// The remedy at the end of a memory error: vertices without edges can be dropped, if that helps; else empty.
  std::string memory_remedy() const;
};

/// Reads a file (read_graph) or generates a matrix. Text with a format is a file. Throws the exceptions of load_input
/// and read_graph, and spec_error for a generated matrix that is not square.
graph_input load_graph(const std::string& file_or_generator, const graph_reading& how);

struct checked_file;

/// A graph that is not read yet. A file is opened and its format detected once.
class graph_source {
 public:
  /// Throws the exceptions of load_graph that do not require the end of the file, as input_source does.
  graph_source(std::string file_or_generator, const graph_reading& how);
  ~graph_source();

  /// Like load_graph. Call it once.
  graph_input load();

 private:
  std::string text_;
  graph_reading how_;
  std::unique_ptr<checked_file> file_; ///< null: a generator, or a source that can be read only once
};

} // namespace evenly::io
