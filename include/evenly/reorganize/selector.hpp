// SPDX-License-Identifier: Apache-2.0
// Which arm? Three answers, from the cheapest to the surest:
//
//   choice_of_text()   the guidelines of Wu et al. (PPoPP 2013), figure 6, from sizes alone
//   predicted_run()    a time, from what a run asks of memory and from constants of a machine, access_rates
//   arm_trials         runs of a loop, timed: none first, which says how far the constants are from this machine, then
//                      arms that should be faster, the best first; the fastest is kept until times change
//
// Nothing here runs on an executor: sample.hpp counts what is predicted from, and the caller runs what
// next() says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"

namespace evenly {

// ---- figure 6 ----

enum class text_choice { duplicate, pad, share, share_in_parts };

/// What figure 6 asks for.
struct text_question {
  std::int64_t references =
      0; ///< of all threads. (The text says threads: molecular dynamics would be duplicated.)
  std::int64_t elements = 0;
  bool one_pattern = false; ///< all that a thread reads or writes goes by one list of one reference each
  std::int64_t working_set_bytes = 0; ///< of a block
  std::int64_t storage_bytes = 48 * 1024;
};

/// Duplication where references are fewer than elements, or comparable: at most twice as many. Else padding for one
/// pattern, else sharing where a block's elements fit storage; where they do not, sharing with smaller tasks.
inline text_choice choice_of_text(const text_question& of) {
  constexpr std::int64_t comparable = 2;
  if (of.references <= comparable * of.elements) return text_choice::duplicate;
  if (of.one_pattern) return text_choice::pad;
  return of.working_set_bytes <= of.storage_bytes ? text_choice::share : text_choice::share_in_parts;
}

// ---- a model ----

/// What a run asks of memory.
struct access_demand {
  double references = 0;
  double lines = 0;           ///< of 128 bytes, that requests of warps touch
  double sectors = 0;         ///< of 32 bytes, different ones of each block
  double wavefronts = 0;      ///< of storage
  double streamed_bytes = 0;  ///< read once and in order: lists, copies
  double random_bytes = 0;    ///< that sectors are spread over
  double scattered = 0;       ///< sectors that are read or written by job where threads are elsewhere
  double scattered_bytes = 0; ///< that these are spread over
};

/// What a machine takes for each, in nanoseconds of the whole machine, and how much its cache holds.
struct access_rates {
  double launch;
  double reference; ///< the work with it
  double line;
  double cached_sector;
  double memory_sector;
  double wavefront;
  double streamed_byte;
  double scattered_sector;
  double cache_bytes;
  // for plans
  double sorted_thread;    ///< an order by keys that threads have
  double passed_reference; ///< one pass over P, as by_neighbours has three
  double moved_reference;  ///< P once more, renumbered or in another order
  double shared_reference; ///< lists of blocks and places in them
};

/// Of an NVIDIA H200: solved from bench/results/reorganize-h200.json, -large, -random and -tuning.
inline constexpr access_rates rates_of_h200{.launch = 5000,
                                            .reference = 0.0008,
                                            .line = 0.0021,
                                            .cached_sector = 0.007,
                                            .memory_sector = 0.024,
                                            .wavefront = 0.0043,
                                            .streamed_byte = 0.00025,
                                            .scattered_sector = 0.058,
                                            .cache_bytes = 50e6,
                                            .sorted_thread = 0.11,
                                            .passed_reference = 0.0013,
                                            .moved_reference = 0.0052,
                                            .shared_reference = 0.0086};
/// Of two cores of an Intel Xeon, from what docs/reorganize.md says of them.
inline constexpr access_rates rates_of_two_cores{.launch = 5000,
                                                 .reference = 3.4,
                                                 .line = 0,
                                                 .cached_sector = 2,
                                                 .memory_sector = 7.5,
                                                 .wavefront = 0,
                                                 .streamed_byte = 0.1,
                                                 .scattered_sector = 10,
                                                 .cache_bytes = 32e6,
                                                 .sorted_thread = 90,
                                                 .passed_reference = 1,
                                                 .moved_reference = 3.6,
                                                 .shared_reference = 12};

/// Milliseconds of a run: the scarcest of what it asks for, and what is scattered besides. Where more is read at random
/// than half the cache holds, the rest comes from memory.
inline double predicted_run(const access_demand& of, const access_rates& rates) {
  const auto missing = [&](double bytes) {
    const double held = rates.cache_bytes / 2;
    return bytes > held ? 1 - held / bytes : 0;
  };
  const double miss = missing(of.random_bytes);
  const double sector = miss * rates.memory_sector + (1 - miss) * rates.cached_sector;
  const double most = std::max({of.references * rates.reference, of.lines * rates.line, of.sectors * sector,
                                of.wavefronts * rates.wavefront, of.streamed_bytes * rates.streamed_byte});
  const double scattered = of.scattered * missing(of.scattered_bytes) * rates.scattered_sector;
  return (rates.launch + most + scattered) * 1e-6;
}

// ---- trials ----

/// Of an arm, in milliseconds; predicted.
struct arm_estimate {
  std::string name;
  double run_ms = 0; ///< refreshing the copy included
  double build_ms = 0;
};

/// Which arm each run of a loop is under. The caller asks next(), makes a plan of that arm if it has none for the
/// epoch, runs, and says what that took:
///
///   for (;;) {
///     const std::size_t arm = trials.next();
///     if (plan is of another arm or epoch) { make it; trials.note_build(ms); }    // or trials.refuse(why), and again
///     run; if (trials.wants_time()) trials.note_run(ms); else trials.skip_run();
///   }
///
/// Times are compared with times of this machine only, so results never depend on the constants, and are the same
/// whatever is chosen where arms give the same bits.
class arm_trials {
 public:
  static constexpr double worth_it = 0.95; ///< of none's time, at most, or an arm is not tried or kept
  static constexpr double drift = 1.3;     ///< times slower or faster in a new epoch than when it was chosen
  static constexpr int most_trials =
      2; ///< one after the other, if the first has won; later ones wait, twice as long each
  static constexpr double affordable = 0.01; ///< of all time so far: what later trials may lose
  static constexpr int most_runs = 3; ///< of a trial, of which the shortest counts: the first is often long;
  static constexpr double long_enough_ms = 2; ///< fewer, where they have taken so long

  /// estimates: the first is none. runs_of_plan: how many runs a plan is expected to serve, from 1 on. Throws
  /// invalid_argument without an estimate.
  arm_trials(std::vector<arm_estimate> estimates, int runs_of_plan)
      : arms_(estimates.size()), runs_of_plan_(std::max(runs_of_plan, 1)) {
    require(!estimates.empty(), [] { return std::string("there is no arm to choose from"); });
    for (std::size_t i = 0; i < arms_.size(); ++i) arms_[i].said = std::move(estimates[i]);
  }

  std::size_t next() const { return now_; }
  /// Whether the next run is to be timed: in trials, and once in each epoch.
  bool wants_time() const { return trying_ || check_; }
  bool is_settled() const { return !trying_; }

  void note_build(double ms) {
    arms_[now_].build_ms = ms;
    spent_ms_ += ms;
  }
  /// refresh included.
  void note_run(double ms) {
    arm& mine = arms_[now_];
    ++runs_;
    spent_ms_ += ms;
    if (trying_) {
      mine.run_ms = trial_runs_ > 0 ? std::min(mine.run_ms, ms) : ms;
      mine.tried = true;
      trial_ms_ += ms;
      const bool is_slow = now_ != 0 && ms > 2 * arms_[0].run_ms;
      if (++trial_runs_ >= most_runs || trial_ms_ >= long_enough_ms || is_slow) settle();
    } else if (check_) {
      check_ = false;
      if (ms > mine.run_ms * drift || ms * drift < mine.run_ms) reopen(ms);
    }
  }
  /// A run that was not timed, which took as long as those before.
  void skip_run() {
    ++runs_;
    spent_ms_ += arms_[now_].run_ms;
    if (!trying_ && runs_ >= next_trial_) try_another();
  }
  /// P has changed: the first run is timed, and if it took much more or less than it should, all is open again.
  void begin_epoch(int runs_of_plan) {
    runs_of_plan_ = std::max(runs_of_plan, 1);
    check_ = !trying_;
  }
  /// The arm of next() cannot be had, for want of memory, say: the next best is taken. Throws invalid_argument where
  /// that is none.
  void refuse(const std::string& why) {
    require(now_ != 0, [&] { return "none cannot be had: " + why; });
    arms_[now_].refusal = why;
    trials_ -= trying_;
    if (best_ == now_) best_ = 0;
    settle();
  }

  /// Of what was chosen, as it was measured.
  double chosen_run_ms() const { return arms_[best_].run_ms; }
  double chosen_build_ms() const { return arms_[best_].build_ms; }
  /// What was chosen, with figures; one sentence.
  std::string why() const {
    const arm& mine = arms_[best_];
    const arm& plain = arms_[0];
    std::string text = mine.said.name;
    if (!plain.tried) {
      text += ", which nothing has been compared with yet";
    } else if (best_ == 0) {
      text += ": " + ms(plain.run_ms) + " ms a run, and ";
      const std::size_t other = second();
      if (other == 0)
        text += "no other arm is there";
      else if (arms_[other].tried)
        text += arms_[other].said.name + " took " + ms(cost(arms_[other])) + ", its plan included";
      else
        text += arms_[other].said.name + ", the best of the others, would take " +
                ms(expected(arms_[other])) + ", its plan included";
    } else {
      text += ": " + ms(mine.run_ms) + " ms a run and " + ms(mine.build_ms) + " for a plan of " +
              std::to_string(runs_of_plan_) + " runs, where none takes " + ms(plain.run_ms);
      for (std::size_t i = 1; i < arms_.size(); ++i)
        if (i != best_ && arms_[i].tried) text += ", " + arms_[i].said.name + " " + ms(cost(arms_[i]));
    }
    for (const arm& each : arms_)
      if (!each.refusal.empty()) text += "; " + each.said.name + " could not be had: " + each.refusal;
    return text;
  }

 private:
  struct arm {
    arm_estimate said;
    double run_ms = 0, build_ms = 0; ///< measured
    bool tried = false;
    std::string refusal;
  };

  static std::string ms(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }
  /// A run and its share of a plan.
  double cost(const arm& of) const { return of.run_ms + of.build_ms / runs_of_plan_; }
  /// The same as predicted, by how far the prediction of none was off. No plan is cheaper than was said: hosts make
  /// some of them.
  double expected(const arm& of) const {
    const double scale = arms_[0].said.run_ms > 0 ? arms_[0].run_ms / arms_[0].said.run_ms : 1;
    return of.said.run_ms * scale + of.said.build_ms * std::max(scale, 1.0) / runs_of_plan_;
  }
  /// Of those that are neither tried nor refused the one that should be fastest; 0 for none.
  std::size_t best_untried() const {
    std::size_t found = 0;
    for (std::size_t i = 1; i < arms_.size(); ++i)
      if (!arms_[i].tried && arms_[i].refusal.empty() &&
          (found == 0 || expected(arms_[i]) < expected(arms_[found])))
        found = i;
    return found;
  }
  /// The best of the arms that are not chosen: what was tried, else what was predicted.
  std::size_t second() const {
    std::size_t found = 0;
    const auto of = [&](std::size_t i) { return arms_[i].tried ? cost(arms_[i]) : expected(arms_[i]); };
    for (std::size_t i = 1; i < arms_.size(); ++i)
      if (i != best_ && arms_[i].refusal.empty() && (found == 0 || of(i) < of(found))) found = i;
    return found;
  }
  /// After a trial: keeps the best so far, and goes on to the next if that should be better still.
  void settle() {
    const std::size_t last = now_;
    trial_runs_ = 0;
    trial_ms_ = 0;
    best_ = 0;
    for (std::size_t i = 1; i < arms_.size(); ++i)
      if (arms_[i].tried && arms_[i].refusal.empty() && cost(arms_[i]) < worth_it * arms_[0].run_ms &&
          cost(arms_[i]) < cost(arms_[best_]))
        best_ = i;
    const bool goes_on = last == best_ || !arms_[last].refusal.empty(); // one that has lost is enough
    const std::size_t other = best_untried();
    if (other != 0 && goes_on && trials_ < most_trials &&
        expected(arms_[other]) < worth_it * cost(arms_[best_]))
      return begin_trial(other);
    now_ = best_;
    trying_ = false;
    if (next_trial_ <= runs_) next_trial_ = runs_ + std::max<std::int64_t>(runs_, first_wait);
  }
  void begin_trial(std::size_t which) {
    now_ = which;
    trying_ = true;
    ++trials_;
  }
  /// Later on: what should be better than none and could be paid for.
  void try_another() {
    next_trial_ = 2 * runs_;
    const std::size_t other = best_untried();
    if (other == 0) return;
    const arm& it = arms_[other];
    const double scale = arms_[0].said.run_ms > 0 ? arms_[0].run_ms / arms_[0].said.run_ms : 1;
    const double loss = (it.said.build_ms + it.said.run_ms) * std::max(scale, 1.0);
    if (expected(it) < worth_it * cost(arms_[best_]) && loss < affordable * spent_ms_) begin_trial(other);
  }
  /// What is known is of another time: none is timed again, and then the others as at first. An arm in use that took
  /// so long, `ms`, keeps that.
  void reopen(double ms) {
    for (arm& each : arms_) each.tried = false;
    arms_[now_].run_ms = ms;
    arms_[now_].tried = now_ != 0;
    trials_ = trial_runs_ = 0;
    trial_ms_ = 0;
    now_ = 0;
    trying_ = true;
  }

  static constexpr std::int64_t first_wait = 32; ///< runs, before an arm is tried later on

  std::vector<arm> arms_;
  int runs_of_plan_;
  std::size_t now_ = 0, best_ = 0;
  bool trying_ = true, check_ = false;
  int trials_ = 0, trial_runs_ = 0;
  double trial_ms_ = 0;
  std::int64_t runs_ = 0, next_trial_ = 0;
  double spent_ms_ = 0;
};

} // namespace evenly
