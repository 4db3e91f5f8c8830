// SPDX-License-Identifier: Apache-2.0
// Levels of up to 64 searches in bit planes: bit s of word v of plane k is bit k of the level of vertex v in search s.
// Setting a level costs one operation per bit that is 1, for any number of searches. The memory is one word per vertex
// and plane. At the end the planes are converted to numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

template <class Vertex> struct level_planes {
  std::uint64_t* words; ///< `count` consecutive planes
  Vertex vertices;
  int count;

  /// The largest level that fits.
  EVENLY_FN std::int64_t max_level() const { return (std::int64_t{1} << count) - 1; }
  EVENLY_FN std::uint64_t* plane(int k) const { return words + std::int64_t{k} * vertices; }

  /// Clears one plane. Called by all threads of all blocks.
  template <class Block> EVENLY_FN void clear(const Block& block, int k) const {
    const std::int64_t each = ceil_div<std::int64_t>(vertices, block.count());
    const std::int64_t begin = smaller<std::int64_t>(each * block.index(), vertices);
    const std::int64_t end = smaller<std::int64_t>(begin + each, vertices);
    for (std::int64_t v = begin + block.rank(); v < end; v += block.size()) plane(k)[v] = 0;
  }
  /// Sets the level of vertex v in these searches, where it had none, if the level fits. Called by one thread.
  EVENLY_FN void set(Vertex v, std::uint64_t searches, std::int64_t level) const {
    if (level > max_level()) return;
    for (int k = 0; level >> k != 0; ++k)
      if ((level >> k & 1) != 0) plane(k)[v] |= searches;
  }
};

/// levels[v * searches + s] = the level in the first `used` planes if bit s of reached[v] is 1, otherwise -1. Called by
/// all threads of all blocks; each writes eight consecutive levels at a time.
template <class Block, class Vertex, class Level>
EVENLY_FN void write_levels(const Block& block, const level_planes<Vertex>& planes, int used,
                            const std::uint64_t* reached, int searches, Level* levels) {
  constexpr int together = 8;
  struct alignas(together * sizeof(Level) < 16 ? together * sizeof(Level) : 16) pack {
    Level values[together];
  };
  const int parts = ceil_div(searches, together); // per row
  const std::int64_t all = std::int64_t{planes.vertices} * parts;
  const bool packs =
      searches % together == 0 && reinterpret_cast<std::uintptr_t>(levels) % alignof(pack) == 0;
  const std::int64_t threads = std::int64_t{block.count()} * block.size();
  std::int64_t i = std::int64_t{block.index()} * block.size() + block.rank(), end = all, step = threads;
  if constexpr (Block::is_serial) {
    const std::int64_t each = ceil_div<std::int64_t>(all, block.count());
    i = smaller(each * block.index(), all);
    end = smaller(i + each, all);
    step = 1;
  }
  for (; i < end; i += step) {
    const std::int64_t v = parts == together ? i / together : i / parts; // the first form needs no division
    const int first = static_cast<int>(i - v * parts) * together;
    const auto has = static_cast<unsigned>(reached[v] >> first);
    pack row;
    EVENLY_UNROLL
    for (int j = 0; j < together; ++j) row.values[j] = 0;
    for (int k = 0; k < used; ++k) {
      const auto bits = static_cast<unsigned>(planes.plane(k)[v] >> first);
      EVENLY_UNROLL
      for (int j = 0; j < together; ++j)
        row.values[j] = static_cast<Level>(static_cast<unsigned>(row.values[j]) | (bits >> j & 1) << k);
    }
    EVENLY_UNROLL
    for (int j = 0; j < together; ++j)
      if ((has >> j & 1) == 0) row.values[j] = -1;
    Level* const to = levels + v * searches + first;
#if defined(__CUDA_ARCH__)
    if (packs) {
      *reinterpret_cast<pack*>(to) = row;
      continue;
    }
#endif
    const int inside = smaller(together, searches - first);
    for (int j = 0; j < together; ++j)
      if (packs || j < inside) to[j] = row.values[j];
  }
}

} // namespace evenly::detail
