// SPDX-License-Identifier: Apache-2.0
// A row of C = A B by a team of threads: its number of entries, then its columns and values. These are function objects
// for for_each_tile; tiles are rows, atoms are products.
//
//   few products      all in storage; each thread compares with all others. The first product of a column sums it up
//   up to a storage   sizes by a hash table in storage, with two places per product; columns and values by a sort of
//                     places in storage (product_sort.hpp)
//   giants            have no atoms here; see product_giants.hpp
//
// Short rows are in product_short_rows.hpp. The case of few products serves rows that are too long for narrow warps
// there. Sums add products in order (product_terms.hpp), so results do not depend on the method.
#pragma once

#include <concepts>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/sparse/detail/product_sort.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// The common part of both passes.
template <class Terms> struct product_rows {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  using ways = product_ways;

  Terms of;
  const int* rows; ///< the row of each tile

  template <class Team>
  static constexpr bool may_have_many = Team::wanted == whole_block || Team::wanted >= 32;
};

/// sizes[row] = the number of entries of a row of C.
template <class Terms> struct size_product_rows : product_rows<Terms> {
  using base = product_rows<Terms>;
  using typename base::offset_b;
  using typename base::value;
  using typename base::ways;

  int* sizes; ///< of all rows

  template <class Team, class Columns, class Places, class Starts, class Ends, class Scratch>
  EVENLY_FN void operator()(const Team& team, int tile, std::int64_t begin, std::int64_t end,
                            const Columns& columns, const Places& places, const Starts& starts,
                            const Ends& ends, const Scratch& scratch) const {
    const int row = this->rows[tile];
    const std::int64_t max = end - begin;
    std::int64_t mine = 0;
    bool done = max == 0;
    if constexpr (base::template may_have_many<Team>) {
      if (max > ways::few) {
        done = true;
        mine = by_table(team, row, columns, places, starts, ends, scratch);
      }
    }
    if (!done) mine = by_looking(team, row, columns, starts, ends, scratch);
    team.sync();
    const std::int64_t all = team.reduce(mine, plus<std::int64_t>{}, scratch);
    if (team.rank() == 0) sizes[row] = static_cast<int>(all);
  }

 private:
  /// The number of the caller's products that are the first of their columns.
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

  /// The number of columns that the caller adds to a hash table in both storages.
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
  /// Adds a column to the table, which has 2 half places. Returns whether it was absent.
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

/// Writes the entries of a row of C.
template <class Terms, class OffsetC> struct fill_product_rows : product_rows<Terms> {
  using base = product_rows<Terms>;
  using typename base::offset_b;
  using typename base::value;
  using typename base::ways;

  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns and values
  int* columns_of_c;
  value* values_of_c;

  /// places: two per product; counters: those of product_sort.
  template <class Team, class Columns, class Places, class Values, class Starts, class Ends, class Factors,
            class Scratch, class Counters>
  EVENLY_FN void operator()(const Team& team, int tile, std::int64_t begin, std::int64_t end,
                            const Columns& columns, const Places& places, const Values& values,
                            const Starts& starts, const Ends& ends, const Factors& factors,
                            const Scratch& scratch, const Counters& counters) const {
    const int row = this->rows[tile];
    const std::int64_t max = end - begin;
    if (max == 0) return;
    const std::int64_t to = std::int64_t{offsets[row]} - first_entry;
    const auto& b = this->of.b;
    const auto products = static_cast<int>(this->of.for_each_product(
        team, row, {0, b.cols}, starts, ends, factors, scratch, its_column{},
        [&](int, bool has, std::uint32_t column, value product, std::int64_t place) {
          if (!has) return;
          const auto here = static_cast<int>(place);
          columns[here] = column;
          values[here] = product;
        }));
    if constexpr (base::template may_have_many<Team>) {
      if (max > ways::few) {
        const int first = product_sort::by_columns(team, products, product_sort::bits_below(b.cols), columns,
                                                   places, counters, scratch);
        const auto place_of = [&](int i) {
          const std::uint16_t place = places[first + i];
          return static_cast<int>(place);
        };
        return sum_sorted(team, products, to, columns, place_of, values, scratch);
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
      places[p] = static_cast<std::uint16_t>(first);
    }
    team.sync();
    for (int p = team.rank(); p < products; p += team.size()) {
      const std::uint16_t is_first = places[p];
      if (is_first == 0) continue;
      const std::uint32_t column = columns[p];
      int before = 0;
      value sum{0};
      for (int q = 0; q < products; ++q) {
        const std::uint16_t first = places[q];
        const std::uint32_t other = columns[q];
        before += first != 0 && other < column;
        if (other == column) sum += static_cast<value>(values[q]);
      }
      write(to + before, column, sum);
    }
  }

  /// Sums products in sorted order: place_of(i), i < products. Each warp of the team has a part of them, and the
  /// entries that begin there.
  template <class Team, class Columns, class PlaceOf, class Values, class Scratch>
  EVENLY_FN void sum_sorted(const Team& team, int products, std::int64_t to, const Columns& columns,
                            const PlaceOf& place_of, const Values& values, const Scratch& scratch) const {
    const auto warp = team_lanes(team);
    const part_of_warp mine = part_of_warp::of(team, products);
    const auto column_at = [&](int i) {
      const std::uint32_t column = columns[place_of(i)];
      return column;
    };
    const auto begins = [&](int i) { return i < mine.end && (i == 0 || column_at(i) != column_at(i - 1)); };
    std::int64_t begun = 0;
    for (int first = mine.begin; first < mine.end; first += warp.size())
      begun += lanes_in(warp.ballot(begins(first + warp.rank())));
    const std::int64_t before =
        team_scan(team, warp.rank() == 0 ? begun : 0, plus<std::int64_t>{}, scratch).before;
    to += warp.shuffle(before, 0);
    for (int first = mine.begin; first < mine.end; first += warp.size()) {
      const int i = first + warp.rank();
      const lane_mask all = warp.ballot(begins(i));
      if ((all >> warp.rank() & 1) != 0) {
        const std::uint32_t column = column_at(i);
        const lane_mask later = all & ~first_lanes(warp.rank() + 1);
        int end = later != 0 ? first + first_lane(later) : smaller(first + warp.size(), mine.end);
        if (later == 0 && end < products && column_at(end) == column)
          end = first_past_near(end, products, [&](int q) { return column_at(q) != column; });
        value sum{0};
        for (int q = i; q < end; ++q) sum += static_cast<value>(values[place_of(q)]);
        write(to + lanes_in(all & first_lanes(warp.rank())), column, sum);
      }
      to += lanes_in(all);
    }
    team.sync();
  }
};

} // namespace evenly::detail
