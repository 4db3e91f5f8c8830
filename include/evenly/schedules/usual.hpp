// SPDX-License-Identifier: Apache-2.0
// The schedules of applications whose caller names none: an application says what it needs of a schedule, and only this
// header knows which one has it.
#pragma once

#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/merge_path.hpp"

namespace evenly {

/// For sums over tiles of any sizes, planned for one run: nothing is prepared.
using schedule_for_sums = merge_path<>;

/// For functions of whole tiles of any sizes: tiles that are alike have launches of their own, whose storage may be
/// asked for each atom.
using schedule_for_whole_tiles = binned;

} // namespace evenly
