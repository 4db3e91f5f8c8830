// SPDX-License-Identifier: Apache-2.0
// evenly draw spy, histogram, lanes: pictures of a matrix of any size, as SVG of at most 300 KB.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/drawn_rows.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"

namespace evenly::draw {

struct matrix_picture_options {
  std::string input;
  io::read_options reading = {};
  std::optional<row_range> rows = {};       ///< empty: all
  std::vector<any_schedule> schedules = {}; ///< for lanes
};

const std::vector<std::string>& matrix_pictures(); ///< spy, histogram, lanes

/// spy: the positions of the entries; darker cells have more. histogram: the number of rows by size. lanes: the active
/// lanes of warps in memory requests on a simulated GPU, under each schedule. Throws usage_error for any other name,
/// evenly::error for a bad input.
std::string matrix_picture(const std::string& name, const matrix_picture_options& options);

// evenly draw search: a breadth-first search in one launch on the simulated GPU: the vertices, the edges and the method
// of each level.

/// Returns an SVG. input: a file or a generator of a graph, which is searched from a vertex with edges, the same on
/// every run; empty: two examples. Throws evenly::error, also for searches with more levels than a picture can show.
std::string search_picture(const std::string& input, const io::read_options& how = {});

// evenly draw padding, layouts, sharing: the worked example of docs/reorganize.md, drawn from the plans of the layouts.
// They are figures 3, 4 and 5 of Wu et al. (PPoPP 2013): 22 threads, warps of 4, windows of 4, blocks of 4 warps.

/// padding, layouts and sharing.
const std::vector<std::string>& layout_pictures();
/// Returns an SVG. Throws usage_error for any other name.
std::string layout_picture(const std::string& name);

} // namespace evenly::draw
