// SPDX-License-Identifier: Apache-2.0
// A graph in the memory of an executor, and searches of it under schedules chosen at run time.
//
// The interface separates the command, which knows no executor, from executors, which have their own translation units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evenly/graph/detail/path_rules.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "host/budgeted_memory.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

using host::budgeted_memory, host::memory_purpose;
using measure::bench_options, measure::executor_kind, measure::timer;

/// Levels or the order of discovery, integer or real distances; and parents.
struct found_paths {
  std::variant<std::vector<int>, std::vector<std::int64_t>, std::vector<double>> values;
  std::vector<int> parents;
};

/// A search algorithm without a schedule.
struct path_way {
  std::string name = "resident";
  path_settings settings;                   ///< for shortest paths by buckets
  parent_rule parents = parent_rule::least; ///< of breadth-first searches
};

/// A search with one algorithm or schedule.
class device_search {
 public:
  /// `way`: the method of the frontier if it varies; else empty.
  using listener = std::function<void(const frontier_report&, const char* way)>;

  virtual ~device_search() = default;
  /// on_frontier: may be empty; called for each frontier, during or after the search.
  virtual void run(int source, const listener& on_frontier) = 0;
  /// The result of the last run, on the host.
  virtual found_paths result() = 0;
  /// Memory of the last run in addition to graph and result; 0 if unknown, as of dfs, which releases it.
  virtual std::size_t bytes() const { return 0; }
};

/// Searches from many vertices at once (graph/bfs_together.hpp).
class device_together {
 public:
  virtual ~device_together() = default;
  /// `sources`: 1 to 64 vertices. on_frontier: as in device_search, for the common frontier of all searches.
  virtual void run(const std::vector<int>& sources, const device_search::listener& on_frontier) = 0;
  /// The result of the last run, on the host: result[v * sources.size() + s].
  virtual std::vector<int> result() = 0;
  /// Memory in addition to graph and result.
  virtual std::size_t bytes() const = 0;
};

class search_place {
 public:
  virtual ~search_place() = default;
  virtual timer& time() = 0;
  /// Launches kernels for each frontier. Throws invalid_argument unless `schedule` is one of search_schedules().
  virtual std::unique_ptr<device_search> under(const any_schedule& schedule) = 0;
  /// Runs as one persistent kernel.
  virtual std::unique_ptr<device_search> resident(const path_way& way = {}) = 0;
  /// Breadth-first searches that run together. Throws invalid_argument for another graph_problem.
  virtual std::unique_ptr<device_together> together() = 0;
  virtual std::unique_ptr<device_search> depth_first() = 0; ///< likewise
};

/// The graph of a search: for sssp with integer or real weights, otherwise without weights.
using graph_problem = std::variant<graph_view<std::monostate>, graph_view<int>, graph_view<double>>;

/// Options of place_graph.
struct place_options {
  bench_options bench = {};
  memory_purpose memory = {.name = "the search"};
};

/// Copies the graph, which is on the host. The copy and its searches compare their host allocations with the available
/// memory, and throw host::memory_error with the words of `options.memory` if it is too little. Throws device_error if
/// the executor is not available.
std::unique_ptr<search_place> place_graph(executor_kind kind, const graph_problem& graph,
                                          const place_options& options);

/// The same for a known executor. Instantiated in separate translation units (place_on.hpp).
template <class Executor, class Weight>
std::unique_ptr<search_place> place_on(const graph_view<Weight>& graph, const place_options& options);

} // namespace evenly::graphs
