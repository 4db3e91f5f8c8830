// SPDX-License-Identifier: Apache-2.0
// A recorded run as a picture. From top to bottom: a title, the tiles with their atoms, and for every launch its
// blocks, with a column per thread and a row per step, like the figures of Busato & Bombieri (TPDS 2017).
#pragma once

#include <span>
#include <string>

#include "draw/recording.hpp"

namespace evenly::draw {

/// Returns an SVG; equal arguments give equal bytes. `input`: its name, or empty; `offsets`: tiles + 1, from 0.
///
/// Each atom of a thread is a group with data-launch, data-block, data-thread, data-step (from 1 per block), data-tile,
/// data-atom and data-coalesced (yes if an adjacent lane takes an adjacent atom, else no), within a group with
/// data-sharing. Each atom of the tiles at the top is a group with data-input-atom.
std::string picture(const recorded_run& run, const std::string& title, const std::string& input,
                    std::span<const int> offsets, int warp_size);

} // namespace evenly::draw
