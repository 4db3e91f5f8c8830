// SPDX-License-Identifier: Apache-2.0
// The choice of a pipeline in an epoch, from measured times (Wu et al., PPoPP 2013, section 4, after Zhang et al.,
// "On-the-fly elimination of dynamic irregularities for GPU computing", ASPLOS 2011):
//
//   plain    unchanged references; no plan is made
//   late     a plan is made concurrently with the first runs, which do without it, and serves the later ones
//   split    the first run is split: while one part of the jobs runs with references as they are, a plan is made for
//            the others, which then run under it, as in later runs
//
// The planned share of the jobs is chosen so that a run of the other jobs takes as long as making the plan. (The
// paper's transformation ratio is "between the second and first sub-kernel", yet 1 if all jobs are transformed; here it
// is the share of all jobs.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::layouts {

/// Milliseconds, for all jobs.
struct pipeline_times {
  double plain = 0;      ///< a run with unchanged references
  double overlapped = 0; ///< the same while a plan is made
  double build = 0;      ///< a plan, made concurrently with runs
  double planned = 0;    ///< a run under the plan, including its refresh
};

enum class pipeline_way { plain, late, split };

struct pipeline_choice {
  pipeline_way way = pipeline_way::plain;
  double share = 0;    ///< fraction of the jobs with a plan
  double epoch_ms = 0; ///< expected
};

/// The share s of planned jobs whose plan is hidden by the other jobs: overlapped (1 - s) = build s.
inline double hidden_share(const pipeline_times& of) {
  return of.overlapped > 0 ? of.overlapped / (of.overlapped + of.build) : 0;
}

/// The number of the first of `runs` runs that do without the plan. ahead_ms: how long before the epoch the plan was
/// begun.
inline double runs_without_plan(const pipeline_times& of, std::int64_t runs, double ahead_ms) {
  const auto all = static_cast<double>(runs);
  const double left = std::max(of.build - ahead_ms, 0.0);
  if (left == 0) return 0;
  return of.overlapped > 0 ? std::min(std::ceil(left / of.overlapped), all) : all;
}

/// The choice with the smallest expected time for an epoch of `runs` runs; a choice other than plain must take 5% less.
/// can_split: whether the layout plans for a part of the jobs. A run concurrent with the builder is assumed to take at
/// least as long as one alone; shorter measured times are noise.
inline pipeline_choice choose_way(pipeline_times of, std::int64_t runs, bool can_split, double ahead_ms = 0) {
  constexpr double worth_it = 0.95;
  of.overlapped = std::max(of.overlapped, of.plain);
  const auto all = static_cast<double>(runs);
  pipeline_choice best{.epoch_ms = worth_it * all * of.plain};
  const double without = runs_without_plan(of, runs, ahead_ms);
  const double late = without * of.overlapped + (all - without) * of.planned;
  if (late < best.epoch_ms) best = {pipeline_way::late, 1, late};
  const double s = hidden_share(of);
  const double split =
      (1 - s) * of.overlapped + s * of.planned + (all - 1) * ((1 - s) * of.plain + s * of.planned);
  if (can_split && split < best.epoch_ms) best = {pipeline_way::split, s, split};
  if (best.way == pipeline_way::plain) best.epoch_ms = all * of.plain;
  return best;
}

/// Counts of a pipeline so far.
struct pipeline_counts {
  std::int64_t runs = 0;
  std::int64_t planned = 0; ///< runs with all jobs under a plan
  std::int64_t split = 0;   ///< runs with a part of the jobs under a plan
  std::int64_t plans = 0;   ///< plans that served runs
  std::int64_t dropped = 0; ///< plans finished when their epoch was over, or nearly
  std::int64_t late = 0;    ///< runs to be split, with a plan that was late
  std::int64_t failed = 0;  ///< plans that could not be made
};

/// The first runs under a plan, of all epochs. The pipeline waits for them, so that a plan which makes runs much slower
/// is dropped even if its list stays.
class planned_trial {
 public:
  bool is_over() const { return left_ == 0; }
  void end() { left_ = 0; }
  /// Records the time of a run on trial.
  void note(double ms) {
    fastest_ms_ = fastest_ms_ > 0 ? std::min(fastest_ms_, ms) : ms;
    if (left_ > 0) --left_;
  }
  double fastest_ms() const { return fastest_ms_; }
  /// Whether the fastest run took much longer than a run without a plan. False until the trial is over.
  bool is_lost(double plain_ms) const {
    constexpr double much = 1.5, min_ms = 0.02;
    return is_over() && fastest_ms_ > much * plain_ms && fastest_ms_ - plain_ms > min_ms;
  }

 private:
  int left_ = 2;
  double fastest_ms_ = 0;
};

} // namespace evenly::layouts
