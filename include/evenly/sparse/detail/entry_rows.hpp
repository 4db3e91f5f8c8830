// SPDX-License-Identifier: Apache-2.0
// The rows of consecutive entries of a sparse matrix, found by a warp.
//
// The warp searches the row of its first entry, marks the entries at which rows begin, and copies the marks to the
// entries behind them. Where nearly all of its next rows are empty, it searches the next row with entries.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

/// Writes rows[i], in storage, as the row of entry `from + i`, for i in [0, size). offsets: of `lines` rows. All lanes
/// of the warp call it, and synchronise before they read rows of other lanes. O(log(lines) + size).
template <class Warp, class Offset, class Storage>
EVENLY_FN void find_entry_rows(const Warp& warp, const Offset* offsets, int lines, Offset from, int size,
                               const Storage& rows) {
  const auto end = static_cast<Offset>(from + size);
  for (int i = warp.rank(); i < size; i += warp.size()) rows[i] = 0;
  int next = first_past_together(warp, 0, lines, [&](int r) { return offsets[r] > from; });
  int last_row = next; // a mark is a row + 1
  warp.sync();
  for (;;) {
    const int row = next + warp.rank();
    const Offset row_begin = offsets[smaller(row, lines)], row_end = offsets[smaller(row + 1, lines)];
    const bool begins = row < lines && row_begin < end && row_begin < row_end;
    if (begins) rows[static_cast<int>(row_begin - from)] = row + 1;
    const Offset reached = warp.shuffle(row_end, warp.size() - 1);
    const lane_mask marked = warp.ballot(begins);
    next += warp.size();
    if (reached >= end || next >= lines) break;
    if (lanes_in(marked) < 2)
      next = first_past_together(warp, next, lines, [&](int r) { return offsets[r + 1] > reached; });
  }
  warp.sync();
  for (int i = warp.rank(); i - warp.rank() < size; i += warp.size()) {
    const int mark = i < size ? static_cast<int>(rows[i]) : 0;
    const lane_mask so_far = warp.ballot(mark != 0) & first_lanes(warp.rank() + 1);
    const int found = warp.shuffle(mark, so_far == 0 ? 0 : last_lane(so_far));
    const int row = so_far == 0 ? last_row : found;
    last_row = warp.shuffle(row, warp.size() - 1);
    if (i < size) rows[i] = row - 1;
  }
}

} // namespace evenly::detail
