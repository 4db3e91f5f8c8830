// SPDX-License-Identifier: Apache-2.0
// Structures of graphs that analysis_place::structure finds on an executor: colours.
#pragma once

#include "evenly/graph/colouring.hpp"
#include "evenly/graph/graph_view.hpp"
#include "graphs/analysis_place.hpp"

namespace evenly::graphs {

struct structure_options {
  colour_options colours;
};

/// The graph outlives the result. Instantiated for each executor in separate translation units.
template <class Executor>
values_pointer<int> structure_on(const Executor& exec, const graph_view<>& graph,
                                 const structure_options& options);

} // namespace evenly::graphs
