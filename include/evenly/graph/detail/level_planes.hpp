// SPDX-License-Identifier: Apache-2.0
// Levels of up to 64 searches, kept in planes while they are found: bit s of word v of plane k is bit k of the level
// that search s gives vertex v. So a level is set for any number of searches by as many operations as it has bits that
// are 1, and 64 levels take what their bits take. At the end they become numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

template <class Vertex> struct level_planes {
  std::uint64_t* words; ///< `count` planes, one behind the other
  Vertex vertices;
  int count;

  /// The greatest level that they hold.
  EVENLY_FN std::int64_t most() const { return (std::int64_t{1} << count) - 1; }
  EVENLY_FN std::uint64_t* plane(int k) const { return words + std::int64_t{k} * vertices; }

  /// Zeros in one plane, by all threads of all blocks.
  template <class Block> EVENLY_FN void clear(const Block& block, int k) const {
    const std::int64_t each = ceil_div<std::int64_t>(vertices, block.count());
    const std::int64_t begin = smaller<std::int64_t>(each * block.index(), vertices);
    const std::int64_t end = smaller<std::int64_t>(begin + each, vertices);
    for (std::int64_t v = begin + block.rank(); v < end; v += block.size()) plane(k)[v] = 0;
  }
  /// The level of vertex v in these searches, which have none so far. By one thread.
  EVENLY_FN void set(Vertex v, std::uint64_t searches, std::int64_t level) const {
    for (int k = 0; level >> k != 0; ++k)
      if ((level >> k & 1) != 0) plane(k)[v] |= searches;
  }
};

/// Of a search that does not wait: the pass from which on it does.
inline constexpr std::int64_t never_waits = std::numeric_limits<std::int64_t>::max();

/// levels[v * searches + s] = the level that the first `used` planes give vertex v in search s, where bit s of
/// reached[v] is 1, else -1. What the planes have are passes: search s took no part in those after waits_at[s] up to
/// `together`. Returns whether Level holds those that the thread has written. By all threads of all blocks; each writes
/// eight neighbours at a time.
template <class Block, class Vertex, class Level>
EVENLY_FN bool write_levels(const Block& block, const level_planes<Vertex>& planes, int used,
                            const std::uint64_t* reached, int searches, const std::int64_t* waits_at,
                            std::int64_t together, Level* levels) {
  constexpr int eight = 8;
  struct alignas(eight * sizeof(Level) < 16 ? eight * sizeof(Level) : 16) pack {
    Level values[eight];
  };
  const int parts = ceil_div(searches, eight); // of a row
  const bool packs = searches % eight == 0 && reinterpret_cast<std::uintptr_t>(levels) % alignof(pack) == 0;
  // A thread has one part of several rows.
  const std::int64_t threads = std::int64_t{block.count()} * block.size() / parts;
  const std::int64_t mine = std::int64_t{block.index()} * block.size() + block.rank();
  bool fits = true;
  for (int part = 0; part < parts; ++part) {
    const bool is_mine = threads == 0 ? mine == 0 : mine % parts == part && mine / parts < threads;
    if (!is_mine) continue;
    const int first = part * eight, inside = smaller(eight, searches - first);
    std::int64_t waits[eight];
    EVENLY_UNROLL
    for (int j = 0; j < eight; ++j) waits[j] = j < inside ? waits_at[first + j] : never_waits;
    const std::int64_t step = larger<std::int64_t>(threads, 1);
    for (std::int64_t v = threads == 0 ? 0 : mine / parts; v < planes.vertices; v += step) {
      std::int64_t passes[eight] = {};
      for (int k = 0; k < used; ++k) {
        const auto bits = static_cast<std::uint64_t>(planes.plane(k)[v] >> first);
        EVENLY_UNROLL
        for (int j = 0; j < eight; ++j) passes[j] |= static_cast<std::int64_t>(bits >> j & 1) << k;
      }
      const std::uint64_t has = reached[v] >> first;
      pack row;
      EVENLY_UNROLL
      for (int j = 0; j < eight; ++j) {
        const std::int64_t level = passes[j] > waits[j] ? passes[j] - (together - waits[j]) : passes[j];
        row.values[j] = (has >> j & 1) != 0 ? static_cast<Level>(level) : Level{-1};
        fits = fits && level <= std::numeric_limits<Level>::max();
      }
      Level* const to = levels + v * searches + first;
#if defined(__CUDA_ARCH__)
      if (packs) {
        *reinterpret_cast<pack*>(to) = row;
        continue;
      }
#endif
      for (int j = 0; j < eight; ++j)
        if (packs || j < inside) to[j] = row.values[j];
    }
  }
  return fits;
}

} // namespace evenly::detail
