// SPDX-License-Identifier: Apache-2.0
// evenly betweenness.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "evenly/graph/betweenness.hpp"
#include "graphs/analysis.hpp"
#include "graphs/analysis_laws.hpp"
#include "host/errors.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using measure::usage_error;

namespace {

/// Sources of betweenness: all vertices, random vertices with edges, or vertices by their labels in the input.
struct betweenness_sources {
  int random = 0; ///< 0: none
  std::vector<std::string> labels;

  bool are_all() const { return random == 0 && labels.empty(); }
};

/// N: so many random sources; otherwise labels of vertices, separated by commas.
betweenness_sources parse_sources(const std::string& text) {
  betweenness_sources chosen;
  constexpr std::string_view vertices = "vertices:";
  if (!text.starts_with(vertices)) {
    chosen.random = cli::parse_count("--sources", text, {1, 1'000'000'000});
    return chosen;
  }
  for (std::size_t begin = vertices.size(); begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    chosen.labels.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return chosen;
}

class betweenness_analysis final : public values_analysis<double> {
 public:
  betweenness_analysis(betweenness_sources chosen, bool normalized)
      : chosen_(std::move(chosen)),
        scale_(normalized ? betweenness_scale::normalized : betweenness_scale::sums) {}

  std::string title() const override { return "betweenness"; }
  void load(loaded_graph& of) override {
    const int vertices = of.graph.edges.rows;
    if (chosen_.random > 0) {
      of.sources = random_sources(of.graph.edges, chosen_.random);
    } else if (chosen_.are_all()) {
      of.sources.resize(static_cast<std::size_t>(vertices));
      std::iota(of.sources.begin(), of.sources.end(), 0);
    }
    for (const std::string& label : chosen_.labels) {
      const auto vertex = of.graph.labels.find(label, vertices);
      if (!vertex)
        throw usage_error(fmt::format("--sources: {} is not a vertex of the graph", host::in_quotes(label)));
      of.sources.push_back(*vertex);
    }
    sources_ = of.sources;
    vertices_ = vertices;
  }
  std::int64_t visited_edges(const loaded_graph& of) const override {
    return of.counted_edges() * std::ssize(sources_);
  }
  std::size_t bytes() const override { return static_cast<std::size_t>(bytes_); }
  std::vector<named_number> numbers() const override {
    return {{"sources", std::int64_t{std::ssize(sources_)}},
            {"max_score", values_.empty() ? 0.0 : std::ranges::max(values_)}};
  }

 private:
  values_pointer<double> make(analysis_place& place) override {
    const int searches =
        concurrent_searches(std::max(place.time().threads(), 1), vertices_, std::ssize(sources_));
    bytes_ = betweenness_bytes(vertices_, searches);
    require_memory(place.time(), "betweenness", bytes_);
    return place.betweenness(sources_, scale_);
  }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    const auto n = static_cast<double>(vertices_);
    const double factor = scale_ == betweenness_scale::normalized && vertices_ > 2 && !sources_.empty()
                              ? n / (static_cast<double>(sources_.size()) * (n - 1) * (n - 2))
                              : 1;
    return wrong_with_betweenness(view(of).out, sources_, values_, factor, label);
  }

  betweenness_sources chosen_;
  betweenness_scale scale_;
  int vertices_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<int> sources_;
};

class betweenness_command : public analysis_command {
 public:
  betweenness_command()
      : analysis_command("betweenness", "scores",
                         "M edges/s counts all edges once per source; in a symmetric graph, an edge and its "
                         "reverse count as one.") {
    add(
        "--sources N|vertices:ID,...", [this](const std::string& text) { sources_ = parse_sources(text); },
        "sources of the paths: N random vertices with edges, or vertices by their ids in the input (default: "
        "all "
        "vertices, which is exact)");
    add("--normalized", normalized_,
        "write the mean over all pairs of other vertices, which sampled sources estimate");
    add_example("evenly betweenness rmat:scale=10,edges=8 --undirected --sources 4 --repeat 3",
                "time four sources of a generated graph");
    add_example("evenly betweenness edges.el --undirected --normalized --on cpu -o scores.txt",
                "write the betweenness of each vertex of your graph");
  }

 private:
  std::unique_ptr<analysis> make() override {
    return std::make_unique<betweenness_analysis>(sources_, normalized_);
  }

  betweenness_sources sources_;
  bool normalized_ = false;
};
const cli::registered<betweenness_command> betweenness_registered;

} // namespace
} // namespace evenly::graphs
