// SPDX-License-Identifier: Apache-2.0
// What bfs and sssp have in common before anything is searched: the graph, the sources, and how it is timed.
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

/// A graph that is searched, and what is known of it.
struct search_problem {
  io::graph_input graph;
  edge_weights weights;
  std::string weights_from;
  bool symmetric = false;
  std::vector<int> sources; ///< from 0 on

  /// How the input calls a vertex, printable.
  std::string label(int v) const { return host::printable(graph.labels.of(v)); }
  std::int64_t degree(int v) const {
    return graph.edges.offsets[static_cast<std::size_t>(v) + 1] -
           graph.edges.offsets[static_cast<std::size_t>(v)];
  }
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

/// Throws usage_error for sources that cannot be.
search_problem load_problem(const search_options& options, io::graph_source& source);

/// A list of sources as the input calls them: numbers, or names.
json::value named_sources(const search_problem& problem);

/// How the problem's graph is placed. `reserve`: bytes that results take on the host, beside the search.
place_options placing_of(const search_problem& problem, const bench_options& bench, std::int64_t reserve);

const char* name_of(search_kind kind);

repetition repetition_of(const search_options& options, executor_kind kind);

/// The first lines of a result file.
json::value head_of(executor_kind kind, const search_options& options);

/// Throws file_error for files that cannot be written.
void check_outputs(const search_options& options);

/// A line of the table: what was searched, where, from where.
std::string title_of(const search_problem& problem, const search_options& options, executor_kind kind,
                     const std::string& place);

/// A place's, which outlives the bench.
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
