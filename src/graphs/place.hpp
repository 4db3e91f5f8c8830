// SPDX-License-Identifier: Apache-2.0
// A graph where it is searched, and searches of it under schedules that are chosen at run time.
//
// This is the seam between the command, which knows no executor, and executors, which have translation units of their
// own.
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
#include "evenly/runtime/any_schedule.hpp"
#include "graphs/budgeted_memory.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

using measure::bench_options, measure::executor_kind, measure::timer;

/// Levels, distances of whole weights, or of real ones; and parents.
struct found_paths {
  std::variant<std::vector<int>, std::vector<std::int64_t>, std::vector<double>> values;
  std::vector<int> parents;
};

/// How is searched without a schedule.
struct path_way {
  std::string name = "resident";
  path_settings settings; ///< of a search of shortest paths by buckets
  bool on_tasks = false;
};

/// A search of one form.
class device_search {
 public:
  /// `way`: how the frontier was visited, where that changes; else empty.
  using listener = std::function<void(const frontier_report&, const char* way)>;

  virtual ~device_search() = default;
  /// tell: may be empty; called for each frontier, during the search or after it.
  virtual void run(int source, const listener& tell) = 0;
  /// Of the last run, on the host.
  virtual found_paths result() = 0;
  /// Memory beside graph and result, as of the last run; 0: not known, as on tasks, which give theirs back.
  virtual std::size_t bytes() const { return 0; }
};

/// Searches from many vertices at once (graph/bfs_together.hpp).
class device_together {
 public:
  virtual ~device_together() = default;
  /// 1 to 64 sources. tell: as of device_search; the frontier is all searches'.
  virtual void run(const std::vector<int>& sources, const device_search::listener& tell) = 0;
  /// Of the last run, on the host: result[v * sources.size() + s].
  virtual std::vector<int> result() = 0;
  /// Memory beside graph and result.
  virtual std::size_t bytes() const = 0;
};

class search_place {
 public:
  virtual ~search_place() = default;
  virtual timer& time() = 0;
  /// From frontier to frontier. Throws invalid_argument unless it is one of search_schedules().
  virtual std::unique_ptr<device_search> under(const any_schedule& schedule) = 0;
  /// In one launch that stays, or on tasks.
  virtual std::unique_ptr<device_search> resident(const path_way& way = {}) = 0;
  /// Of breadth-first searches. Throws invalid_argument for another graph_problem.
  virtual std::unique_ptr<device_together> together() = 0;
};

/// The graph of a search: of bfs, which has no weights, or of sssp, with whole or with real ones.
using graph_problem = std::variant<graph_view<std::monostate>, graph_view<int>, graph_view<double>>;

/// How a graph is placed.
struct place_options {
  bench_options bench = {};
  memory_purpose memory = {.name = "the search"};
};

/// Copies the graph, which is on the host. The copy and its searches compare what they allocate on the host with the
/// memory that is available, and throw host::memory_error in the words of `options.memory` if it is too little. Throws
/// device_error if there is no such executor.
std::unique_ptr<search_place> place_graph(executor_kind kind, const graph_problem& graph,
                                          const place_options& options);

/// The same on a known executor. Instantiated in units of their own (place_on.hpp).
template <class Executor, class Weight>
std::unique_ptr<search_place> place_on(const graph_view<Weight>& graph, const place_options& options);

} // namespace evenly::graphs
