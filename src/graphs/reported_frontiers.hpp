// SPDX-License-Identifier: Apache-2.0
// The frontiers of a search, for the chart of its report.
#pragma once

#include <mutex>
#include <vector>

#include "evenly/graph/frontier_report.hpp"
#include "json/value.hpp"

namespace evenly::graphs {

/// Thread-safe, because the page is also written when the program is interrupted.
class reported_frontiers {
 public:
  void set(const std::vector<frontier_report>& frontiers) {
    const std::lock_guard lock(guard_);
    frontiers_ = frontiers;
  }
  json::value json() {
    const std::lock_guard lock(guard_);
    json::value all = json::array();
    for (const frontier_report& each : frontiers_)
      all.push_back({{"vertices", each.vertices}, {"edges", each.edges}});
    return {{"frontiers", all}};
  }

 private:
  std::mutex guard_;
  std::vector<frontier_report> frontiers_;
};

} // namespace evenly::graphs
