// SPDX-License-Identifier: Apache-2.0
// One includer: the methods of spgemm.hpp have a header each.
// Sparse products on cpu.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

/// Prefetches offsets of B for the entry 16 entries of A after k, and B's row for the entry 8 after k. `end`: of A.
/// Values: whether B's values, too.
template <bool Values, class Terms>
EVENLY_INLINE_FN void prefetch_products(const Terms& of, std::int64_t k, std::int64_t end) {
  constexpr std::int64_t ahead = 8;
  if (k + 2 * ahead < end) prefetch_read(of.b.offsets + of.a.columns[k + 2 * ahead]);
  if (k + ahead >= end) return;
  const int next = of.a.columns[k + ahead];
  const auto first = of.b.offsets[next], size = of.b.offsets[next + 1] - first;
  for (const auto e : {first, first + size}) prefetch_read(of.b.columns + e);
  if constexpr (Values)
    for (const auto e : {first, first + size / 2, first + size}) prefetch_read(of.b.values + e);
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The pattern of one row of C = A B on a core: the columns of its products, and each product's entry of C.
//
// In grids, bands and matrices of blocks a row often has the pattern of the row before it, shifted by a number of
// columns. A comparison of the columns detects this, and the entries of the row before are used again. Other patterns
// are sorted: few products by counting the smaller columns of each, more products by the digits of their columns, the
// least significant digit first. Neither sort has branches that depend on columns.

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
  static constexpr int max_counted = 32; ///< maximum products that are sorted by counting
  static constexpr int compared = 16;    ///< columns that are compared at once
  static constexpr int max_digit = 8;    ///< bits

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
      prefetch_products<Values>(of_, k, end_of_a_);
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

// ---------------------------------------------------------------------------------------------------------------------
// Rows of C = A B on cpu, by blocks of one thread with their own sums of all columns.
//
// A row of up to product_pattern::max_products products is sorted, or repeats the pattern of the row before it. Other
// rows use one sum per column (Gustavson, "Two fast algorithms for sparse matrices", TOMS
// 1978). A bitmap of three levels (a bit per column, per word of columns, and per word of those) lists the columns in
// order, and is cleared on the way. The two passes are those of Osama et al. (PPoPP 2023).

/// The columns of a row, as bits; all bits are 0 between rows.
class column_set {
  static constexpr int shift = 6; ///< a word has 2^shift bits
  static constexpr int levels = 3;

 public:
  static std::int64_t words(std::int64_t columns) {
    std::int64_t all = 0;
    for (int level = 0; level < levels; ++level) all += words_of_level(columns, level);
    return all;
  }
  /// `memory`: words(columns) words, all 0.
  column_set(std::uint64_t* memory, std::int64_t columns) {
    for (int level = 0; level < levels; ++level) {
      bits_[level] = memory;
      memory += words_of_level(columns, level);
    }
    top_ = words_of_level(columns, levels - 1);
  }

  /// Adds a column. Returns whether it was absent.
  bool add(int column) const {
    const auto c = static_cast<std::uint32_t>(column);
    std::uint64_t& word = bits_[0][c >> shift];
    const std::uint64_t before = word, bit = bit_of(c);
    word = before | bit;
    if (before == 0) {
      std::uint64_t& above = bits_[1][c >> 2 * shift];
      if (above == 0) bits_[2][c >> 3 * shift] |= bit_of(c >> 2 * shift);
      above |= bit_of(c >> shift);
    }
    return (before & bit) == 0;
  }
  /// The same for a small set, which remove() empties.
  bool add_alone(int column) const {
    std::uint64_t& word = bits_[0][static_cast<std::uint32_t>(column) >> shift];
    const std::uint64_t before = word, bit = bit_of(static_cast<std::uint32_t>(column));
    word = before | bit;
    return (before & bit) == 0;
  }
  /// Removes all columns of the column's word.
  void remove(int column) const { bits_[0][static_cast<std::uint32_t>(column) >> shift] = 0; }
  /// Calls visit(column) in order, and removes all columns.
  template <class Visit> void take_all(const Visit& visit) const {
    for (std::int64_t t = 0; t < top_; ++t) {
      take(bits_[2][t], [&](int in_top) {
        const std::int64_t m = (t << shift) + in_top;
        take(bits_[1][m], [&](int in_middle) {
          const std::int64_t w = (m << shift) + in_middle;
          take(bits_[0][w], [&](int in_word) { visit(static_cast<int>((w << shift) + in_word)); });
        });
      });
    }
  }
  void clear() const {
    for (std::int64_t t = 0; t < top_; ++t)
      take(bits_[2][t], [&](int in_top) {
        const std::int64_t m = (t << shift) + in_top;
        take(bits_[1][m], [&](int in_middle) { bits_[0][(m << shift) + in_middle] = 0; });
      });
  }

 private:
  static std::int64_t words_of_level(std::int64_t columns, int level) {
    return ceil_div(larger<std::int64_t>(columns, 1), std::int64_t{1} << shift * (level + 1));
  }
  static std::uint64_t bit_of(std::uint32_t number) { return std::uint64_t{1} << (number & 63); }
  template <class Visit> static void take(std::uint64_t& from, const Visit& visit) {
    std::uint64_t word = from;
    from = 0;
    for (; word != 0; word &= word - 1) visit(std::countr_zero(word));
  }

  std::uint64_t* bits_[levels];
  std::int64_t top_;
};

/// The memory of a block of one thread.
template <class Value> struct product_sums {
  /// The size in bytes; a multiple of 128.
  static std::size_t bytes(std::int64_t columns, bool with_values) {
    const std::int64_t set = column_set::words(columns) * 8;
    const std::int64_t sums = with_values ? columns * static_cast<std::int64_t>(sizeof(Value)) : 0;
    return static_cast<std::size_t>(ceil_div<std::int64_t>(set + sums, 128) * 128);
  }
  product_sums(std::byte* memory, std::int64_t columns)
      : set(reinterpret_cast<std::uint64_t*>(memory), columns),
        sums(reinterpret_cast<Value*>(memory + column_set::words(columns) * 8)) {}

  column_set set;
  Value* sums; ///< of all columns; 0 between rows
};

/// Computes rows of C in parts of about equal work, which blocks draw. A kernel for blocks of one thread.
template <class Terms, class OffsetC> struct products_on_cores {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;

  Terms of;
  int first_row, end_row;
  const std::int64_t* work; ///< prefix sums of the work of C's rows, and the total
  std::int64_t parts;
  std::int64_t* next_part; ///< initially 0
  std::byte* memory;       ///< one part per block; all 0
  std::size_t memory_of_block;
  std::int64_t* sizes;    ///< of the rows; null: writes columns and values instead
  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns and values
  int* columns_of_c;
  value* values_of_c;
  bool keeps_columns; ///< columns_of_c has been written before, and only values are written

  template <class Block> void operator()(Block& block) const {
    const product_sums<value> mine(memory + static_cast<std::size_t>(block.index()) * memory_of_block,
                                   of.b.cols);
    product_pattern<Terms> pattern(of);
    for (;;) {
      const std::int64_t part = atomic_ref(*next_part).fetch_add(1, order::relaxed{});
      if (part >= parts) return;
      block.check_interrupt();
      const int end = row_of(part + 1);
      for (int row = row_of(part); row < end; ++row) {
        if (sizes != nullptr)
          count(row, mine.set, pattern);
        else if (keeps_columns)
          fill_values(row, mine.sums);
        else
          fill(row, mine, pattern);
      }
    }
  }

 private:
  int row_of(std::int64_t part) const {
    if (part == parts) return end_row;
    const std::int64_t all = work[end_row] - work[first_row];
    const std::int64_t before = work[first_row] + all / parts * part + all % parts * part / parts;
    return first_past(first_row, end_row, [&](int row) { return work[row] >= before; });
  }

  /// Calls each(column, entry of B, value of A) for all products of a row, in their order.
  template <class Each> void for_each(int row, const Each& each) const {
    const auto end = of.a.offsets[row + 1];
    for (auto k = of.a.offsets[row]; k < end; ++k) {
      const int from = of.a.columns[k];
      const offset_b last = of.b.offsets[from + 1];
      for (offset_b e = of.b.offsets[from]; e < last; ++e) each(of.b.columns[e], e, k);
    }
  }

  void count(int row, const column_set& set, product_pattern<Terms>& pattern) const {
    if (work[row + 1] - work[row] <= pattern.max_products) {
      if (!pattern.template take<false>(row)) pattern.count(set);
      sizes[row] = pattern.entries();
      return;
    }
    std::int64_t found = 0;
    for_each(row, [&](int column, offset_b, auto) { found += set.add(column); });
    set.clear();
    sizes[row] = found;
  }

  void fill(int row, const product_sums<value>& mine, product_pattern<Terms>& pattern) const {
    const auto to = static_cast<std::int64_t>(offsets[row]) - first_entry;
    if (work[row + 1] - work[row] <= pattern.max_products) {
      if (!pattern.template take<true>(row)) pattern.order();
      pattern.write(row, columns_of_c + to, values_of_c + to);
    } else {
      fill_many(row, to, mine);
    }
  }

  void fill_many(int row, std::int64_t to, const product_sums<value>& mine) const {
    value* const sums = mine.sums;
    for_each(row, [&](int column, offset_b e, auto k) {
      mine.set.add(column);
      sums[column] += rounded_product(of.a.values[k], of.b.values[e]);
    });
    int* columns = columns_of_c + to;
    value* values = values_of_c + to;
    mine.set.take_all([&](int column) {
      *columns++ = column;
      *values++ = sums[column];
      sums[column] = value{0};
    });
  }

  void fill_values(int row, value* sums) const {
    const auto end = of.a.offsets[row + 1];
    const std::int64_t end_of_a = of.a.offsets[of.a.rows];
    for (auto k = of.a.offsets[row]; k < end; ++k) {
      prefetch_products<true>(of, k, end_of_a);
      const int from = of.a.columns[k];
      const value factor = of.a.values[k];
      const offset_b last = of.b.offsets[from + 1];
      for (offset_b e = of.b.offsets[from]; e < last; ++e)
        sums[of.b.columns[e]] += rounded_product(factor, of.b.values[e]);
    }
    const std::int64_t last = static_cast<std::int64_t>(offsets[row + 1]) - first_entry;
    for (std::int64_t i = static_cast<std::int64_t>(offsets[row]) - first_entry; i < last; ++i) {
      values_of_c[i] = sums[columns_of_c[i]];
      sums[columns_of_c[i]] = value{0};
    }
  }
};

} // namespace evenly::detail
