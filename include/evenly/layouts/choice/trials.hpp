// SPDX-License-Identifier: Apache-2.0
// Trials of layouts in a loop. First the layout none is timed, which calibrates the predictions for this machine. Then
// layouts that should be faster are tried, the best first. The fastest is kept until times change.
//
// The cost of trials is bounded. It is the sum of all time beyond runs of none: samples, plans, slower runs and timing
// itself. The gain of the chosen layout is subtracted. No trial begins that would raise this sum above 1.5% of the time
// of none, for the runs so far or for 500 runs, the assumed length of a loop. A run that takes twice as long ends its
// trial. So a loop with runs of a few microseconds is timed twice, and reads no sample until it has run for long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"

namespace evenly::layouts {

/// A layout with predicted times in milliseconds.
struct layout_estimate {
  std::string name;
  double run_ms = 0; ///< including the refresh of the copy
  double build_ms = 0;
};

/// An estimate before a sample is read.
struct unsampled_estimate {
  double run_ms = 0;    ///< upper bound for none, from the sizes
  double sample_ms = 0; ///< the time to read a sample
};

/// Chooses the layout of each run of a loop. The caller calls next(), makes a plan of that layout if it has none for
/// the epoch, runs, and reports the times:
///
///   for (;;) {
///    if (trials.wants_sample()) { read a sample; trials.note_sample(ms, estimates); }
///    const std::size_t layout = trials.next();           // 0: none, which needs no plan
///    if (plan is of another layout or epoch) { make it; trials.note_build(ms); }   // or trials.refuse(why), and again
///    const int timed = trials.runs_to_time();            // runs that are timed together; fewer if the epoch ends
///    run; timed > 0 ? trials.note_runs(how many, ms) : trials.skip_run();
///   }
///
/// Measured times are only compared with measured times of this machine, so the constants do not determine the choice.
/// If layouts give the same bits, results do not depend on the choice.
class layout_trials {
 public:
  static constexpr double worth_it = 0.95; ///< a layout is tried or kept up to this fraction of none's time
  static constexpr double drift = 1.3; ///< ratio of times in a new epoch and at the choice that reopens it
  static constexpr int max_trials = 2; ///< in a row, if the first has won; each later one waits twice as long
  static constexpr std::int64_t usual_runs = 500; ///< assumed length of a loop
  static constexpr double allowed = 0.015;        ///< of none's time: maximum loss by all trials
  static constexpr double of_sample = 0.01;       ///< of none's time: maximum time of a sample
  static constexpr double affordable = 0.01;      ///< of all time so far: maximum loss of a later trial
  static constexpr double of_checks = 0.005;      ///< of all time: maximum cost of later timing
  static constexpr double min_run_ms = 2;         ///< shorter runs are timed again,
  static constexpr double together_ms = 1;        ///< together, until they take so long,
  static constexpr int max_together = 64;         ///< but at most so many
  static constexpr double timing_ms = 0.02;       ///< the time of timing runs, which may be added to theirs

  /// For references with a sample. estimates: the first is that of none. runs_of_plan: the expected number of runs per
  /// plan, at least 1. Throws invalid_argument without an estimate.
  layout_trials(std::vector<layout_estimate> estimates, int runs_of_plan)
      : layouts_(estimates.size()), runs_of_plan_(std::max(runs_of_plan, 1)), is_sampled_(true) {
    require(!estimates.empty(), [] { return std::string("there is no layout to choose from"); });
    for (std::size_t i = 0; i < layouts_.size(); ++i) layouts_[i].estimate = std::move(estimates[i]);
  }
  /// For references without a sample. A sample is requested when it can be afforded (wants_sample); until then runs use
  /// none.
  layout_trials(const unsampled_estimate& of, int runs_of_plan)
      : layouts_(1), runs_of_plan_(std::max(runs_of_plan, 1)), sample_ms_(of.sample_ms) {
    layouts_[0].estimate = {"none", of.run_ms, 0};
  }

  std::size_t next() const { return now_; }
  /// Whether a sample must be read before the next run.
  bool wants_sample() const { return sample_is_due_; }
  /// The number of runs, from the next one on, to be timed together: in trials, and at the begin of an epoch. 0: the
  /// next run is not timed. No other runs may follow until note_runs().
  int runs_to_time() const { return trying_ || check_ ? together_ : 0; }
  bool is_settled() const { return !trying_; }

  /// Reports a sample. `estimates` as in the constructor. With only that of none, nothing is tried.
  void note_sample(double ms, std::vector<layout_estimate> estimates) {
    require(!estimates.empty(), [] { return std::string("there is no layout to choose from"); });
    const layout plain = layouts_[0];
    layouts_.assign(estimates.size(), {});
    for (std::size_t i = 0; i < layouts_.size(); ++i) layouts_[i].estimate = std::move(estimates[i]);
    layouts_[0].run_ms = plain.run_ms;
    layouts_[0].tried = plain.tried;
    is_sampled_ = true;
    sample_is_due_ = false;
    lose(ms);
    settle();
  }
  void note_build(double ms) {
    layouts_[now_].build_ms = ms;
    lose(ms);
  }
  /// Reports that `count` runs took `ms`, including refreshes; 1 <= count <= runs_to_time().
  void note_runs(int count, double ms) {
    const double each = without_timing(ms) / count;
    layout& mine = layouts_[now_];
    if (trying_) {
      mine.run_ms = timings_ > 0 ? std::min(mine.run_ms, each) : each;
      mine.tried = true;
      ++timings_;
    }
    add_runs(count, each);
    if (now_ == 0) lose(timing_ms);
    unchecked_ms_ = 0;
    if (trying_) return go_on(each);
    check_ = false;
    const double right = mine.run_ms * count, took = each * count;
    const bool differs = took > right * drift || took * drift < right;
    if (differs && std::abs(took - right) > 2 * timing_ms) reopen(each);
  }
  /// Reports a run that was not timed; it is assumed to take as long as previous ones.
  void skip_run() {
    add_runs(1, layouts_[now_].run_ms);
    unchecked_ms_ += layouts_[now_].run_ms;
    if (trying_) return;
    if (!is_sampled_)
      sample_is_due_ = affords_sample();
    else if (runs_ >= next_trial_)
      try_another();
  }
  /// Reports a new P. The next runs are timed, unless runs were timed just before. If they take much more or less than
  /// expected, all choices are open again. If plans serve fewer runs than before, the layout may no longer be worth its
  /// plan.
  void begin_epoch(int runs_of_plan) {
    runs_of_plan_ = std::max(runs_of_plan, 1);
    if (trying_) return;
    if (best_ != 0 && cost(layouts_[best_]) > layouts_[0].run_ms) now_ = best_ = best_tried();
    check_ = unchecked_ms_ >= timing_ms / of_checks;
    if (check_) together_ = enough_together(layouts_[now_].run_ms);
  }
  /// Reports that the layout of next() is not available, for instance for lack of memory. `ms`: the time until this was
  /// known. The next best is chosen. Throws invalid_argument if that layout is none.
  void refuse(const std::string& why, double ms = 0) {
    require(now_ != 0, [&] { return "the layout none failed: " + why; });
    layouts_[now_].refusal = why;
    trials_ -= trying_;
    lose(ms);
    settle();
  }

  /// Measured times of the chosen layout.
  double chosen_run_ms() const { return layouts_[best_].run_ms; }
  double chosen_build_ms() const { return layouts_[best_].build_ms; }
  /// The chosen layout and the reason, with figures; one sentence.
  std::string why() const {
    const layout& mine = layouts_[best_];
    const layout& plain = layouts_[0];
    std::string text = mine.estimate.name;
    if (!plain.tried && plain.run_ms > 0) {
      text += ": times have changed, so all layouts are timed again";
    } else if (!plain.tried) {
      text += ", not yet compared with another layout";
    } else if (best_ == 0) {
      text += ": " + to_string(plain.run_ms) + " ms a run, and " + why_not();
    } else {
      text += ": " + to_string(mine.run_ms) + " ms a run and " + to_string(mine.build_ms) +
              " for a plan of " + std::to_string(runs_of_plan_) + " runs, but none takes " +
              to_string(plain.run_ms);
      for (std::size_t i = 1; i < layouts_.size(); ++i)
        if (i != best_ && layouts_[i].tried)
          text += ", " + layouts_[i].estimate.name + " " + to_string(cost(layouts_[i]));
    }
    for (const layout& each : layouts_)
      if (!each.refusal.empty()) text += "; " + each.estimate.name + " failed: " + each.refusal;
    return text;
  }

 private:
  struct layout {
    layout_estimate estimate;
    double run_ms = 0, build_ms = 0; ///< measured
    bool tried = false;
    std::string refusal;
  };

  static std::string to_string(double ms) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", ms);
    return text;
  }
  std::string why_not() const {
    if (!is_sampled_)
      return "sampling the references would take " + to_string(sample_ms_ * scale(1)) + ", more than " +
             to_string(of_sample * worth()) + ", 1% of the time of none";
    const std::size_t other = second();
    if (other == 0) return "no other layout is available";
    const layout& it = layouts_[other];
    if (it.tried) return it.estimate.name + " took " + to_string(cost(it)) + ", its plan included";
    std::string text = it.estimate.name + ", the best of the others, would take " + to_string(expected(it)) +
                       ", its plan included";
    if (expected(it) < worth_it * layouts_[0].run_ms && !affords(loss_of(it)))
      text += ", but a trial may lose " + to_string(loss_of(it)) + ", more than the allowed " +
              to_string(std::max(allowed * worth() - behind_ms_, 0.0));
    return text;
  }

  // ---- costs so far ----

  /// Subtracts the time of timing itself; of times that are mostly waiting, an eighth counts.
  static double without_timing(double ms) {
    return ms < 10 * timing_ms ? std::max(ms - timing_ms, ms / 8) : ms;
  }
  void add_runs(int count, double each) {
    const double plain = layouts_[0].run_ms;
    runs_ += count;
    spent_ms_ += count * each;
    plain_ms_ += count * plain;
    if (now_ != 0) behind_ms_ += count * (each - plain);
  }
  void lose(double ms) {
    spent_ms_ += ms;
    behind_ms_ += ms;
  }
  /// The time of none for all runs so far, or for the assumed length of a loop.
  double worth() const { return std::max(plain_ms_, static_cast<double>(usual_runs) * layouts_[0].run_ms); }
  bool affords(double ms) const { return behind_ms_ + ms <= allowed * worth(); }
  /// The possible loss of a trial: a plan, and a run that takes twice as long.
  double loss_of(const layout& of) const { return of.estimate.build_ms * scale(1) + layouts_[0].run_ms; }
  bool affords_sample() const {
    const double ms = sample_ms_ * scale(1);
    return ms <= of_sample * worth() && affords(ms);
  }

  // ---- what is expected ----

  /// The ratio of the measured and the predicted time of none; at least `min`.
  double scale(double min) const {
    return std::max(layouts_[0].estimate.run_ms > 0 ? layouts_[0].run_ms / layouts_[0].estimate.run_ms : 1,
                    min);
  }
  /// The time of a run, including its share of a plan.
  double cost(const layout& of) const { return of.run_ms + of.build_ms / runs_of_plan_; }
  /// The same, predicted and scaled by the ratio for none. Plans are never scaled down, since hosts make some of them.
  double expected(const layout& of) const {
    return of.estimate.run_ms * scale(0) + of.estimate.build_ms * scale(1) / runs_of_plan_;
  }
  /// The layout with the smallest expected time, of those that are neither tried nor refused; 0 for none.
  std::size_t best_untried() const {
    std::size_t found = 0;
    for (std::size_t i = 1; i < layouts_.size(); ++i)
      if (!layouts_[i].tried && layouts_[i].refusal.empty() &&
          (found == 0 || expected(layouts_[i]) < expected(layouts_[found])))
        found = i;
    return found;
  }
  /// The fastest tried layout, if it is worth it; otherwise none.
  std::size_t best_tried() const {
    std::size_t found = 0;
    for (std::size_t i = 1; i < layouts_.size(); ++i)
      if (layouts_[i].tried && layouts_[i].refusal.empty() &&
          cost(layouts_[i]) < worth_it * layouts_[0].run_ms && cost(layouts_[i]) < cost(layouts_[found]))
        found = i;
    return found;
  }
  /// The best layout that is not chosen, by its measured time if it was tried, otherwise by its prediction.
  std::size_t second() const {
    std::size_t found = 0;
    const auto of = [&](std::size_t i) {
      return layouts_[i].tried ? cost(layouts_[i]) : expected(layouts_[i]);
    };
    for (std::size_t i = 1; i < layouts_.size(); ++i)
      if (i != best_ && layouts_[i].refusal.empty() && (found == 0 || of(i) < of(found))) found = i;
    return found;
  }

  // ---- trials ----

  static int enough_together(double each) {
    const double runs = each > 0 ? std::ceil(together_ms / each) : max_together;
    return static_cast<int>(std::clamp(runs, 1.0, static_cast<double>(max_together)));
  }
  /// Continues after runs of a trial, which took `each` milliseconds.
  void go_on(double each) {
    const double plain = layouts_[0].run_ms;
    const bool is_slow = now_ != 0 && each > 2 * plain;
    if (timings_ >= 2 || each >= min_run_ms || is_slow) return settle();
    together_ = enough_together(each);
    if (each > plain) { // as many as can be afforded
      const double max = (allowed * worth() - behind_ms_) / (each - plain);
      if (max < 1) return settle();
      together_ = static_cast<int>(std::min(static_cast<double>(together_), max));
    }
  }
  /// Ends a trial: keeps the best so far, and continues with the next if that should be better.
  void settle() {
    const std::size_t last = now_;
    timings_ = 0;
    best_ = best_tried();
    now_ = best_;
    trying_ = false;
    if (!is_sampled_) sample_is_due_ = affords_sample();
    const bool continues = last == best_ || !layouts_[last].refusal.empty(); // one that has lost is enough
    const std::size_t other = best_untried();
    if (other != 0 && continues && trials_ < max_trials &&
        expected(layouts_[other]) < worth_it * cost(layouts_[best_]) && affords(loss_of(layouts_[other])))
      return begin_trial(other);
    if (next_trial_ <= runs_) next_trial_ = runs_ + std::max<std::int64_t>(runs_, first_wait);
  }
  void begin_trial(std::size_t which) {
    now_ = which;
    trying_ = true;
    check_ = false;
    together_ = 1;
    ++trials_;
  }
  /// Later: tries a layout that should be better, if it can be afforded.
  void try_another() {
    next_trial_ = 2 * runs_;
    const std::size_t other = best_untried();
    if (other == 0) return;
    const layout& it = layouts_[other];
    if (expected(it) < worth_it * cost(layouts_[best_]) && loss_of(it) < affordable * spent_ms_ &&
        affords(loss_of(it)))
      begin_trial(other);
  }
  /// Reopens the choice, as measurements are out of date: none is timed again, then the others as at first. A layout in
  /// use keeps its time `ms`.
  void reopen(double ms) {
    for (layout& each : layouts_) each.tried = false;
    layouts_[now_].run_ms = ms;
    layouts_[now_].tried = now_ != 0;
    trials_ = timings_ = 0;
    together_ = 1;
    now_ = best_ = 0;
    trying_ = true;
  }

  static constexpr std::int64_t first_wait = 32; ///< in runs, before a layout is tried later

  std::vector<layout> layouts_;
  int runs_of_plan_;
  std::size_t now_ = 0, best_ = 0;
  bool trying_ = true, check_ = false;
  bool is_sampled_ = false, sample_is_due_ = false;
  double sample_ms_ = 0;
  int trials_ = 0;
  int timings_ = 0;  ///< of the trial
  int together_ = 1; ///< in runs
  std::int64_t runs_ = 0, next_trial_ = 0;
  double spent_ms_ = 0;     ///< in total
  double plain_ms_ = 0;     ///< that none would have taken
  double behind_ms_ = 0;    ///< losses less gains
  double unchecked_ms_ = 0; ///< since runs were last timed
};

using arm_estimate [[deprecated("use layout_estimate")]] = layout_estimate;
using arm_trials [[deprecated("use layout_trials")]] = layout_trials;

} // namespace evenly::layouts
