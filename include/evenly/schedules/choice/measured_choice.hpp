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
//
//   auto plan = make_self_tuning_plan(exec, automatic{}, tiles);
//   for (...) reduce_tiles(exec, plan, tiles, map, plus{}, out);  // two candidates take turns, then the faster stays
//
// No run is wasted: each has a valid result. But the first few may have other last bits than the later ones.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/timing_event.hpp"
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

/// Two plans of a chooser's best candidates, which take turns until one is known to be faster. Skeletons and
/// applications accept it as they accept a chosen_plan.
///
/// - In each of at most `rounds` rounds each candidate runs once. The first run of each is not timed: it allocates
///   memory and loads the kernel. A candidate wins as soon as the other takes `clear_ratio` times as long. Otherwise
///   the one with the shortest run wins when the rounds are over.
/// - Times are read when they are known, without waiting; until then the first candidate runs.
/// - Do not capture its runs in a graph before it is_settled().
/// - Move-only, for one stream and one host thread at a time; it has a view of the tile set, as a plan has.
template <class Executor, class Chooser, tile_set Tiles> class self_tuning_plan {
  using plan_type = chosen_plan<Executor, settled<Chooser>, Tiles>;
  using event = decltype(timing_event(std::declval<const Executor&>()));

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;
  static constexpr int rounds = 5;
  static constexpr double clear_ratio = 1.25;

  self_tuning_plan(const Executor& exec, const Chooser& from, const Tiles& tiles) {
    detail::require_tiles(tiles);
    const auto seen = detail::inspect_and_summarize(exec, tiles);
    const choice_facts facts{.tiles = seen.of, .is_summarized = true, .is_for_one_run = false};
    const std::vector<std::size_t> order = from.rank(exec, facts);
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 2); ++i)
      plans_.push_back(make_plan(exec, settled<Chooser>{from, {order[i], ""}},
                                 assumed_valid_tiles<Tiles>{tiles, seen.all}));
    min_ms_.fill(std::numeric_limits<double>::infinity());
  }

  /// Whether one candidate has won.
  bool is_settled() const { return plans_.size() == 1; }
  const char* schedule_name() const { return plans_[0].schedule_name(); }
  /// One sentence with the reason.
  std::string explain() const {
    return is_settled() ? why_
                        : std::string(schedule_name()) + ": in turns with " + plans_[1].schedule_name();
  }

  const Tiles& tiles() const { return plans_[0].tiles(); }
  atom_type<Tiles> first_atom() const { return plans_[0].first_atom(); }
  std::int64_t atoms() const { return plans_[0].atoms(); }
  const Executor& exec() const { return plans_[0].exec(); }

  /// Calls body(plan), one run, with the plan of the candidate whose turn it is.
  template <class Body> void visit(const Body& body) {
    read_times();
    if (is_settled() || runs_ == 2 * rounds) return plans_[0].visit(body);
    const std::size_t turn = static_cast<std::size_t>(runs_ % 2);
    const event from = timing_event(exec());
    plans_[turn].visit(body);
    if (runs_++ >= 2) timed_.push_back({turn, from, timing_event(exec())});
  }

 private:
  struct timed_run {
    std::size_t candidate;
    event from, to;
  };

  void read_times() {
    if (is_settled()) return;
    while (!timed_.empty()) {
      const std::optional<double> ms = elapsed_ms(timed_.front().from, timed_.front().to);
      if (!ms) return;
      double& min = min_ms_[timed_.front().candidate];
      min = std::min(min, *ms);
      timed_.pop_front();
    }
    const std::size_t fast = min_ms_[1] < min_ms_[0] ? 1 : 0;
    const double slow_ms = min_ms_[1 - fast];
    const bool is_clear = std::isfinite(slow_ms) && slow_ms > clear_ratio * min_ms_[fast];
    if (!is_clear && runs_ < 2 * rounds) return;
    why_ = std::string(plans_[fast].schedule_name()) + ": measured, " + detail::milliseconds(min_ms_[fast]) +
           " a run; " + plans_[1 - fast].schedule_name() + " took " + detail::milliseconds(slow_ms);
    if (fast == 1) std::swap(plans_[0], plans_[1]);
    plans_.pop_back();
  }

  std::vector<plan_type> plans_; ///< the likeliest first; one if settled
  std::deque<timed_run> timed_;  ///< the times are not known yet
  std::array<double, 2> min_ms_{};
  int runs_ = 0;
  std::string why_ = "the only candidate";
};

namespace detail {
template <class Executor, class Chooser, class Tiles>
inline constexpr bool is_chosen<self_tuning_plan<Executor, Chooser, Tiles>> = true;
} // namespace detail

/// Returns a plan that tries the two best candidates of `from` in its first runs, and keeps the faster.
///
/// - Checks the tiles, and synchronises.
/// - Cost: two plans, and the runs of the slower candidate. If it takes r times as long as the faster, it runs twice if
///   r is above 1.25, otherwise at most five times.
/// - Throws what make_plan throws.
template <class Executor, ranking_chooser<Executor> Chooser, tile_set Tiles>
requires(!sized_on_device<Tiles>)
auto make_self_tuning_plan(const Executor& exec, const Chooser& from, const Tiles& tiles) {
  return self_tuning_plan<Executor, Chooser, Tiles>(exec, from, tiles);
}

} // namespace evenly
