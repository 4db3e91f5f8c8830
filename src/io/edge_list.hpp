// SPDX-License-Identifier: Apache-2.0
// Edges of a graph from text files: SNAP's lists, .el, .wel, DIMACS .gr and METIS .graph, plain or compressed.
//
// Blocks of lines are read on all cores (text_blocks.hpp), and edges put into rows by counting: a file costs memory for
// the edges that it holds, never for those that it announces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::io {

/// How lines say edges. Numbers are separated by blanks.
enum class edge_format {
  pairs,    ///< SNAP, .el: `from to`, from 0 on; # and % begin comments
  weighted, ///< .wel: `from to weight`, likewise
  dimacs,   ///< .gr: `p sp vertices edges`, then `a from to weight`, from 1 on; c begins comments
  metis ///< .graph: `vertices edges [format [weights]]`, then a line for each vertex, from 1 on: its neighbours;
        ///< % begins comments. Each edge is there at both of its ends, and counted once.
};

/// What an ending, as `.el`, says; nothing for others. Endings of compression are passed over.
std::optional<edge_format> format_by_ending(const std::string& path);

struct edge_rows {
  csr_matrix<double> rows; ///< square: row = from, column = to, value = weight, 1 where there is none
  bool has_weights = false;
  int first_vertex = 0; ///< how the file calls the first row
};

/// Reads a file. Numbers are those of the file: without a header there are as many vertices as the greatest says.
/// Edges that are there several times stay so; in a row they are sorted by column, then weight. Throws file_error for
/// vertices out of range, weights that are no finite number, counts that are not those announced, and whatever is no
/// such line: `path:line: ...`. Takes 16 bytes for each edge beside the result; what is not there (memory_shortage) is
/// refused before it is taken.
edge_rows read_edges(const std::filesystem::path& path, edge_format format);
/// The same from a stream; `name` stands for the path in messages.
edge_rows read_edges(std::istream& stream, const std::string& name, edge_format format);

/// Both directions of every edge; of several from one vertex to another the lightest. Weights are numbers, no NaN.
csr_matrix<double> both_directions(const csr_matrix<double>& edges);

/// Whether for each edge there is one the other way, of the same weight. Rows are sorted by column, then value.
bool is_symmetric(const csr_matrix<double>& edges);

} // namespace evenly::io
