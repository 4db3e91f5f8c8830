// SPDX-License-Identifier: Apache-2.0
#include "graphs/scores.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/triangles.hpp"
#include "graphs/analysis_driver.hpp"
#include "graphs/score_laws.hpp"
#include "graphs/vertex_lines.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/edge_list.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using measure::usage_error;

namespace {

/// Throws host::memory_error if a CPU has less than `bytes`.
void require_memory(const timer& place, const std::string& what, std::int64_t bytes) {
  if (place.threads() == 0) return;
  if (const auto shortage = host::memory_shortage(bytes)) throw host::memory_error(what + ": " + *shortage);
}

class triangles_analysis final : public analysis {
 public:
  const char* name() const override { return "triangles"; }
  const char* title() const override { return "triangles"; }
  /// Throws usage_error unless the graph is undirected and has no parallel edges.
  void load(search_problem& problem) override {
    const auto& edges = problem.graph.edges;
    std::vector<int> last_from(static_cast<std::size_t>(edges.rows), -1);
    for (int from = 0; from < edges.rows; ++from)
      for (int e = edges.offsets[from]; e < edges.offsets[from + 1]; ++e)
        if (std::exchange(last_from[edges.columns[e]], from) == from)
          throw usage_error(
              fmt::format("vertices {} and {} have parallel edges: add --undirected, which drops them",
                          problem.label(from), problem.label(edges.columns[e])));
    if (!io::is_symmetric(edges))
      throw usage_error(
          "triangles belong to an undirected graph, but an edge has no reverse edge: add --undirected");
    bytes_ = triangle_bytes(edges.rows, edges.atoms());
  }
  graph_view<double> view(const search_problem& problem) const override {
    return problem.view<double>(nullptr);
  }
  void prepare() override {
    require_memory(time(), "triangles", bytes_);
    triangles_ = place_->triangles();
  }
  void run() override { triangles_->run(); }
  complaint wrong(const search_problem& problem) override {
    constexpr std::int64_t max_steps = 2'000'000'000;
    counts_ = triangles_->result();
    return wrong_with_triangles(view(problem).out, counts_, max_steps,
                                [&](int v) { return problem.label(v); });
  }
  std::int64_t visited_edges(const search_problem& problem) const override { return problem.counted_edges(); }
  std::size_t bytes() const override { return static_cast<std::size_t>(bytes_); }
  std::vector<named_number> numbers() const override {
    const std::int64_t max = counts_.empty() ? 0 : std::ranges::max(counts_);
    return {{"triangles", std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}) / 3},
            {"max_at_vertex", max}};
  }
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_vertex_values(path, labels, counts_);
  }

 private:
  std::int64_t bytes_ = 0;
  std::unique_ptr<device_triangles> triangles_;
  std::vector<std::int64_t> counts_;
};

class betweenness_analysis final : public analysis {
 public:
  betweenness_analysis(betweenness_sources chosen, bool normalized)
      : chosen_(std::move(chosen)),
        scale_(normalized ? betweenness_scale::normalized : betweenness_scale::sums) {}

  const char* name() const override { return "betweenness"; }
  const char* title() const override { return "betweenness"; }
  void load(search_problem& problem) override {
    const int vertices = problem.graph.edges.rows;
    if (chosen_.random > 0) {
      problem.sources = random_sources(problem.graph.edges, chosen_.random);
    } else if (chosen_.are_all()) {
      problem.sources.resize(static_cast<std::size_t>(vertices));
      std::iota(problem.sources.begin(), problem.sources.end(), 0);
    }
    for (const std::string& label : chosen_.labels) {
      const auto vertex = problem.graph.labels.find(label, vertices);
      if (!vertex)
        throw usage_error(fmt::format("--sources: {} is not a vertex of the graph", host::in_quotes(label)));
      problem.sources.push_back(*vertex);
    }
    sources_ = problem.sources;
    vertices_ = vertices;
  }
  graph_view<double> view(const search_problem& problem) const override {
    return problem.view<double>(nullptr);
  }
  void prepare() override {
    const int searches = concurrent_searches(std::max(time().threads(), 1), vertices_, std::ssize(sources_));
    bytes_ = betweenness_bytes(vertices_, searches);
    require_memory(time(), "betweenness", bytes_);
    betweenness_ = place_->betweenness(sources_, scale_);
  }
  void run() override { betweenness_->run(); }
  complaint wrong(const search_problem& problem) override {
    scores_ = betweenness_->result();
    const auto n = static_cast<double>(vertices_);
    const double factor = scale_ == betweenness_scale::normalized && vertices_ > 2 && !sources_.empty()
                              ? n / (static_cast<double>(sources_.size()) * (n - 1) * (n - 2))
                              : 1;
    return wrong_with_betweenness(view(problem).out, sources_, scores_, factor,
                                  [&](int v) { return problem.label(v); });
  }
  std::int64_t visited_edges(const search_problem& problem) const override {
    return problem.counted_edges() * std::ssize(sources_);
  }
  std::size_t bytes() const override { return static_cast<std::size_t>(bytes_); }
  std::vector<named_number> numbers() const override {
    return {{"sources", std::int64_t{std::ssize(sources_)}},
            {"max_score", scores_.empty() ? 0.0 : std::ranges::max(scores_)}};
  }
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_vertex_values(path, labels, scores_);
  }

 private:
  betweenness_sources chosen_;
  betweenness_scale scale_;
  int vertices_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<int> sources_;
  std::unique_ptr<device_betweenness> betweenness_;
  std::vector<double> scores_;
};

} // namespace

bool time_triangles(const analysis_options& options) {
  triangles_analysis what;
  return time_analysis(options, what);
}

bool time_betweenness(const analysis_options& options, const betweenness_sources& sources, bool normalized) {
  betweenness_analysis what(sources, normalized);
  return time_analysis(options, what);
}

} // namespace evenly::graphs
