// SPDX-License-Identifier: Apache-2.0
// evenly draw search: a breadth-first search in one launch on the simulated GPU: the vertices, the edges and the method
// of each level.
#pragma once

#include <string>

#include "evenly/io/read_options.hpp"

namespace evenly::draw {

/// Returns an SVG. input: a file or a generator of a graph, which is searched from a vertex with edges, the same on
/// every run; empty: two examples. Throws evenly::error, also for searches with more levels than a picture can show.
std::string search_picture(const std::string& input, const io::read_options& how = {});

} // namespace evenly::draw
