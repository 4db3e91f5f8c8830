// SPDX-License-Identifier: Apache-2.0
// evenly triangles and evenly betweenness.
#include <algorithm>
#include <string>
#include <string_view>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "graphs/scores.hpp"
#include "io/output_format.hpp"

namespace evenly::graphs {

using cli::add_executor, cli::add_input, cli::add_json, cli::add_output, cli::add_reading, cli::add_report,
    cli::add_run_options, cli::command, cli::help_on_generators, cli::help_on_results, cli::parse_count,
    cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered, cli::require_files;

namespace {

/// N: so many random sources; otherwise labels of vertices, separated by commas.
score_sources parse_sources(const std::string& text) {
  score_sources chosen;
  constexpr std::string_view vertices = "vertices:";
  if (!text.starts_with(vertices)) {
    chosen.random = parse_count("--sources", text, {1, 1'000'000'000});
    return chosen;
  }
  for (std::size_t begin = vertices.size(); begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    chosen.labels.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return chosen;
}

class score_command : public command {
 public:
  /// `values`: the numbers per vertex.
  score_command(const char* name, score_kind kind, const std::string& values) : command(name) {
    options_.kind = kind;
    add_input(*this, "input FILE|GENERATOR", options_.input,
              "an edge list (.el .edgelist .edges .txt .csv .tsv .wel .adjlist .gr .graph, KONECT) or a "
              "matrix with one row per source vertex (.mtx .npz .npy .hb .rb): a file, plain, compressed or "
              "in an archive, - for standard input, or a generator")
        .required();
    add_executor(*this, options_.executor);
    add_reading(*this, options_.reading);
    add("--undirected", options_.simple,
        "make the simple undirected graph: add the reverse of every edge, and drop parallel edges and "
        "self-loops");
    add_output(*this, options_.output, io::vector_output,
               "output file of the " + values + ": .npy, .mtx, or text, one per line");
    add("--map FILE", options_.map,
        "output file of the ids or names of the vertices, one per line, in the order of the results")
        .writes(io::text_output);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(*this, options_.repeat, options_.bench);
    add_to_footer(help_on_results() +
                  "M edges/s counts all edges; in a symmetric graph, an edge and its reverse "
                  "count as one.\n\n" +
                  help_on_generators());
  }

  bool run() override {
    require_files(*this, {options_.input}, {"--columns", "--renumber"});
    refuse_outputs_over(*this, {options_.input});
    refuse_without_effect(*this, options_.kind == score_kind::triangles ? "triangles" : "betweenness",
                          options_.executor);
    return time_scores(options_);
  }

 protected:
  score_options options_;
};

class triangles_command : public score_command {
 public:
  triangles_command() : score_command("triangles", score_kind::triangles, "triangles of each vertex") {
    add_example("evenly triangles rmat:scale=10,edges=8 --undirected --on cpu --repeat 3",
                "count the triangles of a generated graph");
    add_example("evenly triangles edges.el --undirected --on cpu -o triangles.txt",
                "write the triangles of each vertex of your graph");
  }
};
const registered<triangles_command> triangles_registered;

class betweenness_command : public score_command {
 public:
  betweenness_command() : score_command("betweenness", score_kind::betweenness, "scores") {
    add(
        "--sources N|vertices:ID,...",
        [this](const std::string& text) { options_.sources = parse_sources(text); },
        "sources of the paths: N random vertices with edges, or vertices by their ids in the input (default: "
        "all "
        "vertices, which is exact)");
    add("--normalized", options_.normalized,
        "divide the scores by the number of pairs of other vertices, for sampled sources of as many pairs");
    add_example("evenly betweenness rmat:scale=10,edges=8 --undirected --sources 4 --on cpu --repeat 3",
                "time four sources of a generated graph");
    add_example("evenly betweenness edges.el --undirected --normalized --on cpu -o scores.txt",
                "write the betweenness of each vertex of your graph");
  }
};
const registered<betweenness_command> betweenness_registered;

} // namespace
} // namespace evenly::graphs
