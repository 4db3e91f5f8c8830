// SPDX-License-Identifier: Apache-2.0
// One includer: the methods of spgemm.hpp have a header each.
// Rows of a sparse product that are too long for a block's storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/detail/product_sort.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Bitmaps of columns for giant rows of sparse products.

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

// ---------------------------------------------------------------------------------------------------------------------
// Sums of a giant row of C = A B by parts of its columns. Each warp has a part and does not wait for other warps. Sums
// are in storage, unless that needs so many parts that the searches for their products in the rows of B would cost more
// than the additions. The products of a part are added in one of two ways:
//
//   by entries   the products of one entry of A together, one warp width at a time: if columns of B's rows are
//                distinct, each product has a place of its own. For parts with enough products per entry
//   by places    one warp width of products, of several entries: votes find those of the same place, which take turns
//
// In both ways the products of one place are added in order.

struct giant_sums {
  static constexpr int per_thread = 16;  ///< number of sums in storage
  static constexpr int min_found = 3;    ///< products that a search in a row of B should find
  static constexpr int min_together = 2; ///< of one entry of A, for a warp to add them together
};

/// Bits: bits_of_row, after the columns are written.
template <class Terms, class Bits> struct giant_part_sums {
  using value = typename Terms::value_type;

  Terms of;
  Bits bits;
  int row;
  std::int64_t products; ///< approximate number of products of the row
  std::int64_t of_a;     ///< number of entries of A's row
  const int* columns;    ///< of the row of C
  std::int64_t entries;
  value* values;

  /// Adds the products of the row. Called by all threads of a team within a warp. The storages belong to the team:
  /// `sums` has per_thread elements per thread, the others have one.
  template <class Team, class Sums, class Starts, class Ends, class Factors, class Scratch>
  EVENLY_FN void operator()(const Team& mine, const Sums& sums, const Starts& starts, const Ends& ends,
                            const Factors& factors, const Scratch& scratch) const {
    const auto max_parts = larger<std::int64_t>(mine.count(), products / (giant_sums::min_found * of_a));
    std::int64_t parts = ceil_div<std::int64_t>(entries, mine.size() * giant_sums::per_thread);
    const bool in_storage = parts <= max_parts;
    if (!in_storage || parts < mine.count()) parts = mine.count();
    const bool by_entries =
        bits.bitmaps.by_words && of.searches_windows() && products >= giant_sums::min_together * of_a * parts;
    for (std::int64_t part = mine.index(); part < parts; part += mine.count()) {
      const auto begin = static_cast<int>(entries * part / parts);
      const auto end = static_cast<int>(entries * (part + 1) / parts);
      if (begin == end) continue;
      if (in_storage) {
        add(mine, begin, end, by_entries, sums, starts, ends, factors, scratch);
        for (int i = mine.rank(); i < end - begin; i += mine.size()) values[begin + i] = sums[i];
        mine.sync();
      } else {
        add(mine, begin, end, by_entries, values + begin, starts, ends, factors, scratch);
      }
    }
  }

 private:
  /// Adds the products of the row's entries [begin, end) to sums[0], sums[1], ...
  template <class Team, class Sums, class Starts, class Ends, class Factors, class Scratch>
  EVENLY_FN void add(const Team& mine, int begin, int end, bool by_entries, const Sums& sums,
                     const Starts& starts, const Ends& ends, const Factors& factors,
                     const Scratch& scratch) const {
    const column_window window{columns[begin], columns[end - 1] + 1};
    for (int i = mine.rank(); i < end - begin; i += mine.size()) sums[i] = value{0};
    mine.sync();
    if (by_entries) {
      of.template for_each_product_by_entries<value>(
          mine, row, window, 0, 1,
          [&](bool, int column) { return static_cast<int>(bits.place_by_word(column)) - begin; },
          [&](bool has, int place, value product) {
            if (has) {
              const value sum = sums[place];
              sums[place] = sum + product;
            }
            mine.sync();
          });
      return;
    }
    of.for_each_product(
        mine, row, window, starts, ends, factors, scratch,
        [&](bool has, int column) {
          return has && window.has(column) ? static_cast<int>(bits.place_of(column)) - begin : -1;
        },
        [&](int, bool, int place, value product, std::int64_t) { add_in_turn(mine, place, product, sums); });
  }

  /// Adds products of the team's threads to sums[place] if place >= 0; those of one place in the order of threads.
  template <class Team, class Sums>
  EVENLY_FN static void add_in_turn(const Team& mine, int place, value product, const Sums& sums) {
    constexpr int bits_of_place = 10; // places with these bits in common also take turns
    const auto all = team_lanes(mine);
    bool waits = place >= 0;
    lane_mask same = all.ballot(waits);
    if (same == 0) return;
    for (int bit = 0; bit < bits_of_place; ++bit) {
      const bool is_set = (place >> bit & 1) != 0;
      const lane_mask those = all.ballot(is_set);
      same &= is_set ? those : ~those;
    }
    const int before = lanes_in(same & first_lanes(all.rank()));
    for (int turn = 0; all.any(waits); ++turn) {
      if (waits && turn == before) {
        const value sum = sums[place];
        sums[place] = sum + product;
        waits = false;
      }
      mine.sync();
    }
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Giant rows of C = A B: those with more products than a block's storage can hold. A block processes one giant after
// the other, with a bitmap of columns in memory.
//
//   sizes     the thread that first sets a bit counts it; in the pass for columns and values also for the part of the
//             bitmap, in storage. A scan of the part counts gives the positions of columns. Parts without bits are
//             neither read nor cleared
//   columns   each thread has some words of the bitmap and writes their columns. The position of a column is the count
//             before its part plus the number of bits before it in the part
//   values    one of two methods; both add the products of a place in order
//             parts  warps have parts of the row's columns, and do not wait for each other
//             lists  the block goes through all products, some per thread at a time. A product whose filter bit is 0
//                    is the only one of its column, and is stored directly. Other products are listed in order,
//                    and one warp per place adds them. For rows with few products per place

/// A giant, and the larger of its numbers of products and of entries of A.
struct giant_row {
  std::int64_t products;
  int row;
};

template <class Terms, class OffsetC> struct giant_product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  static constexpr int tuned_block_size = 256, min_blocks = 5;
  static constexpr int warp_width = 32; ///< of a team that keeps the order of its products
  static constexpr int filter_per_thread = 4;
  static constexpr int min_of_entry = 8; ///< minimum products of an entry that a warp reads together

  Terms of;
  const giant_row* rows; ///< the giants, ascending by number of products
  int count;
  std::uint32_t* next; ///< initially 0
  giant_bitmaps bitmaps;
  int first_row, end_row; ///< other rows are skipped
  int* sizes;             ///< of all rows; null: writes columns and values instead
  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns and values
  int* columns_of_c;
  value* values_of_c;

  struct slots {
    slot<offset_b> starts;
    slot<std::int64_t> ends;
    slot<value> factors;
    slot<value> sums;
    slot<std::uint32_t> listed; ///< places; shares memory with sums, like products
    slot<value> products;
    slot<std::uint32_t> filter; ///< one bit per hash: whether some of its columns has several products
    slot<std::int64_t> scratch;
    slot<std::int64_t> of_warp;
    slot<std::uint32_t> drawn;
    slot<std::uint32_t> parts; ///< numbers of bits in parts, and before them

    /// The slots of one team of the block.
    EVENLY_FN slots of_team(int team, int size) const {
      return {starts.part(team * size, size),
              ends.part(team * size, size),
              factors.part(team * size, size),
              sums.part(team * size * giant_sums::per_thread, size * giant_sums::per_thread),
              listed,
              products,
              filter,
              scratch,
              of_warp,
              drawn,
              parts};
    }
  };
  EVENLY_FN constexpr slots lay_out(storage_layout& layout, block_shape shape) const {
    slots all;
    all.starts = layout.take<offset_b>(shape.size);
    all.ends = layout.take<std::int64_t>(shape.size);
    all.factors = layout.take<value>(shape.size);
    const auto shared = layout.mark();
    all.sums = layout.take<value>(shape.size * giant_sums::per_thread);
    layout.rewind(shared);
    all.listed = layout.take<std::uint32_t>(shape.size * Terms::ahead);
    all.products = layout.take<value>(shape.size * Terms::ahead);
    layout.skip_to_max();
    all.filter = layout.take<std::uint32_t>(shape.size * filter_per_thread);
    all.scratch = layout.take<std::int64_t>(shape.warps());
    all.of_warp = layout.take<std::int64_t>(shape.warps());
    all.drawn = layout.take<std::uint32_t>(1);
    all.parts = layout.take<std::uint32_t>(bitmaps.parts() + 1);
    return all;
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots places = lay_out(layout, block.shape());
    const team<whole_block, Block> all(block);
    const auto drawn = block.storage(places.drawn);
    for (;;) {
      if (block.rank() == 0) drawn[0] = atomic_ref(*next).fetch_add(1u, order::relaxed{});
      block.sync();
      const std::uint32_t turn = drawn[0];
      block.sync();
      if (turn >= static_cast<std::uint32_t>(count)) return;
      const giant_row giant = rows[count - 1 - static_cast<int>(turn)];
      if (giant.row < first_row || giant.row >= end_row) continue;
      if (sizes != nullptr)
        size_row(all, giant, places);
      else
        fill_row(all, giant, places);
      block.sync();
    }
  }

 private:
  template <class Block> EVENLY_FN auto bits_of(const Block& block, const slots& places) const {
    return bits_of_row(bitmaps, block, block.storage(places.parts));
  }

  EVENLY_FN std::int64_t entries_of_a(int row) const {
    return std::int64_t{of.a.offsets[row + 1]} - of.a.offsets[row];
  }

  /// Sets the bits of a row's columns, and counts them in their parts. If only sizes are needed, the counts of parts
  /// with bits are just not 0. `filters`: records the columns with several products. Returns the number of bits first
  /// set by the caller. Synchronises the block, also at the end.
  template <class Block>
  EVENLY_FN std::int64_t mark(const team<whole_block, Block>& all, const giant_row& giant, bool filters,
                              const slots& places) const {
    auto& block = all.block();
    std::uint32_t* const words = bitmaps.bitmap(block.index());
    const auto filter = block.storage(places.filter);
    const auto parts = block.storage(places.parts);
    if (filters)
      for (int i = all.rank(); i < filter.size(); i += all.size()) filter[i] = std::uint32_t{0};
    for (int i = all.rank(); i < parts.size(); i += all.size()) parts[i] = std::uint32_t{0};
    all.sync();
    // A load saves the atomic operation for each product whose bit is set. If columns are many, few bits are set.
    const bool peeks = of.b.cols <= product_ways::few_columns;
    struct seen {
      int column;
      std::uint32_t bits; ///< of its word before the column's was set; if pending, the current ones
    };
    const auto look = [&](bool has, int column) {
      const auto word = atomic_ref(words[giant_bitmaps::word_of(column)], scope::block{});
      seen at{column, 0};
      if (peeks)
        at.bits = word.load(order::relaxed{});
      else if (has)
        at.bits = word.fetch_or(giant_bitmaps::bit_of(column), order::relaxed{});
      return at;
    };
    int first = 0;
    const auto set = [&](bool has, const seen& at) {
      if (!has) return;
      const std::uint32_t bit = giant_bitmaps::bit_of(at.column);
      std::uint32_t there = at.bits;
      if (peeks && (there & bit) == 0)
        there = atomic_ref(words[giant_bitmaps::word_of(at.column)], scope::block{})
                    .fetch_or(bit, order::relaxed{});
      if ((there & bit) == 0) {
        ++first;
        const auto part = atomic_ref(parts[bitmaps.part_of(at.column)], scope::block{});
        if (sizes == nullptr)
          part.fetch_add(1u, order::relaxed{});
        else if (there == 0)
          part.store(1u, order::relaxed{});
      } else if (filters) {
        atomic_ref(filter[column_filter::word_of(at.column, filter.size())], scope::block{})
            .fetch_or(column_filter::bit_of(at.column), order::relaxed{});
      }
    };
    const team<warp_width, Block> mine(block);
    if (peeks && !mine.wide() && giant.products >= min_of_entry * entries_of_a(giant.row)) {
      if (mine.has_thread())
        of.template for_each_product_by_entries<no_factors>(
            mine, giant.row, {0, of.b.cols}, mine.index(), mine.count(), look,
            [&](bool has, const seen& at, value) { set(has, at); });
      block.sync();
    } else {
      of.template for_each_product<true>(
          all, giant.row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends),
          no_factors{}, block.storage(places.scratch), look,
          [&](int, bool has, const seen& at, value, std::int64_t) { set(has, at); });
    }
    return first;
  }

  template <class Block>
  EVENLY_FN void size_row(const team<whole_block, Block>& all, const giant_row& giant,
                          const slots& places) const {
    const std::int64_t mine = mark(all, giant, false, places);
    const std::int64_t found = all.reduce(mine, plus<std::int64_t>{}, all.block().storage(places.scratch));
    if (all.rank() == 0) sizes[giant.row] = static_cast<int>(found);
    const auto bits = bits_of(all.block(), places);
    bits.clear(all, [&](int first) { return bits.is_marked(first); });
  }

  template <class Block>
  EVENLY_FN void fill_row(const team<whole_block, Block>& all, const giant_row& giant,
                          const slots& places) const {
    Block& block = all.block();
    const int row = giant.row;
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    const std::int64_t entries = std::int64_t{offsets[row + 1]} - offsets[row];
    const team<warp_width, Block> mine(block);
    const std::int64_t products = giant.products, of_a = entries_of_a(row);
    const bool nearly_all_alone = 10 * products < 11 * entries;
    const bool finds_few = products < giant_sums::min_found * mine.count() * of_a;
    const bool by_lists = mine.wide() || nearly_all_alone || (finds_few && products < 2 * entries);
    mark(all, giant, by_lists, places);
    const auto bits = bits_of(block, places);
    product_sort::begin_counters(all, bits.parts.size(), bits.parts, block.storage(places.scratch));
    write_columns(all, to, bits);
    block.sync();
    if (by_lists)
      sum_by_lists(all, row, to, entries, places);
    else if (mine.has_thread())
      sum_by_parts(mine, giant, to, entries, places);
    block.sync();
    bits.clear(all, [&](int first) { return bits.may_have_some(first); });
  }

  template <class Team>
  EVENLY_FN void sum_by_parts(const Team& mine, const giant_row& giant, std::int64_t to, std::int64_t entries,
                              const slots& places) const {
    auto& block = mine.block();
    const slots here = places.of_team(mine.index(), mine.size());
    const auto bits = bits_of(block, here);
    const giant_part_sums<Terms, std::remove_const_t<decltype(bits)>> all{of,
                                                                          bits,
                                                                          giant.row,
                                                                          giant.products,
                                                                          entries_of_a(giant.row),
                                                                          columns_of_c + to,
                                                                          entries,
                                                                          values_of_c + to};
    all(mine, block.storage(here.sums), block.storage(here.starts), block.storage(here.ends),
        block.storage(here.factors), block.storage(here.scratch));
  }

  template <class Team>
  EVENLY_FN void sum_by_lists(const Team& all, int row, std::int64_t to, std::int64_t entries,
                              const slots& places) const {
    auto& block = all.block();
    value* const sums = values_of_c + to;
    for (std::int64_t i = all.rank(); i < entries; i += all.size()) sums[i] = value{0};
    all.sync();
    const auto filter = block.storage(places.filter);
    const auto row_bits = bits_of(block, places);
    struct seen {
      std::uint32_t place;
      bool alone;
    };
    std::uint32_t of_place[Terms::ahead];
    value listed[Terms::ahead];
    unsigned waits = 0; // bit u: product u of the thread's run is listed
    of.template for_each_product<true>(
        all, row, {0, of.b.cols}, block.storage(places.starts), block.storage(places.ends),
        block.storage(places.factors), block.storage(places.scratch),
        [&](bool has, int column) {
          if (!has) return seen{0, true};
          const std::uint32_t bits = filter[column_filter::word_of(column, filter.size())];
          return seen{row_bits.place_of(column), (bits & column_filter::bit_of(column)) == 0};
        },
        [&](int u, bool has, const seen& at, value product, std::int64_t) {
          if (has && at.alone) sums[at.place] = value{0} + product;
          if (u == 0) waits = 0;
          if (has && !at.alone) waits |= 1u << u;
          of_place[u] = at.place;
          listed[u] = product;
          if (u + 1 == Terms::ahead) add_listed(all, waits, of_place, listed, sums, places);
        });
  }

  /// sums[of_place[u]] += listed[u] for all set bits u of `waits`, by all threads of the block together; products of
  /// one place in order.
  template <class Team>
  EVENLY_FN void add_listed(const Team& all, unsigned waits, const std::uint32_t (&of_place)[Terms::ahead],
                            const value (&listed)[Terms::ahead], value* sums, const slots& places) const {
    auto& block = all.block();
    const auto warp = this_warp(block);
    const auto of_list = block.storage(places.listed);
    const auto products = block.storage(places.products);
    const auto of_warp = block.storage(places.of_warp);
    const int mine = lanes_in(waits), upto = warp.scan(mine, plus<int>{});
    if (warp.rank() == warp.size() - 1) of_warp[warp_of(block)] = std::int64_t{upto};
    block.sync();
    const auto before_warp = scan_warps_by_lanes(block, of_warp, plus<std::int64_t>{});
    const auto length = static_cast<int>(before_warp.total);
    int to = static_cast<int>(before_warp.before) + upto - mine;
    EVENLY_UNROLL
    for (int u = 0; u < Terms::ahead; ++u)
      if ((waits >> u & 1u) != 0) {
        of_list[to] = of_place[u];
        products[to++] = listed[u];
      }
    block.sync();
    const auto warps = static_cast<std::uint32_t>(block.shape().warps());
    for (int first = 0; first < length; first += warp.size()) {
      const int i = first + warp.rank();
      std::uint32_t place = 0;
      if (i < length) place = of_list[i];
      const bool is_ours = i < length && place % warps == static_cast<std::uint32_t>(warp_of(block));
      lane_mask same = 0; // in the first lane of a place: all lanes of that place
      for (lane_mask left = warp.ballot(is_ours); left != 0;) {
        const int leader = first_lane(left);
        const std::uint32_t leading = warp.shuffle(place, leader);
        const lane_mask those = warp.ballot(is_ours && place == leading);
        if (warp.rank() == leader) same = those;
        left &= ~those;
      }
      if (same != 0) {
        value sum = sums[place];
        for (; same != 0; same &= same - 1) {
          const value product = products[first + first_lane(same)];
          sum += product;
        }
        sums[place] = sum;
      }
      warp.sync();
    }
    if (length > 0) block.sync();
  }

  /// Writes the row's columns in order; if parts are long, also the number of bits before each `together` words.
  template <class Team, class Bits>
  EVENLY_FN void write_columns(const Team& all, std::int64_t to, const Bits& bits) const {
    constexpr int together = giant_bitmaps::together;
    const auto warp = this_warp(all.block());
    const auto all_words = static_cast<int>(bitmaps.words);
    const bool long_parts = bitmaps.has_long_parts();
    // If parts are long, each warp has equally many consecutive words.
    const int of_warp = ceil_div(bitmaps.parts(), all.block().shape().warps()) << bitmaps.part_bits;
    const int begin = long_parts ? smaller(of_warp * warp_of(all.block()), all_words) : 0;
    const int end = long_parts ? smaller(begin + of_warp, all_words) : all_words;
    const int rank = long_parts ? warp.rank() : all.rank();
    const int stride = together * (long_parts ? warp.size() : all.size());
    std::uint32_t so_far = 0;
    if (long_parts && begin < end) so_far = bits.before(begin);
    for (int first = begin; first < end; first += stride) {
      const int from = first + together * rank;
      const bool some = from < end && bits.may_have_some(from);
      typename Bits::few_words here{};
      if (some) here = bits.read(from);
      std::uint32_t place = 0;
      if (long_parts) {
        int set = 0;
        EVENLY_UNROLL
        for (int u = 0; u < together; ++u) set += lanes_in(here.word[u]);
        const int upto = warp.scan(set, plus<int>{});
        place = so_far + static_cast<std::uint32_t>(upto - set);
        so_far += static_cast<std::uint32_t>(warp.shuffle(upto, warp.size() - 1));
        if (some && !bitmaps.by_words) bits.befores[from / together] = place;
      } else if (some) {
        place = bits.before(from);
      }
      typename Bits::few_words before{};
      EVENLY_UNROLL
      for (int u = 0; u < together; ++u) {
        before.word[u] = place;
        for (std::uint32_t left = here.word[u]; left != 0; left &= left - 1)
          columns_of_c[to + place++] = (from + u) * giant_bitmaps::bits + first_lane(left);
      }
      if (some && bitmaps.by_words)
        *reinterpret_cast<typename Bits::few_words*>(bits.befores + from) = before;
    }
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// The giant rows of C = A B: their list, the memory of their bitmaps, and the launches of their kernels.

/// The position of a giant in the list, ascending by number of products: in classes by powers of two, in any order
/// within a class, since no result depends on it.
struct giant_classes {
  static constexpr int count = 64;

  const std::int64_t* work;
  std::int64_t max;     ///< of a row that is not a giant
  std::uint32_t* found; ///< per class
  std::uint32_t* taken; ///< per class; initially 0

  EVENLY_FN bool has(std::int64_t i) const { return work[i] > max; }
  EVENLY_FN int of(std::int64_t i) const { return last_lane(static_cast<lane_mask>(work[i])); }
};
/// Counts giants in their classes; returns the work of a row unchanged.
struct count_giant {
  giant_classes classes;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (classes.has(i)) atomic_ref(classes.found[classes.of(i)]).fetch_add(1u, order::relaxed{});
    return classes.work[i];
  }
};
/// Lists giants and sets their work to 0.
struct take_giant {
  giant_classes classes;
  const int* rows;
  giant_row* giants;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (!classes.has(i)) return classes.work[i];
    const int own = classes.of(i);
    std::uint32_t place = atomic_ref(classes.taken[own]).fetch_add(1u, order::relaxed{});
    for (int c = 0; c < own; ++c) place += classes.found[c];
    giants[place] = {classes.work[i], rows[i]};
    return 0;
  }
};

/// The giants of a product, and their memory.
class product_giants {
 public:
  /// Takes the giants among `listed` rows: the `count` rows with work above `max`. Sets their work to 0. Allocates.
  template <class Executor>
  void take(const Executor& exec, const int* rows, std::int64_t* work, std::int64_t listed, std::int64_t max,
            int count, int cols) {
    constexpr std::size_t counters = 2 * giant_classes::count;
    const auto of_classes = make_buffer<std::uint32_t>(exec, counters);
    exec.fill_zero(of_classes.data(), counters * sizeof(std::uint32_t));
    const giant_classes classes{work, max, of_classes.data(), of_classes.data() + giant_classes::count};
    rows_ = make_buffer<giant_row>(exec, static_cast<std::size_t>(count));
    tabulate(exec, listed, count_giant{classes}, work);
    tabulate(exec, listed, take_giant{classes, rows, rows_.data()}, work);
    count_ = count;
    next_ = make_buffer<std::uint32_t>(exec, 1);
    constexpr int together = giant_bitmaps::together;
    bitmaps_.words = ceil_div<std::int64_t>(cols, giant_bitmaps::bits * together) * together;
    bitmaps_.by_words = cols <= product_ways::few_columns;
    bitmaps_.count = 0;
  }

  /// Runs a kernel, after it sets its giants and bitmaps. The first call allocates and waits.
  template <class Executor, class Kernel> void run(const Executor& exec, Kernel kernel) {
    if (count_ == 0) return;
    // Few blocks have room for large bitmaps; these blocks are large, too.
    const std::int64_t max = max_bitmaps<Executor>(bitmaps_.words);
    int block_size = max < few_blocks ? max_block_size : Kernel::tuned_block_size;
    if constexpr (Executor::on_host)
      block_size = 2 * exec.shape_of(1).warp; // a thread costs the host a stack
    if (bitmaps_.count == 0) {
      const std::int64_t max_parts = std::int64_t{giant_bitmaps::max_parts_per_thread} * block_size;
      kernel.bitmaps = bitmaps_;
      while (kernel.bitmaps.parts() > max_parts ||
             (kernel.bitmaps.parts() > 1 &&
              storage_bytes(kernel, exec.shape_of(block_size)) > exec.max_storage()))
        ++kernel.bitmaps.part_bits;
      bitmaps_ = kernel.bitmaps;
    }
    kernel.bitmaps = bitmaps_;
    std::int64_t blocks = smaller<std::int64_t>(count_, max);
    blocks = smaller<std::int64_t>(blocks, resident_blocks(exec, kernel, block_size));
    if (bitmaps_.count == 0) {
      bitmaps_.count = static_cast<int>(blocks);
      memory_ = make_buffer<std::uint32_t>(exec, static_cast<std::size_t>(bitmaps_.size()));
      exec.fill_zero(memory_.data(),
                     static_cast<std::size_t>(blocks * bitmaps_.words) * sizeof(std::uint32_t));
      bitmaps_.memory = memory_.data();
      bitmaps_.numbers = bitmaps_.memory + blocks * bitmaps_.words;
    }
    exec.fill_zero(next_.data(), sizeof(std::uint32_t));
    kernel.rows = rows_.data();
    kernel.count = count_;
    kernel.next = next_.data();
    kernel.bitmaps = bitmaps_;
    launch(exec, {smaller(static_cast<int>(blocks), bitmaps_.count), block_size}, kernel);
  }

  /// The maximum bytes of bitmaps for a product of `rows` rows and `cols` columns.
  template <class Executor> static std::int64_t max_bytes(std::int64_t rows, std::int64_t cols) {
    const std::int64_t words = ceil_div<std::int64_t>(cols, giant_bitmaps::bits);
    constexpr int together = giant_bitmaps::together;
    const int with_befores = cols <= product_ways::few_columns ? 2 * together : together + 1;
    return smaller(rows, max_bitmaps<Executor>(words)) * ceil_div<std::int64_t>(words, together) *
           with_befores * bytes_of_word;
  }

 private:
  static constexpr std::int64_t bytes_of_word = sizeof(std::uint32_t);
  static constexpr std::int64_t max_blocks = 2048, few_blocks = 640, min_blocks = 128,
                                usual_bytes = std::int64_t{1} << 25;

  /// As many bitmaps as keep a GPU busy, and as fit in `usual_bytes`. A simulated GPU has few.
  template <class Executor> static std::int64_t max_bitmaps(std::int64_t words) {
    if constexpr (Executor::on_host)
      return 3;
    else
      return smaller(max_blocks, min_blocks + usual_bytes / larger<std::int64_t>(words * bytes_of_word, 1));
  }

  buffer<giant_row> rows_;
  int count_ = 0;
  buffer<std::uint32_t> next_;
  buffer<std::uint32_t> memory_;
  giant_bitmaps bitmaps_;
};

} // namespace evenly::detail
