// SPDX-License-Identifier: Apache-2.0
// How a persistent search decides the mode of each level, and what it reports.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/graph/detail/persistent_places.hpp"

namespace evenly::graphs {

/// How a level is done.
enum class level_mode : std::int32_t {
  single_block, ///< block 0 has all edges in its storage; the others sleep
  block_local,  ///< each block has its edges in its storage
  global_queue, ///< blocks take equal ranges of the listed edges
  bottom_up,    ///< unvisited vertices search their incoming edges for a parent in the frontier
};
inline constexpr int level_modes = 4;

/// The display name of a mode.
constexpr const char* name_of(level_mode mode) {
  constexpr const char* names[level_modes] = {"alone", "thin", "wide", "bottom-up"};
  return names[static_cast<int>(mode)];
}

/// When a level is done bottom-up, and when by one block. alpha and beta are those of Beamer et al. (SC 2012):
///
/// - Bottom-up begins if the frontier grows, and has more edges than 1/alpha of those that leave vertices without a
///   level.
/// - It does not begin for frontiers with fewer edges than 1/8 of the vertices, since it reads all vertices.
/// - Bottom-up ends if the frontier shrinks, and has fewer vertices than 1/beta of all.
/// - On a GPU it also ends if unvisited vertices have more than four times as many edges as the frontier. If they have
///   few edges, bottom-up may continue for up to two levels.
struct search_rule {
  static constexpr int min_fraction = 8;

  double alpha = 15;
  double beta = 24;
  int single_block_from = 256; ///< one block may continue alone if two frontiers have at most this many edges
  int single_block_until = 1024; ///< it continues alone up to this many edges

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

/// Which parents bfs_search records.
enum class parent_rule {
  least, ///< the neighbour of lowest number on the previous level: the same on every run
  any    ///< any neighbour on the previous level. Faster on cpu, where it depends on the order of threads
};

/// The maximum number of searches in a batch.
inline constexpr int max_together = 64;

/// When batched searches (bfs_together.hpp) do a level bottom-up: if the frontier has more edges than 1/alpha of the
/// largest possible bottom-up cost. That cost is the number of edges into vertices that at least one search has not
/// reached, plus one word per vertex.
struct together_rule {
  double alpha = 4;

  EVENLY_FN bool switch_to_bottom_up(const frontier_size& now, std::int64_t edges_left,
                                     std::int64_t vertices) const {
    return static_cast<double>(now.atoms) * alpha > static_cast<double>(edges_left + vertices);
  }
};

/// A finished level.
struct search_level {
  std::int64_t vertices; ///< of the frontier
  std::int64_t edges;    ///< that leave these vertices
  level_mode mode;       ///< how the level was done; block_local for a frontier without edges
};

/// The totals of a search.
struct search_totals {
  std::int64_t levels;   ///< number of frontiers with vertices
  std::int64_t vertices; ///< reached, including the source
  std::int64_t edges;    ///< that leave these vertices
  std::int64_t levels_of_mode[level_modes];
};

} // namespace evenly::graphs
