// SPDX-License-Identifier: Apache-2.0
// evenly draw: a picture of which thread takes which atoms, made by running the schedule and looking on.
#pragma once

#include <optional>
#include <string>

#include "draw/drawn_rows.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"

namespace evenly::draw {

/// Threads in a block, at most: more would not fit beside each other.
inline constexpr int max_drawn_threads = 64;

struct draw_options {
  any_schedule schedule = any_schedule("merge_path"); ///< which does not set block_size
  std::string input; ///< a file or a generator; empty: eight tiles of 28 atoms
  io::read_options reading;
  std::optional<row_range> rows; ///< of the input; none: all
  std::string output = "-";      ///< an SVG file; `-`: standard output
  int block_size = 8;            ///< 1 to max_drawn_threads
  int warp_size = 4;             ///< a power of two, 1 to 64
};

/// The list of schedules that a picture of busy lanes compares: a tile for each thread, and equal work for all.
std::string lanes_schedules();

/// Draws a sample of an input that is too large for a picture, and says so in it. Throws evenly::error; then no output
/// file is left.
void draw(const draw_options& options);

} // namespace evenly::draw
