// SPDX-License-Identifier: Apache-2.0
// What applications run under that leave the choice of a schedule to the library: they name what they need of one, and
// this header, alone, which one has it.
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
