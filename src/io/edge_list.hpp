// SPDX-License-Identifier: Apache-2.0
// Edges of a graph from text files: SNAP's lists, .el, .wel, DIMACS .gr and METIS .graph, plain or compressed.
//
// Blocks of lines are read on all cores (text_blocks.hpp), and edges put into rows by counting: a file costs memory for
// the edges that it holds, never for those that it announces.
#pragma once

#include "evenly/io/read.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "io/byte_source.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

/// Reads a list in one of the formats pairs, weighted, dimacs and metis. Fields are separated by blanks, those of pairs
/// by commas too; # and % begin comments in pairs, c in DIMACS, % in METIS, where each edge is there at both of its
/// ends and announced once. DIMACS' lines of nodes, `n ...`, are passed over, and so are METIS' sizes and weights of
/// vertices.
///
/// Numbers are those of the file: without a header there are as many vertices as the greatest says. Edges that are
/// there several times stay so; in a row they are sorted by column, then weight. Throws file_error for vertices out of
/// range, weights that are no finite number, counts that are not those announced, and whatever is no such line:
/// `path:line: ...`. Takes 16 bytes for each edge beside the result; what is not there (memory_shortage) is refused
/// before it is taken. `limits`: rows are vertices and entries edges.
edge_rows read_edges(byte_source source, file_format format, const matrix_limits& limits = {});

/// Both directions of every edge; of several from one vertex to another the lightest. Weights are numbers, no NaN.
csr_matrix<double> both_directions(const csr_matrix<double>& edges);

/// Whether for each edge there is one the other way, of the same weight. Rows are sorted by column, then value.
bool is_symmetric(const csr_matrix<double>& edges);

} // namespace evenly::io
