// SPDX-License-Identifier: Apache-2.0
// Where the bits of columns are.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

/// Memory for the bits of all columns: of each block a bitmap, all 0 between two launches. Its words are in parts, and
/// of each part the block has a number in storage: which parts have bits, so that no others are read or cleared, and
/// how many bits come before. In memory there are more such numbers: of each word where columns are few, else of each
/// few words where parts are longer than that.
struct giant_bitmaps {
  static constexpr int bits = 32;                 ///< of a word
  static constexpr int together = 4;              ///< words that are read together
  static constexpr int max_parts_per_thread = 16; ///< of a block

  std::uint32_t* memory = nullptr;
  std::uint32_t* numbers = nullptr; ///< how many bits come before
  std::int64_t words = 0;           ///< of a bitmap; a multiple of `together`
  int count = 0;                    ///< of bitmaps
  int part_bits = 0;                ///< a part has 2^part_bits words
  bool by_words = false;            ///< whether a number of each word is in memory

  EVENLY_FN constexpr int parts() const {
    return static_cast<int>((words + (std::int64_t{1} << part_bits) - 1) >> part_bits);
  }
  /// Whether parts are longer than the words that are read together, so that their numbers do not tell of these.
  EVENLY_FN constexpr bool has_long_parts() const { return std::int64_t{1} << part_bits > together; }
  /// Numbers in memory of how many bits come before, for a bitmap.
  EVENLY_FN constexpr std::int64_t befores() const {
    return by_words ? words : has_long_parts() ? words / together : 0;
  }
  /// Words of all of it, where there are so many bitmaps.
  constexpr std::int64_t size() const { return count * (words + befores()); }

  EVENLY_FN std::uint32_t* bitmap(int block) const { return memory + block * words; }
  EVENLY_FN std::uint32_t* befores(int block) const { return numbers + block * befores(); }

  EVENLY_FN static int word_of(int column) { return column / bits; }
  EVENLY_FN static std::uint32_t bit_of(int column) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(column) % bits;
  }
  EVENLY_FN int part_of(int column) const { return word_of(column) >> part_bits; }
  /// Where a column's word is in all of memory, and its number among numbers, where there is one of each word: then
  /// these are few enough for 32 bits, which take a GPU fewer instructions.
  EVENLY_FN std::uint32_t word_by_words(int block, int column) const {
    return static_cast<std::uint32_t>(block) * static_cast<std::uint32_t>(words) +
           static_cast<std::uint32_t>(column) / bits;
  }
};

/// The bits of a row, by the block that has them. parts: in storage, a number for each part and one behind the last.
template <class Parts> struct bits_of_row {
  static constexpr int together = giant_bitmaps::together;
  struct alignas(together * sizeof(std::uint32_t)) few_words {
    std::uint32_t word[together];
  };

  giant_bitmaps bitmaps;
  int block_index;
  std::uint32_t* words;
  std::uint32_t* befores; ///< of each word, or few words, if there are any
  Parts parts;

  template <class Block>
  EVENLY_FN bits_of_row(const giant_bitmaps& of, const Block& block, const Parts& its_parts)
      : bitmaps(of), block_index(block.index()), words(of.bitmap(block.index())),
        befores(of.befores(block.index())), parts(its_parts) {}

  /// Words [first, first + together). Requires a multiple of that.
  EVENLY_FN few_words read(int first) const { return *reinterpret_cast<const few_words*>(words + first); }

  /// How many bits come before word `first`, a multiple of `together`, and whether its few words may have any; both are
  /// known once numbers of parts are sums, the first only of parts that are no longer than that.
  EVENLY_FN std::uint32_t before(int first) const { return parts[first >> bitmaps.part_bits]; }
  EVENLY_FN bool may_have_some(int first) const {
    const int part = first >> bitmaps.part_bits;
    const std::uint32_t here = parts[part];
    const std::uint32_t behind = parts[((first + together - 1) >> bitmaps.part_bits) + 1];
    return here != behind;
  }
  /// The same before they are sums.
  EVENLY_FN bool is_marked(int first) const {
    bool any = false;
    for (int i = first >> bitmaps.part_bits; i <= (first + together - 1) >> bitmaps.part_bits; ++i) {
      const std::uint32_t here = parts[i];
      any = any || here != 0;
    }
    return any;
  }

  /// Of a column whose bit is set, once numbers of parts are sums: how many bits come before.
  EVENLY_FN std::uint32_t place_of(int column) const {
    if (bitmaps.by_words) return place_by_word(column);
    const int word = giant_bitmaps::word_of(column);
    const std::uint32_t lower = giant_bitmaps::bit_of(column) - 1;
    const int at = word % together, first = at >> bitmaps.part_bits << bitmaps.part_bits;
    const few_words all = read(word - at);
    std::uint32_t place = bitmaps.has_long_parts() ? befores[word / together] : before(word);
    EVENLY_UNROLL
    for (int u = 0; u < together; ++u) {
      const std::uint32_t counted = u < first || u > at ? 0 : u < at ? ~std::uint32_t{0} : lower;
      place += static_cast<std::uint32_t>(lanes_in(all.word[u] & counted));
    }
    return place;
  }
  /// The same where there is a number of each word.
  EVENLY_FN std::uint32_t place_by_word(int column) const {
    const std::uint32_t at = bitmaps.word_by_words(block_index, column);
    const std::uint32_t lower = giant_bitmaps::bit_of(column) - 1;
    return bitmaps.numbers[at] + static_cast<std::uint32_t>(lanes_in(bitmaps.memory[at] & lower));
  }

  /// Makes all bits 0 where marked(first word of a few) holds. By all threads of a team.
  template <class Team, class Marked> EVENLY_FN void clear(const Team& all, const Marked& marked) const {
    const auto count = static_cast<int>(bitmaps.words);
    for (int first = together * all.rank(); first < count; first += together * all.size())
      if (marked(first)) *reinterpret_cast<few_words*>(words + first) = few_words{};
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
