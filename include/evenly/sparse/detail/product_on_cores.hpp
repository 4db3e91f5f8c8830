// SPDX-License-Identifier: Apache-2.0
// Rows of C = A B on cores, by blocks of one thread with their own sums of all columns.
//
// A row of up to product_pattern::max_products products is sorted, or repeats the pattern of the row before it
// (product_pattern.hpp). Other rows use one sum per column (Gustavson, "Two fast algorithms for sparse matrices", TOMS
// 1978). A bitmap of three levels (a bit per column, per word of columns, and per word of those) lists the columns in
// order, and is cleared on the way. The two passes are those of Osama et al. (PPoPP 2023).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "evenly/block/search.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/sparse/detail/product_pattern.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

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

/// Computes rows of C in shares of about equal work, which blocks draw. A kernel for blocks of one thread.
template <class Terms, class OffsetC> struct products_on_cores {
  using value = typename Terms::value_type;
  using offset_b = typename Terms::offset_b;

  Terms of;
  int first_row, end_row;
  const std::int64_t* work; ///< prefix sums of the work of C's rows, and the total
  std::int64_t shares;
  std::int64_t* next_share; ///< initially 0
  std::byte* memory;        ///< one part per block; all 0
  std::size_t memory_of_block;
  std::int64_t* sizes;    ///< of the rows; null: writes columns and values instead
  const OffsetC* offsets; ///< of C's rows
  OffsetC first_entry;    ///< the first entry of columns and values
  int* columns_of_c;
  value* values_of_c;

  template <class Block> void operator()(Block& block) const {
    const product_sums<value> mine(memory + static_cast<std::size_t>(block.index()) * memory_of_block,
                                   of.b.cols);
    product_pattern<Terms> pattern(of);
    for (;;) {
      const std::int64_t share = atomic_ref(*next_share).fetch_add(1, order::relaxed{});
      if (share >= shares) return;
      block.check_interrupt();
      const int end = row_of(share + 1);
      for (int row = row_of(share); row < end; ++row) {
        if (sizes != nullptr)
          count(row, mine.set, pattern);
        else
          fill(row, mine, pattern);
      }
    }
  }

 private:
  int row_of(std::int64_t share) const {
    if (share == shares) return end_row;
    const std::int64_t all = work[end_row] - work[first_row];
    const std::int64_t before = work[first_row] + all / shares * share + all % shares * share / shares;
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
};

} // namespace evenly::detail
