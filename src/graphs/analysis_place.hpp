// SPDX-License-Identifier: Apache-2.0
// A graph in the memory of an executor, and algorithms that find one value per vertex. The interface separates the
// commands, which know no executor, from executors, which have their own translation units (analysis_on.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank.hpp"
#include "graphs/place.hpp"

namespace evenly::graphs {

/// An algorithm whose result is one value per vertex, or several edges.
template <class Value> class device_values {
 public:
  virtual ~device_values() = default;
  /// Returns the rounds of algorithms that have some, and whether they converged.
  virtual pagerank_totals run() = 0;
  /// The result of the last run, on the host.
  virtual std::vector<Value> result() = 0;
  /// Memory that is kept in addition to graph and result.
  virtual std::size_t bytes() const = 0;
};
template <class Value> using values_pointer = std::unique_ptr<device_values<Value>>;

struct structure_options; // structures.hpp

class analysis_place {
 public:
  virtual ~analysis_place() = default;
  virtual timer& time() = 0;
  virtual values_pointer<double> pagerank(const pagerank_options& options) = 0;
  virtual values_pointer<int> core_numbers() = 0;
  virtual values_pointer<std::int64_t> triangles() = 0;
  virtual values_pointer<double> betweenness(const std::vector<int>& sources, betweenness_scale scale) = 0;
  /// The smallest vertex number in each vertex's component.
  virtual values_pointer<int> strong_components() = 0;
  virtual values_pointer<int> connected_components() = 0; ///< likewise
  /// The numbers of the edges of a minimum spanning forest, in ascending order.
  virtual values_pointer<int> spanning_forest() = 0;
  virtual values_pointer<int> structure(const structure_options& options) = 0;
  /// A function that returns the number of triangles, without those of each vertex.
  virtual std::function<std::int64_t()> triangle_count() = 0;
};

/// Copies the graph, which is on the host. Memory and errors are those of place_graph.
std::unique_ptr<analysis_place> place_for_analysis(executor_kind kind, const graph_view<double>& graph,
                                                   const place_options& options);

/// The same for a known executor. Instantiated in separate translation units.
template <class Executor>
std::unique_ptr<analysis_place> analysis_on(const graph_view<double>& graph, const place_options& options);

} // namespace evenly::graphs
