// SPDX-License-Identifier: Apache-2.0
// The pattern of one row of C = A B on a core: the columns of its products, and each product's entry of C.
//
// In grids, bands and matrices of blocks a row often has the pattern of the row before it, shifted by a number of
// columns. A comparison of the columns detects this, and the entries of the row before are used again. Other patterns
// are sorted: few products by counting the smaller columns of each, more products by the digits of their columns, the
// least significant digit first. Neither sort has branches that depend on columns.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// The pattern of the last row that it took. Used by one thread.
template <class Terms> class product_pattern {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;

 public:
  static constexpr int max_products = 2048;

  explicit product_pattern(const Terms& of) : of_(of), end_of_a_(of.a.offsets[of.a.rows]) {}

  /// Takes a row of at most max_products products. Returns whether it repeats the pattern before it, shifted; otherwise
  /// the entries have to be counted or ordered next. `Values`: whether write() follows, which reads the values of B.
  template <bool Values> bool take(int row) {
    if (repeats(row)) return true;
    load<Values>(row);
    return false;
  }

  /// The number of entries of C's row.
  int entries() const { return entries_; }
  /// Counts the entries. set: as column_set, without columns before and after.
  template <class Set> void count(const Set& set) {
    entries_ = 0;
    for (int i = 0; i < products_; ++i) entries_ += set.add_alone(static_cast<int>(columns_[i]));
    for (int i = 0; i < products_; ++i) set.remove(static_cast<int>(columns_[i]));
  }
  /// Finds the entry of each product.
  void order() {
    if (products_ <= max_counted)
      order_by_counting();
    else
      order_by_digits();
  }
  /// Writes the columns and values of the row, whose entries are ordered.
  void write(int row, int* columns, value* values) const {
    for (int i = 0; i < entries_; ++i) columns[i] = static_cast<int>(column_of_[i] + shift_);
    for (int i = 0; i < entries_; ++i) values[i] = value{0};
    const std::uint16_t* entry = entry_of_;
    const auto end = of_.a.offsets[row + 1];
    for (auto k = of_.a.offsets[row]; k < end; ++k) {
      const int from = of_.a.columns[k];
      const value factor = of_.a.values[k];
      const offset_b last = of_.b.offsets[from + 1];
      for (offset_b e = of_.b.offsets[from]; e < last; ++e)
        values[*entry++] += rounded_product(factor, of_.b.values[e]);
    }
  }

 private:
  static constexpr int max_counted = 32;   ///< maximum products that are sorted by counting
  static constexpr int compared = 16;      ///< columns that are compared at once
  static constexpr int max_digit = 8;      ///< bits
  static constexpr std::int64_t ahead = 8; ///< entries of A between two steps of prefetching

  /// Whether the row has the columns of the pattern, all shifted by one number. Sets the shift.
  bool repeats(int row) {
    const auto end = of_.a.offsets[row + 1];
    std::uint32_t shift = 0;
    int done = 0;
    for (auto k = of_.a.offsets[row]; k < end; ++k) {
      const int from = of_.a.columns[k];
      const offset_b first = of_.b.offsets[from];
      const auto count = static_cast<std::int64_t>(of_.b.offsets[from + 1] - first);
      if (count > products_ - done) return false;
      if (count == 0) continue;
      const int* const columns = of_.b.columns + first;
      if (done == 0) shift = static_cast<std::uint32_t>(columns[0]) - columns_[0];
      std::uint32_t difference = 0;
      for (std::int64_t i = 0; i < count; ++i)
        difference |= (static_cast<std::uint32_t>(columns[i]) - shift) ^ columns_[done + i];
      if (difference != 0) return false;
      done += static_cast<int>(count);
    }
    shift_ = shift;
    return done == products_;
  }

  template <bool Values> void load(int row) {
    int count = 0;
    const auto end = of_.a.offsets[row + 1];
    for (auto k = of_.a.offsets[row]; k < end; ++k) {
      if (k + 2 * ahead < end_of_a_) prefetch_read(of_.b.offsets + of_.a.columns[k + 2 * ahead]);
      if (k + ahead < end_of_a_) {
        const int next = of_.a.columns[k + ahead];
        const offset_b first = of_.b.offsets[next], size = of_.b.offsets[next + 1] - first;
        for (const offset_b e : {first, first + size}) prefetch_read(of_.b.columns + e);
        if constexpr (Values)
          for (const offset_b e : {first, first + size / 2, first + size}) prefetch_read(of_.b.values + e);
      }
      const int from = of_.a.columns[k];
      const offset_b last = of_.b.offsets[from + 1];
      for (offset_b e = of_.b.offsets[from]; e < last; ++e) {
        keep_loop();
        columns_[count++] = static_cast<std::uint32_t>(of_.b.columns[e]);
      }
    }
    products_ = count;
    shift_ = 0;
  }

  void order_by_counting() {
    const int padded = ceil_div(products_, compared) * compared;
    for (int i = products_; i < padded; ++i) columns_[i] = std::numeric_limits<int>::max();
    int place[max_counted]; // the number of products with smaller columns
    std::uint64_t places = 0;
    for (int i = 0; i < products_; ++i) {
      int less = 0;
      for (int first = 0; first < padded; first += compared)
        for (int j = 0; j < compared; ++j)
          less += static_cast<int>(columns_[first + j]) < static_cast<int>(columns_[i]);
      place[i] = less;
      places |= std::uint64_t{1} << less;
      keys_[0][less] = columns_[i];
    }
    std::uint16_t entry_at[max_counted];
    entries_ = 0;
    for (; places != 0; places &= places - 1) {
      const int at = std::countr_zero(places);
      column_of_[entries_] = static_cast<std::uint32_t>(keys_[0][at]);
      entry_at[at] = static_cast<std::uint16_t>(entries_++);
    }
    for (int i = 0; i < products_; ++i) entry_of_[i] = entry_at[place[i]];
  }

  /// Products as keys: the column, less the smallest one, above the number of the product.
  void order_by_digits() {
    constexpr int number_bits = 16;
    std::uint32_t least = columns_[0], most = columns_[0];
    for (int i = 1; i < products_; ++i) {
      least = smaller(least, columns_[i]);
      most = larger(most, columns_[i]);
    }
    const int bits = larger(1, static_cast<int>(std::bit_width(most - least)));
    const int passes = ceil_div(bits, max_digit), digit = ceil_div(bits, passes);
    std::uint64_t *from = keys_[0], *to = keys_[1];
    for (int i = 0; i < products_; ++i)
      from[i] = std::uint64_t{columns_[i] - least} << number_bits | static_cast<std::uint64_t>(i);
    const std::uint32_t mask = (1u << digit) - 1;
    for (int pass = 0; pass < passes; ++pass) {
      const int skipped = number_bits + pass * digit;
      std::uint32_t starts[(1 << max_digit) + 1];
      for (std::uint32_t d = 0; d <= mask; ++d) starts[d] = 0;
      for (int i = 0; i < products_; ++i) ++starts[from[i] >> skipped & mask];
      std::uint32_t before = 0;
      for (std::uint32_t d = 0; d <= mask; ++d) {
        const std::uint32_t here = starts[d];
        starts[d] = before;
        before += here;
      }
      for (int i = 0; i < products_; ++i) to[starts[from[i] >> skipped & mask]++] = from[i];
      std::uint64_t* const sorted = to;
      to = from;
      from = sorted;
    }
    int entry = -1;
    std::uint64_t last = ~std::uint64_t{0};
    for (int i = 0; i < products_; ++i) {
      const std::uint64_t column = from[i] >> number_bits;
      entry += column != last;
      last = column;
      column_of_[entry] = static_cast<std::uint32_t>(column) + least;
      entry_of_[from[i] & ((1u << number_bits) - 1)] = static_cast<std::uint16_t>(entry);
    }
    entries_ = entry + 1;
  }

  const Terms& of_;
  std::int64_t end_of_a_;
  int products_ = 0;
  int entries_ = 0;
  std::uint32_t shift_ = 0;                  ///< of the last row's columns, relative to columns_
  std::uint32_t columns_[max_products];      ///< of the products
  std::uint32_t column_of_[max_products];    ///< of the entries, in order
  std::uint16_t entry_of_[max_products + 1]; ///< of the products
  std::uint64_t keys_[2][max_products];
};

} // namespace evenly::detail
