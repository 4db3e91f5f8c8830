// SPDX-License-Identifier: Apache-2.0
// Chooses a schedule by measurement: the best few candidates of a chooser run on the data themselves, and the fastest
// is kept.
//
//   choice_memory remembered;
//   auto plan = make_measured_plan(exec, automatic{}, tiles, [&](auto& plan) { /* the work */ },
//                                  {.memory = &remembered});
//   plan.explain();   // "streamed: measured, 0.171 ms a run; merge_path took 0.175 ms, nonzero_split 0.183 ms"
//
// Use it if a plan runs so often that some tens of runs beforehand do not matter, or if the work differs from the work
// that automatic was trained on. Results have the bits of the chosen schedule. If two candidates are about equally
// fast, they may differ between calls; a choice_memory keeps the choice for known tiles.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"

namespace evenly {

/// The measured choices, by the summary of the tiles: tile sets with equal summaries share a choice. Use one memory for
/// one chooser, one kind of work and one device. Any number of threads may use it.
class choice_memory {
 public:
  std::optional<choice> find(const tile_summary& of) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(of);
    if (found == known_.end()) return {};
    return found->second;
  }
  void remember(const tile_summary& of, const choice& chosen) {
    const std::lock_guard lock(mutex_);
    known_[of] = chosen;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return known_.size();
  }

 private:
  struct before {
    static auto numbers(const tile_summary& of) {
      return std::tie(of.tiles, of.atoms, of.longest, of.empty, of.squares, of.warp_steps, of.rounds8,
                      of.rounds32, of.heaviest_block, of.classes);
    }
    bool operator()(const tile_summary& a, const tile_summary& b) const { return numbers(a) < numbers(b); }
  };

  mutable std::mutex mutex_;
  std::map<tile_summary, choice, before> known_;
};

/// A chooser that ranks its candidates.
template <class C, class Executor>
concept ranking_chooser =
    chooser<C> && requires(const C& of, const Executor& exec, const choice_facts& facts) {
      { of.rank(exec, facts) } -> std::same_as<std::vector<std::size_t>>;
    };

/// The candidates of a chooser with a fixed choice.
template <chooser Chooser> struct settled {
  Chooser of;
  choice chosen;

  template <class Executor> auto candidates(const Executor& exec) const { return of.candidates(exec); }
  bool wants_sizes(std::int64_t) const { return false; }
  template <class Executor> choice choose(const Executor&, const choice_facts&) const { return chosen; }
};

/// The options of make_measured_plan.
struct measured_options {
  int few = 3;                     ///< number of candidates that are run, at least 1
  double enough_ms = 1;            ///< measured time per candidate, three times
  choice_memory* memory = nullptr; ///< searched first, and updated
};

namespace detail {

/// Returns the milliseconds of one run, from its start to the end of its work: the minimum of three averages of several
/// runs.
template <class Executor, class Run>
double measured_run(const Executor& exec, const Run& run, double enough_ms) {
  const auto wait = [&] {
    if constexpr (requires { exec.synchronize(); }) exec.synchronize();
  };
  const auto time = [&](int runs) {
    wait();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) run();
    wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  run(); // allocates its memory, and loads the kernel
  const double once = time(1);
  const int runs =
      once < enough_ms ? static_cast<int>(std::min(1000.0, enough_ms / std::max(once, 1e-4))) + 1 : 1;
  double min = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) min = std::min(min, time(runs) / runs);
  return min;
}

inline std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g ms", ms);
  return text;
}

} // namespace detail

/// Returns the plan under which body(plan) takes least time, among the `options.few` candidates that `from` ranks
/// first.
///
/// - `body`: runs the work of the plan. It is called several times under each candidate.
/// - Checks the tiles, and synchronises.
/// - Cost: a plan and some milliseconds of runs per candidate; nothing if the memory knows these tiles.
/// - Throws what make_plan and body throw, and invalid_argument if options.few is less than 1.
template <class Executor, ranking_chooser<Executor> Chooser, tile_set Tiles, class Body>
requires(!sized_on_device<Tiles>)
auto make_measured_plan(const Executor& exec, const Chooser& from, const Tiles& tiles, const Body& body,
                        const measured_options& options = {}) {
  require(options.few >= 1, [&] { return detail::concat("few = ", options.few, ": must be 1 or more"); });
  detail::require_tiles(tiles);
  const auto seen = detail::inspect_and_summarize(exec, tiles);
  const assumed_valid_tiles<Tiles> known{tiles, seen.all};
  const auto planned = [&](const choice& chosen) {
    return make_plan(exec, settled<Chooser>{from, chosen}, known);
  };
  if (options.memory != nullptr)
    if (const auto before = options.memory->find(seen.of)) return planned(*before);

  const choice_facts facts{.tiles = seen.of, .is_summarized = true, .is_for_one_run = false};
  std::vector<std::size_t> order = from.rank(exec, facts);
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.few)));
  struct timed {
    std::string name;
    std::size_t index;
    double ms;
  };
  std::vector<timed> all;
  for (const std::size_t index : order) {
    auto plan = planned({index, ""});
    const double ms = detail::measured_run(exec, [&] { body(plan); }, options.enough_ms);
    all.insert(std::ranges::upper_bound(all, ms, {}, &timed::ms), {plan.schedule_name(), index, ms});
  }
  std::string why = all[0].name + ": measured, " + detail::milliseconds(all[0].ms) + " a run";
  for (std::size_t i = 1; i < all.size(); ++i)
    why += (i == 1 ? "; " : ", ") + all[i].name + (i == 1 ? " took " : " ") + detail::milliseconds(all[i].ms);
  const choice chosen{all[0].index, why};
  if (options.memory != nullptr) options.memory->remember(seen.of, chosen);
  return planned(chosen);
}

} // namespace evenly
