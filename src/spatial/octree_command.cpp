// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "io/output_format.hpp"
#include "measure/text.hpp"
#include "spatial/octree.hpp"
#include "tasks/tasks.hpp"

namespace evenly::spatial {

using cli::add_executor, cli::add_frame, cli::add_json, cli::add_names, cli::add_run_options, cli::command,
    cli::help_on_results, cli::names, cli::parse_count, cli::point_formats_of_files, cli::refuse_outputs_over,
    cli::refuse_without_effect, cli::registered;
using measure::joined, measure::wrapped;
using tasks::pool_names;

namespace {

class octree_command : public command {
 public:
  octree_command() : command("octree") {
    constexpr int max_particles = 1'000'000'000;
    add("input INPUT", options_.input, "particles: a generator or a file; -: standard input").required();
    add_names(*this, "--pool NAME,...", options_.pools, pool_names(), "a pool",
              "only these, and in bulk (default, and all: all)");
    add_executor(*this, options_.executor);
    add("--format FORMAT", options_.reading.format, point_formats_of_files(), "a format",
        "of the file, whatever its content and ending say: " + joined(names(point_formats_of_files())));
    add_frame(*this, options_.reading);
    add("--most N", options_.max_per_leaf, {1, max_particles},
        "particles of a leaf; an octant of more is split (default: 20)");
    add(
        "--cut N",
        [this](const std::string& text) { options_.cut = parse_count("--cut", text, {0, max_particles}); },
        "cut octants of more particles among workers; 0: none (default: both none and, of large inputs, "
        "as suits)");
    add_json(*this, options_.json);
    add("-o,--output TREE", options_.output,
        "write the leaves: depth, x, y, z among the octants of that depth, particles; -: to standard output")
        .writes(io::table_output);
    add("--draw FILE", options_.picture, "draw the leaves at the middle of z, as SVG")
        .writes(io::picture_output);
    add_run_options(*this, options_.repeat, options_.bench);
    add_example("evenly octree tube:n=2e4 --on cpu --repeat 3", "every pool, and the tree in bulk");
    add_example("evenly octree uniform:n=5e3 --on cpu --pool stealing -o tree.txt --draw a.svg",
                "one pool; the leaves as lines, and a slice of the tree as a picture");
    add_to_footer(help_on_results() + help_on_particles() + "\nPools:\n" +
                  wrapped(joined(pool_names()), "  "));
  }

  bool run() override {
    refuse_outputs_over(*this, {options_.input});
    refuse_without_effect(*this, "octree", options_.executor);
    return time_octrees(options_);
  }

 private:
  octree_settings options_;
};
const registered<octree_command> partitioning;

} // namespace
} // namespace evenly::spatial
