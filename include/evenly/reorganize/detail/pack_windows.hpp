// SPDX-License-Identifier: Apache-2.0
// The windows of pad.hpp, filled from the left to the right. One thread has a run of warps.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/reorganize/references.hpp"
#include "evenly/reorganize/view.hpp"

namespace evenly {

/// How a warp's elements are put into windows (pad.hpp).
enum class pad_design { unaligned, copying, by_size, by_missing };

namespace detail {

inline constexpr int most_window = 256; ///< elements

/// Run after run: how many slots each takes goes to starts[run], if there are no elements yet; with them, which slots
/// from starts[run] on have which element, and the slot of each reference.
template <class I> struct pack_windows {
  const I* p;
  access_shape shape;
  int warp;
  int window;
  pad_design design;
  int run;
  std::int64_t* starts;
  I* index;    ///< null in the first pass
  I* elements; ///< [slot]: what it holds

  std::int64_t warps() const { return warps_in(shape.threads, shape.block, warp); }
  std::int64_t runs_of_reference() const { return ceil_div<std::int64_t>(warps(), run); }
  std::int64_t runs() const { return runs_of_reference() * shape.references; }
  template <class Executor> void launch_on(const Executor& exec) const;

  /// The different elements of a warp, in the order of its lanes.
  struct warp_elements {
    I of[64];
    int count = 0;
    EVENLY_FN int find(I element) const {
      for (int i = count - 1; i >= 0; --i)
        if (of[i] == element) return i;
      return -1;
    }
  };
  /// The open window: where it begins, and what it holds.
  struct open_window {
    I of[most_window];
    int used = 0;
    std::int64_t base = 0;
    /// The latest slot of an element in it, -1 for none.
    EVENLY_FN int find(I element) const {
      for (int i = used - 1; i >= 0; --i)
        if (of[i] == element) return i;
      return -1;
    }
  };

  EVENLY_FN void pack_run(std::int64_t number, std::int64_t runs_each, std::int64_t all_warps) const {
    const std::int64_t r = number / runs_each, first = number % runs_each * run;
    const std::int64_t last = smaller(first + run, all_warps);
    open_window open;
    open.base = elements == nullptr ? 0 : starts[number];
    for (std::int64_t w = first; w < last; ++w) {
      const position_range lanes = positions_of_warp(w, shape.threads, shape.block, warp);
      warp_elements mine;
      for (std::int64_t q = lanes.first; q < lanes.last; ++q) {
        const I element = p[r * shape.threads + q];
        if (mine.find(element) < 0) mine.of[mine.count++] = element;
      }
      put(mine, open);
      if (elements != nullptr) note(r, lanes, open);
    }
    if (elements != nullptr) return;
    std::int64_t slots = open.base + open.used;
    const bool is_last = number + 1 == runs_each * shape.references;
    if (design != pad_design::unaligned && !is_last) slots = ceil_div<std::int64_t>(slots, window) * window;
    starts[number] = slots;
  }

  /// Makes the elements of a warp lie in the open window, or in the next.
  EVENLY_FN void put(const warp_elements& mine, open_window& open) const {
    const bool copies = design == pad_design::copying || design == pad_design::unaligned;
    int missing = mine.count;
    if (!copies) {
      missing = 0;
      for (int i = 0; i < mine.count; ++i) missing += open.find(mine.of[i]) < 0;
    }
    const int asked = design == pad_design::by_missing ? missing : mine.count;
    if (asked > window - open.used) {
      open.base += window;
      open.used = 0;
    }
    for (int i = 0; i < mine.count; ++i) {
      if (!copies && open.find(mine.of[i]) >= 0) continue;
      if (elements != nullptr) elements[open.base + open.used] = mine.of[i];
      open.of[open.used++] = mine.of[i];
    }
  }
  EVENLY_FN void note(std::int64_t r, position_range lanes, const open_window& open) const {
    for (std::int64_t q = lanes.first; q < lanes.last; ++q) {
      const std::int64_t at = r * shape.threads + q;
      index[at] = static_cast<I>(open.base + open.find(p[at]));
    }
  }
};

template <class I> struct pack_windows_kernel {
  pack_windows<I> work;
  std::int64_t runs_each;
  std::int64_t all_warps;
  std::int64_t runs;
  std::int64_t per_block;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * per_block, last = smaller(first + per_block, runs);
    for (std::int64_t i = first + block.rank(); i < last; i += block.size())
      work.pack_run(i, runs_each, all_warps);
  }
};

template <class I> template <class Executor> void pack_windows<I>::launch_on(const Executor& exec) const {
  constexpr int block_size = 64;
  const std::int64_t all = runs();
  if (all == 0) return;
  std::int64_t per_block = block_size;
  if constexpr (Executor::serial_blocks) per_block = ceil_div<std::int64_t>(all, 8 * exec.threads());
  launch(exec, {block_count(all, per_block), block_size},
         pack_windows_kernel<I>{*this, runs_of_reference(), warps(), all, per_block});
}

} // namespace detail

} // namespace evenly
