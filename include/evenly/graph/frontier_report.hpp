// SPDX-License-Identifier: Apache-2.0
// The report of a search about each of its frontiers.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::graphs {

/// One frontier, reported before the search visits its edges.
struct frontier_report {
  std::int64_t number;   ///< number of frontiers that the call reported before this one
  std::int64_t vertices; ///< number of vertices in the frontier
  std::int64_t edges;    ///< number of outgoing edges of these vertices
};

/// A callback without effect, for searches without reports.
struct no_reports {
  void operator()(const frontier_report&) const {}
};

} // namespace evenly::graphs
