// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "draw/draw.hpp"
#include "draw/layouts.hpp"
#include "draw/matrix_pictures.hpp"
#include "draw/search_picture.hpp"
#include "host/errors.hpp"
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

bool has(const std::vector<std::string>& pictures, const std::string& name) {
  return std::ranges::count(pictures, name) > 0;
}

/// Those that are not of a schedule.
std::vector<std::string> named_pictures() {
  std::vector<std::string> all = matrix_pictures();
  all.emplace_back("search");
  all.insert(all.end(), layout_pictures().begin(), layout_pictures().end());
  return all;
}

/// Throws usage_error unless `text` starts with the name of a schedule.
void require_schedule(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  std::vector<std::string> known = named_pictures();
  for (const std::string& each : schedule_names()) {
    if (name == each || name == name_in_files(each)) return;
    known.push_back(each);
  }
  if (name == default_schedule().name())
    throw usage_error("automatic chooses a schedule by the sizes of tiles: draw one by its name");
  throw usage_error(host::in_quotes(name) + " is not a picture" + host::did_you_mean(name, known) +
                    "; there are " + joined(named_pictures()) + ", and each schedule: " +
                    joined(schedule_names()) + "; the input follows, as in evenly draw spy matrix.mtx");
}

class draw_command : public command {
 public:
  draw_command() : command("draw") {
    add("schedule SCHEDULE|PICTURE", picture_, "a schedule by name, or " + joined(named_pictures()))
        .required()
        .completes(schedule_completions(named_pictures()));
    add_input(*this, "input FILE|GENERATOR", options_.input,
              "a matrix, or graph: a file, -: standard input, or a generator (default: an example)");
    add_reading(*this, options_.reading);
    add_output(*this, options_.output, io::picture_output, "where the SVG goes (default: standard output)");
    add_block(*this, options_.block_size, {1, max_drawn_threads}, "threads in a block, 1 to 64 (default: 8)");
    add(
        "--warp N", [this](const std::string& text) { options_.warp_size = parse_warp(text); },
        "threads in a warp, a power of two to 64 (default: 4)");
    add(
        "--rows FIRST:END", [this](const std::string& text) { options_.rows = parse_row_range(text); },
        "only the rows from FIRST to END - 1, counted from 0 (default: all)");
    add_schedules(*this, schedules_, "of lanes: the schedules (default: " + lanes_schedules() + ")");
    add_example("evenly draw merge_path -o merge_path.svg", "how a schedule shares an example");
    add_example("evenly draw thread_mapped matrix.mtx --block 16 --warp 8 -o rows.svg",
                "how it shares your matrix");
    add_example("evenly draw spy matrix.mtx -o spy.svg", "where the entries of a matrix are");
    add_example("evenly draw lanes matrix.mtx -o lanes.svg",
                "how many lanes of each warp work, under two schedules");
    add_example("evenly draw search grid:x=4,y=3 -o search.svg", "a breadth-first search, level by level");
    add_to_footer("Pictures:\n"
                  "  spy                         where the entries of a matrix are\n"
                  "  histogram                   how many of its rows have how many entries\n"
                  "  lanes                       how many lanes of each warp work, under schedules\n"
                  "  search                      the levels of a breadth-first search\n"
                  "  padding, layouts, sharing   how layouts of reorganize lay out an example\n\n"
                  "If an input is too large for a picture, a sample is drawn, and the picture says so. "
                  "Parameters for large "
                  "work (items per thread, thresholds) are reduced to the picture's size; the title gives "
                  "their values.\n\n" +
                  help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    if (has(matrix_pictures(), picture_)) {
      draw_matrix();
      return true;
    }
    if (is_given("--schedule"))
      throw usage_error("--schedule is of draw lanes: draw " + host::in_quotes(picture_) +
                        " names its schedule");
    if (picture_ == "search")
      draw_search();
    else if (has(layout_pictures(), picture_))
      draw_layouts();
    else
      draw_schedule();
    return true;
  }

 private:
  static int parse_warp(const std::string& text) {
    const int size = parse_count("--warp", text, {1, 64});
    if (!std::has_single_bit(static_cast<unsigned>(size)))
      throw usage_error("--warp " + std::to_string(size) + ": must be a power of two to 64");
    return size;
  }

  void check_input_and_output() const {
    if (!options_.input.empty()) require_files(*this, {options_.input});
    refuse_outputs_over(*this, {options_.input});
  }

  void write(const std::string& drawn) const { io::write_output(options_.output, drawn); }

  /// A picture of layouts is the same whatever else is given.
  void draw_layouts() const {
    if (!options_.input.empty() || is_given("--block") || is_given("--warp") || is_given("--rows"))
      throw usage_error(host::in_quotes(picture_) +
                        " is a picture of one example: it takes no input, --block, --warp or --rows");
    io::check_output(options_.output);
    write(layout_picture(picture_));
  }

  void draw_search() const {
    if (is_given("--block") || is_given("--warp"))
      throw usage_error("search draws what the search does: there is no --block or --warp to say");
    if (is_given("--rows")) throw usage_error("--rows changes nothing in draw search");
    check_input_and_output();
    io::check_output(options_.output);
    write(search_picture(options_.input, options_.reading));
  }

  void draw_matrix() const {
    if (options_.input.empty()) throw usage_error("draw " + picture_ + " needs an input");
    if (is_given("--block") || is_given("--warp"))
      throw usage_error("draw " + picture_ + " takes no --block or --warp");
    if (is_given("--schedule") && picture_ != "lanes")
      throw usage_error("--schedule changes nothing in draw " + picture_);
    matrix_picture_options options{.input = options_.input, .reading = options_.reading};
    options.schedules = is_given("--schedule") ? schedules_ : parse_schedules(lanes_schedules());
    if (options.schedules.empty()) throw usage_error("--schedule all: draw lanes takes schedules by name");
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
                        ": blocks of pictures are as large as --block says");
    if (options_.rows && options_.input.empty())
      throw usage_error("--rows: there is no input whose rows it could name");
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
