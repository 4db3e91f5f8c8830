// SPDX-License-Identifier: Apache-2.0
// A workload on an executor under each layout: checked, timed or counted. The seam between the command, which knows no
// executor, and executors, which have translation units of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evenly/layouts/forecast.hpp"
#include "evenly/trace/trace.hpp"
#include "layouts/access_workload.hpp"
#include "measure/bench.hpp"

namespace evenly::layouts {

using measure::bench_options, measure::executor_kind;

/// What came of a layout. Milliseconds.
struct layout_result {
  std::string layout;
  std::optional<std::string> error;   ///< its result was wrong
  std::optional<std::string> refusal; ///< why the layout could not be had: by the library, or for memory
  double build_ms = 0;
  double refresh_ms = 0; ///< of the copy, before each run
  double run_ms = 0;
  double loop_ms = 0;      ///< all iterations, with the plans that they need; A changes in each
  double kept_loop_ms = 0; ///< likewise, where A changes with P only, so that a plan's copy is made once
  std::size_t plan_bytes = 0;
  std::size_t copy_bytes = 0;
  std::size_t footprint_bytes = 0;      ///< what a run reads at least once: indices and elements
  access_forecast estimate;             ///< requests and sectors of loads
  trace_counts seen;                    ///< if it was counted
  std::vector<launch_profile> launches; ///< if profiles are wanted too
  std::string chosen;                   ///< by automatic, in the end
  std::string why;                      ///< in a sentence

  bool is_timed() const { return !error && !refusal; }
};

struct layouts_options {
  bench_options bench;
  std::function<bool(const std::string&)> wants; ///< by name
  bool count = false;
  bool profiles = false; ///< of what is counted
  bool check_calls =
      true; ///< whether more calls than one are checked, where elements change: they may be thousands
  int iterations = 10;
  int change_every = 10; ///< iterations, after which P has changed
  int repeat = 0;        ///< 0: until times settle
};

using take_result = std::function<void(const layout_result&)>;

/// Calls take for each layout that is wanted; the first is none, whose bits others must have, and which is checked even
/// if it is not wanted. Returns what was run on, for people.
std::string run_layouts_on_cpu(const access_workload& of, const layouts_options& options,
                               const take_result& take);
std::string run_layouts_on_simt(const access_workload& of, const layouts_options& options,
                                const take_result& take);
std::string run_layouts_on_cuda(const access_workload& of, const layouts_options& options,
                                const take_result& take);
/// On one of these that this program has.
std::string run_layouts(executor_kind kind, const access_workload& of, const layouts_options& options,
                        const take_result& take);

} // namespace evenly::layouts
