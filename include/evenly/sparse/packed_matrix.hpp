// SPDX-License-Identifier: Apache-2.0
// Compressed rows with packed columns. A column takes 12 to 18 bits instead of 32 if the entries of a row are near each
// other; in any matrix of fewer than about 2^24 columns it takes some bits less than 32.
//
//   const auto p = evenly::to_packed(a);                                // on the executor of a csr_matrix
//   auto y = p * x;                                                     // with sparse/multiply.hpp
//   const auto packed = evenly::pack_columns(exec, a);                  // the columns alone
//   evenly::spmv(exec, plan, evenly::with_packed(a, packed), x, y);     // a plan for rows_of(a)
//
// On cpu and simt y has the same bits as with plain columns, under the same schedule. On a GPU the results agree within
// rounding, since a compiler may fuse products and additions in one kernel and not in the other.
//
// A block is 128 consecutive entries. It stores its smallest column, the bits of the largest difference from it (the
// width), and the differences, packed in words of 32 bits. A block of width w takes exactly 4 w words, so blocks begin
// at prefix sums of widths, and any entry is found by its number alone. So every schedule can read packed columns, and
// plans of the rows remain valid. Differences from the minimum of a frame: Goldstein, Ramakrishnan & Shaft,
// "Compressing relations and indexes" (ICDE 1998). Reasons for this layout: docs/decisions/0039.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

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
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/uniform.hpp"

namespace evenly {

/// Entries of a block. Smaller blocks have narrower differences, larger ones fewer heads; from 64 to 256 there is
/// little difference.
inline constexpr int packed_block_entries = 128;

/// The head of a block, in one word: its smallest column, the width of its differences in bits (1 to 31), and the
/// number of the 16-byte piece where they begin. Neighbouring threads load it together.
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

/// A view of the columns of entries [first, first + entries). Reading a column costs a load of the head, one or two
/// loads of words, and about ten operations.
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

/// Owns the packed columns of a matrix. The matrix may then free its own columns. Move-only.
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
  /// The bytes of the plain columns.
  std::int64_t unpacked_bytes() const { return entries * static_cast<std::int64_t>(sizeof(int)); }
  /// Whether packing saves memory. For a few entries it does not, since a block is padded.
  bool saves_memory() const { return bytes() < unpacked_bytes(); }
};

/// An array of values, with the interface of all_ones and narrow_values.
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

namespace detail {

/// Finds packed columns outside the matrix, and heads whose words do not exist.
template <class Offset> struct check_packed_columns {
  struct report {
    std::int64_t at;
    int column; ///< -1 without words
  };
  packed_column_view<Offset> columns;
  std::int64_t first, entries, words;
  int cols;

  EVENLY_FN std::int64_t count() const { return entries; }
  EVENLY_FN int column(std::int64_t i) const {
    const auto k = static_cast<Offset>(first + i);
    const packed_head head{
        columns.heads[static_cast<std::int64_t>(k - columns.first) / packed_block_entries]};
    const std::int64_t end = (std::int64_t{head.place()} + head.width()) * 4;
    return head.width() == 0 || end > words ? -1 : columns[k];
  }
  EVENLY_FN bool bad(std::int64_t i) const {
    const int at = column(i);
    return (at < 0) | (at >= cols);
  }
  EVENLY_FN report report_of(std::int64_t at) const { return {at, at == no_fault ? 0 : column(at)}; }
  std::string message(const report& seen) const {
    return concat("entry ", seen.at + first, " is in column ", seen.column, " of a matrix of ", cols,
                  " columns: packed columns are made by to_packed");
  }
};

} // namespace detail

/// offsets: rows + 1 values, not decreasing. Values is indexed by [offsets[0], offsets[rows]).
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
  /// The check of columns for owners of `size` entries (matrix_like.hpp).
  template <class Executor>
  detail::check_packed_columns<Offset> index_check(const Executor& exec, std::int64_t size) const {
    const auto [begin, count] = detail::entries_of_lines(exec, offsets, rows, size);
    return {columns, begin, count, words, cols};
  }
};

namespace detail {

struct column_range {
  int min, max;
};
/// Combines ranges of columns; one of the two may be the identity.
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
    const int column = columns[smaller(i, count - 1)]; // the last entry pads the last block
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

/// Writes a 16-byte piece: bits [128 rank, 128 rank + 128) of a block's differences.
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

/// Throws invalid_argument if there are too many pieces for their positions to fit into a head.
inline void check_packed_pieces(std::int64_t pieces) {
  constexpr std::int64_t max = std::int64_t{1} << packed_head::place_bits;
  require(pieces <= max, [&] {
    return "packed columns take " + std::to_string(pieces) + " pieces of 16 bytes, more than the " +
           std::to_string(max) + " that can be numbered: keep the columns unpacked";
  });
}

template <class Offset>
void check_packed_of(const packed_columns<Offset>& packed, int rows, int cols, const Offset* offsets) {
  require(packed.rows == rows && packed.cols == cols && packed.offsets == offsets, [] {
    return std::string("the packed columns belong to another matrix: its sizes or offsets differ");
  });
}

} // namespace detail

/// Packs the columns of a matrix, on the executor of the matrix. The values of `a` are not read, and may be null.
///
/// - Complexity: O(entries); columns are read twice.
/// - Allocates 8 bytes per block in addition to the result, and synchronises.
/// - Throws invalid_argument if a column is not in [0, a.cols), or if packed columns take more than 4 GiB; also as
///   rows_of.
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

/// A matrix with packed columns; a.columns is not read. On cpu and simt y = A x has the same bits as with `a`, under
/// the same schedule. Throws invalid_argument if the columns of other rows were packed.
template <class Value, class Offset>
packed_view<stored_values<Value>, Offset> with_packed(const csr_view<Value, Offset>& a,
                                                      const packed_columns<Offset>& packed) {
  detail::check_packed_of(packed, a.rows, a.cols, a.offsets);
  return {a.rows, a.cols, a.offsets, packed.view(), {a.values}, std::ssize(packed.words.span())};
}
/// The same for a pattern, or for values of 16 bits.
template <class Values, class Offset>
packed_view<Values, Offset> with_packed(const compact_view<Values, Offset>& a,
                                        const packed_columns<Offset>& packed) {
  detail::check_packed_of(packed, a.rows, a.cols, a.offsets);
  return {a.rows, a.cols, a.offsets, packed.view(), a.values, std::ssize(packed.words.span())};
}

/// Owns a matrix with packed columns (owned_format.hpp). Its rows begin at entry 0.
template <class Value, signed_of_32_or_64_bits Offset, template <class> class Array> struct packed_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  Array<Offset> offsets = {}; ///< rows + 1 values
  Array<std::uint64_t> heads = {};
  Array<std::uint32_t> words = {};
  Array<Value> values = {};

  template <template <class> class To, class Each>
  packed_arrays<Value, Offset, To> with(const Each& each) const {
    return {rows, cols, each(offsets), each(heads), each(words), each(values)};
  }
  std::int64_t entries() const { return static_cast<std::int64_t>(values.size()); }
  packed_view<stored_values<Value>, Offset> view() const {
    return {rows, cols, offsets.data(), {0, heads.data(), words.data()}, {values.data()}, std::ssize(words)};
  }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Value, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using packed_matrix = detail::matrix_on<Executor, packed_arrays<Value, Offset, detail::host_array>,
                                        packed_arrays<Value, Offset, buffer>>;

/// Makes compressed rows with an array of columns. O(rows + entries). Allocates and synchronises. Indices are not
/// checked.
template <class Executor, class Values, signed_of_32_or_64_bits Offset>
auto to_csr(const Executor& exec, const packed_view<Values, Offset>& a) {
  return detail::csr_of_stored(exec, a, a.offsets);
}

/// A copy of the csr_matrix `a` with packed columns, on its executor. Throws as pack_columns.
template <csr_owner A> auto to_packed(const A& a) {
  return detail::owned_where(a, [&](const auto& exec) {
    const auto view = a.view();
    using value = detail::matrix_value<A>;
    using offset = std::remove_cvref_t<decltype(*view.offsets)>;
    auto columns = pack_columns(exec, view);
    return packed_arrays<value, offset, buffer>{
        view.rows,
        view.cols,
        detail::copy_of_offsets(exec, view.offsets, view.rows, columns.first),
        std::move(columns.heads),
        std::move(columns.words),
        detail::copy_of_elements(exec, view.values + columns.first, columns.entries)};
  });
}

static_assert(matrix_of_tiles<packed_view<stored_values<double>>>);
static_assert(matrix_of_tiles<packed_view<narrow_values<half>, std::int64_t>>);

} // namespace evenly
