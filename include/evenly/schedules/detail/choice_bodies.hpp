// SPDX-License-Identifier: Apache-2.0
// One includer: only programs without the compiled library read it.
// How `automatic` ranks its candidates by a model, and explains the choice: the definitions for
// schedules/automatic.hpp.
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

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/detail/choice_models_of.hpp"

namespace evenly::detail {

/// Returns the costs that a schedule may have for a tile set, each scaled to about 1 where it matters. Without a
/// summary of sizes, the terms that need one are 0.
inline std::array<double, cost_terms> cost_terms_of(const tile_summary& of) {
  const auto tiles = static_cast<double>(of.tiles), atoms = static_cast<double>(of.atoms),
             longest = static_cast<double>(of.longest);
  const double warp_steps = static_cast<double>(of.warp_steps) * tile_summary::tiles_of_group;
  double alike = 0; // the probability that two tiles are in one class of sizes
  for (const std::int64_t in_class : of.classes) {
    const double part = static_cast<double>(in_class) / std::max(tiles, 1.0);
    alike += part * part;
  }
  return {1,
          tiles / 1e6,
          atoms / 1e6,
          std::sqrt(tiles) / 1e3,
          std::sqrt(atoms) / 1e3,
          std::min(tiles, 1e5) / 1e5, // latency that more threads hide, until all are busy
          std::min(atoms, 1e6) / 1e6,
          std::max(0.0, tiles - 5e5) / 1e6, // data beyond the caches
          std::max(0.0, atoms - 4e6) / 1e6,
          warp_steps / 1e6,                            // a thread per tile: its warp waits for the longest
          static_cast<double>(of.rounds32) * 32 / 1e6, // a group per tile
          static_cast<double>(of.rounds8) * 8 / 1e6,
          longest / 1e4, // one atom after the other
          longest / 1e6,
          std::sqrt(longest) / 1e2,
          static_cast<double>(of.heaviest_block) / 1e5,
          static_cast<double>(of.empty) / 1e6,
          tiles * std::clamp(warp_steps / std::max(atoms, 1.0) - 1, 0.0, 1.0) /
              1e6,                    // tiles unlike their neighbours
          tiles * (1 - alike) / 1e6}; // mispredicted loop ends
}

inline double sum_of_terms(std::span<const double> constants, const std::array<double, cost_terms>& terms) {
  return std::inner_product(constants.begin(), constants.end(), terms.begin(), 0.0);
}

/// Returns the predicted milliseconds of a run of schedule `i`.
inline double predicted_run_of(const choice_model& model, std::size_t i,
                               const std::array<double, cost_terms>& terms) {
  return std::max(1e-6, sum_of_terms(model.constants(i), terms));
}

/// Returns the scores for `runs` runs of one plan: the time of a run, increased by its uncertainty, plus the run's part
/// of the plan.
inline std::vector<double> scores_of(const choice_model& model, const std::array<double, cost_terms>& terms,
                                     double runs) {
  std::vector<double> scores(model.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = predicted_run_of(model, i, terms) * std::exp(model.caution * model.spread(i)) +
                sum_of_terms(model.plan(i), terms) / runs;
  return scores;
}

/// Returns the indices of the schedules, the fastest by score first; of equal ones the first.
inline std::vector<std::size_t> rank_by(const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{scores[i], i}; });
  return order;
}

EVENLY_RUNTIME_FN std::string short_count(double value) {
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

/// Returns the figures that decided: `1.4 M tiles with 22 M atoms, the longest has 35,455, 20% are empty`.
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
    std::snprintf(number, sizeof(number), ", warps with one thread per tile would be busy %.2g%% of the time",
                  100 * busy);
    text += number;
  }
  return text;
}

/// The sentence of explain_verdict.
inline std::string explain_choice(const std::string& chosen, const std::string& next, double next_takes,
                                  const tile_summary& of, bool is_summarized) {
  const std::string why = chosen + ": " + figures_of(of, is_summarized);
  if (next == chosen) return why;
  char text[32];
  const double more = 100 * (next_takes - 1);
  if (more < 0.5) return why + "; " + next + " should take the same time";
  std::snprintf(text, sizeof(text), "%.0f%% longer", more);
  return why + "; " + next + " should take " + text;
}

EVENLY_RUNTIME_FN model_verdict ask_model(const executor_models& models, work_kind work,
                                          const choice_facts& facts, double expected_runs) {
  require(expected_runs > 0, [&] {
    return "automatic: expected_runs = " + std::to_string(expected_runs) + ": must be greater than 0";
  });
  const bool looks = facts.is_summarized && facts.tiles.atoms >= min_atoms_to_look;
  const choice_model& model = (looks ? models.full : models.free)[static_cast<std::size_t>(work)];
  std::vector<double> scores =
      scores_of(model, cost_terms_of(facts.tiles), facts.is_for_one_run ? 1 : expected_runs);
  std::vector<std::size_t> order = rank_by(scores);
  return {std::move(order), std::move(scores), looks};
}

EVENLY_RUNTIME_FN void prefer_even_cuts(model_verdict& of, const choice_facts& facts, int threads,
                                        bool (*cuts_evenly)(std::size_t candidate)) {
  if (threads <= 1 || !facts.is_summarized || facts.tiles.longest <= facts.tiles.atoms / threads) return;
  std::vector<std::size_t> order;
  for (const bool cuts : {true, false})
    for (const std::size_t each : of.order)
      if (cuts_evenly(each) == cuts) order.push_back(each);
  of.order = std::move(order);
}

EVENLY_RUNTIME_FN std::string explain_verdict(const model_verdict& of, std::span<const char* const> names,
                                              const tile_summary& tiles) {
  const std::size_t next = of.order[of.order.size() > 1 ? 1 : 0];
  return explain_choice(names[of.best()], names[next], of.scores[next] / of.scores[of.best()], tiles,
                        of.looked);
}

} // namespace evenly::detail
