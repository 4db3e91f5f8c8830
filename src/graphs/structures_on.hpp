// SPDX-License-Identifier: Apache-2.0
// The implementation of structures.hpp for each executor.
#pragma once

#include <memory>
#include <span>

#include "graphs/structures.hpp"
#include "graphs/values_on.hpp"

namespace evenly::graphs {

template <class Executor>
values_pointer<int> structure_on(const Executor& exec, const graph_view<>& graph,
                                 const structure_options& options) {
  const auto make = [&](const Executor& metered) {
    return [metered, graph, options = options.colours](std::span<int> colours) {
      return pagerank_totals{.iterations = detail::find_colours(metered, graph, options, colours),
                             .converged = true};
    };
  };
  return std::make_unique<values_on<Executor, int, decltype(make)>>(exec, graph.out.vertices, make);
}

} // namespace evenly::graphs
