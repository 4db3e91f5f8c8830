// SPDX-License-Identifier: Apache-2.0
// evenly draw: a picture of the atoms of each thread, recorded during a run of the schedule.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "draw/drawn_rows.hpp"
#include "draw/matrix_pictures.hpp"
#include "draw/picture.hpp"
#include "draw/recording.hpp"
#include "draw/tree_pictures.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::draw {

using cli::add_block, cli::add_input, cli::add_output, cli::add_reading, cli::add_schedules, cli::command,
    cli::default_schedule, cli::help_on_generators, cli::help_on_schedules, cli::name_in_files,
    cli::parse_count, cli::parse_schedule, cli::parse_schedules, cli::refuse_outputs_over, cli::registered,
    cli::require_files, cli::schedule_completions;
using measure::joined, measure::usage_error;

namespace {

/// Maximum number of threads per block: more would not fit side by side.
constexpr int max_drawn_threads = 64;

struct draw_options {
  any_schedule schedule = cli::example_schedule(); ///< must not set block_size
  std::string input; ///< a file or a generator; empty: eight tiles with 28 atoms
  io::read_options reading;
  std::optional<row_range> rows; ///< of the input; empty: all
  std::string output = "-";      ///< an SVG file; `-`: standard output
  int block_size = 8;            ///< 1 to max_drawn_threads
  int warp_size = 4;             ///< a power of two, 1 to 64
};

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

/// The schedules that a picture of lanes compares by default: one tile per thread, and equal work per thread.
std::string lanes_schedules() { return "thread_mapped,merge_path"; }

/// Draws a sample of an input that is too large, with a note in the picture. Throws evenly::error; then no output file
/// is left.
void draw(const draw_options& options) {
  io::check_output(options.output);
  const tile_sizes tiles = load_tiles(options);
  const recorded_run run =
      record_schedule(options.schedule, tiles.offsets, options.block_size, options.warp_size);
  const std::string drawn =
      picture(run, title_of(options, run), tiles.name, tiles.offsets, options.warp_size);
  io::write_output(options.output, drawn);
}

bool has(const std::vector<std::string>& pictures, const std::string& name) {
  return std::ranges::count(pictures, name) > 0;
}

/// The pictures that do not show a schedule.
std::vector<std::string> named_pictures() {
  std::vector<std::string> all = matrix_pictures();
  all.emplace_back("search");
  all.insert(all.end(), layout_pictures().begin(), layout_pictures().end());
  all.insert(all.end(), tree_pictures().begin(), tree_pictures().end());
  return all;
}

/// Throws usage_error unless `text` begins with the name of a schedule.
void require_schedule(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  std::vector<std::string> known = named_pictures();
  for (const std::string& each : schedule_names()) {
    if (name == each || name == name_in_files(each)) return;
    known.push_back(each);
  }
  if (name == default_schedule().name())
    throw usage_error(
        "automatic has no picture, because it chooses one of the other schedules: name one of them");
  throw usage_error(host::in_quotes(name) + " is not a picture" + host::did_you_mean(name, known) +
                    "; choose one of " + joined(named_pictures()) +
                    ", or a schedule: " + joined(schedule_names()) +
                    "; the input follows the picture, as in evenly draw spy matrix.mtx");
}

class draw_command : public command {
 public:
  draw_command() : command("draw") {
    add("schedule SCHEDULE|PICTURE", picture_, "name of a schedule, or " + joined(named_pictures()))
        .required()
        .completes(schedule_completions(named_pictures()));
    add_input(
        *this, "input FILE|GENERATOR", options_.input,
        "a matrix or graph: a file, - for standard input, or a generator; for versions of evenly ladder a "
        "number of elements (default: an example)");
    add_reading(*this, options_.reading);
    add_output(*this, options_.output, io::picture_output,
               "output file of the SVG (default: standard output)");
    add_block(*this, options_.block_size, {1, max_drawn_threads}, "threads per block, 1 to 64 (default: 8)");
    add(
        "--warp N", [this](const std::string& text) { options_.warp_size = parse_warp(text); },
        "threads per warp, a power of two from 1 to 64 (default: 4; for versions of evenly ladder 32)");
    add(
        "--rows FIRST:END", [this](const std::string& text) { options_.rows = parse_row_range(text); },
        "draw only rows FIRST to END - 1, counted from 0 (default: all rows)");
    add_schedules(*this, schedules_,
                  "schedules to compare in the picture lanes (default: " + lanes_schedules() + ")");
    add_example("evenly draw merge_path -o merge_path.svg", "show how a schedule divides an example");
    add_example("evenly draw thread_mapped matrix.mtx --block 16 --warp 8 -o rows.svg",
                "show how it divides your matrix");
    add_example("evenly draw spy matrix.mtx -o spy.svg", "show the structure of a matrix");
    add_example("evenly draw lanes matrix.mtx -o lanes.svg",
                "show the active lanes of each warp under two schedules");
    add_example("evenly draw search grid:x=4,y=3 -o search.svg",
                "show a breadth-first search, level by level");
    add_example("evenly draw work_efficient 16 -o scan.svg",
                "show the steps of a prefix sum, with sectors and bank conflicts");
    add_to_footer(
        "Pictures:\n"
        "  spy                         the positions of the entries of a matrix\n"
        "  histogram                   the number of rows of each size\n"
        "  lanes                       the active lanes of each warp, by schedule\n"
        "  search                      the levels of a breadth-first search\n"
        "  padding, layouts, sharing   an example under the layouts of references\n\n"
        "Versions of evenly ladder are drawn step by step, on 2 to 128 elements: " +
        joined(tree_pictures()) +
        ".\n\n"
        "If an input is too large, the picture shows a sample and says so. Parameters for large work (items "
        "per thread, thresholds) are reduced to fit the picture; the title gives their values.\n\n" +
        help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    if (has(matrix_pictures(), picture_)) {
      draw_matrix();
      return true;
    }
    if (is_given("--schedule"))
      throw usage_error("--schedule has an effect in draw lanes only: draw " + host::in_quotes(picture_) +
                        " names its schedule");
    if (picture_ == "search")
      draw_search();
    else if (has(layout_pictures(), picture_))
      draw_layouts();
    else if (has(tree_pictures(), picture_))
      draw_tree();
    else
      draw_schedule();
    return true;
  }

 private:
  static int parse_warp(const std::string& text) {
    const int size = parse_count("--warp", text, {1, 64});
    if (!std::has_single_bit(static_cast<unsigned>(size)))
      throw usage_error("--warp " + std::to_string(size) + ": must be a power of two from 1 to 64");
    return size;
  }

  void check_input_and_output() const {
    if (!options_.input.empty()) require_files(*this, {options_.input});
    refuse_outputs_over(*this, {options_.input});
  }

  void write(const std::string& drawn) const { io::write_output(options_.output, drawn); }

  /// A picture of layouts has no other options.
  void draw_layouts() const {
    if (!options_.input.empty() || is_given("--block") || is_given("--warp") || is_given("--rows"))
      throw usage_error(host::in_quotes(picture_) +
                        " draws a fixed example: it takes no input, --block, --warp or --rows");
    io::check_output(options_.output);
    write(layout_picture(picture_));
  }

  /// The kernels of a version of the ladder on a few elements.
  void draw_tree() const {
    constexpr int usual_elements = 16, usual_warp = 32;
    if (is_given("--rows")) throw usage_error("--rows has no effect in draw " + picture_);
    if (!std::has_single_bit(static_cast<unsigned>(options_.block_size)))
      throw usage_error("--block " + std::to_string(options_.block_size) + ": draw " + picture_ +
                        " needs a power of two");
    const int elements = options_.input.empty()
                             ? usual_elements
                             : parse_count("input", options_.input, {2, max_drawn_elements});
    io::check_output(options_.output);
    write(tree_picture(picture_, elements, options_.block_size,
                       is_given("--warp") ? options_.warp_size : usual_warp));
  }

  void draw_search() const {
    if (is_given("--block") || is_given("--warp"))
      throw usage_error("draw search takes no --block or --warp");
    if (is_given("--rows")) throw usage_error("--rows has no effect in draw search");
    check_input_and_output();
    io::check_output(options_.output);
    write(search_picture(options_.input, options_.reading));
  }

  void draw_matrix() const {
    if (options_.input.empty()) throw usage_error("draw " + picture_ + " needs an input");
    if (is_given("--block") || is_given("--warp"))
      throw usage_error("draw " + picture_ + " takes no --block or --warp");
    if (is_given("--schedule") && picture_ != "lanes")
      throw usage_error("--schedule has no effect in draw " + picture_);
    matrix_picture_options options{.input = options_.input, .reading = options_.reading};
    options.schedules = is_given("--schedule") ? schedules_ : parse_schedules(lanes_schedules());
    if (options.schedules.empty())
      throw usage_error("--schedule all: draw lanes needs the names of schedules");
    if (options_.rows) options.rows = options_.rows;
    check_input_and_output();
    io::check_output(options_.output);
    write(matrix_picture(picture_, options));
  }

  void draw_schedule() {
    require_schedule(picture_);
    options_.schedule = parse_schedule(picture_);
    if (options_.schedule.is_set("block_size"))
      throw usage_error(host::in_quotes(options_.schedule.text()) +
                        ": pictures take the block size from --block");
    if (options_.rows && options_.input.empty()) throw usage_error("--rows needs an input");
    check_input_and_output();
    draw(options_);
  }

  draw_options options_;
  std::string picture_;
  std::vector<any_schedule> schedules_;
};
const registered<draw_command> drawing;

} // namespace

} // namespace evenly::draw
