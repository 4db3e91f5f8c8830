// SPDX-License-Identifier: Apache-2.0
// The implementation of analysis_place.hpp for each executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/core_numbers.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/triangles.hpp"
#include "graphs/analysis_place.hpp"
#include "measure/executor_timer.hpp"
#include "measure/metered_memory.hpp"
#include "measure/work_on.hpp"

namespace evenly::graphs {

using measure::make_executor, measure::make_timer, measure::metered_memory, measure::on_memory;

template <class Executor> class ranks_on final : public device_ranks {
 public:
  ranks_on(const Executor& exec, const graph_view<double>& graph, const pagerank_options& options)
      : memory_(exec.resource()), exec_(exec),
        solver_(on_memory(exec, &memory_), automatic{.work = work_kind::gathered_sums}, graph, options),
        scores_(make_buffer<double>(exec, static_cast<std::size_t>(graph.out.vertices))) {}

  pagerank_totals run() override { return solver_.run(scores_.span()); }
  std::vector<double> result() override { return to_host(exec_, scores_); }
  std::size_t bytes() const override { return memory_.in_use(); }

 private:
  metered_memory memory_; ///< all memory except that of the result
  Executor exec_;
  pagerank_solver<Executor> solver_;
  buffer<double> scores_;
};

template <class Executor> class cores_on final : public device_cores {
 public:
  cores_on(const Executor& exec, const graph_view<double>& graph)
      : memory_(exec.resource()), exec_(exec),
        peeling_(on_memory(exec, &memory_), schedule_for_sums{}, graph.out),
        numbers_(make_buffer<int>(exec, static_cast<std::size_t>(graph.out.vertices))) {}

  std::int64_t run() override { return peeling_.run(numbers_.span()); }
  std::vector<int> result() override { return to_host(exec_, numbers_); }
  std::size_t bytes() const override { return memory_.in_use(); }

 private:
  metered_memory memory_;
  Executor exec_;
  core_peeling<Executor, schedule_for_sums, int, int> peeling_;
  buffer<int> numbers_;
};

template <class Executor> class triangles_on final : public device_triangles {
 public:
  triangles_on(const Executor& exec, const graph_view<double>& graph)
      : exec_(exec), graph_(graph),
        counts_(make_buffer<std::int64_t>(exec, static_cast<std::size_t>(graph.out.vertices))) {}

  void run() override { find_triangles(exec_, graph_, counts_.span()); }
  std::vector<std::int64_t> result() override { return to_host(exec_, counts_); }

 private:
  Executor exec_;
  graph_view<double> graph_;
  buffer<std::int64_t> counts_;
};

template <class Executor> class betweenness_on final : public device_betweenness {
 public:
  betweenness_on(const Executor& exec, const graph_view<double>& graph, const std::vector<int>& sources,
                 betweenness_scale scale)
      : exec_(exec), graph_(graph), sources_(sources), scale_(scale),
        scores_(make_buffer<double>(exec, static_cast<std::size_t>(graph.out.vertices))) {}

  void run() override { find_betweenness(exec_, graph_, sources_, scale_, scores_.span()); }
  std::vector<double> result() override { return to_host(exec_, scores_); }

 private:
  Executor exec_;
  graph_view<double> graph_;
  std::vector<int> sources_;
  betweenness_scale scale_;
  buffer<double> scores_;
};

template <class Executor> class analysis_of final : public analysis_place {
 public:
  analysis_of(const Executor& exec, std::unique_ptr<timer> time, const graph_view<double>& graph,
              const memory_purpose& purpose)
      : memory_(exec.resource(), purpose), exec_(Executor::on_host ? on_memory(exec, &memory_) : exec),
        time_(std::move(time)), graph_(exec_, graph) {
    if (graph.is_undirected()) graph_.set_undirected();
  }

  timer& time() override { return *time_; }
  std::unique_ptr<device_ranks> ranks(const pagerank_options& options) override {
    return std::make_unique<ranks_on<Executor>>(exec_, graph_.view(), options);
  }
  std::unique_ptr<device_cores> cores() override {
    return std::make_unique<cores_on<Executor>>(exec_, graph_.view());
  }
  std::unique_ptr<device_triangles> triangles() override {
    return std::make_unique<triangles_on<Executor>>(exec_, graph_.view());
  }
  std::unique_ptr<device_betweenness> betweenness(const std::vector<int>& sources,
                                                  betweenness_scale scale) override {
    if (!graph_.view().has_in_edges()) graph_.make_in_edges(exec_);
    return std::make_unique<betweenness_on<Executor>>(exec_, graph_.view(), sources, scale);
  }

 private:
  budgeted_memory memory_; ///< of the host
  Executor exec_;
  std::unique_ptr<timer> time_;
  graph<double, int, int, Executor> graph_;
};

template <class Executor>
std::unique_ptr<analysis_place> analysis_on(const graph_view<double>& graph, const place_options& options) {
  const auto exec = make_executor<Executor>(options.bench);
  return std::make_unique<analysis_of<Executor>>(exec, make_timer(exec, options.bench), graph,
                                                 options.memory);
}

} // namespace evenly::graphs
