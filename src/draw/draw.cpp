// SPDX-License-Identifier: Apache-2.0
#include "draw/draw.hpp"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "draw/picture.hpp"
#include "draw/recording.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "measure/text.hpp"

namespace evenly::draw {

using measure::joined;

namespace {

/// The default input: eight tiles with 28 atoms, as in figure 1 of the paper. One is clearly the largest.
constexpr std::array example_sizes{3, 1, 4, 2, 2, 12, 3, 1};

constexpr picture_limits drawn_at_most{.max_rows = 200, .min_rows = 32, .max_atoms = 400};

std::string title_of(const draw_options& options, const recorded_run& run) {
  std::vector<std::string> parameters;
  for (const auto& [name, value] : run.parameters) parameters.push_back(name + " " + value);
  return options.schedule.text() + ": " + joined(parameters);
}

struct tile_sizes {
  std::string name; ///< empty for the example
  std::vector<int> offsets;
};

tile_sizes load_tiles(const draw_options& options) {
  if (options.input.empty()) {
    std::vector<int> offsets{0};
    for (const int size : example_sizes) offsets.push_back(offsets.back() + size);
    return {"", offsets};
  }
  const io::input in = io::load_structure(options.input, options.reading);
  drawn_rows drawn = choose_rows(in.matrix.offsets, options.rows, drawn_at_most, in.name);
  return {host::printable(in.name) + (drawn.note.empty() ? "" : ", " + drawn.note), std::move(drawn.offsets)};
}

} // namespace

std::string lanes_schedules() { return "thread_mapped,merge_path"; }

void draw(const draw_options& options) {
  io::check_output(options.output);
  const tile_sizes tiles = load_tiles(options);
  const recorded_run run =
      record_schedule(options.schedule, tiles.offsets, options.block_size, options.warp_size);
  const std::string drawn =
      picture(run, title_of(options, run), tiles.name, tiles.offsets, options.warp_size);
  io::write_output(options.output, drawn);
}

} // namespace evenly::draw
