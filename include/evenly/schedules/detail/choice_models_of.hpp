// SPDX-License-Identifier: Apache-2.0
// Models that say, from a few numbers of a tile set, how long each of some schedules takes: a sum of terms, times
// constants that are not negative. The constants are written by scripts/train_automatic.py, which has the same terms.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/schedules/choice/tile_summary.hpp"

namespace evenly::detail {

inline constexpr std::size_t cost_terms = 19;
inline constexpr std::size_t free_cost_terms = 9; ///< the first ones, which need no look at sizes
inline constexpr std::size_t plan_cost_terms = 3; ///< the first ones: a plan's

/// What a schedule may have to do with a tile set, each scaled to be about 1 where it is felt. Without a look at sizes
/// those that need one are 0.
inline std::array<double, cost_terms> cost_terms_of(const tile_summary& of) {
  const auto tiles = static_cast<double>(of.tiles), atoms = static_cast<double>(of.atoms),
             longest = static_cast<double>(of.longest);
  const double warp_steps = static_cast<double>(of.warp_steps) * tile_summary::tiles_of_group;
  double alike = 0; // the chance that two tiles are of one class of sizes
  for (const std::int64_t in_class : of.classes) {
    const double part = static_cast<double>(in_class) / std::max(tiles, 1.0);
    alike += part * part;
  }
  return {1,
          tiles / 1e6,
          atoms / 1e6,
          std::sqrt(tiles) / 1e3,
          std::sqrt(atoms) / 1e3,
          std::min(tiles, 1e5) / 1e5, // what more threads hide, until all are busy
          std::min(atoms, 1e6) / 1e6,
          std::max(0.0, tiles - 5e5) / 1e6, // what caches do not hold
          std::max(0.0, atoms - 4e6) / 1e6,
          warp_steps / 1e6, // a thread for each tile: its warp waits for the longest
          static_cast<double>(of.rounds32) * 32 / 1e6, // a group for each tile
          static_cast<double>(of.rounds8) * 8 / 1e6,
          longest / 1e4, // one after the other
          longest / 1e6,
          std::sqrt(longest) / 1e2,
          static_cast<double>(of.heaviest_block) / 1e5,
          static_cast<double>(of.empty) / 1e6,
          tiles * std::clamp(warp_steps / std::max(atoms, 1.0) - 1, 0.0, 1.0) /
              1e6,                    // unlike their neighbours
          tiles * (1 - alike) / 1e6}; // ends that are hard to guess
}

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

inline double sum_of_terms(std::span<const double> constants, const std::array<double, cost_terms>& terms) {
  return std::inner_product(constants.begin(), constants.end(), terms.begin(), 0.0);
}

/// Milliseconds of a run of schedule `i`.
inline double predicted_run_of(const choice_model& model, std::size_t i,
                               const std::array<double, cost_terms>& terms) {
  return std::max(1e-6, sum_of_terms(model.constants.subspan(i * model.terms, model.terms), terms));
}

/// What each is ranked by, for `runs` of one plan: the time of a run, more where that is less sure, and the run's part
/// of the plan.
inline std::vector<double> scores_of(const choice_model& model, const std::array<double, cost_terms>& terms,
                                     double runs) {
  std::vector<double> scores(model.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = predicted_run_of(model, i, terms) * std::exp(model.caution * model.spread[i]) +
                sum_of_terms(model.plans.subspan(i * plan_cost_terms, plan_cost_terms), terms) / runs;
  return scores;
}

/// The schedules' places, the one that should be fastest first; of equal ones the first.
inline std::vector<std::size_t> rank_by(const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{scores[i], i}; });
  return order;
}

/// A number for people: 950, 35,455, 1.4 M.
inline std::string short_count(double value) {
  char text[32];
  if (value >= 999'950'000) {
    std::snprintf(text, sizeof(text), "%.3g G", value / 1e9);
  } else if (value >= 999'950) {
    std::snprintf(text, sizeof(text), "%.3g M", value / 1e6);
  } else if (value >= 1'000) {
    const auto whole = static_cast<int>(std::lround(value));
    std::snprintf(text, sizeof(text), "%d,%03d", whole / 1'000, whole % 1'000);
  } else {
    std::snprintf(text, sizeof(text), "%.3g", value);
  }
  return text;
}

/// The figures that decided: `1.4 M tiles with 22 M atoms, the longest has 35,455, 20% are empty`.
inline std::string figures_of(const tile_summary& of, bool is_summarized) {
  const auto tiles = static_cast<double>(of.tiles), atoms = static_cast<double>(of.atoms);
  std::string text = short_count(tiles) + (of.tiles == 1 ? " tile with " : " tiles with ") +
                     short_count(atoms) + (of.atoms == 1 ? " atom" : " atoms");
  if (!is_summarized || of.tiles < 2 || of.atoms == 0) return text;
  char number[128];
  text += ", the longest has " + short_count(static_cast<double>(of.longest));
  if (of.empty >= of.tiles / 20 && of.empty > 0) {
    std::snprintf(number, sizeof(number), ", %.0f%% are empty", 100 * static_cast<double>(of.empty) / tiles);
    text += number;
  }
  const double busy = atoms / (static_cast<double>(of.warp_steps) * tile_summary::tiles_of_group);
  if (busy < 0.9) {
    std::snprintf(number, sizeof(number), ", warps with a thread for each would be busy %.2g%% of the time",
                  100 * busy);
    text += number;
  }
  return text;
}

/// One sentence: who, what decided, and what the next one would cost.
inline std::string explain_choice(const std::string& chosen, const std::string& next, double next_takes,
                                  const tile_summary& of, bool is_summarized) {
  const std::string why = chosen + ": " + figures_of(of, is_summarized);
  if (next == chosen) return why;
  char text[32];
  const double more = 100 * (next_takes - 1);
  if (more < 0.5) return why + "; " + next + " should take as long";
  std::snprintf(text, sizeof(text), "%.0f%% longer", more);
  return why + "; " + next + " should take " + text;
}

} // namespace evenly::detail
