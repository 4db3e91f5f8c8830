// SPDX-License-Identifier: Apache-2.0
// Tile sets that schedules find hard: empty tiles in every place, giants, and ends that fall on, before and behind the
// borders of blocks and warps. Host code only; the battery brings the offsets to executors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/monoids.hpp"

namespace evenly::laws {

struct named_tiles {
  std::string name;
  std::vector<std::int64_t> offsets; ///< tiles + 1; the first need not be 0
};

/// Builds tile sets from sizes.
class tile_sizes {
 public:
  tile_sizes& add(std::int64_t size) { return add(1, size); }
  tile_sizes& add(std::int64_t tiles, std::int64_t size) {
    sizes_.insert(sizes_.end(), static_cast<std::size_t>(tiles), size);
    return *this;
  }
  tile_sizes& add(const std::vector<std::int64_t>& sizes) {
    sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
    return *this;
  }
  named_tiles named(std::string name, std::int64_t first_atom = 0) const {
    named_tiles made{std::move(name), {first_atom}};
    for (const std::int64_t size : sizes_) made.offsets.push_back(made.offsets.back() + size);
    return made;
  }

 private:
  std::vector<std::int64_t> sizes_;
};

/// Sizes of many small and few large tiles, up to `max`: size s is about as frequent as 1 / s^2.
inline std::vector<std::int64_t> power_law(std::int64_t tiles, std::int64_t max, std::uint64_t seed) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const double uniform =
        static_cast<double>(mixed(seed << 32 | static_cast<std::uint64_t>(t)) >> 11) * 0x1p-53;
    sizes.push_back(std::min<std::int64_t>(max, static_cast<std::int64_t>(1 / (1 - uniform))));
  }
  return sizes;
}

/// Runs of tiles, each run of one size from 0 to somewhat more than `chunk`; about `tiles` in all.
inline named_tiles random_runs(std::int64_t tiles, std::int64_t chunk, std::uint64_t seed) {
  const std::vector<std::int64_t> usual = {0, 0, 0, 1, 1, 2, 3, 7, 31, 32, 33, chunk - 1, chunk, chunk + 1};
  tile_sizes made;
  std::uint64_t random = seed;
  for (std::int64_t left = tiles; left > 0;) {
    random = mixed(random);
    const std::int64_t size = usual[random % usual.size()];
    const auto bits = static_cast<int>(random >> 32 & 7);
    const std::int64_t run = std::min<std::int64_t>(
        left, size > 33 ? 1 : 1 + static_cast<std::int64_t>(random >> 40) % (1 << bits));
    made.add(run, size);
    left -= run;
  }
  return made.named("random runs, seed " + std::to_string(seed), static_cast<std::int64_t>(seed % 3 * 5));
}

/// For blocks that get `chunk` items each; up to a few chunks of work in a set.
inline std::vector<named_tiles> adversarial_tile_sets(std::int64_t chunk) {
  const std::vector<std::int64_t> around = {31, 32, 33, 127, 128, 129, 895, 896, 897};
  std::vector<std::int64_t> powers, backwards;
  for (int bit = 0; bit <= 10; ++bit) powers.push_back(std::int64_t{1} << bit);
  backwards.assign(powers.rbegin(), powers.rend());
  return {
      tile_sizes().named("no tiles"),
      tile_sizes().named("no tiles, from atom 7", 7),
      tile_sizes().add(0).named("one empty tile"),
      tile_sizes().add(0).named("one empty tile at atom 3", 3),
      tile_sizes().add(1).named("one tile of one atom"),
      tile_sizes().add(1000, 0).named("1000 empty tiles"),
      tile_sizes().add(2 * chunk + 1, 0).named("empty tiles in every block"),
      tile_sizes().add(3 * chunk + 5).named("one tile with everything"),
      tile_sizes().add(2 * chunk + 3, 1).named("all tiles of one atom"),
      tile_sizes().add(around).named("sizes around 32, 128 and 896"),
      tile_sizes().add(powers).add(0).add(backwards).named("powers of two"),
      tile_sizes().add(4, chunk - 1).named("tiles end with every chunk of atoms and tile ends"),
      tile_sizes().add(4, chunk).named("tiles end with every chunk of atoms"),
      tile_sizes()
          .add({chunk - 2, chunk, chunk + 1, chunk - 1})
          .named("tiles end around the ends of chunks", 11),
      tile_sizes().add(power_law(chunk / 2 + 5, chunk, 1)).named("power law"),
      tile_sizes().add(2 * chunk + 1).add(chunk, 1).named("a giant first"),
      tile_sizes().add(chunk, 1).add(2 * chunk + 1).named("a giant last"),
      tile_sizes()
          .add(chunk / 2 - 1, 1)
          .add(chunk + 1)
          .add(chunk / 2, 1)
          .add(chunk)
          .named("giants from the ends of chunks"),
      tile_sizes()
          .add(chunk - 1)
          .add(2 * chunk)
          .add(1)
          .add(2 * chunk - 2)
          .named("giants only, and one of one atom", 1),
      tile_sizes().add(chunk + 1, 0).add(around).named("empty tiles first"),
      tile_sizes().add(around).add(chunk + 1, 0).named("empty tiles last"),
      tile_sizes().add(chunk - 1).add(5, 0).add(chunk).add(chunk, 0).add(chunk).add(0).named(
          "empty tiles at the ends of chunks"),
      tile_sizes()
          .add(3)
          .add(2 * chunk, 0)
          .add(chunk + 2)
          .add(3 * chunk, 0)
          .add(1)
          .named("long runs of empty tiles between"),
      tile_sizes()
          .add(chunk / 2, 0)
          .add(1)
          .add(chunk - 1, 0)
          .add(1)
          .add(chunk, 0)
          .add(1)
          .named("lone atoms among empty tiles", 100),
      random_runs(40, chunk, 1),
      random_runs(300, chunk / 4 + 1, 2),
  };
}

/// For blocks of `chunk` items each: more than 256 and more than 2,048 of them, which leave tiles to each other through
/// one and two levels of carries, and through a launch of its own.
inline std::vector<named_tiles> tile_sets_of_many_blocks(std::int64_t chunk) {
  const std::int64_t group = 256 * chunk; // the blocks whose carries are put together first
  const auto exactly = [&](std::int64_t blocks) {
    return tile_sizes().add(blocks * chunk - 1).named("one tile over " + std::to_string(blocks) + " blocks");
  };
  return {
      exactly(256),
      exactly(257),
      exactly(600),
      exactly(2048),
      exactly(2049),
      exactly(2600),
      tile_sizes()
          .add(5)
          .add(2 * group + 3)
          .add(0)
          .add(3 * group)
          .add(chunk, 1)
          .add(group / 2)
          .named("giants over groups of blocks, in one launch"),
      tile_sizes()
          .add(chunk, 1)
          .add(5 * group + 3)
          .add(9, 0)
          .add(3 * group - 7)
          .add(2, 3)
          .add(group)
          .named("giants over groups of blocks, joined later"),
      tile_sizes().add(4, group - 1).named("tiles end with every group of blocks"),
      tile_sizes().add(4, group).named("tiles end with every group of blocks of atoms"),
      tile_sizes().add(9, group - 1).named("tiles end with every group of blocks, joined later"),
      tile_sizes().add(300, chunk + 1).named("every block ends a tile of the one before"),
      tile_sizes().add(2100, chunk + 1).named("every block ends a tile of the one before, joined later"),
      tile_sizes().add(power_law(group / 4, 2 * group, 3)).named("power law over many blocks", 5),
      tile_sizes()
          .add(2 * group, 0)
          .add(2 * group)
          .add(group, 0)
          .add(1)
          .named("empty tiles over groups of blocks"),
  };
}

/// Every second set, from set `first` on (0 or 1). Where many block shapes meet many sets, half of the shapes suffice
/// for each set.
inline std::vector<named_tiles> every_second(const std::vector<named_tiles>& sets, std::size_t first) {
  std::vector<named_tiles> taken;
  for (std::size_t i = first; i < sets.size(); i += 2) taken.push_back(sets[i]);
  return taken;
}

} // namespace evenly::laws
