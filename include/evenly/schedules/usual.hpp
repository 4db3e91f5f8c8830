// SPDX-License-Identifier: Apache-2.0
// The default schedules of applications. An application names the properties that it needs of a schedule; only this
// header names the schedule.
#pragma once

#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/merge_path.hpp"

namespace evenly {

/// For sums over tiles of any sizes, planned for one run: nothing is prepared.
using schedule_for_sums = merge_path<>;

/// For functions of whole tiles of any sizes: similar tiles have launches of their own, which allow storage per atom.
using schedule_for_whole_tiles = binned;

} // namespace evenly
