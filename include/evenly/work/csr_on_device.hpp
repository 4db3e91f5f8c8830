// SPDX-License-Identifier: Apache-2.0
// csr_tiles_on_device: compressed sparse rows whose number only the device knows, for a matrix under construction or a
// growing list. The host states the maximum numbers of rows and nonzeros (sized_on_device in work/tile_set.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// *count tiles given by *count + 1 non-decreasing offsets. tiles, begin and end cost one load each.
template <class Offset = int, signed_of_32_or_64_bits Tile = int> class csr_tile_set_on_device {
  static_assert(signed_of_32_or_64_bits<Offset>,
                "offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t");

 public:
  using tile_type = Tile;
  using atom_type = Offset;

  csr_tile_set_on_device() = default;
  csr_tile_set_on_device(const Offset* offsets, const Tile* count, Tile max_tiles, std::int64_t max_atoms)
      : offsets_(offsets), count_(count), max_tiles_(max_tiles), max_atoms_(max_atoms) {}

  EVENLY_FN Tile tiles() const { return *count_; }
  EVENLY_FN Offset begin(Tile t) const { return read_only(offsets_ + t); }
  EVENLY_FN Offset end(Tile t) const { return read_only(offsets_ + t + 1); }
  Tile max_tiles() const { return max_tiles_; }
  std::int64_t max_atoms() const { return max_atoms_; }

 private:
  const Offset* offsets_ = nullptr;
  const Tile* count_ = nullptr;
  Tile max_tiles_ = 0;
  std::int64_t max_atoms_ = 0;
};

static_assert(sized_on_device<csr_tile_set_on_device<int>> &&
              sized_on_device<csr_tile_set_on_device<long long, long long>>);

/// Returns the *count tiles between consecutive offsets.
///
/// - `offsets`, `count`: in memory that the executor can read. They have their values when a plan is made or is bound
///   to the tile set (schedules/plan.hpp).
/// - `max_size`: the maximum numbers of tiles and atoms.
/// - Throws invalid_argument if `count` is null, or `max_size` is negative or more than Tile and Offset can number.
template <class Offset, signed_of_32_or_64_bits Tile>
csr_tile_set_on_device<Offset, Tile> csr_tiles_on_device(const Offset* offsets, const Tile* count,
                                                         const capacity& max_size) {
  const auto check = [](const char* name, std::int64_t value, std::int64_t limit) {
    require(value >= 0 && value <= limit, [&] {
      return detail::concat("capacity.", name, " = ", value, ": must be from 0 to ", limit,
                            ", the maximum of their type");
    });
  };
  require(count != nullptr,
          [] { return "count is null: it must point to the number of tiles on the device"; });
  check("tiles", max_size.tiles, std::numeric_limits<Tile>::max() - 1);
  check("atoms", max_size.atoms, std::numeric_limits<Offset>::max());
  require(offsets != nullptr || max_size.tiles == 0,
          [] { return "offsets is null: it must point to tiles + 1 values on the device"; });
  return {offsets, count, static_cast<Tile>(max_size.tiles), max_size.atoms};
}

} // namespace evenly
