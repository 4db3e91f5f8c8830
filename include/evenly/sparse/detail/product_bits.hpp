// SPDX-License-Identifier: Apache-2.0
// Bitmaps of columns for giant rows of sparse products.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

/// Memory for one bitmap of all columns per block; all bits are 0 between launches. The words are in parts. For each
/// part the block has a number in storage: first whether the part has bits, so that only such parts are read and
/// cleared; then the number of bits before it. Further prefix counts are in memory: one per word if columns are few,
/// otherwise one per `together` words if parts are longer than that.
struct giant_bitmaps {
  static constexpr int bits = 32;                 ///< per word
  static constexpr int together = 4;              ///< words that are loaded together
  static constexpr int max_parts_per_thread = 16; ///< of a block

  std::uint32_t* memory = nullptr;
  std::uint32_t* numbers = nullptr; ///< counts of the bits before
  std::int64_t words = 0;           ///< per bitmap; a multiple of `together`
  int count = 0;                    ///< number of bitmaps
  int part_bits = 0;                ///< a part has 2^part_bits words
  bool by_words = false;            ///< whether each word has a count in memory

  EVENLY_FN constexpr int parts() const {
    return static_cast<int>((words + (std::int64_t{1} << part_bits) - 1) >> part_bits);
  }
  /// Whether parts are longer than `together` words, so that their counts do not suffice for these.
  EVENLY_FN constexpr bool has_long_parts() const { return std::int64_t{1} << part_bits > together; }
  /// The number of prefix counts in memory per bitmap.
  EVENLY_FN constexpr std::int64_t befores() const {
    return by_words ? words : has_long_parts() ? words / together : 0;
  }
  /// The number of words of all bitmaps and counts.
  constexpr std::int64_t size() const { return count * (words + befores()); }

  EVENLY_FN std::uint32_t* bitmap(int block) const { return memory + block * words; }
  EVENLY_FN std::uint32_t* befores(int block) const { return numbers + block * befores(); }

  EVENLY_FN static int word_of(int column) { return column / bits; }
  EVENLY_FN static std::uint32_t bit_of(int column) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(column) % bits;
  }
  EVENLY_FN int part_of(int column) const { return word_of(column) >> part_bits; }
  /// The position of a column's word among the words of all bitmaps, and of its count, if each word has one. Then
  /// positions fit 32 bits, which take fewer instructions on a GPU.
  EVENLY_FN std::uint32_t word_by_words(int block, int column) const {
    return static_cast<std::uint32_t>(block) * static_cast<std::uint32_t>(words) +
           static_cast<std::uint32_t>(column) / bits;
  }
};

/// The bits of a row, as seen by the block that has them. parts: in storage, one number per part and one more.
template <class Parts> struct bits_of_row {
  static constexpr int together = giant_bitmaps::together;
  struct alignas(together * sizeof(std::uint32_t)) few_words {
    std::uint32_t word[together];
  };

  giant_bitmaps bitmaps;
  int block_index;
  std::uint32_t* words;
  std::uint32_t* befores; ///< per word, or per `together` words; may be null
  Parts parts;

  template <class Block>
  EVENLY_FN bits_of_row(const giant_bitmaps& of, const Block& block, const Parts& its_parts)
      : bitmaps(of), block_index(block.index()), words(of.bitmap(block.index())),
        befores(of.befores(block.index())), parts(its_parts) {}

  /// Loads words [first, first + together); first is a multiple of `together`.
  EVENLY_FN few_words read(int first) const { return *reinterpret_cast<const few_words*>(words + first); }

  /// The number of bits before word `first`, a multiple of `together`, and whether the words from it on may have any.
  /// Both require that the numbers of parts are prefix sums; before() also requires parts of at most `together` words.
  EVENLY_FN std::uint32_t before(int first) const { return parts[first >> bitmaps.part_bits]; }
  EVENLY_FN bool may_have_some(int first) const {
    const int part = first >> bitmaps.part_bits;
    const std::uint32_t here = parts[part];
    const std::uint32_t behind = parts[((first + together - 1) >> bitmaps.part_bits) + 1];
    return here != behind;
  }
  /// The same while the numbers of parts are not yet prefix sums.
  EVENLY_FN bool is_marked(int first) const {
    bool any = false;
    for (int i = first >> bitmaps.part_bits; i <= (first + together - 1) >> bitmaps.part_bits; ++i) {
      const std::uint32_t here = parts[i];
      any = any || here != 0;
    }
    return any;
  }

  /// The number of bits before the set bit of a column. Requires prefix sums.
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
  /// The same if each word has a count.
  EVENLY_FN std::uint32_t place_by_word(int column) const {
    const std::uint32_t at = bitmaps.word_by_words(block_index, column);
    const std::uint32_t lower = giant_bitmaps::bit_of(column) - 1;
    return bitmaps.numbers[at] + static_cast<std::uint32_t>(lanes_in(bitmaps.memory[at] & lower));
  }

  /// Clears the bits of each group of words whose marked(first word) holds. Called by all threads of a team.
  template <class Team, class Marked> EVENLY_FN void clear(const Team& all, const Marked& marked) const {
    const auto count = static_cast<int>(bitmaps.words);
    for (int first = together * all.rank(); first < count; first += together * all.size())
      if (marked(first)) *reinterpret_cast<few_words*>(words + first) = few_words{};
  }
};

/// A small approximate set of columns: it may also contain other columns with the same hash.
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
