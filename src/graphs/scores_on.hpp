// SPDX-License-Identifier: Apache-2.0
// The implementation of score_place.hpp for each executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/triangles.hpp"
#include "graphs/score_place.hpp"
#include "measure/executor_timer.hpp"
#include "measure/work_on.hpp"

namespace evenly::graphs {

template <class Executor> class graph_scores final : public score_place {
 public:
  graph_scores(const Executor& exec, std::unique_ptr<timer> time, const graph_view<>& graph,
               const memory_purpose& purpose)
      : memory_(exec.resource(), purpose),
        exec_(Executor::on_host ? measure::on_memory(exec, &memory_) : exec), time_(std::move(time)),
        graph_(exec_, graph) {
    if (graph.is_undirected()) graph_.set_undirected();
  }

  timer& time() override { return *time_; }
  void count_triangles() override {
    if (counts_.size() != size()) counts_ = make_buffer<std::int64_t>(exec_, size());
    find_triangles(exec_, graph_.view(), counts_.span());
  }
  std::vector<std::int64_t> triangles() override { return to_host(exec_, counts_); }
  void compute_betweenness(const std::vector<int>& sources, bool normalized) override {
    if (scores_.size() != size()) scores_ = make_buffer<double>(exec_, size());
    if (!graph_.view().has_in_edges()) graph_.make_in_edges();
    find_betweenness(exec_, graph_.view(), sources,
                     normalized ? betweenness_scale::normalized : betweenness_scale::sums, scores_.span());
  }
  std::vector<double> betweenness() override { return to_host(exec_, scores_); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(graph_.vertices()); }

  budgeted_memory memory_; ///< of the host
  Executor exec_;
  std::unique_ptr<timer> time_;
  graph<int, int, int, Executor> graph_;
  buffer<std::int64_t> counts_;
  buffer<double> scores_;
};

template <class Executor>
std::unique_ptr<score_place> scores_on(const graph_view<>& graph, const place_options& options) {
  const auto exec = measure::make_executor<Executor>(options.bench);
  return std::make_unique<graph_scores<Executor>>(exec, measure::make_timer(exec, options.bench), graph,
                                                  options.memory);
}

} // namespace evenly::graphs
