// SPDX-License-Identifier: Apache-2.0
// evenly draw: a picture of the atoms of each thread, recorded during a run of the schedule.
#pragma once

#include <optional>
#include <string>

#include "draw/drawn_rows.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"

namespace evenly::draw {

/// Maximum number of threads per block: more would not fit side by side.
inline constexpr int max_drawn_threads = 64;

struct draw_options {
  any_schedule schedule = any_schedule("merge_path"); ///< must not set block_size
  std::string input; ///< a file or a generator; empty: eight tiles with 28 atoms
  io::read_options reading;
  std::optional<row_range> rows; ///< of the input; empty: all
  std::string output = "-";      ///< an SVG file; `-`: standard output
  int block_size = 8;            ///< 1 to max_drawn_threads
  int warp_size = 4;             ///< a power of two, 1 to 64
};

/// The schedules that a picture of lanes compares by default: one tile per thread, and equal work per thread.
std::string lanes_schedules();

/// Draws a sample of an input that is too large, with a note in the picture. Throws evenly::error; then no output file
/// is left.
void draw(const draw_options& options);

} // namespace evenly::draw
