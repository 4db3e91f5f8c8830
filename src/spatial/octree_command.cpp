// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "io/output_format.hpp"
#include "measure/text.hpp"
#include "spatial/octree.hpp"
#include "tasks/pool_options.hpp"
#include "tasks/tasks.hpp"

namespace evenly::spatial {

using cli::add_executor, cli::add_frame, cli::add_json, cli::add_names, cli::add_report, cli::add_run_options,
    cli::command, cli::help_on_results, cli::names, cli::parse_count, cli::point_formats_of_files,
    cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered;
using measure::joined, measure::wrapped;
using tasks::pool_names;

namespace {

class octree_command : public command {
 public:
  octree_command() : command("octree") {
    constexpr int max_particles = 1'000'000'000;
    add("input INPUT", options_.input, "particles: a generator, a file, or - for standard input").required();
    add_names(*this, "--pool NAME,...", options_.pools, pool_names(), "a pool",
              "names of task pools; bulk is always included (default: all)");
    add_executor(*this, options_.executor);
    add("--format FORMAT", options_.reading.format, point_formats_of_files(), "a format",
        "read the file in this format (default: detected by content and ending): " +
            joined(names(point_formats_of_files())));
    add_frame(*this, options_.reading);
    add("--most,--max-per-leaf N", options_.max_per_leaf, {1, max_particles},
        "maximum number of particles per leaf; larger octants are split (default: 20)");
    add(
        "--cut N",
        [this](const std::string& text) { options_.cut = parse_count("--cut", text, {0, max_particles}); },
        "divide octants with more than N particles among several workers; 0 never does (default: time both 0 "
        "and, for large inputs, a suitable N)");
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add("-o,--output TREE", options_.output,
        "write one line per leaf: depth, x, y, z in the grid of that depth, particles; - for standard output")
        .writes(io::table_output);
    add("--draw FILE", options_.picture, "draw the leaves in the middle plane of z, as SVG")
        .writes(io::picture_output);
    constexpr int min_stack = 9; // an octant and its children
    tasks::add_pool_options(*this, options_.blocks, options_.settings, options_.pools, min_stack);
    add_run_options(*this, options_.repeat, options_.bench);
    add_example("evenly octree tube:n=2e4 --on cpu --repeat 3",
                "time every pool, and the construction in bulk");
    add_example("evenly octree uniform:n=5e3 --on cpu --pool stealing -o tree.txt --draw a.svg",
                "time one pool, write the leaves and draw a slice of the tree");
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
