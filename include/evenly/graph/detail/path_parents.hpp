// SPDX-License-Identifier: Apache-2.0
// The work after the distances are known: missing parents, and the edge whose end is too far for a distance
// (link_parents.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/graph/detail/growing_memory.hpp"
#include "evenly/graph/detail/link_parents.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::detail {

/// Launches a persistent kernel that synchronises by its `barrier`, with as many blocks as fit on the device.
template <class Executor, class Kernel>
void launch_staying(const Executor& exec, Kernel& kernel, workspace& meetings) {
  workspace::lease lease(meetings);
  kernel.barrier = lease.take(exec, 0).barrier;
  int block_size = Kernel::tuned_block_size, max = std::numeric_limits<int>::max();
  if constexpr (Executor::on_host && !Executor::serial_blocks) { // a thread costs the host a stack
    block_size = 2 * exec.shape_of(1).warp;
    max = 3;
  }
  const int blocks = smaller(resident_blocks(exec, kernel, block_size), max);
  launch(exec, {.blocks = blocks, .block_size = block_size, .co_resident = true}, kernel);
}

/// The outcome of a search.
struct path_outcome {
  std::uint32_t frontiers = 0;
  std::uint32_t exhausted = 0;     ///< not 0: memory was too small, and there is no result
  std::uint32_t too_far = 0;       ///< not 0: some sum was too large for a distance
  std::uint32_t lacks_parents = 0; ///< not 0: some vertex has no parent at a smaller distance
};

template <class Executor, class Weight, class Vertex, class Edge> class path_parents {
 public:
  path_parents(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph)
      : exec_(exec), graph_(graph) {}

  /// Completes a search with words of type path_word<Found>, which has written all distances and the parents in its
  /// words. Throws distance_overflow if the end of an edge is too far.
  template <class Found, class Distance>
  void find(const path_outcome& outcome, Vertex source, std::span<Distance> distances,
            std::span<Vertex> parents) {
    const link_steps steps{.nearer = !parents.empty() && !path_word<Found>::has_parent,
                           .too_far = outcome.too_far != 0};
    if (steps.nearer || steps.too_far) link(steps, source, distances, parents);
    if (steps.nearer ? lacks(distances, parents) : outcome.lacks_parents != 0)
      link({.levels = true}, source, distances, parents);
  }

  std::size_t bytes() const { return levels_.bytes() + found_.bytes(); }

 private:
  template <class Distance> bool lacks(std::span<Distance> distances, std::span<Vertex> parents) const {
    const lacks_parent<Vertex, Distance> lacks_parents{{distances.data()}, parents.data()};
    return reduce(exec_, generated{lacks_parents}, graph_.out.vertices, plus<std::int64_t>{}) > 0;
  }

  template <class Distance>
  void link(const link_steps& steps, Vertex source, std::span<Distance> distances,
            std::span<Vertex> parents) {
    link_kernel<Weight, Vertex, Edge, Distance> kernel{};
    kernel.out = graph_.out;
    kernel.weights = graph_.weights;
    kernel.distances = distances.data();
    kernel.parents = parents.data();
    kernel.source = source;
    kernel.levels =
        levels_.template of<Vertex>(exec_, steps.levels ? 3 * std::int64_t{graph_.out.vertices} : 0);
    kernel.found = found_.template of<link_found>(exec_, 1);
    kernel.steps = steps;
    launch_staying(exec_, kernel, meetings_);
    if (steps.too_far) require_near(exec_, graph_, distances.data(), &kernel.found->first_too_far);
  }

  Executor exec_;
  graph_view<Weight, Vertex, Edge> graph_;
  growing_memory levels_, found_;
  workspace meetings_;
};

} // namespace evenly::detail
