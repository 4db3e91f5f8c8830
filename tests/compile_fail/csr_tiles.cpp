// SPDX-License-Identifier: Apache-2.0
// Offsets of csr_tiles are signed, and outlive the tile set.
//
// WRONG=1 says: offsets are signed integers, such as int or std::int64_t
// WRONG=2 says: offsets are signed integers, such as int or std::int64_t
// WRONG=3 says: offsets are signed integers, such as int or std::int64_t
// WRONG=4 says: offsets are signed integers, such as int or std::int64_t
// WRONG=5 says: csr_tiles keeps a view of the offsets: give them a name first
// WRONG=6 says: csr_tiles keeps a view of the offsets: give them a name first

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "evenly/work/csr.hpp"

int main() {
  const std::vector<int> offsets{0, 2, 5};
  std::vector<std::int64_t> wide{0, 2, 5};
  const auto tiles = evenly::csr_tiles(offsets);
  evenly::csr_tiles(wide);
  evenly::csr_tiles(std::span(offsets));
  evenly::csr_tiles(std::span<const std::int64_t>(wide));
  const evenly::csr_tile_set<std::int64_t> same(wide.data(), 2);
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
#endif
  return tiles.tiles() - same.tiles();
}
