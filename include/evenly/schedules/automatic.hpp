// SPDX-License-Identifier: Apache-2.0
// automatic: chooses the schedule with the shortest predicted time, from properties of the tile set, the work and the
// executor.
//
//   auto plan = make_plan(exec, automatic{}, tiles);
//   plan.explain();  // "merge_path: 1.4 M tiles with 22 M atoms, the longest has 35,455; streamed should take 1%
//                    //  longer"
//
// Below 10,000 atoms the numbers of tiles and atoms decide. Above, the distribution of sizes decides (tile_summary of
// choice/chooser.hpp); the pass that checks the offsets computes it. For each kind of work a model predicts the time of
// each candidate (detail/choice_models_of.hpp). Its constants were learned from measurements on one GPU and on the
// cores of one processor (detail/choice_models_gpu.hpp, choice_models_cores.hpp). simt chooses as a GPU does.
//
// docs/choosing.md describes the accuracy of the models, their weaknesses, and how to train others.
//
// Source of the idea to choose by the input: Osama et al. (PPoPP 2023), section 6.2, by two thresholds
// (combined_heuristic.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/detail/choice_models_cores.hpp"
#include "evenly/schedules/detail/choice_models_gpu.hpp"
#include "evenly/schedules/detail/choice_models_of.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

namespace detail {

/// With fewer atoms than this, the distribution of sizes has no effect on the choice, even if it is known.
inline constexpr std::int64_t min_atoms_to_look = 10'000;

/// The candidates as a model ranks them.
struct model_verdict {
  std::vector<std::size_t> order; ///< the fastest first
  std::vector<double> scores;     ///< indexed by candidate
  bool looked = false;            ///< whether sizes were used

  std::size_t best() const { return order[0]; }
};

/// Throws invalid_argument unless expected_runs is above 0.
EVENLY_RUNTIME_FN model_verdict ask_model(const executor_models& models, work_kind work,
                                          const choice_facts& facts, double expected_runs);
/// On cpu: if a tile holds more atoms than a thread's equal part, candidates that cut atoms evenly come before all
/// others.
EVENLY_RUNTIME_FN void prefer_even_cuts(model_verdict& of, const choice_facts& facts, int threads,
                                        bool (*cuts_evenly)(std::size_t candidate));
/// Returns one sentence: the best candidate, the figures that decided, and the predicted time of the second best.
EVENLY_RUNTIME_FN std::string explain_verdict(const model_verdict& of, std::span<const char* const> names,
                                              const tile_summary& tiles);
/// Whether cpu runs the schedule by a mapping that cuts atoms evenly, regardless of tiles.
template <class Schedule>
inline constexpr bool cuts_evenly_on_cores = [] {
  using mine = mapping_of<Schedule, cpu, csr_tile_set<int>>;
  return std::is_same_v<mine, mapping_of<direct_search<>, cpu, csr_tile_set<int>>> ||
         std::is_same_v<mine, mapping_of<merge_path<>, cpu, csr_tile_set<int>>>;
}();
template <class... Schedules> constexpr auto even_cuts_of(const std::tuple<named_schedule<Schedules>...>*) {
  return std::array{cuts_evenly_on_cores<Schedules>...};
}
/// Formats a number for people: 950, 35,455, 1.4 M.
EVENLY_RUNTIME_FN std::string short_count(double value);

} // namespace detail

/// The chooser by models. See the head of this file.
struct automatic {
  double expected_runs = 100; ///< runs of a plan; above 0. A call that plans and runs expects one
  std::optional<work_kind> work =
      {}; ///< the work under the plan; one-call applications set it themselves. Default: sums

  template <class Executor> auto candidates(const Executor&) const {
    if constexpr (Executor::serial_blocks)
      return detail::choice_models::cores_candidates();
    else
      return detail::choice_models::gpu_candidates();
  }
  bool wants_sizes(std::int64_t atoms) const { return atoms >= detail::min_atoms_to_look; }

  /// Returns the choice. Throws invalid_argument unless expected_runs is above 0.
  template <class Executor> choice choose(const Executor& exec, const choice_facts& facts) const {
    const detail::model_verdict verdict = ask(exec, facts);
    const auto names =
        std::apply([](const auto&... each) { return std::array{each.name...}; }, candidates(exec));
    return {verdict.best(), detail::explain_verdict(verdict, names, facts.tiles)};
  }

  /// Returns the indices of the candidates, the fastest by prediction first. Throws as choose does.
  template <class Executor>
  std::vector<std::size_t> rank(const Executor& exec, const choice_facts& facts) const {
    return ask(exec, facts).order;
  }

 private:
  template <class Executor>
  detail::model_verdict ask([[maybe_unused]] const Executor& exec, const choice_facts& facts) const {
    const work_kind runs = work.value_or(work_kind::sums);
    if constexpr (Executor::serial_blocks) {
      auto verdict = detail::ask_model(detail::choice_models::cores, runs, facts, expected_runs);
      detail::prefer_even_cuts(verdict, facts, exec.threads(), [](std::size_t candidate) {
        using candidates_type = decltype(detail::choice_models::cores_candidates());
        constexpr auto cuts = detail::even_cuts_of(static_cast<candidates_type*>(nullptr));
        return cuts[candidate];
      });
      return verdict;
    } else {
      return detail::ask_model(detail::choice_models::gpu, runs, facts, expected_runs);
    }
  }
};

} // namespace evenly

#if defined(EVENLY_RUNTIME_BODIES)
#include "evenly/schedules/detail/choice_bodies.hpp"
#else
#include "evenly/schedules/detail/compiled_plans.hpp"
#endif
