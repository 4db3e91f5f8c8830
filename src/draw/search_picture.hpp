// SPDX-License-Identifier: Apache-2.0
// evenly draw search: a breadth-first search in one launch, as the simulated GPU does it: for each level the vertices
// and edges of its frontier, and the way in which these are visited.
#pragma once

#include <string>

#include "evenly/io/read_options.hpp"

namespace evenly::draw {

/// An SVG. input: a file or a generator, of a graph that is searched from a vertex with edges, the same on every run;
/// empty: two examples. Throws evenly::error, also for searches of more levels than a picture can show.
std::string search_picture(const std::string& input, const io::read_options& how = {});

} // namespace evenly::draw
