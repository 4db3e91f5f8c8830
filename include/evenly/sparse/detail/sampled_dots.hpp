// SPDX-License-Identifier: Apache-2.0
// For each entry (i, j) of a sparse matrix, the dot product of row i of X and row j of Y.
//
// Work is divided by entries, so the sizes of rows do not matter. On parallel executors a warp takes consecutive
// entries. It writes their rows (entry_rows.hpp) and columns to storage first. Then groups of lanes take eight entries
// at a time. They load packs of the rows of Y, and packs of X only where the row changes. Eight sums are reduced
// together: with 8 lanes in 7 exchanges, not 24.
//
// On cpu a core takes consecutive entries, four of a row at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/sparse/detail/entry_rows.hpp"
#include "evenly/sparse/detail/sum_registers.hpp"

namespace evenly::detail {

/// The operands of a sampled product. Dense matrices are by rows.
template <class Stored, class Value, class Offset> struct sampled_operands {
  using number = sum_number<Stored>;

  const Offset* offsets;
  int rows;
  std::int64_t first, count; ///< of the entries
  const int* columns;        ///< from the first entry on, as values and out
  const Value* values;
  Value* out;
  const Stored* x;
  std::int64_t x_leading;
  const Stored* y;
  std::int64_t y_leading;
  int width;
  number alpha, beta;

  EVENLY_FN Value combined(number sum, const Value& before) const {
    return static_cast<Value>(beta == number{0} ? alpha * sum
                                                : alpha * sum + beta * static_cast<number>(before));
  }
};

/// Size consecutive elements of a row.
template <class T, int Size> struct alignas(Size * sizeof(T)) row_part {
  T of[Size];
};
/// Loads elements that no thread writes. Size * sizeof(T) is 16, or Size is 1.
template <class T, int Size> EVENLY_INLINE_FN row_part<T, Size> load_part(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (Size > 1) {
    const int4 bits = __ldg(reinterpret_cast<const int4*>(from));
    row_part<T, Size> part;
    memcpy(&part, &bits, sizeof(part));
    return part;
  }
#endif
  return *reinterpret_cast<const row_part<T, Size>*>(from);
}

/// The sampled product by groups of lanes. Part: the elements that a lane loads at once.
template <class Stored, class Value, class Offset, int Part> struct sampled_dots_kernel {
  using number = sum_number<Stored>;
  static constexpr int tuned_block_size = 128;
  static constexpr int min_blocks = 6;      ///< 80 registers per thread: loads in flight before warps
  static constexpr int max_steps = 4;       ///< entries of a warp, in multiples of its lanes
  static constexpr int entries_at_once = 8; ///< of a group

  sampled_operands<Stored, Value, Offset> of;
  int steps; ///< at most max_steps
  int group; ///< lanes of a group: a power of two, at most those of a warp

  struct slots {
    slot<int> rows, columns; ///< of the entries of each warp
  };
  EVENLY_FN static slots lay_out(storage_layout& layout, block_shape shape) {
    const int entries = shape.warps() * shape.warp * max_steps;
    return {layout.take<int>(entries), layout.take<int>(entries)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto places = lay_out(layout, block.shape());
    const auto warp = this_warp(block);
    const int room = block.shape().warp * max_steps, entries = block.shape().warp * steps;
    const std::int64_t begin =
        (std::int64_t{block.index()} * block.shape().warps() + warp_of(block)) * entries;
    if (begin >= of.count) return;
    const int size = static_cast<int>(smaller<std::int64_t>(entries, of.count - begin));
    const auto rows = block.storage(places.rows.part(warp_of(block) * room, room));
    const auto columns = block.storage(places.columns.part(warp_of(block) * room, room));
    for (int i = warp.rank(); i < size; i += warp.size()) columns[i] = load_streaming(of.columns + begin + i);
    find_entry_rows(warp, of.offsets, of.rows, static_cast<Offset>(of.first + begin), size, rows);
    warp.sync();
    multiply(warp, begin, size, rows, columns);
  }

 private:
  template <class Warp, class Storage>
  EVENLY_FN void multiply(const Warp& warp, std::int64_t begin, int size, const Storage& rows,
                          const Storage& columns) const {
    const int groups = quotient(warp.size(), group), lane = remainder(warp.rank(), group);
    const auto out = traced(warp.block(), of.out);
    const auto values = traced(warp.block(), of.values);
    for (int at = 0; at < size; at += groups * entries_at_once) {
      const int first = at + quotient(warp.rank(), group) * entries_at_once;
      number sums[entries_at_once] = {};
      for (int part = lane; part * Part < of.width; part += group)
        add_parts(sums, first, size, part * Part, rows, columns);
      // Lanes exchange halves of their sums, so that each has half as many, over twice as many lanes.
      int distance = group / 2, mine = 0;
      EVENLY_UNROLL
      for (int half = entries_at_once / 2; half > 0; half /= 2)
        if (distance > 0) {
          const bool is_upper = (lane & distance) != 0;
          EVENLY_UNROLL
          for (int i = 0; i < half; ++i) {
            const number given = is_upper ? sums[i] : sums[i + half];
            const number kept = is_upper ? sums[i + half] : sums[i];
            sums[i] = kept + warp.shuffle(given, warp.rank() ^ distance);
          }
          if (is_upper) mine += half;
          distance /= 2;
        }
      const int copies = 2 * distance; // lanes with the same entry, less the first
      for (; distance > 0; distance /= 2) sums[0] += warp.shuffle(sums[0], warp.rank() ^ distance);
      if (copies > 1 && remainder(lane, copies) != 0) continue;
      EVENLY_UNROLL
      for (int i = 0; i < entries_at_once; ++i) {
        const int entry = first + mine + i;
        if (i * group < entries_at_once && entry < size) {
          Value before{};
          if (of.beta != number{0}) before = values[begin + entry];
          out[begin + entry] = of.combined(sums[i], before);
        }
      }
    }
  }

  /// Adds the products of elements [element, element + Part) for entries_at_once entries.
  template <class Storage>
  EVENLY_FN void add_parts(number (&sums)[entries_at_once], int first, int size, int element,
                           const Storage& rows, const Storage& columns) const {
    row_part<Stored, Part> x[entries_at_once], y[entries_at_once];
    EVENLY_UNROLL
    for (int i = 0; i < entries_at_once; ++i) {
      const int column = columns[smaller(first + i, size - 1)];
      y[i] = load_part<Stored, Part>(of.y + column * of.y_leading + element);
    }
    int row_before = -1;
    EVENLY_UNROLL
    for (int i = 0; i < entries_at_once; ++i) {
      const int row = rows[smaller(first + i, size - 1)];
      if (row != row_before)
        x[i] = load_part<Stored, Part>(of.x + row * of.x_leading + element);
      else
        x[i] = x[larger(i - 1, 0)];
      row_before = row;
    }
    EVENLY_UNROLL
    for (int i = 0; i < entries_at_once; ++i) {
      EVENLY_UNROLL
      for (int j = 0; j < Part; ++j)
        sums[i] += static_cast<number>(x[i].of[j]) * static_cast<number>(y[i].of[j]);
    }
  }
};

/// Writes the dot products of one row and `Count` others. RegisterBytes: as in spmm_on_cores.hpp.
template <int Count, class Number, int RegisterBytes = sum_register_bytes>
void dots_on_core(const Number* x, const Number* const (&y)[Count], int width, Number (&sums)[Count]) {
  int j = 0;
#if EVENLY_REGISTER_BYTES > 0
  using values = typename lanes_of_values<Number, RegisterBytes>::type;
  constexpr int lanes = RegisterBytes / static_cast<int>(sizeof(Number));
  values partial[Count] = {};
  for (; width - j >= lanes; j += lanes) {
    values of_x;
    std::memcpy(&of_x, x + j, sizeof(of_x));
    EVENLY_UNROLL_REGISTERS
    for (int c = 0; c < Count; ++c) {
      values of_y;
      std::memcpy(&of_y, y[c] + j, sizeof(of_y));
      partial[c] += of_x * of_y;
    }
  }
  for (int c = 0; c < Count; ++c) {
    Number lane[lanes];
    std::memcpy(lane, &partial[c], sizeof(lane));
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
    sums[c] = lane[0];
  }
#else
  for (int c = 0; c < Count; ++c) sums[c] = 0;
#endif
  for (; j < width; ++j)
    for (int c = 0; c < Count; ++c) sums[c] += x[j] * y[c][j];
}

/// The sampled product on serial blocks.
template <class Number, class Value, class Offset> struct sampled_dots_on_cores {
  static constexpr int entries_at_once = 4; ///< of a row
  static constexpr int ahead = 16;          ///< how many entries ahead rows of Y are prefetched

  sampled_operands<Number, Value, Offset> of;
  std::int64_t per_block;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * per_block, end = smaller(begin + per_block, of.count);
    int row = first_past(0, of.rows, [&](int r) { return of.offsets[r] > of.first + begin; }) - 1;
    for (std::int64_t k = begin; k < end; ++row) {
      const auto row_end = smaller<std::int64_t>(of.offsets[row + 1] - of.first, end);
      const Number* const x = of.x + row * of.x_leading;
      for (; row_end - k >= entries_at_once; k += entries_at_once) write<entries_at_once>(x, k);
      for (; k < row_end; ++k) write<1>(x, k);
    }
  }

 private:
  template <int Count> void write(const Number* x, std::int64_t k) const {
    const Number* y[Count];
    for (int c = 0; c < Count; ++c) {
      y[c] = of.y + of.columns[k + c] * of.y_leading;
      if (k + c + ahead < of.count) prefetch_read(of.y + of.columns[k + c + ahead] * of.y_leading);
    }
    Number sums[Count];
    dots_on_core(x, y, of.width, sums);
    for (int c = 0; c < Count; ++c)
      of.out[k + c] = of.combined(sums[c], of.beta == Number{0} ? Value{} : of.values[k + c]);
  }
};

} // namespace evenly::detail
