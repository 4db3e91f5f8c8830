// SPDX-License-Identifier: Apache-2.0
// Deprecated: the names of this folder in namespace evenly, as in earlier releases. For programs that still use them;
// evenly/evenly.hpp does not include this header.
#pragma once

#include "evenly/graph/bfs_together.hpp"
#include "evenly/graph/searches.hpp"

namespace evenly {

using graphs::add_weight, graphs::adjacency_spans, graphs::bits_to_list, graphs::check_edges,
    graphs::check_weights, graphs::distance_for, graphs::distance_overflow, graphs::edge_weight,
    graphs::far_edge, graphs::frontier_report, graphs::frontier_tiles, graphs::graph_like,
    graphs::graph_spans, graphs::level_mode, graphs::level_modes, graphs::level_number, graphs::list_to_bits,
    graphs::list_where, graphs::max_together, graphs::name_of, graphs::no_reports,
    graphs::parents_from_levels, graphs::path_method, graphs::path_settings, graphs::persistent_bfs,
    graphs::persistent_bfs_kernel, graphs::persistent_bfs_memory, graphs::persistent_bfs_slots,
    graphs::persistent_bfs_work, graphs::persistent_together, graphs::persistent_together_kernel,
    graphs::persistent_together_slots, graphs::persistent_together_work, graphs::require_source,
    graphs::search_level, graphs::search_rule, graphs::search_shape, graphs::search_totals,
    graphs::takes_frontiers, graphs::together_rule, graphs::together_totals, graphs::vertex_bits,
    graphs::vertex_list;

} // namespace evenly
