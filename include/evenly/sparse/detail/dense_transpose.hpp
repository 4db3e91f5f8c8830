// SPDX-License-Identifier: Apache-2.0
// The transpose of a dense matrix. Squares go through a block's storage, so that reads and writes are both contiguous.
// On a serial block a square fits in the first-level cache.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"

namespace evenly::detail {

/// to[j * to_leading + i] = alpha * from[i * from_leading + j] + beta * to[j * to_leading + i] for i in [0, lines) and
/// j in [0, size), computed in Number.
template <class From, class To, class Number> struct dense_transpose_kernel {
  static constexpr int side = 32;

  const From* from;
  std::int64_t from_leading;
  To* to;
  std::int64_t to_leading;
  int lines, size;
  Number alpha, beta;
  std::int64_t squares_per_block;

  EVENLY_FN static constexpr slot<From> lay_out(storage_layout& layout, block_shape) {
    return layout.take<From>(side * (side + 1)); // the padding puts columns in different banks
  }

  EVENLY_FN int squares_of_lines() const { return ceil_div(lines, side); }
  EVENLY_FN std::int64_t squares() const {
    return static_cast<std::int64_t>(squares_of_lines()) * ceil_div(size, side);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * squares_per_block;
    const std::int64_t last = smaller(first + squares_per_block, squares());
    for (std::int64_t square = first; square < last; ++square) {
      // Consecutive squares are neighbours in the output.
      const int i = static_cast<int>(square % squares_of_lines()) * side;
      const int j = static_cast<int>(square / squares_of_lines()) * side;
      transpose(block, i, j, smaller(side, lines - i), smaller(side, size - j));
    }
  }

 private:
  /// Transposes the square at (i, j), `high` lines of `wide` elements.
  template <class Block> EVENLY_FN void transpose(Block& block, int i, int j, int high, int wide) const {
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    const auto write = [&](int column, int line, From value) {
      const std::int64_t at = (j + column) * to_leading + i + line;
      Number result = alpha * static_cast<Number>(value);
      if (beta != Number{0}) {
        const To old = out[at];
        result += beta * static_cast<Number>(old);
      }
      out[at] = static_cast<To>(result);
    };
    if constexpr (Block::is_serial) {
      for (int column = 0; column < wide; ++column)
        for (int line = 0; line < high; ++line)
          write(column, line, in[(i + line) * from_leading + j + column]);
    } else {
      storage_layout layout;
      const auto square = block.storage(lay_out(layout, block.shape()));
      for (int e = block.rank(); e < side * side; e += block.size()) {
        const int line = quotient(e, side), column = remainder(e, side);
        if (line < high && column < wide)
          square[line * (side + 1) + column] = in[(i + line) * from_leading + j + column];
      }
      block.sync();
      for (int e = block.rank(); e < side * side; e += block.size()) {
        const int column = quotient(e, side), line = remainder(e, side);
        if (line < high && column < wide) {
          const From value = square[line * (side + 1) + column];
          write(column, line, value);
        }
      }
      block.sync();
    }
  }
};

/// Runs the kernel on `exec`. Asynchronous on cuda.
template <class Executor, class From, class To, class Number>
void transpose_dense(const Executor& exec, const From* from, std::int64_t from_leading, To* to,
                     std::int64_t to_leading, int lines, int size, Number alpha, Number beta) {
  constexpr int block_size = 256;
  using kernel_type = dense_transpose_kernel<From, To, Number>;
  kernel_type kernel{from, from_leading, to, to_leading, lines, size, alpha, beta, 1};
  const std::int64_t squares = kernel.squares();
  if (squares == 0) return;
  constexpr std::int64_t elements = kernel_type::side * kernel_type::side;
  kernel.squares_per_block =
      larger<std::int64_t>(1, items_per_block(exec, squares * elements, 4 * elements) / elements);
  launch(exec, {block_count(squares, kernel.squares_per_block), block_size}, kernel);
}

} // namespace evenly::detail
