// SPDX-License-Identifier: Apache-2.0
// One includer: a pass of its own, after the list.
// The nearest neighbors of rows that are complete lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/spatial/detail/neighbor_cells.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/spatial/simulation_box.hpp"

namespace evenly::detail {

/// Sizes of rows that keep at most `nearest` pairs.
struct nearest_size {
  const std::int64_t* offsets;
  std::int64_t nearest;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return smaller(offsets[i + 1] - offsets[i], nearest);
  }
};

/// Copies the nearest pairs of each row, nearest first; equally near ones in the order of the row. A warp takes a row:
/// each lane counts the pairs that come before its own.
template <class T> struct nearest_kernel {
  static constexpr int tuned_block_size = 128;
  static constexpr bool only_tuned_size = true;

  spatial::point_view<T> points;
  std::int64_t rows_per_block;
  spatial::pair_rule<T> rule;
  neighbor_rows<T> in, out;
  std::int64_t nearest;

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if constexpr (Block::is_serial) {
      select_serially(block);
    } else {
      const lanes<Block> warp = this_warp(block);
      const std::int64_t row = std::int64_t{block.index()} * block.shape().warps() + warp_of(block);
      if (row < points.count) select_row(warp, row);
    }
  }

 private:
  EVENLY_FN spatial::image_shift shift_at(std::int64_t a) const {
    return in.shifts == nullptr ? spatial::image_shift{} : in.shifts[a];
  }
  EVENLY_FN void difference(std::int64_t i, std::int64_t a, T (&d)[3]) const {
    const int j = in.indices[a];
    const spatial::image_shift shift = shift_at(a);
    d[0] = (points.x[j] - points.x[i]) + rule.offset(shift, 0);
    d[1] = (points.y[j] - points.y[i]) + rule.offset(shift, 1);
    d[2] = (points.z[j] - points.z[i]) + rule.offset(shift, 2);
  }
  EVENLY_FN T squared(std::int64_t i, std::int64_t a) const {
    T d[3];
    difference(i, a, d);
    return rule.squared(d[0], d[1], d[2]);
  }
  EVENLY_FN void copy(std::int64_t i, std::int64_t from, std::int64_t to) const {
    out.write_pair(to, in.indices[from], shift_at(from));
    if (!out.has_vectors()) return;
    T d[3];
    difference(i, from, d);
    out.write_vector(to, d, rule);
  }

  template <class Block> EVENLY_FN void select_row(const lanes<Block>& warp, std::int64_t row) const {
    const std::int64_t begin = in.offsets[row], end = in.offsets[row + 1];
    for (std::int64_t mine = begin; mine < end; mine += warp.size()) {
      const std::int64_t a = mine + warp.rank();
      const T own = a < end ? squared(row, a) : T{0};
      std::int64_t before = 0;
      for (std::int64_t others = begin; others < end; others += warp.size()) {
        const T other = others + warp.rank() < end ? squared(row, others + warp.rank()) : T{0};
        const auto size = static_cast<int>(smaller<std::int64_t>(warp.size(), end - others));
        for (int r = 0; r < size; ++r) {
          const T theirs = warp.shuffle(other, r);
          before += theirs < own || (theirs == own && others + r < a);
        }
      }
      if (a < end && before < nearest) copy(row, a, out.offsets[row] + before);
    }
  }

  template <class Block> void select_serially(Block& block) const {
    std::vector<std::pair<T, std::int64_t>> pairs;
    const std::int64_t last = smaller((block.index() + 1) * rows_per_block, points.count);
    for (std::int64_t row = block.index() * rows_per_block; row < last; ++row) {
      pairs.clear();
      for (std::int64_t a = in.offsets[row]; a < in.offsets[row + 1]; ++a)
        pairs.emplace_back(squared(row, a), a);
      const std::int64_t kept = out.offsets[row + 1] - out.offsets[row];
      std::partial_sort(pairs.begin(), pairs.begin() + kept, pairs.end());
      for (std::int64_t k = 0; k < kept; ++k)
        copy(row, pairs[static_cast<std::size_t>(k)].second, out.offsets[row] + k);
    }
  }
};

/// Whether a point has moved by more than a length.
template <class T> struct has_moved {
  spatial::point_view<T> before, now;
  T length_squared;
  EVENLY_FN int operator()(std::int64_t i) const {
    const T squared = spatial::pair_rule<T>::squared(now.x[i] - before.x[i], now.y[i] - before.y[i],
                                                     now.z[i] - before.z[i]);
    return !(squared <= length_squared); // not a number is far
  }
};

} // namespace evenly::detail
