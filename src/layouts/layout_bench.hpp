// SPDX-License-Identifier: Apache-2.0
// A workload on an executor under each layout: checked, timed or counted. The interface separates the command, which
// knows no executor, from executors, which have their own translation units.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evenly/layouts/choice/forecast.hpp"
#include "evenly/trace/trace.hpp"
#include "layouts/access_workload.hpp"
#include "measure/bench.hpp"

namespace evenly::layouts {

using measure::bench_options, measure::executor_kind;

/// The result of a layout. Times in milliseconds.
struct layout_result {
  std::string layout;
  std::optional<std::string> error; ///< the error of its result
  std::optional<std::string>
      refusal; ///< why the layout is not available: the library refuses it, or memory is too small
  double build_ms = 0;
  double refresh_ms = 0; ///< the copy before each run
  double run_ms = 0;
  double loop_ms = 0;      ///< all iterations including plans; A changes in each iteration
  double kept_loop_ms = 0; ///< the same, but A changes with P only, so that each plan needs one copy
  std::size_t plan_bytes = 0;
  std::size_t copy_bytes = 0;
  std::size_t footprint_bytes = 0;      ///< distinct bytes that a run reads: indices and elements
  access_forecast estimate;             ///< requests and sectors of loads
  trace_counts seen;                    ///< if it was counted
  std::vector<launch_profile> launches; ///< if profiles are requested
  std::string chosen;                   ///< the final choice of automatic
  std::string why;                      ///< the reason, as a sentence

  bool is_timed() const { return !error && !refusal; }
};

struct layouts_options {
  bench_options bench;
  std::function<bool(const std::string&)> wants; ///< selects layouts by name
  bool count = false;
  bool profiles = false; ///< whether to keep launch profiles when counting
  bool check_calls =
      true; ///< whether more calls than one are checked, where elements change: they may be thousands
  int iterations = 10;
  int change_every = 10; ///< P changes after this number of iterations
  int repeat = 0;        ///< 0: until the times settle
};

using take_result = std::function<void(const layout_result&)>;

/// Calls take for each selected layout. The first is none, whose bits are the reference for the others; it is always
/// checked. Returns the name of the hardware.
std::string run_layouts_on_cpu(const access_workload& of, const layouts_options& options,
                               const take_result& take);
std::string run_layouts_on_simt(const access_workload& of, const layouts_options& options,
                                const take_result& take);
std::string run_layouts_on_cuda(const access_workload& of, const layouts_options& options,
                                const take_result& take);
/// Runs on one of the executors of this program.
std::string run_layouts(executor_kind kind, const access_workload& of, const layouts_options& options,
                        const take_result& take);

} // namespace evenly::layouts
