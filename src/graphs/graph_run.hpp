// SPDX-License-Identifier: Apache-2.0
// The common part of all commands on one graph: options, the loaded graph, and the order of work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evenly/graph/graph_view.hpp"
#include "graphs/edge_weights.hpp"
#include "graphs/place.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/graph_input.hpp"
#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/result_file.hpp"

namespace evenly::graphs {

struct graph_options {
  std::string input;
  io::graph_reading reading;
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string output;  ///< path of a file for the values of vertices, `-` for standard output, empty for none
  std::string parents; ///< likewise
  std::string map;     ///< likewise, for the labels of the vertices
  std::string json;    ///< likewise
  std::string report;  ///< likewise, for an HTML page
  int repeat = 0;      ///< 0: until the times settle
  bench_options bench;
};

/// The graph of a command and its properties.
struct loaded_graph {
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

/// `bfs of NAME on cpu (2 threads): 3 vertices, 4 edges`.
std::string title_of(const std::string& what, const loaded_graph& of, executor_kind kind,
                     const std::string& place);

/// `count` vertices with edges, the same on every run. Empty if there are no edges.
std::vector<int> random_sources(const csr_matrix<double>& edges, int count);

/// Options for placing the graph. `name`: the purpose, for errors. `reserve`: bytes of results on the host.
place_options placing_of(const std::string& name, const loaded_graph& of, const bench_options& bench,
                         std::int64_t reserve);

/// The parts of a command that differ.
struct graph_work {
  std::string name; ///< of the search, in JSON
  std::function<loaded_graph(io::graph_source&)> load;
  /// As in report::measured_run.
  std::function<bool(executor_kind, const loaded_graph&, measure::result_file&, std::string& table)> run;
  json::value head = {};                     ///< additional members of the result file
  std::function<json::value()> of_page = {}; ///< additional members of the page
};

/// Loads the graph, runs the work, prints its table and writes the requested files. Returns whether the results are
/// correct. Throws evenly::error.
bool time_on_graph(const graph_options& options, const graph_work& work);

/// A bench with the timer of a place, which outlives it. Candidates check themselves.
measure::bench bench_of(timer& whose);

/// Keeps the errors of memory that measure() turns into results of candidates: they concern the input.
class memory_guard {
 public:
  template <class Work> auto operator()(const Work& work) {
    try {
      return work();
    } catch (const host::memory_error& e) {
      error_ = e.what();
      throw;
    }
  }
  void rethrow() const {
    if (error_) throw host::memory_error(*error_);
  }

 private:
  std::optional<std::string> error_;
};

/// `N bytes of memory in addition to graph and result`.
std::string memory_note(std::size_t bytes);

} // namespace evenly::graphs
