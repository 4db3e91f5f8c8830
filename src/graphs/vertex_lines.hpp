// SPDX-License-Identifier: Apache-2.0
// Result files with one line, or one row of an array, per vertex.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evenly/io/vertex_labels.hpp"

namespace evenly::graphs {

/// Appends to a line: of a vertex the part after its label.
using line_writer = std::function<void(std::string& line, std::int64_t number)>;

/// Writes `cols` values per vertex, values[v * cols + i]: as lines, or as .npy or Matrix Market according to the ending
/// of `path` (io::vector_output). Rows of arrays are in the order of vertices and have no labels. The maximum of a
/// signed integer type means unreached: it is `inf` in lines and -1 in arrays.
template <class Value>
void write_vertex_values(const std::string& path, const io::vertex_labels& labels,
                         const std::vector<Value>& values, std::int64_t cols = 1);

/// Writes the parent of each vertex in the same way; -1 for none. Parents are labels, except in arrays if labels are
/// names or ids of 2^63 or more: there they are vertex numbers from 0, in the order of write_labels.
void write_parents(const std::string& path, const io::vertex_labels& labels, const std::vector<int>& parents);

/// Writes the lines of all vertices to `path` with io::write_output. A line begins with the label of the vertex and a
/// blank, unless labels are consecutive integers.
void write_vertex_lines(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices,
                        const line_writer& append);

/// Writes lines 0 to count - 1 to `path` with io::write_output.
void write_lines(const std::string& path, std::int64_t count, const line_writer& append);

/// Writes the label of each vertex, one per line, in the order of vertices.
void write_labels(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices);

} // namespace evenly::graphs
