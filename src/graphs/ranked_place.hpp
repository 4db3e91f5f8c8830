// SPDX-License-Identifier: Apache-2.0
// Graphs on ranks (--ranks): the places of place.hpp and analysis_place.hpp with searches of evenly/distributed.
//
// Under MPI rank 0 runs the command. It sends the graph and then requests to the other processes, which have no input
// or output of their own.
#pragma once

#include <functional>
#include <memory>

#include "graphs/analysis_place.hpp"
#include "graphs/place.hpp"

namespace evenly::graphs {

/// Runs a command on the ranks of `bench`: work() on rank 0, while other processes answer its requests. Without ranks it
/// is work().
bool run_on_ranks(const bench_options& bench, const std::function<bool()>& work);

/// The number of ranks inside run_on_ranks; 0 without ranks.
int ranks_in_use();

/// place_graph and place_for_analysis on ranks, inside run_on_ranks. What ranks do not have throws usage_error.
std::unique_ptr<search_place> place_on_ranks(const graph_problem& graph, const place_options& options);
std::unique_ptr<analysis_place> place_for_analysis_on_ranks(const graph_view<double>& graph,
                                                            const place_options& options);

} // namespace evenly::graphs
