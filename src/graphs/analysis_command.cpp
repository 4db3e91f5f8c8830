// SPDX-License-Identifier: Apache-2.0
// evenly pagerank and evenly kcore.
#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "graphs/analysis.hpp"
#include "graphs/graph_options.hpp"
#include "io/output_format.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using cli::add_executor, cli::add_json, cli::add_output, cli::add_reading, cli::add_report,
    cli::add_run_options, cli::command, cli::help_on_generators, cli::help_on_results, cli::parse_count,
    cli::parse_positive, cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered,
    cli::require_files;
using measure::usage_error;

namespace {

/// The common part of both commands.
class analysis_command : public command {
 public:
  /// `values`: the results per vertex.
  analysis_command(const char* name, const std::string& values) : command(name), name_(name) {
    add_graph_input(*this, options_.input);
    add_executor(*this, options_.executor);
    add_reading(*this, options_.reading);
    add("--undirected", options_.reading.undirected,
        "use the simple graph: each edge in both directions, without parallel edges and self-loops");
    add_output(*this, options_.output, io::vector_output,
               "output file of the " + values + ": .npy, .mtx, or text, one per line");
    add_vertex_map(*this, options_.map);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(*this, options_.repeat, options_.bench);
  }

  bool run() override {
    require_files(*this, {options_.input}, {"--columns", "--renumber"});
    refuse_outputs_over(*this, {options_.input});
    refuse_without_effect(*this, name_, options_.executor);
    return time(options_);
  }

 protected:
  analysis_options options_;

 private:
  virtual bool time(const analysis_options& options) = 0;

  const char* name_;
};

class pagerank_command : public analysis_command {
 public:
  pagerank_command() : analysis_command("pagerank", "scores, which sum to 1") {
    add("--weighted", options_.ranking.weighted, "follow edges in proportion to their weights");
    add(
        "--damping D",
        [this](const std::string& text) {
          options_.ranking.damping = parse_positive("--damping", text);
          if (options_.ranking.damping >= 1) throw usage_error("--damping " + text + ": must be less than 1");
        },
        "the probability of following an edge, less than 1 (default: 0.85)");
    add(
        "--tolerance T",
        [this](const std::string& text) { options_.ranking.tolerance = parse_positive("--tolerance", text); },
        "stop when the scores change by at most this in total (default: 1e-6)");
    add(
        "--max-iterations N",
        [this](const std::string& text) {
          options_.ranking.max_iterations = parse_count("--max-iterations", text, {1, 1'000'000});
        },
        "stop after this many iterations (default: 1000)");
    add("--personalize FILE|VERTEX,...", options_.personalize,
        "jump to these vertices only: ids with commas between, or a file with one vertex per line, "
        "optionally "
        "followed by its weight");
    add_example("evenly pagerank rmat:scale=10,edges=4 --on cpu --repeat 3",
                "time PageRank of a generated graph");
    add_example("evenly pagerank edges.el --on cpu -o scores.txt", "write the scores of your graph");
    add_to_footer(help_on_results() +
                  "M edges/s counts all edges once per iteration. A vertex without outgoing edges passes its "
                  "score on as jumps do.\n\n" +
                  help_on_generators());
  }

 private:
  bool time(const analysis_options& options) override { return time_pagerank(options); }
};
const registered<pagerank_command> pagerank_registered;

class kcore_command : public analysis_command {
 public:
  kcore_command() : analysis_command("kcore", "core numbers") {
    add_example("evenly kcore rmat:scale=10,edges=4 --undirected --on cpu --repeat 3",
                "time the core numbers of a generated graph");
    add_example("evenly kcore edges.el --undirected --on cpu -o numbers.txt",
                "write the core numbers of your graph");
    add_to_footer(help_on_results() + "M edges/s counts an edge and its reverse as one.\n\n" +
                  help_on_generators());
  }

 private:
  bool time(const analysis_options& options) override { return time_core_numbers(options); }
};
const registered<kcore_command> kcore_registered;

} // namespace
} // namespace evenly::graphs
