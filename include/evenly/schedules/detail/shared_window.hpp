// SPDX-License-Identifier: Apache-2.0
// A window of offsets shared by the threads of a block. Each thread has consecutive atoms: one search for the first,
// and a walk from there. This is common to two_phase and block_search.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/detail/offset_window.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// A run: the thread of rank r has the atoms [r * per_thread, (r + 1) * per_thread) of the window.
template <class Block, class Window> struct shared_window {
  using tile = typename Window::tile;
  using atom = typename Window::atom;
  using count = typename Window::count_type;

  Block& block;
  const Window& window;
  count per_thread;
  atom first_atom;
  atom last_atom;

  /// Requires a synchronised window, with the ends in storage if they fit.
  EVENLY_FN shared_window(Block& of, const Window& in, count each)
      : block(of), window(in), per_thread(each), first_atom(in.first_atom()),
        last_atom(static_cast<atom>(in.first_atom() + in.atoms())) {}

  EVENLY_FN const auto& tiles() const { return window.tiles(); }

  template <class Visit> EVENLY_FN void for_each(Visit visit) const {
    const std::int64_t begin =
        static_cast<std::int64_t>(per_thread) * block.rank(); // may be far beyond the end
    if (begin >= window.atoms()) return;
    const auto first = static_cast<count>(begin);
    const auto last = static_cast<count>(first + smaller<count>(per_thread, window.atoms() - first));
    auto here = window.at(first);
    for (count k = first; k < last; ++k) {
      window.advance(here, k);
      visit(static_cast<tile>(window.first_tile() + here.tile), static_cast<atom>(first_atom + k));
    }
  }
};

} // namespace evenly
