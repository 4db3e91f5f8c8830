// SPDX-License-Identifier: Apache-2.0
// Edges of a graph from text files: lists of edges, adjacency lists, DIMACS and METIS, plain or compressed.
//
// Blocks of lines are read on all cores (text_blocks.hpp), and edges put into rows by counting: memory goes with the
// edges that a file has, not with those that it announces.
#pragma once

#include <optional>

#include <string>

#include "evenly/io/read.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

/// What else a reader of edges is told.
struct edge_reading {
  matrix_limits limits = {}; ///< rows: vertices; entries: edges
  host::remark_handler say =
      host::print_remark;      ///< gets a remark for what is ambiguous, one for weights that were rounded
  bool takes_two_sets = false; ///< whether sources and targets may be numbered apart (KONECT's `% bip`)
};

/// Whether a format is one of pairs, weighted and adjacency_list, which read_options::renumber is for.
bool is_edge_list(file_format format);

/// Throws file_error for options that are for lists of edges if the format is another. `name` stands for the file.
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
/// DIMACS' lines of nodes, `n ...`, and METIS' sizes and weights of vertices are ignored. Without a header there are as
/// many vertices as the greatest id says; with how.renumber, or if ids are names, as many as there are ids. Edges that
/// occur several times stay so; in a row they are sorted by column, then weight. The result is square, but for lists
/// of two vertex sets.
///
/// Throws file_error `path:line: ...` for vertices out of range, weights that are not finite numbers, counts that
/// are not those announced, and other lines. Takes 16 bytes per edge in addition to the result, and with labels their
/// text and 60 bytes each; memory_shortage refuses what does not fit before it is allocated.
edge_rows read_edges(byte_source source, file_format format, const read_options& how = {},
                     const edge_reading& more = {});

/// Both directions of every edge; of several from one vertex to another the lightest. Weights are numbers, no NaN.
csr_matrix<double> both_directions(const csr_matrix<double>& edges);

struct one_way_edge {
  int from;
  int to;
  double weight;
};

/// The first edge for which there is none the other way of the same weight; nothing if there is one for each. Rows are
/// sorted by column, then value. O(edges log degree), on all cores.
std::optional<one_way_edge> find_one_way_edge(const csr_matrix<double>& edges);

/// Whether there is one for each. Rows are sorted likewise.
bool is_symmetric(const csr_matrix<double>& edges);

} // namespace evenly::io
