// SPDX-License-Identifier: Apache-2.0
// evenly triangles.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "evenly/graph/triangles.hpp"
#include "graphs/analysis.hpp"
#include "graphs/analysis_laws.hpp"
#include "io/edge_list.hpp"
#include "measure/usage_error.hpp"

namespace evenly::graphs {

using measure::usage_error;

namespace {

class triangles_analysis final : public values_analysis<std::int64_t> {
 public:
  std::string title() const override { return "triangles"; }
  /// Throws usage_error unless the graph is undirected and has no parallel edges.
  void load(loaded_graph& of) override {
    const auto& edges = of.graph.edges;
    std::vector<int> last_from(static_cast<std::size_t>(edges.rows), -1);
    for (int from = 0; from < edges.rows; ++from)
      for (int e = edges.offsets[from]; e < edges.offsets[from + 1]; ++e)
        if (std::exchange(last_from[edges.columns[e]], from) == from)
          throw usage_error(
              fmt::format("vertices {} and {} have parallel edges: add --undirected, which drops them",
                          of.label(from), of.label(edges.columns[e])));
    if (!io::is_symmetric(edges))
      throw usage_error(
          "triangles belong to an undirected graph, but an edge has no reverse edge: add --undirected");
    bytes_ = triangle_bytes(edges.rows, edges.atoms());
  }
  std::size_t bytes() const override { return static_cast<std::size_t>(bytes_); }
  std::vector<named_number> numbers() const override {
    const std::int64_t max = values_.empty() ? 0 : std::ranges::max(values_);
    return {{"triangles", std::accumulate(values_.begin(), values_.end(), std::int64_t{0}) / 3},
            {"max_at_vertex", max}};
  }

 private:
  values_pointer<std::int64_t> make(analysis_place& place) override {
    require_memory(place.time(), "triangles", bytes_);
    return place.triangles();
  }
  complaint first_wrong(const loaded_graph& of, const namer& label) const override {
    constexpr std::int64_t max_steps = 2'000'000'000;
    return wrong_with_triangles(view(of).out, values_, max_steps, label);
  }

  std::int64_t bytes_ = 0;
};

class triangles_command : public analysis_command {
 public:
  triangles_command()
      : analysis_command("triangles", "triangles of each vertex",
                         "M edges/s counts an edge and its reverse as one.") {
    add_example("evenly triangles rmat:scale=10,edges=8 --undirected --on cpu --repeat 3",
                "count the triangles of a generated graph");
    add_example("evenly triangles edges.el --undirected --on cpu -o triangles.txt",
                "write the triangles of each vertex of your graph");
  }

 private:
  std::unique_ptr<analysis> make() override { return std::make_unique<triangles_analysis>(); }
};
const cli::registered<triangles_command> triangles_registered;

} // namespace
} // namespace evenly::graphs
