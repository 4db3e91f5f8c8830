// SPDX-License-Identifier: Apache-2.0
// The sizes of a problem's tiles in figures, and what these mean for balance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generate/row_profile.hpp"

namespace evenly::measure {

/// Tiles whose sizes are in [from, to].
struct size_class {
  int from;
  int to;
  std::int64_t tiles;
  std::int64_t atoms;
};

struct quantile {
  double fraction;
  int size; ///< the least size that at least this fraction of the tiles do not exceed
};

struct tile_statistics {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  double average = 0;
  double deviation = 0; ///< standard deviation, of the whole population
  int longest = 0;
  std::int64_t empty = 0;
  double share_of_largest_percent =
      0; ///< of all atoms, in [0, 1]: those of the largest 1% of tiles, at least one
  std::vector<quantile> quantiles;
  std::vector<size_class> histogram; ///< 0, 1, 2 to 3, 4 to 7, ... up to the longest
  /// How busy the threads of a warp are with a tile each: the atoms of 32 tiles in a row, over 32 times the
  /// longest of them; over the whole problem. 1 is best.
  double warp_balance = 1;

  double longest_share() const {
    return atoms > 0 ? static_cast<double>(longest) / static_cast<double>(atoms) : 0;
  }
  double empty_share() const {
    return tiles > 0 ? static_cast<double>(empty) / static_cast<double>(tiles) : 0;
  }
};

/// O(f log f) for f tiles that are not empty.
tile_statistics count_tiles(const generate::row_profile& rows);

/// The same. `offsets`: tiles + 1 values.
tile_statistics count_tiles(std::span<const int> offsets);

/// The atoms of the fullest of `parts` equal runs of tiles over the average: how uneven it is to deal tiles
/// by number. 1 where there are no atoms.
double run_imbalance(std::span<const int> offsets, int parts);

/// One or two sentences.
std::string describe_balance(const tile_statistics& s);

} // namespace evenly::measure
