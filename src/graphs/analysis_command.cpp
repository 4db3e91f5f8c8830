// SPDX-License-Identifier: Apache-2.0
// evenly pagerank and evenly kcore.
#include "graphs/analysis_command.hpp"

#include <string>

#include "measure/usage_error.hpp"

namespace evenly::graphs {

using cli::help_on_generators, cli::help_on_results, cli::parse_count, cli::parse_positive, cli::registered;
using measure::usage_error;

namespace {

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
