// SPDX-License-Identifier: Apache-2.0
// Edges of a graph from text files: lists of edges, adjacency lists, DIMACS and METIS, plain or compressed.
//
// Blocks of lines are read on all cores (text_blocks.hpp), and edges are sorted into rows by counting. Memory depends
// on the edges in the file, not on those in its header.
#pragma once

#include <optional>

#include <string>

#include "evenly/io/read.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

/// Further options of a reader of edges.
struct edge_reading {
  matrix_limits limits = {}; ///< rows: vertices; entries: edges
  host::remark_handler say =
      host::print_remark;      ///< receives a remark on ambiguities, and one on rounded weights
  bool takes_two_sets = false; ///< whether sources and targets may be numbered separately (KONECT's `% bip`)
};

/// Whether a format is pairs, weighted or adjacency_list, which support read_options::renumber.
bool is_edge_list(file_format format);

/// Throws file_error for options of edge lists if the format is another one. `name` is the file in messages.
void refuse_edge_options(const std::string& name, file_format format, const read_options& how);

/// Reads a list of edges.
///
/// | format | lines | comments | ids from |
/// |---|---|---|---|
/// | pairs, weighted | as edge_dialect.hpp says | # and %, also after an edge | 0; KONECT: 1 |
/// | adjacency_list | a vertex and its neighbours | # and %, also after the neighbours | 0 |
/// | dimacs | `p sp`: `a from to weight`; `p edge`, `p col`: `e from to`; `p tw`: `from to` | c | 1 |
/// | metis | the neighbours of each vertex, so each edge at both ends | % | 1 |
///
/// DIMACS lines of nodes, `n ...`, and METIS sizes and weights of vertices are ignored. Without a header the number of
/// vertices is the greatest id plus one; with how.renumber, or if ids are names, it is the number of ids. Duplicate
/// edges are kept; in a row they are sorted by column, then weight. The result is square, except for bipartite lists.
///
/// Throws file_error `path:line: ...` for vertices out of range, weights that are not finite, counts that differ from
/// the header, and other lines. Takes 16 bytes per edge in addition to the result, and with labels their text and 60
/// bytes each; memory_shortage refuses what does not fit before allocating.
edge_rows read_edges(byte_source source, file_format format, const read_options& how = {},
                     const edge_reading& more = {});

/// Both directions of every edge. Of several edges between two vertices, the lightest is kept. Weights must not be NaN.
csr_matrix<double> both_directions(const csr_matrix<double>& edges);

struct one_way_edge {
  int from;
  int to;
  double weight;
};

/// The first edge without a reverse edge of the same weight; nothing if all edges have one. Rows must be sorted by
/// column, then value. O(edges log degree), on all cores.
std::optional<one_way_edge> find_one_way_edge(const csr_matrix<double>& edges);

/// Whether every edge has a reverse edge. Rows must be sorted likewise.
bool is_symmetric(const csr_matrix<double>& edges);

} // namespace evenly::io
