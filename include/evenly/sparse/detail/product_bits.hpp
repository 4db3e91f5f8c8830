// SPDX-License-Identifier: Apache-2.0
// Where the bits of columns are.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// Memory for the bits of all columns: of each block a bitmap, all 0 between two launches, and as many numbers.
struct giant_bitmaps {
  static constexpr int bits = 32; ///< of a word

  std::uint32_t* memory = nullptr;
  std::int64_t words = 0; ///< of a bitmap
  int count = 0;          ///< of bitmaps

  EVENLY_FN std::uint32_t* bitmap(int block) const { return memory + block * words; }
  EVENLY_FN std::uint32_t* befores(int block) const { return memory + (count + block) * words; }

  EVENLY_FN static int word_of(int column) { return column / bits; }
  EVENLY_FN static std::uint32_t bit_of(int column) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(column) % bits;
  }
};

/// A set of columns in a few words, which says of some others that they are in it, too.
struct column_filter {
  EVENLY_FN static int word_of(int column, int words) {
    return static_cast<int>(static_cast<std::uint64_t>(hashed(column)) * static_cast<std::uint64_t>(words) >>
                            32);
  }
  EVENLY_FN static std::uint32_t bit_of(int column) { return std::uint32_t{1} << (hashed(column) & 31u); }

 private:
  EVENLY_FN static std::uint32_t hashed(int column) {
    constexpr std::uint32_t golden = 2654435769u; // 2^32 over the golden ratio (Knuth)
    const std::uint32_t mixed = static_cast<std::uint32_t>(column) * golden;
    return mixed ^ mixed >> 15;
  }
};

} // namespace evenly::detail
