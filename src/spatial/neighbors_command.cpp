// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "io/output_format.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "spatial/neighbor_lists.hpp"

namespace evenly::spatial {

using cli::add_executor, cli::add_frame, cli::add_json, cli::add_output, cli::add_report,
    cli::add_run_options, cli::command, cli::help_on_results, cli::names, cli::parse_positive,
    cli::point_formats_of_files, cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered;
using measure::joined;

namespace {

class neighbors_command : public command {
 public:
  neighbors_command() : command("neighbors") {
    add("input FILE|GENERATOR", settings_.input, "points: a generator, a file, or - for standard input")
        .required();
    add(
        "--cutoff R",
        [this](const std::string& text) { settings_.cutoff = parse_positive("--cutoff", text); },
        "list pairs whose distance is below R, in the units of the points")
        .required();
    add("--box A,B,C", settings_.box,
        "the periodic box: three lengths, or nine numbers, the edges one after another; none for open "
        "directions (default: that of the input)");
    add("--half", settings_.options.half,
        "list each pair once, in the row of the point with the lesser number");
    add(
        "--nearest K",
        [this](const std::string& text) {
          settings_.options.nearest =
              static_cast<int>(cli::parse_count("--nearest", text, {1, 2'000'000'000}));
        },
        "list at most K pairs per point, nearest first");
    add_executor(*this, settings_.executor);
    add("--format FORMAT", settings_.reading.format, point_formats_of_files(), "a format",
        "read the file in this format (default: detected by content and ending): " +
            joined(names(point_formats_of_files())));
    add_frame(*this, settings_.reading);
    add_json(*this, settings_.json);
    add_report(*this, settings_.report);
    add_output(*this, settings_.output, io::table_output,
               "write one line per pair: point, neighbor, and how many edges of the box lie between, three "
               "numbers; - for standard output");
    add_run_options(*this, settings_.repeat, settings_.bench);
    add_example("evenly neighbors uniform:n=2e4 --cutoff 5 --on cpu --repeat 3",
                "check and time the neighbor list of a liquid");
    add_example("evenly neighbors uniform:n=500 --cutoff 5 --half --on cpu -o pairs.txt",
                "write each pair once");
    add_to_footer(help_on_results() + help_on_neighbor_points());
  }

  bool run() override {
    refuse_outputs_over(*this, {settings_.input});
    refuse_without_effect(*this, "neighbors", settings_.executor);
    if (settings_.options.half && settings_.options.nearest)
      throw measure::usage_error(
          "--half and --nearest: rows must be complete to choose from; leave out --half");
    return time_neighbors(settings_);
  }

 private:
  neighbors_settings settings_;
};
const registered<neighbors_command> neighbors_registered;

} // namespace
} // namespace evenly::spatial
