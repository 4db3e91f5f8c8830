// SPDX-License-Identifier: Apache-2.0
// The default schedules of applications. An application names the properties that it needs of a schedule; only this
// header names the schedule.
#pragma once

#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"

namespace evenly {

/// For sums over tiles of any sizes, planned for one run: nothing is prepared.
using schedule_for_sums = merge_path<>;

/// For sums of whole tiles: none is cut, so on cpu the order of its atoms does not depend on the number of threads.
using schedule_for_whole_sums = group_mapped<>;

/// For functions of whole tiles of any sizes: similar tiles have launches of their own, which allow storage per atom.
using schedule_for_whole_tiles = binned;

} // namespace evenly
