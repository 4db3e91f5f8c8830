// SPDX-License-Identifier: Apache-2.0
// Sums of a giant row of C = A B by parts of its columns. Each warp has a part and does not wait for other warps. Sums
// are in storage, unless that needs so many parts that the searches for their products in the rows of B would cost more
// than the additions. The products of a part are added in one of two ways:
//
//   by entries   the products of one entry of A together, one warp width at a time: if columns of B's rows are
//                distinct, each product has a place of its own. For parts with enough products per entry
//   by places    one warp width of products, of several entries: votes find those of the same place, which take turns
//
// In both ways the products of one place are added in order.
#pragma once

#include <cstdint>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/sparse/detail/product_bits.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

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

} // namespace evenly::detail
