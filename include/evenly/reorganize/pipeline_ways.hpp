// SPDX-License-Identifier: Apache-2.0
// How a pipeline goes about an epoch, from times that were measured (Wu et al., PPoPP 2013, section 4, after Zhang et
// al., "On-the-fly elimination of dynamic irregularities for GPU computing", ASPLOS 2011):
//
//   plain    references stay as they are: no plan is made
//   late     a plan is made beside the first runs, which go without, and serves those after it
//   split    the first run is cut in two: while one part of the jobs runs with references as they are, a plan is made
//            for the others, which run then, under it. So are the runs after it
//
// The share of the jobs that is transformed hides what that takes: a run of the others takes as long. (The text's
// transformation ratio is "between the second and first sub-kernel", yet 1 where all is transformed: this is the share
// of the whole.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly {

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
/// the arm makes plans for a part of the jobs.
inline pipeline_choice choose_way(const pipeline_times& of, std::int64_t runs, bool can_split,
                                  double ahead_ms = 0) {
  constexpr double worth_it = 0.95;
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

} // namespace evenly
