// SPDX-License-Identifier: Apache-2.0
// Files of results: a line, or a row of an array, per vertex.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evenly/io/vertex_labels.hpp"

namespace evenly::graphs {

/// Appends what a vertex's line has after its label.
using line_writer = std::function<void(std::string& line, std::int64_t vertex)>;

/// Writes `cols` values per vertex, values[v * cols + i]: as lines, or as .npy or Matrix Market by the ending of `path`
/// (io::vector_output), where rows are in the order of vertices and have no labels. Of a signed integer the greatest
/// value, which stands for `unreached`, is `inf` in lines and -1 in arrays.
template <class Value>
void write_vertex_values(const std::string& path, const io::vertex_labels& labels,
                         const std::vector<Value>& values, std::int64_t cols = 1);

/// Writes the parent of each vertex, likewise; none is -1. Parents are labels, except in arrays if labels are names or
/// ids beyond 2^63: there they are numbers of vertices, which count the lines of write_labels from 0.
void write_parents(const std::string& path, const io::vertex_labels& labels, const std::vector<int>& parents);

/// Writes the lines of all vertices to `path`, as io::write_output does. A line begins with the vertex's label and a
/// blank if labels are not consecutive integers.
void write_vertex_lines(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices,
                        const line_writer& append);

/// Writes the label of each vertex, one a line, in the order of vertices.
void write_labels(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices);

} // namespace evenly::graphs
