// SPDX-License-Identifier: Apache-2.0
// Compressed sparse rows whose number is on the device: of a matrix that is being made, or of a list that grows. The
// host states how many rows and nonzeros there may be (work/tile_set.hpp, sized_on_device).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// *count tiles given by *count + 1 offsets that do not decrease. tiles, begin and end cost one load each.
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

/// The *count tiles between consecutive offsets. Both lie where the executor can read them, and have their values when
/// a plan is made or takes the tile set (schedules/plan.hpp): no more tiles and atoms than `max_size` states. Throws
/// invalid_argument if `count` is null, or `max_size` is negative or more than Tile and Offset can number.
template <class Offset, signed_of_32_or_64_bits Tile>
csr_tile_set_on_device<Offset, Tile> csr_tiles_on_device(const Offset* offsets, const Tile* count,
                                                         const capacity& max_size) {
  const auto check = [](const char* name, std::int64_t value, std::int64_t limit) {
    require(value >= 0 && value <= limit, [&] {
      return detail::concat("most ", name, " = ", value, ": must be from 0 to ", limit,
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
