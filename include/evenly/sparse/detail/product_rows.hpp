// SPDX-License-Identifier: Apache-2.0
// A row of C = A B by a team of threads: how many entries it has, then its columns and values. Function objects for
// for_each_tile, whose tiles are rows and whose atoms stand for products.
//
//   few products      all in storage; each thread looks at all others: the first of its column sums up the column
//   up to a storage   sizes by a hash table in storage, with two places for each product; columns and values by a sort
//                     of (column, place) in storage
//   giants            not here: product_giants.hpp. They come without atoms
// Short rows are not here either: product_short_rows.hpp. Few products is what rows have that are too long for narrow
// warps of these.
// Sums add products in their order (product_terms.hpp), so results do not depend on which way a row goes.
#pragma once

#include <concepts>
#include <cstdint>

#include "evenly/block/scan.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// What both passes do alike.
template <class Terms> struct product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  using ways = product_ways;

  Terms of;
  const int* rows; ///< which row a tile is

  template <class Team>
  static constexpr bool may_have_many = Team::wanted == whole_block || Team::wanted >= 32;
};

/// sizes[row] = how many entries a row of C has.
template <class Terms> struct size_product_rows : product_rows<Terms> {
  using base = product_rows<Terms>;
  using typename base::offset_b;
  using typename base::value;
  using typename base::ways;

  std::int64_t* sizes; ///< of all rows

  template <class Team, class Columns, class Places, class Starts, class Ends, class Scratch>
  EVENLY_FN void operator()(const Team& team, int tile, std::int64_t begin, std::int64_t end,
                            const Columns& columns, const Places& places, const Starts& starts,
                            const Ends& ends, const Scratch& scratch) const {
    const int row = this->rows[tile];
    const std::int64_t most = end - begin;
    std::int64_t mine = 0;
    bool done = most == 0;
    if constexpr (base::template may_have_many<Team>) {
      if (most > ways::few) {
        done = true;
        mine = by_table(team, row, columns, places, starts, ends, scratch);
      }
    }
    if (!done) mine = by_looking(team, row, columns, starts, ends, scratch);
    team.sync();
    const std::int64_t all = team.reduce(mine, plus<std::int64_t>{}, scratch);
    if (team.rank() == 0) sizes[row] = all;
  }

 private:
  /// How many of the caller's products are the first of their columns.
  template <class Team, class Columns, class Starts, class Ends, class Scratch>
  EVENLY_FN std::int64_t by_looking(const Team& team, int row, const Columns& columns, const Starts& starts,
                                    const Ends& ends, const Scratch& scratch) const {
    const auto& b = this->of.b;
    const auto products = static_cast<int>(
        this->of.for_each_product(team, row, {0, b.cols}, starts, ends, no_factors{}, scratch, its_column{},
                                  [&](int, bool has, std::uint32_t column, value, std::int64_t place) {
                                    if (has) columns[static_cast<int>(place)] = column;
                                  }));
    std::int64_t firsts = 0;
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint32_t column = columns[p];
      bool first = true;
      for (int q = 0; q < p; ++q) {
        const std::uint32_t other = columns[q];
        first = first && other != column;
      }
      firsts += first;
    }
    return firsts;
  }

  /// How many columns the caller has brought into a table of both storages.
  template <class Team, class Columns, class Places, class Starts, class Ends, class Scratch>
  EVENLY_FN std::int64_t by_table(const Team& team, int row, const Columns& columns, const Places& places,
                                  const Starts& starts, const Ends& ends, const Scratch& scratch) const {
    const auto& b = this->of.b;
    const int half = columns.size();
    for (int i = team.rank(); i < half; i += team.size()) {
      columns[i] = ways::no_column;
      places[i] = ways::no_column;
    }
    team.sync();
    std::int64_t added = 0;
    this->of.for_each_product(team, row, {0, b.cols}, starts, ends, no_factors{}, scratch, its_column{},
                              [&](int, bool has, std::uint32_t column, value, std::int64_t) {
                                if (has) added += add(column, half, columns, places);
                              });
    return added;
  }
  /// Whether the column was not in the table, of 2 half places.
  template <class Columns, class Places>
  EVENLY_FN static int add(std::uint32_t column, int half, const Columns& columns, const Places& places) {
    constexpr std::uint32_t golden = 2654435769u;
    const auto size = static_cast<std::uint64_t>(half) * 2;
    for (auto at = static_cast<int>(std::uint64_t{column * golden} * size >> 32);;
         at = at + 1 < 2 * half ? at + 1 : 0) {
      std::uint32_t there = ways::no_column;
      const bool is_new =
          at < half
              ? atomic_ref(columns[at], scope::block{}).compare_exchange(there, column, order::relaxed{})
              : atomic_ref(places[at - half], scope::block{})
                    .compare_exchange(there, column, order::relaxed{});
      if (is_new) return 1;
      if (there == column) return 0;
    }
  }
};

/// Writes the entries of a row of C where they belong.
template <class Terms, class OffsetC> struct fill_product_rows : product_rows<Terms> {
  using base = product_rows<Terms>;
  using typename base::offset_b;
  using typename base::value;
  using typename base::ways;

  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< of those that columns and values have
  int* columns_of_c;
  value* values_of_c;

  template <class Team, class Columns, class Places, class Values, class Starts, class Ends, class Factors,
            class Scratch>
  EVENLY_FN void operator()(const Team& team, int tile, std::int64_t begin, std::int64_t end,
                            const Columns& columns, const Places& places, const Values& values,
                            const Starts& starts, const Ends& ends, const Factors& factors,
                            const Scratch& scratch) const {
    const int row = this->rows[tile];
    const std::int64_t most = end - begin;
    if (most == 0) return;
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    const auto& b = this->of.b;
    int room = 1; // a power of two, for the sort
    if constexpr (base::template may_have_many<Team>) {
      while (room < most) room *= 2;
      if (most > ways::few)
        for (int i = team.rank(); i < room; i += team.size()) {
          columns[i] = ways::no_column;
          places[i] = static_cast<std::uint32_t>(i);
        }
      team.sync();
    }
    const auto products = static_cast<int>(this->of.for_each_product(
        team, row, {0, b.cols}, starts, ends, factors, scratch, its_column{},
        [&](int, bool has, std::uint32_t column, value product, std::int64_t place) {
          if (!has) return;
          const auto here = static_cast<int>(place);
          columns[here] = column;
          values[here] = product;
        }));
    if constexpr (base::template may_have_many<Team>) {
      if (most > ways::few) {
        sort(team, room, columns, places);
        return sum_sorted(team, room, to, columns, places, values, scratch);
      }
    }
    sum_by_looking(team, products, to, columns, places, values);
  }

 private:
  EVENLY_FN void write(std::int64_t to, std::uint32_t column, value sum) const {
    columns_of_c[to] = static_cast<int>(column);
    values_of_c[to] = sum;
  }

  template <class Team, class Columns, class Places, class Values>
  EVENLY_FN void sum_by_looking(const Team& team, int products, std::int64_t to, const Columns& columns,
                                const Places& places, const Values& values) const {
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint32_t column = columns[p];
      bool first = true;
      for (int q = 0; q < p; ++q) {
        const std::uint32_t other = columns[q];
        first = first && other != column;
      }
      places[p] = first ? column : ways::no_column;
    }
    team.sync();
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint32_t column = places[p];
      if (column == ways::no_column) continue;
      int before = 0;
      value sum{0};
      for (int q = 0; q < products; ++q) {
        const std::uint32_t first = places[q], other = columns[q];
        before += first < column;
        if (other == column) sum += static_cast<value>(values[q]);
      }
      write(to + before, column, sum);
    }
  }

  /// Batcher's bitonic sort of (column, place) (AFIPS 1968). `room`: a power of two.
  template <class Team, class Columns, class Places>
  EVENLY_FN static void sort(const Team& team, int room, const Columns& columns, const Places& places) {
    for (int run = 2; run <= room; run *= 2)
      for (int step = run / 2; step > 0; step /= 2) {
        for (int i = team.rank(); i < room / 2; i += team.size()) {
          const int low = 2 * i - (i & (step - 1)), high = low + step;
          const std::uint32_t column_1 = columns[low], column_2 = columns[high];
          const std::uint32_t place_1 = places[low], place_2 = places[high];
          const bool descends = column_2 < column_1 || (column_2 == column_1 && place_2 < place_1);
          if (descends != ((low & run) == 0)) continue;
          columns[low] = column_2;
          columns[high] = column_1;
          places[low] = place_2;
          places[high] = place_1;
        }
        team.sync();
      }
  }

  template <class Team, class Columns, class Places, class Values, class Scratch>
  EVENLY_FN void sum_sorted(const Team& team, int room, std::int64_t to, const Columns& columns,
                            const Places& places, const Values& values, const Scratch& scratch) const {
    for (int first = 0; first < room; first += team.size()) {
      const int i = first + team.rank();
      std::uint32_t column = ways::no_column, before = ways::no_column;
      if (i < room) column = columns[i];
      if (i < room && i > 0) before = columns[i - 1];
      const bool begins = column != ways::no_column && (i == 0 || before != column);
      const auto begun = team_scan(team, std::int64_t{begins}, plus<std::int64_t>{}, scratch);
      if (begins) {
        value sum{0};
        for (int q = i; q < room; ++q) {
          const std::uint32_t other = columns[q];
          if (other != column) break;
          const std::uint32_t place = places[q];
          sum += static_cast<value>(values[static_cast<int>(place)]);
        }
        write(to + begun.before, column, sum);
      }
      to += begun.total;
      team.sync();
    }
  }
};

} // namespace evenly::detail
