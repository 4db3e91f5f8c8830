// SPDX-License-Identifier: Apache-2.0
// Statistics of tile sizes, and their meaning for load balance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generate/row_profile.hpp"

namespace evenly::measure {

/// Tiles with sizes in [from, to].
struct size_class {
  int from;
  int to;
  std::int64_t tiles;
  std::int64_t atoms;
};

struct quantile {
  double fraction;
  int size; ///< the smallest size that at least this fraction of the tiles do not exceed
};

struct tile_statistics {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  double average = 0;
  double deviation = 0; ///< standard deviation of the whole population
  int longest = 0;
  std::int64_t empty = 0;
  double share_of_largest_percent =
      0; ///< share of the atoms in the largest 1% of tiles, at least one, in [0, 1]
  std::vector<quantile> quantiles;
  std::vector<size_class> histogram; ///< for sizes 0, 1, 2 to 3, 4 to 7, ... up to the longest
  /// Thread utilization of warps with one tile per thread: the atoms of 32 consecutive tiles, over 32 times the longest
  /// of them; over the whole problem. 1 is best.
  double warp_balance = 1;

  double longest_share() const {
    return atoms > 0 ? static_cast<double>(longest) / static_cast<double>(atoms) : 0;
  }
  double empty_share() const {
    return tiles > 0 ? static_cast<double>(empty) / static_cast<double>(tiles) : 0;
  }
};

/// O(f log f) for f non-empty tiles.
tile_statistics count_tiles(const generate::row_profile& rows);

/// The same. `offsets`: tiles + 1 values.
tile_statistics count_tiles(std::span<const int> offsets);

/// The atoms of the largest of `parts` ranges with equal numbers of tiles, over the average: the imbalance of
/// distributing tiles by number. 1 without atoms.
double run_imbalance(std::span<const int> offsets, int parts);

/// One or two sentences.
std::string describe_balance(const tile_statistics& s);

} // namespace evenly::measure
