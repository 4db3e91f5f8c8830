// SPDX-License-Identifier: Apache-2.0
// What searches tell of their frontiers.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// What a search reports of each frontier before it goes on from there.
struct frontier_report {
  std::int64_t number;   ///< from 0 on: the level, or the round
  std::int64_t vertices; ///< in the frontier
  std::int64_t edges;    ///< that leave them
};

/// Takes reports, and does nothing.
struct no_reports {
  void operator()(const frontier_report&) const {}
};

} // namespace evenly
