// SPDX-License-Identifier: Apache-2.0
// The implementation of analysis_place.hpp for each executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/connected_components.hpp"
#include "evenly/graph/core_numbers.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/spanning_forest.hpp"
#include "evenly/graph/strong_components.hpp"
#include "evenly/graph/triangles.hpp"
#include "graphs/analysis_place.hpp"
#include "graphs/placed_graph.hpp"
#include "graphs/structures.hpp"
#include "graphs/values_on.hpp"

namespace evenly::graphs {

template <class Executor> class forest_on final : public device_values<int> {
 public:
  forest_on(const Executor& exec, const graph_view<double>& graph)
      : memory_(exec.resource()), exec_(on_memory(exec, &memory_)), graph_(graph) {}

  pagerank_totals run() override {
    found_ = {}; // before there is memory for the next
    found_ = detail::find_forest(exec_, graph_);
    return {.converged = true};
  }
  std::vector<int> result() override {
    const std::span<const int> edges(found_.edges.data(), static_cast<std::size_t>(found_.count));
    return to_host(exec_, edges);
  }
  std::size_t bytes() const override { return memory_.peak(); }

 private:
  metered_memory memory_;
  Executor exec_;
  graph_view<double> graph_;
  detail::forest_edges<int> found_;
};

template <class Executor> class analysis_of final : public analysis_place {
 public:
  analysis_of(const graph_view<double>& graph, const place_options& options) : on_(graph, options) {}

  timer& time() override { return on_.time(); }
  values_pointer<double> pagerank(const pagerank_options& options) override {
    return values<double>([&](const Executor& exec) {
      return [solver = pagerank_solver<Executor>(exec, automatic{.work = work_kind::gathered_sums},
                                                 on_.view(), options)](std::span<double> scores) mutable {
        return solver.run(scores);
      };
    });
  }
  values_pointer<int> core_numbers() override {
    return values<int>([&](const Executor& exec) {
      return [peeling = core_peeling<Executor, schedule_for_sums, int, int>(
                  exec, schedule_for_sums{}, on_.view().out)](std::span<int> numbers) mutable {
        return pagerank_totals{.iterations = peeling.run(numbers), .converged = true};
      };
    });
  }
  values_pointer<std::int64_t> triangles() override {
    return values<std::int64_t>([&](const Executor&) {
      return [exec = on_.exec(), graph = on_.view()](std::span<std::int64_t> counts) {
        find_triangles(exec, graph, counts);
      };
    });
  }
  values_pointer<double> betweenness(const std::vector<int>& sources, betweenness_scale scale) override {
    return values<double>([&, graph = on_.with_in_edges()](const Executor&) {
      return [exec = on_.exec(), graph, sources, scale](std::span<double> scores) {
        find_betweenness(exec, graph, sources, scale, scores);
      };
    });
  }
  values_pointer<int> strong_components() override {
    return values<int>([&](const Executor&) {
      return [exec = on_.exec(), graph = graph_view<>{on_.view().out, on_.view().in}](std::span<int> labels) {
        find_strong_components(exec, graph, labels);
      };
    });
  }
  values_pointer<int> connected_components() override {
    return values<int>([&](const Executor&) {
      return [exec = on_.exec(), graph = graph_view<>{on_.view().out, on_.view().in}](std::span<int> labels) {
        find_connected_components(exec, graph, labels);
      };
    });
  }
  values_pointer<int> spanning_forest() override {
    return std::make_unique<forest_on<Executor>>(on_.exec(), on_.view());
  }
  values_pointer<int> structure(const structure_options& options) override {
    return structure_on(on_.exec(), graph_view<>{on_.view().out, on_.view().in}, options);
  }
  std::function<std::int64_t()> triangle_count() override {
    return [exec = on_.exec(), graph = on_.view()] { return find_triangles(exec, graph, {}); };
  }

 private:
  template <class Value, class Make> values_pointer<Value> values(const Make& make) const {
    return std::make_unique<values_on<Executor, Value, Make>>(on_.exec(), on_.view().out.vertices, make);
  }

  placed_graph<Executor, double> on_;
};

template <class Executor>
std::unique_ptr<analysis_place> analysis_on(const graph_view<double>& graph, const place_options& options) {
  return std::make_unique<analysis_of<Executor>>(graph, options);
}

} // namespace evenly::graphs
