// SPDX-License-Identifier: Apache-2.0
// evenly triangles and evenly betweenness.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "graphs/analysis_command.hpp"
#include "graphs/scores.hpp"

namespace evenly::graphs {

using cli::help_on_generators, cli::help_on_results, cli::parse_count, cli::registered;

namespace {

/// N: so many random sources; otherwise labels of vertices, separated by commas.
betweenness_sources parse_sources(const std::string& text) {
  betweenness_sources chosen;
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

class triangles_command : public analysis_command {
 public:
  triangles_command() : analysis_command("triangles", "triangles of each vertex") {
    add_example("evenly triangles rmat:scale=10,edges=8 --undirected --on cpu --repeat 3",
                "count the triangles of a generated graph");
    add_example("evenly triangles edges.el --undirected --on cpu -o triangles.txt",
                "write the triangles of each vertex of your graph");
    add_to_footer(help_on_results() + "M edges/s counts an edge and its reverse as one.\n\n" +
                  help_on_generators());
  }

 private:
  bool time(const analysis_options& options) override { return time_triangles(options); }
};
const registered<triangles_command> triangles_registered;

class betweenness_command : public analysis_command {
 public:
  betweenness_command() : analysis_command("betweenness", "scores") {
    add(
        "--sources N|vertices:ID,...", [this](const std::string& text) { sources_ = parse_sources(text); },
        "sources of the paths: N random vertices with edges, or vertices by their ids in the input (default: "
        "all "
        "vertices, which is exact)");
    add("--normalized", normalized_,
        "divide by the number of pairs of other vertices; with sampled sources by their share of it");
    add_example("evenly betweenness rmat:scale=10,edges=8 --undirected --sources 4 --repeat 3",
                "time four sources of a generated graph");
    add_example("evenly betweenness edges.el --undirected --normalized --on cpu -o scores.txt",
                "write the betweenness of each vertex of your graph");
    add_to_footer(
        help_on_results() +
        "M edges/s counts all edges once per source; in a symmetric graph, an edge and its reverse count "
        "as one.\n\n" +
        help_on_generators());
  }

 private:
  bool time(const analysis_options& options) override {
    return time_betweenness(options, sources_, normalized_);
  }

  betweenness_sources sources_;
  bool normalized_ = false;
};
const registered<betweenness_command> betweenness_registered;

} // namespace
} // namespace evenly::graphs
