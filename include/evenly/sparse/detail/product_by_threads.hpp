// SPDX-License-Identifier: Apache-2.0
// Rows of C = A B with few products, one thread per row: reads the products of a row, and sorts them in registers. Used
// by product_short_rows.hpp and spgemm.hpp.
//
// A group is as many consecutive rows as a warp has lanes. All lanes sort by one network, that of the longest row, so
// groups are classified by that row. If rows are long, lanes read the products of a group together: a few lanes per
// entry of A, which read consecutive entries of B's row.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// The limits of short rows, and the classes of their groups.
struct short_rows {
  static constexpr int classes = 4;            ///< up to 8, 16, 32 and 64 products
  static constexpr int counted_at_once = 32;   ///< maximum products of rows that the first pass counts
  static constexpr int max = 64;               ///< of entries of A, and of products
  static constexpr std::uint8_t is_long = 255; ///< in place of a number of products

  EVENLY_FN static constexpr int max_of(int size_class) { return 8 << size_class; }
  EVENLY_FN static constexpr int bits_of(int max_products) {
    int bits = 0;
    while (1 << bits < max_products) ++bits;
    return bits;
  }
  /// The maximum products of a short row with `cols` columns: a column and a place must fit in 32 bits.
  EVENLY_FN static constexpr int limit(int cols) { return cols < 1 << (32 - bits_of(max)) ? max : 0; }
};

/// The exchanges that sort N numbers: Batcher's merge exchange (Knuth, "The Art of Computer Programming" 3, 5.2.2 M).
template <int N> struct sorting_network {
  static_assert(N >= 2 && N <= 64 && (N & (N - 1)) == 0);

  int count = 0;
  std::uint8_t low[543] = {}, high[543] = {};

  constexpr sorting_network() {
    for (int p = N / 2; p > 0; p /= 2) {
      int r = 0, d = p;
      for (int q = N / 2;; q /= 2) {
        for (int i = 0; i + d < N; ++i)
          if ((i & p) == r) {
            low[count] = static_cast<std::uint8_t>(i);
            high[count++] = static_cast<std::uint8_t>(i + d);
          }
        if (q == p) break;
        d = q - p;
        r = p;
      }
    }
  }
};
template <int N> inline constexpr sorting_network<N> network_of{};

template <int Low, int High, class Key, int N> EVENLY_INLINE_FN int exchange_if_greater(Key (&keys)[N]) {
  const Key low = keys[Low], high = keys[High];
  keys[Low] = smaller(low, high);
  keys[High] = larger(low, high);
  return 0;
}
template <class Key, int N, int... I>
EVENLY_INLINE_FN void exchange_all(Key (&keys)[N], std::integer_sequence<int, I...>) {
  [[maybe_unused]] const int done[] = {
      exchange_if_greater<network_of<N>.low[I], network_of<N>.high[I]>(keys)...};
}
/// Sorts numbers in a thread's registers.
template <class Key, int N> EVENLY_INLINE_FN void sort_in_registers(Key (&keys)[N]) {
  exchange_all(keys, std::make_integer_sequence<int, network_of<N>.count>{});
}

/// Consecutive entries of A in a row, read together by a thread.
template <class Terms, bool Factors> struct entries_of_thread {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  static constexpr int count = 4;
  static constexpr int ahead = 4; ///< products per entry that are loaded together

  offset_b from[count], to[count];
  value factor[count];

  /// Reads entries [k, end) of A, at most `count`. Returns the number of their products.
  template <class OffsetA> EVENLY_INLINE_FN std::int64_t read(const Terms& of, OffsetA k, OffsetA end) {
    int row[count];
    EVENLY_UNROLL
    for (int u = 0; u < count; ++u) row[u] = k + u < end ? of.a.columns[k + u] : -1;
    std::int64_t products = 0;
    EVENLY_UNROLL
    for (int u = 0; u < count; ++u) {
      from[u] = to[u] = 0;
      factor[u] = value{};
      if (row[u] < 0) continue;
      from[u] = of.b.offsets[row[u]];
      to[u] = of.b.offsets[row[u] + 1];
      if constexpr (Factors) factor[u] = of.a.values[k + u];
    }
    EVENLY_UNROLL
    for (int u = 0; u < count; ++u) products += static_cast<std::int64_t>(to[u]) - from[u];
    return products;
  }

  /// Calls put(place, column, product) for the products of the entries, with places from `first` on. Returns the next
  /// place.
  template <class Put> EVENLY_INLINE_FN int each_product(const Terms& of, int first, const Put& put) const {
    std::uint32_t column[count][ahead];
    value product[count][ahead];
    EVENLY_UNROLL
    for (int u = 0; u < count; ++u) {
      EVENLY_UNROLL
      for (int v = 0; v < ahead; ++v) {
        column[u][v] = 0;
        product[u][v] = value{};
        if (from[u] + v >= to[u]) continue;
        column[u][v] = static_cast<std::uint32_t>(of.b.columns[from[u] + v]);
        if constexpr (Factors) product[u][v] = of.b.values[from[u] + v];
      }
    }
    EVENLY_UNROLL
    for (int u = 0; u < count; ++u) {
      EVENLY_UNROLL
      for (int v = 0; v < ahead; ++v)
        if (from[u] + v < to[u]) put(first + v, column[u][v], rounded_product(factor[u], product[u][v]));
      for (offset_b e = from[u] + ahead; e < to[u]; e += ahead) {
        const int place = first + static_cast<int>(e - from[u]);
        EVENLY_UNROLL
        for (int v = 0; v < ahead; ++v) {
          column[u][v] = 0;
          product[u][v] = value{};
          if (e + v >= to[u]) continue;
          column[u][v] = static_cast<std::uint32_t>(of.b.columns[e + v]);
          if constexpr (Factors) product[u][v] = of.b.values[e + v];
        }
        EVENLY_UNROLL
        for (int v = 0; v < ahead; ++v)
          if (e + v < to[u]) put(place + v, column[u][v], rounded_product(factor[u], product[u][v]));
      }
      first += static_cast<int>(to[u] - from[u]);
    }
    return first;
  }
};

/// The products of a group, read by all lanes of a warp; each lane has a row.
template <class Terms, bool Factors> struct products_of_group {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;
  static constexpr int lanes_of_entry = 8; ///< lanes that read consecutive products of an entry of A

  /// The data of an entry of A in one number, so that one shuffle passes it on.
  struct entry {
    std::uint32_t all;

    EVENLY_FN static entry of(int row, int place, int products) {
      return {static_cast<std::uint32_t>(row | place << 8 | products << 16)};
    }
    EVENLY_FN int row() const { return static_cast<int>(all & 255u); }
    EVENLY_FN int place() const { return static_cast<int>(all >> 8 & 255u); }
    EVENLY_FN int products() const { return static_cast<int>(all >> 16); }
  };

  /// Calls put(lane, place, column, product) for all products of all lanes' rows, by any lane. The caller's row has the
  /// entries [begin, end) of A and at most short_rows::max products; both may be none.
  template <class Block, class OffsetA, class Put>
  EVENLY_FN static void read(const lanes<Block>& warp, const Terms& of, OffsetA begin, OffsetA end,
                             int products, const Put& put) {
    const int lane = warp.rank(), width = warp.size();
    const int each = smaller(lanes_of_entry, width), at_once = width / each;
    const int own = static_cast<int>(end - begin), upto = warp.scan(own, plus<int>{});
    const int first_product = warp.scan(products, plus<int>{}) - products;
    const int all = warp.shuffle(upto, width - 1);
    int done = 0; // products
    for (int first = 0; first < all; first += width) {
      const int i = first + lane;
      int row = 0; // of the entry: the number of rows that end before it
      for (int step = width / 2; step > 0; step /= 2)
        if (warp.shuffle(upto, row + step - 1) <= i) row += step;
      const auto k = warp.shuffle(static_cast<OffsetA>(begin - (upto - own)), row) + i;
      offset_b from = 0;
      int length = 0;
      value factor{};
      if (i < all) {
        const int of_b = of.a.columns[k];
        from = of.b.offsets[of_b];
        length = static_cast<int>(of.b.offsets[of_b + 1] - from);
        if constexpr (Factors) factor = of.a.values[k];
      }
      const int behind = done + warp.scan(length, plus<int>{});
      const int place = behind - length - warp.shuffle(first_product, row);
      done = warp.shuffle(behind, width - 1);
      const std::uint32_t mine = i < all ? entry::of(row, place, length).all : 0;
      put_all(warp, of, from, mine, factor, each, at_once, put);
    }
  }

 private:
  /// Puts the products of one entry of A per lane.
  template <class Block, class Put>
  EVENLY_INLINE_FN static void put_all(const lanes<Block>& warp, const Terms& of, offset_b from,
                                       std::uint32_t mine, value factor, int each, int at_once,
                                       const Put& put) {
    const int of_entry = warp.rank() % each, of_step = warp.rank() / each;
    entry its[lanes_of_entry];
    offset_b at[lanes_of_entry];
    std::uint32_t column[lanes_of_entry];
    value factors[lanes_of_entry], product[lanes_of_entry];
    EVENLY_UNROLL
    for (int u = 0; u < lanes_of_entry; ++u) {
      its[u] = {0};
      factors[u] = product[u] = value{};
      at[u] = 0;
      column[u] = 0;
      if (u >= each) continue;
      const int whose = u * at_once + of_step;
      its[u] = {warp.shuffle(mine, whose)};
      at[u] = warp.shuffle(from, whose) + of_entry;
      if constexpr (Factors) factors[u] = warp.shuffle(factor, whose);
    }
    EVENLY_UNROLL
    for (int u = 0; u < lanes_of_entry; ++u) {
      if (of_entry >= its[u].products()) continue;
      column[u] = static_cast<std::uint32_t>(of.b.columns[at[u]]);
      if constexpr (Factors) product[u] = of.b.values[at[u]];
    }
    EVENLY_UNROLL
    for (int u = 0; u < lanes_of_entry; ++u) {
      const int row = its[u].row(), place = its[u].place(), count = its[u].products();
      if (of_entry < count) put(row, place + of_entry, column[u], rounded_product(factors[u], product[u]));
      for (int e = of_entry + each; e < count; e += each) {
        const auto there = at[u] + (e - of_entry);
        const auto next = static_cast<std::uint32_t>(of.b.columns[there]);
        if constexpr (Factors)
          put(row, place + e, next, rounded_product(factors[u], static_cast<value>(of.b.values[there])));
        else
          put(row, place + e, next, value{});
      }
    }
  }
};

/// The number of distinct values of keys[rank + i * width], i < count, for count at most N.
template <int N, class Keys>
EVENLY_INLINE_FN int count_different(const Keys& keys, int rank, int width, int count) {
  constexpr std::uint32_t none = product_ways::no_column;
  std::uint32_t key[N];
  EVENLY_UNROLL
  for (int i = 0; i < N; ++i) key[i] = i < count ? static_cast<std::uint32_t>(keys[i * width + rank]) : none;
  sort_in_registers(key);
  int different = key[0] != none;
  EVENLY_UNROLL
  for (int i = 1; i < N; ++i) different += key[i] != none && key[i] != key[i - 1];
  return different;
}

} // namespace evenly::detail
