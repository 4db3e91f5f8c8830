// SPDX-License-Identifier: Apache-2.0
// The common part of bfs and sssp before a search: the graph, the sources and the timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evenly/graph/graph_view.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/place.hpp"
#include "graphs/search.hpp"
#include "host/errors.hpp"
#include "io/graph_input.hpp"
#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/measure.hpp"

namespace evenly::graphs {

using measure::bench, measure::problem, measure::repetition;

/// The graph of a search and its properties.
struct search_problem {
  io::graph_input graph;
  edge_weights weights;
  std::string weights_from;
  bool symmetric = false;
  std::vector<int> sources; ///< vertex numbers from 0

  /// The label of a vertex in the input, escaped for printing.
  std::string label(int v) const { return host::printable(graph.labels.of(v)); }
  std::int64_t degree(int v) const {
    return graph.edges.offsets[static_cast<std::size_t>(v) + 1] -
           graph.edges.offsets[static_cast<std::size_t>(v)];
  }
  /// Edges; an edge and its reverse count once in a symmetric graph.
  std::int64_t counted_edges() const { return graph.edges.atoms() / (symmetric ? 2 : 1); }
  template <class Weight> graph_view<Weight> view(const Weight* weight) const {
    const auto& edges = graph.edges;
    graph_view<Weight> made{
        {edges.rows, edges.atoms(), edges.offsets.data(), edges.columns.data()}, {}, weight};
    if (symmetric) {
      made.in = made.out;
      made.in_weights = weight;
    }
    return made;
  }
};

/// Throws usage_error for sources that do not exist.
search_problem load_problem(const search_options& options, io::graph_source& source);

/// The sources by their labels in the input: numbers or names.
json::value named_sources(const search_problem& problem);

/// Options for placing the problem's graph. `reserve`: bytes of results on the host.
place_options placing_of(const search_problem& problem, const bench_options& bench, std::int64_t reserve);

const char* name_of(search_kind kind);

repetition repetition_of(const search_options& options, executor_kind kind);

/// The head of a result file.
json::value head_of(executor_kind kind, const search_options& options);

/// Throws file_error if an output file cannot be written.
void check_outputs(const search_options& options);

/// The title of the table: the search, the executor and the sources.
std::string title_of(const search_problem& problem, const search_options& options, executor_kind kind,
                     const std::string& place);

/// Refers to the timer of a place, which outlives the bench.
class lent_timer final : public timer {
 public:
  explicit lent_timer(timer& whose) : whose_(whose) {}
  std::string place() const override { return whose_.place(); }
  int threads() const override { return whose_.threads(); }
  double time_once(const std::function<void()>& run) override { return whose_.time_once(run); }
  std::function<void()> copy(std::int64_t bytes) override { return whose_.copy(bytes); }
  std::function<void()> fill(std::int64_t bytes) override { return whose_.fill(bytes); }

 private:
  timer& whose_;
};

} // namespace evenly::graphs
