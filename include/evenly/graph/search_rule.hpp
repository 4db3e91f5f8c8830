// SPDX-License-Identifier: Apache-2.0
// How searches in one launch go from level to level: when which way, and what they tell of it.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/graph/detail/persistent_places.hpp"

namespace evenly {

/// How a level is done.
enum class level_mode : std::int32_t {
  single_block, ///< block 0 has all edges in its storage, the others sleep
  block_local,  ///< each block has its edges in storage
  global_queue, ///< the edges of the list in equal ranges
  bottom_up,    ///< from vertices without a level, over edges that arrive
};
inline constexpr int level_modes = 4;

/// Its name, for people.
constexpr const char* name_of(level_mode mode) {
  constexpr const char* names[level_modes] = {"alone", "thin", "wide", "bottom-up"};
  return names[static_cast<int>(mode)];
}

/// When a level is done bottom-up, and when by one block. Beamer's alpha and beta: bottom-up begins where the frontier
/// grows and has more edges than 1/alpha of those that leave vertices without a level, and ends where it shrinks and
/// has fewer vertices than 1/beta of all; on a GPU also where those without a level have more than four times its
/// edges, and up to two levels later where few such edges are left. It looks at all vertices, so a frontier of fewer
/// edges than 1/8 of these does not make it begin.
struct search_rule {
  static constexpr int min_fraction = 8;

  double alpha = 15;
  double beta = 24;
  int single_block_from =
      256; ///< edges of two frontiers in a row with which one block goes on alone, if it has room
  int single_block_until = 1024; ///< and with which it still does

  EVENLY_FN bool switch_to_bottom_up(const frontier_size& now, std::int64_t tiles_before, double edges_left,
                                     std::int64_t vertices) const {
    return static_cast<double>(now.atoms) * alpha > edges_left && now.atoms > vertices / min_fraction &&
           now.tiles >= tiles_before;
  }
  EVENLY_FN bool switch_to_top_down(const frontier_size& now, std::int64_t tiles_before,
                                    std::int64_t vertices) const {
    return static_cast<double>(now.tiles) * beta < static_cast<double>(vertices) && now.tiles < tiles_before;
  }
};

/// Searches that go together, at most.
inline constexpr int max_together = 64;

/// When searches that go together (bfs_together.hpp) do a level bottom-up: where the frontier has more edges than
/// 1/alpha of what bottom-up reads at most, the edges that arrive at vertices which lack a search, and a word for each
/// vertex.
struct together_rule {
  double alpha = 4;

  EVENLY_FN bool switch_to_bottom_up(const frontier_size& now, std::int64_t edges_left,
                                     std::int64_t vertices) const {
    return static_cast<double>(now.atoms) * alpha > static_cast<double>(edges_left + vertices);
  }
};

/// A level that was done.
struct search_level {
  std::int64_t vertices; ///< of the frontier
  std::int64_t edges;    ///< that leave them
  level_mode mode;       ///< how the level was done; block_local for a frontier without edges
};

/// What was done in all.
struct search_totals {
  std::int64_t levels;   ///< frontiers that have vertices
  std::int64_t vertices; ///< reached, with the source
  std::int64_t edges;    ///< that leave them
  std::int64_t levels_of_mode[level_modes];
};

} // namespace evenly
