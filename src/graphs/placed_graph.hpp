// SPDX-License-Identifier: Apache-2.0
// A graph that was copied to an executor.
#pragma once

#include <memory>

#include "evenly/graph/graph.hpp"
#include "graphs/place.hpp"
#include "host/budgeted_memory.hpp"
#include "measure/executor_timer.hpp"
#include "measure/work_on.hpp"

namespace evenly::graphs {

using measure::make_executor, measure::make_timer, measure::on_memory;

/// Copies and searches compare their allocations on the host with the available memory.
template <class Executor, class Weight> class placed_graph {
 public:
  placed_graph(const graph_view<Weight>& view, const place_options& options)
      : placed_graph(make_executor<Executor>(options.bench), view, options) {}

  timer& time() { return *time_; }
  const Executor& exec() const { return exec_; }
  auto view() const { return graph_.view(); }
  auto with_in_edges() {
    if (!graph_.view().has_in_edges()) graph_.make_in_edges(exec_);
    return graph_.view();
  }

 private:
  placed_graph(const Executor& exec, const graph_view<Weight>& view, const place_options& options)
      : memory_(exec.resource(), options.memory), exec_(Executor::on_host ? on_memory(exec, &memory_) : exec),
        time_(make_timer(exec, options.bench)), graph_(exec_, view) {
    if (view.is_undirected()) graph_.set_undirected();
  }

  budgeted_memory memory_;
  Executor exec_;
  std::unique_ptr<timer> time_;
  graph<Weight, int, int, Executor> graph_;
};

} // namespace evenly::graphs
