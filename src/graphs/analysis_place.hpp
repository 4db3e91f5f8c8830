// SPDX-License-Identifier: Apache-2.0
// A graph in the memory of an executor, and algorithms that find one value per vertex. The interface separates the
// commands, which know no executor, from executors, which have their own translation units (analysis_on.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank.hpp"
#include "graphs/place.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

/// PageRank (graph/pagerank.hpp).
class device_ranks {
 public:
  virtual ~device_ranks() = default;
  virtual pagerank_totals run() = 0;
  /// The result of the last run, on the host.
  virtual std::vector<double> result() = 0;
  /// Memory in addition to graph and result.
  virtual std::size_t bytes() const = 0;
};

/// Core numbers (graph/core_numbers.hpp).
class device_cores {
 public:
  virtual ~device_cores() = default;
  /// Returns the number of rounds.
  virtual std::int64_t run() = 0;
  virtual std::vector<int> result() = 0;
  virtual std::size_t bytes() const = 0;
};

/// Triangles (graph/triangles.hpp).
class device_triangles {
 public:
  virtual ~device_triangles() = default;
  virtual void run() = 0;
  virtual std::vector<std::int64_t> result() = 0;
};

/// Betweenness (graph/betweenness.hpp).
class device_betweenness {
 public:
  virtual ~device_betweenness() = default;
  virtual void run() = 0;
  virtual std::vector<double> result() = 0;
};

class analysis_place {
 public:
  virtual ~analysis_place() = default;
  virtual timer& time() = 0;
  virtual std::unique_ptr<device_ranks> ranks(const pagerank_options& options) = 0;
  virtual std::unique_ptr<device_cores> cores() = 0;
  virtual std::unique_ptr<device_triangles> triangles() = 0;
  virtual std::unique_ptr<device_betweenness> betweenness(const std::vector<int>& sources,
                                                          betweenness_scale scale) = 0;
};

/// Copies the graph, which is on the host. Memory and errors are those of place_graph.
std::unique_ptr<analysis_place> place_for_analysis(executor_kind kind, const graph_view<double>& graph,
                                                   const place_options& options);

/// The same for a known executor. Instantiated in separate translation units.
template <class Executor>
std::unique_ptr<analysis_place> analysis_on(const graph_view<double>& graph, const place_options& options);

} // namespace evenly::graphs
