// SPDX-License-Identifier: Apache-2.0
// What `automatic` is among all schedules.
#pragma once

#include <span>
#include <string>

#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/choice/tile_summary.hpp"

namespace evenly::detail {

struct automatic_choice {
  std::string name; ///< of schedule_names()
  std::string why;
};

/// `threads`: how many of the processor's, where they are the blocks; 0 on a GPU. `among`: names of those that may be
/// chosen; empty: all. If a tile holds more atoms than a thread's equal part, a schedule that cuts atoms evenly on
/// cores is preferred to all others there.
automatic_choice choose_of_all(int threads, const tile_summary& tiles, work_kind work, int expected_runs,
                               std::span<const std::string> among = {});

} // namespace evenly::detail
