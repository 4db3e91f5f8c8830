// SPDX-License-Identifier: Apache-2.0
// A list of edges while it is read: its header, its dialect, and the edges of its pieces. Internal to edge_list.cpp and
// edge_lines.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evenly/io/vertex_labels.hpp"
#include "host/remarks.hpp"
#include "io/edge_dialect.hpp"
#include "io/edge_sorting.hpp"
#include "io/field_reader.hpp"
#include "io/matrix_market.hpp"
#include "io/numbers.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

// Vertex labels, collected piece by piece on several threads, then numbered in ascending order.

/// The distinct labels of a piece, by their numbers in the piece: integers if all labels are integers without signs and
/// leading zeros, otherwise texts.
struct piece_labels {
  std::vector<std::uint64_t> ids = {};
  vertex_labels::name_list names = {};

  std::size_t size() const { return ids.size() + names.size(); }
};

/// Numbers the labels of a piece in the order in which they occur.
class label_collector {
 public:
  /// The number of a label.
  int number_of(std::string_view label);
  piece_labels finish() const;

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int, hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> labels_; ///< keys, which have stable addresses
};

/// All pieces' labels as vertices.
struct numbered_labels {
  vertex_labels labels;
  std::int64_t vertices = 0;
  std::vector<std::vector<int>> vertex_of = {}; ///< of each piece: the vertex of each of its labels
};

/// The maximum memory of number_labels, including the result.
std::int64_t bytes_to_number(const std::vector<piece_labels>& pieces);

/// Numbers vertices in ascending order of their labels: as integers if all labels are integers from 0 to 2^64 - 1, in
/// any spelling, otherwise as names in byte order.
numbered_labels number_labels(std::vector<piece_labels> pieces);

/// The edges of one piece of text.
struct edge_piece {
  std::vector<edge> edges = {};
  int last_lone = -1;                ///< the largest vertex whose line has no edge
  bool has_weights = false;          ///< in attributes
  std::int64_t lines = 0;            ///< read so far
  host::remark rounded = {};         ///< integers beyond 2^53 as weights; lines count from 1 in the piece
  label_collector* labels = nullptr; ///< set while the piece is read
  piece_labels found_labels = {};    ///< set after the piece was read
};

/// The contents of the header and the first lines, and the edges of the pieces that were read.
struct edge_file {
  matrix_limits limits = {};
  std::int64_t vertices = -1; ///< in the header; negative: absent
  std::int64_t edges = -1;    ///< in the header; METIS: both directions
  std::int64_t header_line = 0;
  bool has_weights = false;
  int first_vertex = 0;
  int passed_over = 0;             ///< METIS: numbers at the front of lines, sizes and weights of vertices
  std::string_view line_word = {}; ///< DIMACS: the word that begins the lines of edges; empty: none
  bool may_have_half = false;      ///< DIMACS: the header may announce each edge twice
  bool collects_labels = false;    ///< endpoints in pieces are label numbers, not vertices
  edge_dialect dialect = {};
  std::vector<edge_piece> pieces = {};
  std::int64_t found = 0;

  std::int64_t last_vertex() const {
    return vertices < 0 ? limits.rows - 1 + first_vertex : vertices - 1 + first_vertex;
  }
};

/// Parses a vertex that starts at `at`, on a line of digits and blanks. Returns false if there is none; `at` is then
/// unspecified.
inline bool take_vertex(const char*& at, const edge_file& file, int& vertex) {
  std::uint64_t number = 0;
  if (!take_digits(at, number)) return false;
  const auto found = static_cast<std::int64_t>(number);
  vertex = static_cast<int>(found - file.first_vertex);
  return found >= file.first_vertex && found <= file.last_vertex();
}

/// Parses an edge of plain numbers and blanks at the front of [at, end), with its weight if the file has weights.
/// Returns false if the text has another form or breaks a rule. A blank or the end of the line follows [at, end).
bool take_plain_edge(const char*& at, const char* end, const edge_file& file, edge& out);

/// Parses neighbours at the front of a line while they are plain numbers. Returns the rest of the line.
std::string_view take_plain_neighbours(std::string_view line, const edge_file& file, int vertex,
                                       std::vector<edge>& out);

/// Reads the next field as a weight. Fails unless it is a finite number. Records an integer that a double cannot
/// represent.
double read_weight_field(field_reader& fields, const piece_reader& lines, edge_piece& out);

/// Reads the lines of a piece: one edge per line, or one vertex and its neighbours per line.
void read_edge_lines(piece_reader& lines, const edge_file& file, edge_piece& out);
void read_adjacency_lines(piece_reader& lines, const edge_file& file, edge_piece& out);

} // namespace evenly::io
