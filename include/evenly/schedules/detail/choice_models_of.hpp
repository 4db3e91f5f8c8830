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

/// The times of some schedules, in milliseconds. `rows` has for each schedule the constants of `terms` terms of a run,
/// those of a plan, and the spread: the error of the sums, in logarithms, on the tile sets that they were learned from.
/// `caution` times the spread is added.
struct choice_model {
  std::size_t terms;
  std::span<const double> rows;
  double caution;

  std::size_t width() const { return terms + plan_cost_terms + 1; }
  std::size_t size() const { return rows.size() / width(); }
  std::span<const double> constants(std::size_t i) const { return rows.subspan(i * width(), terms); }
  std::span<const double> plan(std::size_t i) const {
    return rows.subspan(i * width() + terms, plan_cost_terms);
  }
  double spread(std::size_t i) const { return rows[(i + 1) * width() - 1]; }
};

/// An executor's models, one for each work_kind (choice/chooser.hpp): from what is free alone, or from all terms.
struct executor_models {
  std::array<choice_model, 5> free, full;
};

} // namespace evenly::detail
