// SPDX-License-Identifier: Apache-2.0
// Compressed rows whose columns are packed: 12 to 18 bits each where 32 were, on matrices whose rows have their
// neighbours near, and on any with fewer than 2^24 columns or so some bits less.
//
//   const auto packed = evenly::pack_columns(exec, a);                  // once for a matrix
//   evenly::spmv(exec, plan, evenly::with_packed(a, packed), x, y);     // a plan for rows_of(a)
//
// y has the same bits as with the columns as they are, under the same schedule, on cpu and simt; on a GPU a compiler
// may fuse products and additions in one kernel and not in the other, so that they agree within rounding.
//
// Each 128 consecutive entries are a block, with the least of its columns and the width in bits of the greatest
// difference from it; the differences lie one behind the other in words of 32 bits. So a block of width w takes exactly
// 4 w words, where it begins is a prefix sum of widths, and any entry is found from its number alone: every schedule
// can read packed columns, and plans of the rows serve them. Differences from a frame's least value: Goldstein,
// Ramakrishnan & Shaft, "Compressing relations and indexes" (ICDE 1998); why so here: docs/decisions/0039.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/uniform.hpp"

namespace evenly {

/// Entries of a block. Smaller ones have narrower differences, larger ones fewer heads: from 64 to 256 it hardly
/// matters.
inline constexpr int packed_block_entries = 128;

/// The least column of a block, the width of its differences in bits, 1 to 31, and the number of the piece of 16 bytes
/// where they begin. One word, which neighbouring threads read together.
struct packed_head {
  static constexpr int width_bits = 5, place_bits = 28;

  std::uint64_t bits = 0;

  EVENLY_FN static packed_head of(int min, int width, std::int64_t place) {
    return {static_cast<std::uint64_t>(min) << (width_bits + place_bits) |
            static_cast<std::uint64_t>(place) << width_bits | static_cast<std::uint64_t>(width)};
  }
  EVENLY_INLINE_FN int min() const { return static_cast<int>(bits >> (width_bits + place_bits)); }
  EVENLY_INLINE_FN std::uint32_t width() const {
    return static_cast<std::uint32_t>(bits) & ((1u << width_bits) - 1);
  }
  EVENLY_INLINE_FN std::uint32_t place() const {
    return static_cast<std::uint32_t>(bits >> width_bits) & ((1u << place_bits) - 1);
  }
};

/// The columns of entries [first, first + entries), as kernels see them. One of them costs a load of the head, one or
/// two of words, and some ten operations.
template <signed_of_32_or_64_bits Offset> struct packed_column_view {
  Offset first = 0;
  const std::uint64_t* heads = nullptr;
  const std::uint32_t* words = nullptr;

  EVENLY_INLINE_FN int operator[](Offset k) const {
    return column(k, [](const std::uint32_t* at) { return read_only(at); });
  }
  /// The same, by load_streaming (core/annotations.hpp).
  EVENLY_INLINE_FN int streaming(Offset k) const {
    return column(k, [](const std::uint32_t* at) { return load_streaming(at); });
  }

 private:
  template <class Read> EVENLY_INLINE_FN int column(Offset k, const Read& read) const {
    const auto number = static_cast<std::make_unsigned_t<Offset>>(k - first);
    const packed_head head{read_only(heads + number / packed_block_entries)};
    const auto rank = static_cast<std::uint32_t>(number % packed_block_entries);
    const std::uint32_t width = head.width(), bit = rank * width, shift = bit % 32;
    const std::uint32_t* const at = words + head.place() * 4 + bit / 32;
    const std::uint64_t low = read(at);
    const std::uint64_t high = shift + width > 32 ? read(at + 1) : 0; // of the same block
    return head.min() +
           static_cast<int>(static_cast<std::uint32_t>((high << 32 | low) >> shift) & ((1u << width) - 1));
  }
};

/// Owns packed columns of a matrix, which may give up its own. Move-only.
template <signed_of_32_or_64_bits Offset> struct packed_columns {
  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr; ///< of the matrix
  Offset first = 0;
  std::int64_t entries = 0;
  buffer<std::uint64_t> heads;
  buffer<std::uint32_t> words;

  packed_column_view<Offset> view() const { return {first, heads.data(), words.data()}; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(heads.size() * sizeof(std::uint64_t) +
                                     words.size() * sizeof(std::uint32_t));
  }
  /// What the columns take as they are.
  std::int64_t unpacked_bytes() const { return entries * static_cast<std::int64_t>(sizeof(int)); }
  /// Not for a few entries, of which a block's padding is most.
  bool saves_memory() const { return bytes() < unpacked_bytes(); }
};

/// An array of values, as all_ones and narrow_values stand for one.
template <class Value> struct stored_values {
  using value_type = Value;
  struct entry {
    Value value;
    EVENLY_FN Value times(Value x) const { return value * x; }
  };
  const Value* values;
  template <class Offset> EVENLY_FN Value times(Offset k, Value x) const { return values[k] * x; }
  template <class Offset> EVENLY_FN entry streaming(Offset k) const { return {load_streaming(values + k)}; }
};

/// offsets: rows + 1 values, not decreasing; what Values has is indexed by [offsets[0], offsets[rows]).
template <class Values, signed_of_32_or_64_bits Offset = int> struct packed_view {
  using value_type = typename Values::value_type;
  using sum_type = value_type;

  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  packed_column_view<Offset> columns;
  Values values = {};
  std::int64_t words = 0; ///< of the columns

  csr_tile_set<Offset> tiles() const { return {offsets, rows}; }
  times_x_stored<packed_column_view<Offset>, Values, Offset> product(const value_type* x) const {
    return {columns, values, x};
  }
  update_y<value_type> update(value_type* y, value_type alpha, value_type beta) const {
    return {y, alpha, beta};
  }
  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, rows == 0 ? 0 : std::int64_t{rows} + 1);
    visit("heads", columns.heads, 0, ceil_div(entries, std::int64_t{packed_block_entries}));
    visit("words", columns.words, 0, words);
    if constexpr (requires { values.values; }) visit("values", values.values, first_entry, entries);
  }
};

namespace detail {

struct column_range {
  int min, max;
};
/// Both are columns, or one is the identity.
struct join_ranges {
  using value_type = column_range;
  static constexpr bool commutative = true;
  EVENLY_FN column_range identity() const {
    return {std::numeric_limits<int>::max(), std::numeric_limits<int>::lowest()};
  }
  EVENLY_FN column_range operator()(const column_range& a, const column_range& b) const {
    return {smaller(a.min, b.min), larger(a.max, b.max)};
  }
};
struct range_of_entry {
  const int* columns; ///< from the first entry on
  std::int64_t count;
  EVENLY_FN column_range operator()(std::int64_t i) const {
    const int column = columns[smaller(i, count - 1)]; // the last block is filled up with the last entry
    return {column, column};
  }
};
struct keep_range {
  column_range* ranges;
  EVENLY_FN void operator()(int block, const column_range& range) const { ranges[block] = range; }
};
struct width_of_block {
  const column_range* ranges;
  EVENLY_FN std::int64_t operator()(std::int64_t block) const {
    const column_range range = ranges[block];
    return larger(static_cast<int>(std::bit_width(static_cast<std::uint32_t>(range.max - range.min))), 1);
  }
};
struct head_of_block {
  const column_range* ranges;
  const std::int64_t* places;
  EVENLY_FN std::uint64_t operator()(std::int64_t block) const {
    const auto width = static_cast<int>(places[block + 1] - places[block]);
    return packed_head::of(ranges[block].min, width, places[block]).bits;
  }
};

/// Writes a piece of 16 bytes: bits [128 rank, 128 rank + 128) of a block's differences.
struct write_piece {
  const int* columns; ///< from the first entry on
  std::int64_t count;
  const std::uint64_t* heads;
  std::uint32_t* words;

  EVENLY_FN void operator()(int block, std::int64_t piece, std::int64_t rank) const {
    const packed_head head{heads[block]};
    const auto width = static_cast<int>(head.width());
    for (int q = 0; q < 4; ++q) {
      const int from = 32 * (4 * static_cast<int>(rank) + q);
      std::uint32_t word = 0;
      for (int e = from / width; e * width < from + 32 && e < packed_block_entries; ++e) {
        const std::int64_t k = static_cast<std::int64_t>(block) * packed_block_entries + e;
        const auto field = k < count ? static_cast<std::uint32_t>(columns[k] - head.min()) : 0u;
        const int shift = e * width - from;
        word |= shift >= 0 ? field << shift : field >> -shift;
      }
      words[4 * piece + q] = word;
    }
  }
};

/// Throws invalid_argument where a head has no room for places of so many pieces.
inline void check_packed_pieces(std::int64_t pieces) {
  constexpr std::int64_t max = std::int64_t{1} << packed_head::place_bits;
  require(pieces <= max, [&] {
    return "packed columns take " + std::to_string(pieces) + " pieces of 16 bytes, more than the " +
           std::to_string(max) + " that are numbered";
  });
}

template <class Offset>
void check_packed_of(const packed_columns<Offset>& packed, int rows, int cols, const Offset* offsets) {
  require(packed.rows == rows && packed.cols == cols && packed.offsets == offsets, [] {
    return std::string("the packed columns belong to another matrix: its sizes or offsets differ");
  });
}

} // namespace detail

/// The columns of a matrix, packed where it lies. Values of `a` are not looked at, and may be null. Throws
/// invalid_argument where a column is not in [0, a.cols), where packed columns take more than 4 GiB, and as rows_of.
/// Allocates, 8 bytes for each block besides, and synchronises. O(entries): columns are read twice.
template <class Executor, class Any, signed_of_32_or_64_bits Offset>
packed_columns<Offset> pack_columns(const Executor& exec, const csr_view<Any, Offset>& a) {
  const auto all = detail::entries_of(exec, a);
  packed_columns<Offset> made{a.rows, a.cols, a.offsets, all.first, all.count, {}, {}};
  if (all.count == 0) return made;
  const int* const columns = a.columns + all.first;
  const std::int64_t count = all.count;
  const std::int64_t blocks = ceil_div(count, std::int64_t{packed_block_entries});
  const auto size = static_cast<std::size_t>(blocks);
  const auto ranges = make_buffer<detail::column_range>(exec, size);
  reduce_tiles(exec, schedule_for_sums{},
               uniform_tiles<std::int64_t>(static_cast<int>(blocks), std::int64_t{packed_block_entries}),
               detail::range_of_entry{columns, count}, detail::join_ranges{},
               detail::keep_range{ranges.data()});
  const detail::column_range of_all = reduce(exec, ranges.data(), blocks, detail::join_ranges{});
  require(of_all.min >= 0 && of_all.max < a.cols, [&] {
    return "columns are from " + std::to_string(of_all.min) + " to " + std::to_string(of_all.max) +
           ", but the matrix has " + std::to_string(a.cols);
  });
  const auto places = make_buffer<std::int64_t>(exec, size + 1);
  exec.fill_zero(places.data(), sizeof(std::int64_t));
  inclusive_scan(exec, generated{detail::width_of_block{ranges.data()}}, blocks, plus<std::int64_t>{},
                 places.data() + 1);
  std::int64_t pieces = 0;
  exec.copy_to_host(&pieces, places.data() + blocks, sizeof(pieces));
  detail::check_packed_pieces(pieces);
  made.heads = make_buffer<std::uint64_t>(exec, size);
  tabulate(exec, blocks, detail::head_of_block{ranges.data(), places.data()}, made.heads.data());
  made.words = make_buffer<std::uint32_t>(exec, static_cast<std::size_t>(pieces) * 4);
  for_each_atom(exec, schedule_for_sums{},
                csr_tile_set<std::int64_t>(places.data(), static_cast<int>(blocks)),
                detail::write_piece{columns, count, made.heads.data(), made.words.data()});
  exec.synchronize();
  return made;
}

/// A matrix with its columns packed: a.columns is not read any more. y = A x has the bits that it has with `a`, under
/// the same schedule, on cpu and simt. Throws invalid_argument where columns were packed of other rows.
template <class Value, class Offset>
packed_view<stored_values<Value>, Offset> with_packed(const csr_view<Value, Offset>& a,
                                                      const packed_columns<Offset>& packed) {
  detail::check_packed_of(packed, a.rows, a.cols, a.offsets);
  return {a.rows, a.cols, a.offsets, packed.view(), {a.values}, std::ssize(packed.words.span())};
}
/// The same for a pattern, or values of 16 bits.
template <class Values, class Offset>
packed_view<Values, Offset> with_packed(const compact_view<Values, Offset>& a,
                                        const packed_columns<Offset>& packed) {
  detail::check_packed_of(packed, a.rows, a.cols, a.offsets);
  return {a.rows, a.cols, a.offsets, packed.view(), a.values, std::ssize(packed.words.span())};
}

static_assert(matrix_of_tiles<packed_view<stored_values<double>>>);
static_assert(matrix_of_tiles<packed_view<narrow_values<half>, std::int64_t>>);

} // namespace evenly
