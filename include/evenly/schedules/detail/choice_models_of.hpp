// SPDX-License-Identifier: Apache-2.0
// Models that say, from a few numbers of a tile set, how long each of some schedules takes: a sum of terms, times
// constants that are not negative. The constants are written by scripts/train_automatic.py, which has the same terms.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

inline constexpr std::size_t cost_terms = 19;
inline constexpr std::size_t free_cost_terms = 9; ///< the first ones, which need no look at sizes
inline constexpr std::size_t plan_cost_terms = 3; ///< the first ones: a plan's

/// How long some schedules take, in milliseconds, `terms` constants for each; what a plan of each takes; and how far
/// off, in logarithms, the sums were of the tile sets that they were learned from. `caution` times that is added.
struct choice_model {
  std::size_t terms;
  std::span<const double> constants, plans, spread;
  double caution;

  std::size_t size() const { return spread.size(); }
};

/// An executor's models, one for each work_kind (choice/chooser.hpp): from what is free alone, or from all terms.
struct executor_models {
  std::array<choice_model, 5> free, full;
};

} // namespace evenly::detail
