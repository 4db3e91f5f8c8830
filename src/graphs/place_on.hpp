// SPDX-License-Identifier: Apache-2.0
// The implementation of place.hpp for each executor: a copy of the graph, and a search under the chosen schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/bfs_together.hpp"
#include "evenly/graph/dfs.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "graphs/place.hpp"
#include "graphs/placed_graph.hpp"
#include "measure/metered_memory.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::graphs {

using measure::metered_memory;

/// The results per vertex of a search with weights of type Weight. Sums of integer weights have 64 bits, so that none
/// overflows.
template <class Weight>
using value_of_search =
    std::conditional_t<std::is_same_v<Weight, std::monostate>, int,
                       std::conditional_t<std::is_same_v<Weight, int>, std::int64_t, double>>;

template <class Executor, class Schedule, class Weight> class search_on final : public device_search {
  static constexpr bool is_bfs = std::is_same_v<Weight, std::monostate>;
  using value = value_of_search<Weight>;
  using loop_type =
      std::conditional_t<is_bfs, frontier_loop<Executor, Schedule, int, int>,
                         sssp_loop<Executor, Schedule, std::conditional_t<is_bfs, int, Weight>, int, int>>;

 public:
  search_on(const Executor& exec, const Schedule& schedule, const graph_view<Weight>& graph)
      : memory_(exec.resource()), exec_(on_memory(exec, &memory_)), loop_(exec_, schedule, searched(graph)),
        values_(make_buffer<value>(exec, static_cast<std::size_t>(graph.out.vertices))),
        parents_(make_buffer<int>(exec, values_.size())) {}

  void run(int source, const listener& on_frontier) override {
    const auto report = [&](const frontier_report& each) {
      if (on_frontier) on_frontier(each, "");
    };
    if constexpr (is_bfs)
      bfs(exec_, loop_, source, values_.span(), parents_.span(), report);
    else
      loop_.run(source, values_.span(), parents_.span(), report);
  }
  found_paths result() override { return {to_host(exec_, values_), to_host(exec_, parents_)}; }
  std::size_t bytes() const override { return memory_.in_use(); }

 private:
  static const auto& searched(const graph_view<Weight>& graph) {
    if constexpr (is_bfs)
      return graph.out;
    else
      return graph;
  }

  metered_memory memory_; ///< all memory except that of the result
  Executor exec_;
  loop_type loop_;
  buffer<value> values_;
  buffer<int> parents_;
};

/// Breadth-first search as one launch.
template <class Executor> class persistent_search_on final : public device_search {
 public:
  template <class Weight>
  persistent_search_on(const Executor& exec, const graph_view<Weight>& graph, parent_rule parents)
      : exec_(exec), parent_rule_(parents), search_(exec, graph, search_rule{}, true),
        levels_(make_buffer<int>(exec, static_cast<std::size_t>(graph.out.vertices))),
        parents_(make_buffer<int>(exec, levels_.size())) {}

  void run(int source, const listener& on_frontier) override {
    search_.run(source, levels_.span(), parents_.span(), parent_rule_);
    if (!on_frontier) return;
    std::int64_t number = 0;
    for (const search_level& each : search_.levels())
      on_frontier({number++, each.vertices, each.edges}, name_of(each.mode));
  }
  found_paths result() override { return {to_host(exec_, levels_), to_host(exec_, parents_)}; }
  std::size_t bytes() const override { return search_.bytes(); }

 private:
  Executor exec_;
  parent_rule parent_rule_;
  bfs_search<Executor> search_;
  buffer<int> levels_, parents_;
};

/// Breadth-first searches that run together, with the smallest type of levels that fits.
template <class Executor> class together_on final : public device_together {
 public:
  template <class Weight>
  together_on(const Executor& exec, const graph_view<Weight>& graph)
      : exec_(exec), vertices_(static_cast<std::size_t>(graph.out.vertices)), searches_(exec, graph, true) {}

  void run(const std::vector<int>& sources, const device_search::listener& on_frontier) override {
    if (sources != sources_) {
      sources_ = sources;
      is_known_to_fit_ = false;
      levels_ = make_buffer<std::int8_t>(exec_, vertices_ * sources_.size());
    }
    search();
    if (!is_known_to_fit_) {
      while (!searches_.holds_levels()) {
        widen();
        search();
      }
      is_known_to_fit_ = true;
    }
    if (!on_frontier) return;
    std::int64_t number = 0;
    for (const search_level& each : searches_.levels())
      on_frontier({number++, each.vertices, each.edges},
                  each.mode == level_mode::global_queue ? "top-down" : name_of(each.mode));
  }
  std::vector<int> result() override {
    return std::visit(
        [&](const auto& levels) {
          const auto found = to_host(exec_, levels);
          return std::vector<int>(found.begin(), found.end());
        },
        levels_);
  }
  std::size_t bytes() const override { return searches_.bytes(); }

 private:
  void search() {
    std::visit([&](const auto& levels) { searches_.run(std::span<const int>(sources_), levels.span()); },
               levels_);
  }
  void widen() {
    const std::size_t size = vertices_ * sources_.size();
    if (levels_.index() == 0)
      levels_ = make_buffer<std::int16_t>(exec_, size);
    else
      levels_ = make_buffer<std::int32_t>(exec_, size);
  }

  Executor exec_;
  std::size_t vertices_;
  bfs_together<Executor> searches_;
  std::vector<int> sources_;
  bool is_known_to_fit_ = false;
  std::variant<buffer<std::int8_t>, buffer<std::int16_t>, buffer<std::int32_t>> levels_;
};

/// Depth-first search. There are no frontiers to report.
template <class Executor> class depth_first_on final : public device_search {
 public:
  template <class Weight>
  depth_first_on(const Executor& exec, const graph_view<Weight>& graph)
      : exec_(exec), graph_{graph.out},
        order_(make_buffer<int>(exec, static_cast<std::size_t>(graph.out.vertices))),
        parents_(make_buffer<int>(exec, order_.size())) {}

  void run(int source, const listener&) override {
    dfs_on_tasks(exec_, graph_, source, parents_.span(), order_.span());
  }
  found_paths result() override { return {to_host(exec_, order_), to_host(exec_, parents_)}; }

 private:
  Executor exec_;
  graph_view<> graph_;
  buffer<int> order_, parents_;
};

/// Shortest paths by buckets.
template <class Executor, class Weight> class bucket_search_on final : public device_search {
 public:
  bucket_search_on(const Executor& exec, const graph_view<Weight>& graph, const path_settings& settings)
      : exec_(exec), search_(exec, graph, settings),
        distances_(make_buffer<value_of_search<Weight>>(exec, static_cast<std::size_t>(graph.out.vertices))),
        parents_(make_buffer<int>(exec, distances_.size())) {
    check_weights(exec, graph);
  }

  void run(int source, const listener& on_frontier) override {
    if (!on_frontier) {
      search_.run(source, distances_.span(), parents_.span());
      return;
    }
    search_.run(source, distances_.span(), parents_.span(),
                [&](const frontier_report& each) { on_frontier(each, ""); });
  }
  found_paths result() override { return {to_host(exec_, distances_), to_host(exec_, parents_)}; }
  std::size_t bytes() const override { return search_.bytes(); }

 private:
  Executor exec_;
  sssp_buckets<Executor, Weight, int, int> search_;
  buffer<value_of_search<Weight>> distances_;
  buffer<int> parents_;
};

template <class Executor, class Weight> class graph_on final : public search_place {
  static constexpr bool has_weights = !std::is_same_v<Weight, std::monostate>;

 public:
  graph_on(const graph_view<Weight>& graph, const place_options& options) : on_(graph, options) {}

  timer& time() override { return on_.time(); }
  std::unique_ptr<device_search> under(const any_schedule& chosen) override {
    std::unique_ptr<device_search> made;
    const bool is_compiled = evenly::detail::with_compiled<Executor, evenly::detail::among::of_frontiers>(
        chosen, [&]<class Schedule>(const Schedule& schedule) {
          made = std::make_unique<search_on<Executor, Schedule, Weight>>(on_.exec(), schedule, on_.view());
        });
    require(is_compiled, [&] { return chosen.name() + " is not among the schedules of searches"; });
    return made;
  }
  std::unique_ptr<device_search> resident(const path_way& way) override {
    if constexpr (has_weights)
      return std::make_unique<bucket_search_on<Executor, Weight>>(on_.exec(), on_.view(), way.settings);
    else
      return std::make_unique<persistent_search_on<Executor>>(on_.exec(), on_.with_in_edges(), way.parents);
  }
  std::unique_ptr<device_together> together() override {
    if constexpr (has_weights)
      throw invalid_argument("searches that go together have no weights");
    else
      return std::make_unique<together_on<Executor>>(on_.exec(), on_.with_in_edges());
  }
  std::unique_ptr<device_search> depth_first() override {
    if constexpr (has_weights)
      throw invalid_argument("depth-first searches have no weights");
    else
      return std::make_unique<depth_first_on<Executor>>(on_.exec(), on_.view());
  }

 private:
  placed_graph<Executor, Weight> on_;
};

template <class Executor, class Weight>
std::unique_ptr<search_place> place_on(const graph_view<Weight>& graph, const place_options& options) {
  return std::make_unique<graph_on<Executor, Weight>>(graph, options);
}

} // namespace evenly::graphs
