// SPDX-License-Identifier: Apache-2.0
// How a block holds a chunk of consecutive elements in registers: warp by warp, each warp's part in rows, each row with
// Width consecutive elements per lane.
//
//   row 0 of a warp   | lane 0: 0 1 2 3 | lane 1: 4 5 6 7 | ...      (Width 4)
//   row 1             | 128 ...
//
// A row is one coalesced access of the warp, of 16 bytes per lane if memory is aligned for it. No exchange through
// storage is needed: elements are in order within a lane, lanes within a row, rows within a warp, warps within the
// block.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/primitives/inputs.hpp"

namespace evenly {

/// The elements of one lane in one row.
template <class T, int Width> struct alignas(Width == 1 ? alignof(T) : sizeof(T) * Width) row_part {
  T of[Width];
};

/// How many elements of T an access of 16 bytes has; 1 if the size of T does not divide 16.
template <class T>
inline constexpr int wide_width = sizeof(T) <= 16 && 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

/// How many elements an access of `Memory` may have; more than one only for pointers to elements of T themselves.
template <class T, class Memory>
inline constexpr int width_of =
    std::is_pointer_v<Memory> && std::is_same_v<std::remove_cv_t<std::remove_pointer_t<Memory>>, T>
        ? wide_width<T>
        : 1;

/// Whether this memory is aligned for such accesses.
template <class Memory> bool is_wide(const Memory& memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0;
}

namespace detail {

/// Returns a pointer as the block sees it; any other input or output unchanged.
template <class Block, class Memory> EVENLY_INLINE_FN auto seen(Block& block, const Memory& memory) {
  if constexpr (std::is_pointer_v<Memory>)
    return traced(block, memory);
  else
    return memory;
}

/// Converts the value to the element type of `Memory`. The caller chose the output, so narrowing is intended.
template <class Memory, class T> EVENLY_INLINE_FN auto as_stored_in(const T& value) {
  using element = decltype(std::declval<const Memory&>()[std::int64_t{0}]);
  if constexpr (std::is_lvalue_reference_v<element>)
    return static_cast<std::remove_cvref_t<element>>(value);
  else
    return value;
}

/// The place of a lane's i-th element in the part of its warp.
template <int Width, class Block> EVENLY_INLINE_FN int place_in_share(const lanes<Block>& warp, int i) {
  return (i / Width * warp.size() + warp.rank()) * Width + i % Width;
}

} // namespace detail

/// A thread's elements of a warp's part of Items elements per lane. Requires that Width divides Items.
template <class T, int Width, int Items> struct chunk_items {
  static_assert(Items % Width == 0);
  static constexpr int rows = Items / Width;
  T of[Items];

  /// Loads the elements from in[begin] on, where the warp's part begins, a multiple of Width. Elements at `end` and
  /// beyond become `none`. All threads of the warp call it.
  template <class Block, class Input>
  EVENLY_INLINE_FN void load(Block& block, const Input& in, std::int64_t begin, std::int64_t end,
                             const T& none) {
    const lanes<Block> warp = this_warp(block);
    if constexpr (Width > 1) {
      if (begin + warp.size() * Items <= end) {
        using part = row_part<T, Width>;
        const auto memory = traced(block, reinterpret_cast<const part*>(in));
        const std::int64_t first = begin / Width + warp.rank();
        EVENLY_UNROLL
        for (int r = 0; r < rows; ++r) {
          const part p = memory[first + r * warp.size()];
          EVENLY_UNROLL
          for (int j = 0; j < Width; ++j) of[r * Width + j] = p.of[j];
        }
        return;
      }
    }
    const auto memory = detail::seen(block, in);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = begin + detail::place_in_share<Width>(warp, i);
      of[i] = none;
      if (at < end) of[i] = static_cast<T>(memory[at]);
    }
  }

  /// Stores the elements; the inverse of load.
  template <class Block, class Output>
  EVENLY_INLINE_FN void store(Block& block, const Output& out, std::int64_t begin, std::int64_t end) const {
    const lanes<Block> warp = this_warp(block);
    if constexpr (Width > 1) {
      if (begin + warp.size() * Items <= end) {
        using part = row_part<T, Width>;
        const auto memory = traced(block, reinterpret_cast<part*>(out));
        const std::int64_t first = begin / Width + warp.rank();
        EVENLY_UNROLL
        for (int r = 0; r < rows; ++r) {
          part p;
          EVENLY_UNROLL
          for (int j = 0; j < Width; ++j) p.of[j] = of[r * Width + j];
          memory[first + r * warp.size()] = p;
        }
        return;
      }
    }
    const auto memory = detail::seen(block, out);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = begin + detail::place_in_share<Width>(warp, i);
      if (at < end) memory[at] = detail::as_stored_in<Output>(of[i]);
    }
  }
};

} // namespace evenly
