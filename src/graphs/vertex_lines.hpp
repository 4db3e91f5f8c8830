// SPDX-License-Identifier: Apache-2.0
// Text files of results: a line per vertex.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "evenly/io/vertex_labels.hpp"

namespace evenly::cli {

/// Appends what a vertex's line has after its label.
using line_writer = std::function<void(std::string& line, std::int64_t vertex)>;

/// Writes the lines of all vertices to `path`, as io::write_output does. A line begins with the vertex's label and a
/// blank if labels are not consecutive integers.
void write_vertex_lines(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices,
                        const line_writer& append);

/// Writes the label of each vertex, one a line, in the order of vertices.
void write_labels(const std::string& path, const io::vertex_labels& labels, std::int64_t vertices);

} // namespace evenly::cli
