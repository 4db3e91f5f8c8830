// SPDX-License-Identifier: Apache-2.0
// A recorded run as a picture. From the top: what it shows, the tiles with their atoms, and for every
// launch its blocks, a column for each thread and a row for each step, in the manner of the figures of
// Busato & Bombieri (TPDS 2017).
#pragma once

#include <span>
#include <string>

#include "draw/recording.hpp"

namespace evenly::draw {

/// As SVG, the same bytes for the same arguments. `input`: its name, or nothing; `offsets`: tiles + 1, from 0.
///
/// Each atom that a thread takes is a group with data-launch, data-block, data-thread, data-step (from 1, in its
/// block), data-tile, data-atom and data-coalesced (yes where a neighbour in the warp takes a neighbouring atom, else
/// no), within a group with data-sharing; each atom of the tiles above is one with data-input-atom.
std::string picture(const recorded_run& run, const std::string& title, const std::string& input,
                    std::span<const int> offsets, int warp_size);

} // namespace evenly::draw
