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

/// `on_cores`: where blocks are threads of the processor; else as on a GPU. `among`: names of those that may be chosen;
/// empty: all.
automatic_choice choose_of_all(bool on_cores, const tile_summary& tiles, work_kind work, int expected_runs,
                               std::span<const std::string> among = {});

} // namespace evenly::detail
