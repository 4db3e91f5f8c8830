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

} // namespace evenly::draw
