// SPDX-License-Identifier: Apache-2.0
// Searches of graphs level by level, under a schedule.
#include <cstdint>
#include <string>

#include "evenly/execution/simt.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp.hpp"
#include "python/graph_edges.hpp"
#include "python/graph_operations.hpp"
#include "runtime/compiled_schedules.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::python {

namespace {

/// A matrix as edges with offsets of 64 bits and ends of 32 bits, the only types that searches are compiled for. Arrays
/// of other types are copied.
class compiled_edges {
 public:
  explicit compiled_edges(const matrix_arrays& a) : arrays_(with_narrow_columns(a, columns_)) {
    arrays_.offsets = widened(a.offsets, offsets_);
  }
  adjacency<int, std::int64_t> view() const { return edges_of<int, std::int64_t>(arrays_); }

 private:
  buffer<int> columns_;
  buffer<std::int64_t> offsets_;
  matrix_arrays arrays_;
};

/// Calls search(executor, schedule).
template <class Executor, class Search>
void with_schedule(const Executor& exec, const any_schedule& schedule, const Search& search) {
  const bool is_compiled = detail::with_compiled<Executor, detail::among::of_frontiers>(
      schedule, [&](const auto& each) { search(exec, each); });
  require(is_compiled, [&] {
    std::string message = schedule.name() + " is not a schedule of searches; choose one of automatic";
    for (const std::string& each : detail::names_of(detail::frontier_schedules())) message += ", " + each;
    return message;
  });
}
template <class Search> void with_place(const place& where, const Search& search) {
  if (where.is_simulated)
    with_schedule(simt({.threads = threads()}), where.schedule, search);
  else
    with_schedule(executor(), where.schedule, search);
}

} // namespace

void bfs_under(const place& where, const matrix_arrays& graph, int source, const output& levels,
               const output& parents) {
  const compiled_edges edges(graph);
  with_place(where, [&](const auto& exec, const auto& schedule) {
    frontier_loop loop(exec, schedule, edges.view());
    evenly::bfs(exec, loop, source, levels.as<int>(), parents.as<int>());
  });
}

void sssp_under(const place& where, const matrix_arrays& graph, int source, const output& distances,
                const output& parents) {
  const compiled_edges edges(graph);
  with_element<float, double, std::int64_t>("A", graph.values.type, [&]<class Weight>(Weight) {
    graph_view<Weight, int, std::int64_t> view{edges.view()};
    view.weights = graph.values.as<Weight>().data();
    with_place(where, [&](const auto& exec, const auto& schedule) {
      graphs::check_weights(exec, view);
      sssp_loop(exec, schedule, view).run(source, distances.as<Weight>(), parents.as<int>());
    });
  });
}

} // namespace evenly::python
