// SPDX-License-Identifier: Apache-2.0
// split: cuts tiles among ranks by the merge path, so that each rank has equally many atoms and tile ends.
//
// The merge path of all tiles has a step for each atom and for each tile end. It is cut into blocks of equal length,
// and 64 consecutive blocks are a group. A rank gets consecutive groups. Partial sums of a tile that several blocks
// share are combined in two levels: left to right over the blocks of a group, then left to right over the groups. Ranks
// are cut at groups only, so the bits of all sums are the same for every number of ranks. They are also the same for
// every number of threads per rank, since the length of a block does not depend on it.
//
// Laws:
// 1. Each atom is on exactly one rank: the atoms of part p are [cuts[p].atom, cuts[p + 1].atom).
// 2. Each tile is stored by exactly one rank, the one that has its end: part p stores [cuts[p].tile, cuts[p + 1].tile).
// 3. No part has more than one group above the average.
//
// Source: Green, McColl & Bader, "GPU merge path" (ICS 2012); Merrill & Garland, "Merge-based parallel sparse
// matrix-vector multiplication" (SC 2016), there for the threads of one device.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::distributed {

/// Steps of the merge path per thread of a block.
inline constexpr int steps_per_thread = 12;

/// The shape of a split. Results of different shapes may differ in their last bits.
struct split_options {
  int block_size = 256; ///< a block has block_size * steps_per_thread steps of the merge path
  int blocks_per_group =
      64; ///< 64: 1% imbalance where groups of 256 blocks leave 4% (road network on 4 H100s)
};

/// A place on the merge path where ranks are cut.
struct split_point {
  std::int64_t group = 0;
  std::int64_t tile = 0;           ///< the number of tiles that end before it
  std::int64_t atom = 0;           ///< the number of atoms before it
  bool is_open = false;            ///< tile `tile` has atoms before it
  std::int64_t last_end_group = 0; ///< the group of the last tile end before it; -1: there is none
};

/// The partial sums that a rank needs of another: those of `groups` consecutive groups.
struct carry_source {
  int rank;
  std::int64_t groups;
};

/// Tiles, cut into parts. Plain numbers on the host; `split` makes it.
struct split_plan {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  split_options options;
  std::vector<split_point> cuts; ///< parts + 1

  int parts() const { return static_cast<int>(cuts.size()) - 1; }
  std::int64_t steps_per_block() const { return std::int64_t{options.block_size} * steps_per_thread; }
  std::int64_t steps_per_group() const { return steps_per_block() * options.blocks_per_group; }
  std::int64_t groups() const { return ceil_div(tiles + atoms, steps_per_group()); }
  const split_point& begin(int part) const { return cuts[static_cast<std::size_t>(part)]; }
  const split_point& end(int part) const { return cuts[static_cast<std::size_t>(part) + 1]; }
  std::int64_t tiles_of(int part) const { return end(part).tile - begin(part).tile; }
  std::int64_t atoms_of(int part) const { return end(part).atom - begin(part).atom; }
  std::int64_t steps_of(int part) const { return tiles_of(part) + atoms_of(part); }

  /// The largest part over the average part; 1 if there is no work.
  double imbalance() const {
    std::int64_t most = 0;
    for (int p = 0; p < parts(); ++p) most = larger(most, steps_of(p));
    return tiles + atoms == 0 ? 1 : static_cast<double>(most) * parts() / static_cast<double>(tiles + atoms);
  }
  /// Returns which partial sums `part` needs of earlier parts, for the tile that is open at its beginning: in the order
  /// of the groups. Empty if no tile ends in the part, or if its first tile begins there.
  std::vector<carry_source> carry_sources(int part) const {
    std::vector<carry_source> sources;
    if (tiles_of(part) == 0 || !begin(part).is_open) return sources;
    for (int p = part - 1; p >= 0; --p) {
      const bool ends = tiles_of(p) > 0;
      const std::int64_t from = ends ? end(p).last_end_group : begin(p).group;
      if (end(p).group > from) sources.insert(sources.begin(), {p, end(p).group - from});
      if (ends) break;
    }
    return sources;
  }
  /// Returns the part that needs the partial sums of `part`, or -1.
  int carry_target(int part) const {
    for (int p = part + 1; p < parts(); ++p)
      if (tiles_of(p) > 0) return begin(p).is_open && steps_of(part) > 0 ? p : -1;
    return -1;
  }
  /// Returns a table of the parts, a line each: their tiles, atoms, and steps over the average.
  std::string explain() const {
    std::string text = evenly::detail::concat(tiles, " tiles and ", atoms, " atoms on ", parts(),
                                              " ranks, cut at groups of ", steps_per_group(), " steps\n");
    char line[160];
    for (int p = 0; p < parts(); ++p) {
      const double share = tiles + atoms == 0 ? 1
                                              : static_cast<double>(steps_of(p)) * parts() /
                                                    static_cast<double>(tiles + atoms);
      std::snprintf(line, sizeof line, "rank %d: %lld tiles, %lld atoms, %.2f of the average%s\n", p,
                    static_cast<long long>(tiles_of(p)), static_cast<long long>(atoms_of(p)), share,
                    begin(p).is_open ? ", begins inside a tile" : "");
      text += line;
    }
    std::snprintf(line, sizeof line, "imbalance %.2f\n", imbalance());
    return text + line;
  }
};

namespace detail {

inline void check_split(int parts, const split_options& options) {
  require(parts >= 1,
          [&] { return evenly::detail::concat("parts = ", parts, ": there must be at least one"); });
  require(options.block_size >= 1 && options.block_size <= 1024, [&] {
    return evenly::detail::concat("block_size = ", options.block_size, ": a block has 1 to 1024 threads");
  });
  require(options.blocks_per_group >= 1, [&] {
    return evenly::detail::concat("blocks_per_group = ", options.blocks_per_group, ": must be at least 1");
  });
}

} // namespace detail

/// Cuts tiles into `parts` parts; see the head of this file.
///
/// - `tiles`: read on the host. Keeps the laws of tile sets, which are not checked.
/// - Cost: O(parts log tiles) time, O(parts) memory.
/// - Errors: invalid_argument if `parts` or an option is below 1.
template <tile_set Tiles> split_plan split(const Tiles& tiles, int parts, const split_options& options = {}) {
  detail::check_split(parts, options);
  const std::int64_t count = tiles.tiles();
  const std::int64_t first = count == 0 ? 0 : static_cast<std::int64_t>(tiles.begin(0));
  const auto end_of = [&](std::int64_t t) {
    return static_cast<std::int64_t>(tiles.end(static_cast<tile_type<Tiles>>(t))) - first;
  };
  split_plan of{count, count == 0 ? 0 : end_of(count - 1), options, {}};
  const std::int64_t groups = of.groups(), steps = of.tiles + of.atoms;
  const std::int64_t each = groups / parts, more = groups % parts;
  for (int p = 0; p <= parts; ++p) {
    split_point at;
    at.group = each * p + more * p / parts;
    const std::int64_t diagonal = smaller(at.group * of.steps_per_group(), steps);
    at.tile = merge_path_search(diagonal, count, of.atoms, end_of);
    at.atom = diagonal - at.tile;
    at.is_open = at.tile < count && (at.tile == 0 ? 0 : end_of(at.tile - 1)) < at.atom;
    at.last_end_group = at.tile == 0 ? -1 : (end_of(at.tile - 1) + at.tile - 1) / of.steps_per_group();
    of.cuts.push_back(at);
  }
  return of;
}

// ---------------------------------------------------------------------------------------------------------------------
// ranges: the distribution of an array. Rank r has the elements [begin(r), end(r)).

/// Consecutive ranges of [0, total()), one for each rank; some may be empty.
class ranges {
 public:
  ranges() = default;
  /// `cuts`: 0 = cuts[0] <= cuts[1] <= ... one more than ranks. Throws invalid_argument otherwise.
  explicit ranges(std::vector<std::int64_t> cuts) : cuts_(std::move(cuts)) {
    require(cuts_.size() >= 2 && cuts_.front() == 0,
            [] { return "ranges must begin with 0 and have one cut more than ranks"; });
    for (std::size_t r = 1; r < cuts_.size(); ++r)
      require(cuts_[r] >= cuts_[r - 1], [&] {
        return evenly::detail::concat("cuts[", r, "] = ", cuts_[r], " is less than cuts[", r - 1,
                                      "] = ", cuts_[r - 1], ": cuts must not decrease");
      });
  }
  /// Ranges of equal size, or `multiple` elements more; they begin at multiples of `multiple`.
  static ranges equal(std::int64_t total, int ranks, std::int64_t multiple = 1) {
    const std::int64_t units = ceil_div(total, multiple);
    std::vector<std::int64_t> cuts;
    for (int r = 0; r <= ranks; ++r)
      cuts.push_back(
          smaller(total, (units / ranks * r + smaller<std::int64_t>(units % ranks, r)) * multiple));
    return ranges(std::move(cuts));
  }

  int ranks() const { return static_cast<int>(cuts_.size()) - 1; }
  std::int64_t total() const { return cuts_.back(); }
  std::int64_t begin(int rank) const { return cuts_[static_cast<std::size_t>(rank)]; }
  std::int64_t end(int rank) const { return cuts_[static_cast<std::size_t>(rank) + 1]; }
  std::int64_t size(int rank) const { return end(rank) - begin(rank); }
  /// Returns the rank that has element i.
  int owner(std::int64_t i) const {
    return first_past(0, ranks() - 1, [&](int r) { return cuts_[static_cast<std::size_t>(r) + 1] > i; });
  }
  /// The ranges of rows of `columns` elements each, row by row.
  ranges times(std::int64_t columns) const {
    std::vector<std::int64_t> cuts = cuts_;
    for (std::int64_t& each : cuts) each *= columns;
    return ranges(std::move(cuts));
  }
  bool operator==(const ranges&) const = default;

 private:
  std::vector<std::int64_t> cuts_{0, 0};
};

/// The tiles that each rank stores.
inline ranges stored_tiles(const split_plan& of) {
  std::vector<std::int64_t> cuts;
  for (const split_point& each : of.cuts) cuts.push_back(each.tile);
  return ranges(std::move(cuts));
}
/// The atoms that each rank has.
inline ranges owned_atoms(const split_plan& of) {
  std::vector<std::int64_t> cuts;
  for (const split_point& each : of.cuts) cuts.push_back(each.atom);
  return ranges(std::move(cuts));
}

} // namespace evenly::distributed
