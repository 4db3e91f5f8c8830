// SPDX-License-Identifier: Apache-2.0
// One includer: tests put these instances through more laws, and include it too.
// The instances that laws of schedules are put through. Tile sets are those that schedules find hard: empty tiles in
// every place, giants, and ends that fall on, before and behind the borders of blocks and warps. Values differ if they
// are combined in another order, twice, or not at all. Offsets are on the host; the caller copies them to an executor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"

namespace evenly::laws {

/// The finaliser of splitmix64: every bit of the key changes half of the result's.
EVENLY_FN constexpr std::uint64_t mixed(std::uint64_t key) {
  key += 0x9E3779B97F4A7C15u;
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
  return key ^ (key >> 31);
}

/// Maps x -> scale x + shift modulo 2^32, the left one first.
struct affine_maps {
  struct value_type {
    std::uint32_t scale;
    std::uint32_t shift;
    friend constexpr bool operator==(const value_type&, const value_type&) = default;
  };
  static constexpr const char* name = "affine maps";
  EVENLY_FN static constexpr value_type of(std::uint64_t key) {
    const std::uint64_t bits = mixed(key);
    return {static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32)};
  }
  EVENLY_FN constexpr value_type identity() const { return {1, 0}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    return {a.scale * b.scale, b.scale * a.shift + b.shift};
  }
};

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

} // namespace evenly::laws
