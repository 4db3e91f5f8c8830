// SPDX-License-Identifier: Apache-2.0
// How a pipeline goes about an epoch, from times that were measured (Wu et al., PPoPP 2013, section 4, after Zhang et
// al., "On-the-fly elimination of dynamic irregularities for GPU computing", ASPLOS 2011):
//
//   plain    references stay as they are: no plan is made
//   late     a plan is made beside the first runs, which go without, and serves those after it
//   split    the first run is cut in two: while one part of the jobs runs with references as they are, a plan is made
//            for the others, which run then, under it. So are the runs after it
//
// The share of the jobs that is transformed hides what that takes: a run of the others takes as long. (The paper's
// transformation ratio is "between the second and first sub-kernel", yet 1 where all is transformed: this is the share
// of the whole.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::layouts {

/// Milliseconds, of all jobs.
struct pipeline_times {
  double plain = 0;   ///< a run with references as they are
  double beside = 0;  ///< the same while a plan is made
  double build = 0;   ///< a plan, made beside runs
  double planned = 0; ///< a run under it, with its copy made anew
};

enum class pipeline_way { plain, late, split };

struct pipeline_choice {
  pipeline_way way = pipeline_way::plain;
  double share = 0;    ///< of the jobs: those that are transformed
  double epoch_ms = 0; ///< expected
};

/// The share of the jobs that is transformed while the others run: s, with beside (1 - s) = build s.
inline double hidden_share(const pipeline_times& of) {
  return of.beside > 0 ? of.beside / (of.beside + of.build) : 0;
}

/// Of `runs` the first ones, which go without the plan; `ahead_ms`: how long before the epoch it was begun.
inline double runs_without_plan(const pipeline_times& of, std::int64_t runs, double ahead_ms) {
  const auto all = static_cast<double>(runs);
  const double left = std::max(of.build - ahead_ms, 0.0);
  if (left == 0) return 0;
  return of.beside > 0 ? std::min(std::ceil(left / of.beside), all) : all;
}

/// What should take least for an epoch of so many runs; another way than plain must take 5% less. can_split: whether
/// the layout makes plans for a part of the jobs. A run beside the builder is taken to last as long as one alone, at
/// least: where it was shorter, times differ by more than the builder costs.
inline pipeline_choice choose_way(pipeline_times of, std::int64_t runs, bool can_split, double ahead_ms = 0) {
  constexpr double worth_it = 0.95;
  of.beside = std::max(of.beside, of.plain);
  const auto all = static_cast<double>(runs);
  pipeline_choice best{.epoch_ms = worth_it * all * of.plain};
  const double without = runs_without_plan(of, runs, ahead_ms);
  const double late = without * of.beside + (all - without) * of.planned;
  if (late < best.epoch_ms) best = {pipeline_way::late, 1, late};
  const double s = hidden_share(of);
  const double split =
      (1 - s) * of.beside + s * of.planned + (all - 1) * ((1 - s) * of.plain + s * of.planned);
  if (can_split && split < best.epoch_ms) best = {pipeline_way::split, s, split};
  if (best.way == pipeline_way::plain) best.epoch_ms = all * of.plain;
  return best;
}

/// What a pipeline has done so far.
struct pipeline_counts {
  std::int64_t runs = 0;
  std::int64_t planned = 0; ///< runs of which all jobs went under a plan,
  std::int64_t split = 0;   ///< and a part of them
  std::int64_t plans = 0;   ///< that served runs
  std::int64_t dropped = 0; ///< whose epoch was over, or nearly, when they were there
  std::int64_t late = 0;    ///< runs that were to be split, and whose plan was not there in time
  std::int64_t failed = 0;  ///< plans that could not be made
};

/// The first runs under a plan, of all epochs: they are waited for, so that a plan which makes runs much slower is not
/// used any longer, though its list stays.
class planned_trial {
 public:
  bool is_over() const { return left_ == 0; }
  void end() { left_ = 0; }
  /// A run that was on trial took so long.
  void note(double ms) {
    fastest_ms_ = fastest_ms_ > 0 ? std::min(fastest_ms_, ms) : ms;
    if (left_ > 0) --left_;
  }
  double fastest_ms() const { return fastest_ms_; }
  /// Whether the fastest took much longer than a run without a plan. Not before it is over.
  bool is_lost(double plain_ms) const {
    constexpr double much = 1.5, min_ms = 0.02;
    return is_over() && fastest_ms_ > much * plain_ms && fastest_ms_ - plain_ms > min_ms;
  }

 private:
  int left_ = 2;
  double fastest_ms_ = 0;
};

} // namespace evenly::layouts
