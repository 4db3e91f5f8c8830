// SPDX-License-Identifier: Apache-2.0
// evenly gap.
#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "graphs/gap.hpp"
#include "graphs/ranked_place.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using cli::add_executor, cli::add_inputs, cli::add_json, cli::add_names, cli::add_reading, cli::add_report,
    cli::add_threads, cli::command, cli::help_on_generators, cli::parse_positive, cli::refuse_outputs_over,
    cli::refuse_without_effect, cli::registered, cli::require_files;

namespace {

class gap_command : public command {
 public:
  gap_command() : command("gap") {
    add_inputs(*this, options_.inputs,
               "graphs: kron:SCALE and urand:SCALE as the GAP benchmark suite generates them, its files (.sg "
               ".wsg), or any other graph")
        .required();
    add_executor(*this, options_.executor);
    add_names(*this, "--kernels LIST", options_.kernels, gap_kernels(), "a kernel",
              "kernels to run: bfs, sssp, pr (PageRank), cc (connected components), bc (betweenness), tc "
              "(triangles), or all (default: all)");
    add("--trials N", options_.trials, {1, 1'000'000},
        "trials of each kernel (default: 64 of bfs and sssp, 16 of pr, cc and bc, 3 of tc)");
    add(
        "--delta D", [this](const std::string& text) { options_.delta = parse_positive("--delta", text); },
        "sssp: width of a bucket (default: chosen for the graph; GAP's rules have 2 for kron and urand)");
    add_reading(*this, options_.reading);
    add("--undirected", options_.reading.undirected, "add the reverse of every edge");
    add("--in-place", options_.in_place,
        "generate kron and urand on the executor, and check results there (always so above 2^31 - 1 "
        "entries)");
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_threads(*this, options_.bench.threads);
    cli::add_ranks(*this, options_.bench.ranks, "graph", "result");
    add_example("evenly gap kron:10 urand:10 --on cpu --trials 2", "run all kernels on two small graphs");
    add_example("evenly gap kron:14 --kernels bfs,cc --on cpu", "time two kernels by the rules of GAP");
    add_to_footer(
        "Each trial is timed once, and the mean is reported. In each trial bfs and sssp start from "
        "another vertex, and bc from four others; GAP selects the same vertices. pr iterates until the "
        "scores change by at most 1e-4 in total. tc counts the triangles of the undirected graph and "
        "includes its preparation. All "
        "results are checked. bytes: memory in addition to graph and result. result: iterations of pr, "
        "components of cc, triangles of tc. On ranks there is no bc.\n\n" +
        help_on_generators());
  }

  bool run() override {
    require_files(*this, options_.inputs, {"--columns", "--renumber"});
    refuse_outputs_over(*this, options_.inputs);
    if (options_.bench.ranks != 0) {
      if (!options_.executor) options_.executor = measure::executor_kind::cpu;
      if (is_given("--delta")) throw measure::usage_error("--delta has no effect with --ranks");
      if (options_.kernels.empty()) options_.kernels = {"bfs", "sssp", "pr", "cc", "tc"};
    }
    if (options_.in_place) {
      if (options_.bench.ranks != 0) throw measure::usage_error("--in-place has no effect with --ranks");
      for (const std::string& input : options_.inputs)
        if (!shape_in_place(options_, input))
          throw measure::usage_error("--in-place: " + input + " is neither kron nor urand");
    }
    refuse_without_effect(*this, "gap", options_.executor);
    return run_on_ranks(options_.bench, [this] { return time_gap(options_); });
  }

 private:
  gap_options options_;
};
const registered<gap_command> gap_registered;

} // namespace
} // namespace evenly::graphs
