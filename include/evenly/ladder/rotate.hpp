// SPDX-License-Identifier: Apache-2.0
// The ladder of rotations: a matrix becomes its transpose, out[c][r] = in[r][c].
//
// Nothing is computed; the lesson is how to access memory. A kernel that reads along rows writes along columns, with
// one sector per element. Through a square in storage both accesses go along rows. Then the lanes of a warp read a
// column of the square, all from one bank, unless a gap follows each row (Ruetsch & Micikevicius, "Optimizing Matrix
// Transpose in CUDA", NVIDIA, 2009).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/ladder/version.hpp"

namespace evenly::ladder {

/// How a square of a matrix is transposed.
enum class turned { directly, in_storage, in_padded_storage };

namespace detail {

/// A block transposes a square of 32 x 32 elements. A block of one thread, which needs no barrier, transposes several.
template <turned How, class T> struct square_rotation {
  static constexpr int tuned_block_size = usual_block_size;
  static constexpr int width = 32;
  static constexpr int pitch = How == turned::in_padded_storage ? width + 1 : width;

  const T* from;
  T* to;
  std::int64_t rows;
  std::int64_t cols;
  distribution squares; ///< row by row

  EVENLY_FN static constexpr slot<T> lay_out(storage_layout& layout, block_shape) {
    return layout.take<T>(How == turned::directly ? 0 : width * pitch);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * squares.per_block;
    const std::int64_t last = smaller(first + squares.per_block, squares.items);
    const std::int64_t across = ceil_div<std::int64_t>(cols, width);
    for (std::int64_t t = first; t < last; ++t) turn(block, t / across * width, t % across * width);
  }

 private:
  /// Transposes the square whose first element is in[top][left].
  template <class Block> EVENLY_FN void turn(Block& block, std::int64_t top, std::int64_t left) const {
    const auto in = traced(block, from);
    const auto out = traced(block, to);
    if constexpr (How == turned::directly) {
      for_elements(block, rows - top, cols - left, [&](int r, int c) {
        const T value = in[(top + r) * cols + left + c];
        out[(left + c) * rows + top + r] = value;
      });
    } else {
      storage_layout layout;
      const auto square = block.storage(lay_out(layout, block.shape()));
      for_elements(block, rows - top, cols - left, [&](int r, int c) {
        const T value = in[(top + r) * cols + left + c];
        square[r * pitch + c] = value;
      });
      block.sync();
      for_elements(block, cols - left, rows - top, [&](int c, int r) {
        const T value = square[r * pitch + c];
        out[(left + c) * rows + top + r] = value;
      });
    }
  }

  /// Calls body(a, b) for the calling thread's part of a < 32, b < 32 in the matrix. Lanes have consecutive b.
  template <class Block, class Body>
  EVENLY_FN static void for_elements(const Block& block, std::int64_t a_size, std::int64_t b_size,
                                     const Body& body) {
    for (int k = block.rank(); k < width * width; k += block.size()) {
      const int a = quotient(k, width);
      const int b = remainder(k, width);
      if (a < a_size && b < b_size) body(a, b);
    }
  }
};

} // namespace detail

/// version(exec, in, rows, cols, out): out[c * rows + r] = in[r * cols + c] for every r in [0, rows), c in [0, cols).
///
/// * `in`, `out`: matrices in memory of `exec` that do not overlap.
/// * Throws invalid_argument if a size is negative or block_size is not a power of two.
template <turned How> struct rotate_any {
  static constexpr const char* name = How == turned::directly     ? "direct"
                                      : How == turned::in_storage ? "rotate"
                                                                  : "rotate_padded";
  static constexpr const char* teaches =
      How == turned::directly ? "reads along rows, writes along columns: a sector an element"
      : How == turned::in_storage
          ? "a square in storage: along rows both ways, but columns of storage share a bank"
          : "a gap behind each row of the square: every lane its own bank";
  static constexpr const char* formula_steps = "0";
  static constexpr const char* formula_operations = "0";
  int block_size = usual_block_size;

  template <class Executor, class T>
  void operator()(const Executor& exec, const std::type_identity_t<T>* in, std::int64_t rows,
                  std::int64_t cols, T* out) const {
    detail::check(block_size, rows);
    detail::check(block_size, cols);
    const auto squares = distributed(exec, rows, cols);
    launch(exec, squares.shape(), detail::square_rotation<How, T>{in, out, rows, cols, squares});
  }

  prediction predict(std::int64_t rows, std::int64_t cols) const {
    const std::int64_t blocks = distributed(detail::parallel_blocks{}, rows, cols).blocks();
    return {.launches = blocks > 0,
            .threads = blocks * block_size,
            .barriers = How == turned::directly ? 0 : blocks};
  }

 private:
  template <class Executor>
  detail::distribution distributed(const Executor& exec, std::int64_t rows, std::int64_t cols) const {
    constexpr std::int64_t side = detail::square_rotation<How, int>::width;
    const std::int64_t squares = ceil_div(rows, side) * ceil_div(cols, side);
    std::int64_t each = 1;
    if constexpr (Executor::serial_blocks)
      each = ceil_div(items_per_block(exec, squares * side * side, side * side), side * side);
    return {squares, each, block_size};
  }
};
using rotate_direct = rotate_any<turned::directly>;
using rotate_plain = rotate_any<turned::in_storage>;
using rotate_padded = rotate_any<turned::in_padded_storage>;

} // namespace evenly::ladder
