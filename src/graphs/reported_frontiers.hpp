// SPDX-License-Identifier: Apache-2.0
// The frontiers of a search, for the chart of its report.
#pragma once

#include <vector>

#include "evenly/graph/frontier_report.hpp"
#include "host/guarded.hpp"
#include "json/value.hpp"

namespace evenly::graphs {

/// The page is also written if the program is interrupted.
using reported_frontiers = host::guarded<std::vector<frontier_report>>;

inline json::value json_of(const std::vector<frontier_report>& frontiers) {
  json::value all = json::array();
  for (const frontier_report& each : frontiers)
    all.push_back({{"vertices", each.vertices}, {"edges", each.edges}});
  return {{"frontiers", all}};
}

} // namespace evenly::graphs
