// SPDX-License-Identifier: Apache-2.0
// The choice of `automatic` among all schedules.
#pragma once

#include <span>
#include <string>

#include "evenly/schedules/choice/chooser.hpp"

namespace evenly::detail {

struct automatic_choice {
  std::string name; ///< of schedule_names()
  std::string why;
};

/// `threads`: number of CPU threads if they are the blocks; 0 on a GPU. `among`: names of the candidates; empty: all.
/// On cpu, if a tile has more atoms than the equal share of a thread, a schedule that cuts atoms evenly is preferred.
automatic_choice choose_of_all(int threads, const tile_summary& tiles, work_kind work, int expected_runs,
                               std::span<const std::string> among = {});

} // namespace evenly::detail
