// SPDX-License-Identifier: Apache-2.0
// Offsets of csr_tiles are signed, of 32 or 64 bits, and outlive the tile set; so are the numbers of any tile set.
//
// WRONG=1 says: offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=2 says: offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=3 says: offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=4 says: offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=5 says: csr_tiles keeps a view of the offsets: store them in a variable, because a temporary ends with this
// WRONG=6 says: csr_tiles keeps a view of the offsets: store them in a variable, because a temporary ends with this
// WRONG=7 says: offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t
// WRONG=8 says: signed_of_32_or_64_bits
// WRONG=9 says: signed_of_32_or_64_bits

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

/// Three tiles of two atoms.
template <class Atom> struct pairs {
  using tile_type = int;
  using atom_type = Atom;
  EVENLY_FN int tiles() const { return 3; }
  EVENLY_FN Atom begin(int t) const { return static_cast<Atom>(2 * t); }
  EVENLY_FN Atom end(int t) const { return begin(t + 1); }
};

int main() {
  const std::vector<int> offsets{0, 2, 5};
  std::vector<std::int64_t> wide{0, 2, 5};
  const auto tiles = evenly::csr_tiles(offsets);
  evenly::csr_tiles(wide);
  evenly::csr_tiles(std::span(offsets));
  evenly::csr_tiles(std::span<const std::int64_t>(wide));
  const evenly::csr_tile_set<std::int64_t> same(wide.data(), 2);
  evenly::make_plan(evenly::cpu(), evenly::thread_mapped{}, pairs<std::int64_t>{});
#if WRONG == 1
  const std::vector<unsigned> unsigned_offsets{0, 2, 5};
  evenly::csr_tiles(unsigned_offsets);
#elif WRONG == 2
  const std::vector<std::size_t> sizes{0, 2, 5};
  evenly::csr_tiles(std::span(sizes));
#elif WRONG == 3
  const evenly::csr_tile_set<unsigned> set;
#elif WRONG == 4
  const std::vector<float> real{0, 2, 5};
  evenly::csr_tiles(real);
#elif WRONG == 5
  evenly::csr_tiles(std::vector<int>{0, 2, 5});
#elif WRONG == 6
  evenly::csr_tiles(std::move(wide));
#elif WRONG == 7
  const std::vector<std::int16_t> narrow{0, 2, 5};
  evenly::csr_tiles(narrow);
#elif WRONG == 8
  const evenly::csr_tile_set<int, std::int16_t> few(offsets.data(), 2);
#elif WRONG == 9
  evenly::make_plan(evenly::cpu(), evenly::thread_mapped{}, pairs<std::int16_t>{});
#endif
  return tiles.tiles() - same.tiles();
}
