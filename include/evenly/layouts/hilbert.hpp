// SPDX-License-Identifier: Apache-2.0
// Elements ordered along Hilbert's curve, for elements with positions in space: neighbours on the curve are neighbours
// in space. Skilling's algorithm ("Programming the Hilbert curve", 2004).
//
// Cost: a key per element and a sort by the bits of cells, one pass per 8 bits. By default there is one cell per two
// elements, or more cells if that needs no more passes.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/layouts/orders.hpp"

namespace evenly::layouts {

/// The number along the curve of a cell with coordinates below 2^bits.
EVENLY_FN constexpr std::uint32_t hilbert_place(std::uint32_t x, std::uint32_t y, std::uint32_t z, int bits) {
  std::uint32_t at[3] = {x, y, z};
  const std::uint32_t top = std::uint32_t{1} << (bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    for (std::uint32_t& each : at) {
      if (each & q) {
        at[0] ^= below;
      } else {
        const std::uint32_t turn = (at[0] ^ each) & below;
        at[0] ^= turn;
        each ^= turn;
      }
    }
  }
  at[1] ^= at[0];
  at[2] ^= at[1];
  std::uint32_t turn = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if (at[2] & q) turn ^= q - 1;
  std::uint32_t number = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (const std::uint32_t each : at) number = number << 1 | ((each ^ turn) >> bit & 1);
  return number;
}

/// Position: a trivially copyable type with members x, y and z.
template <class Position> struct hilbert {
  static constexpr const char* name = "hilbert";
  static constexpr order_of of = order_of::both;
  static constexpr int max_bits = 10;

  const Position* positions = nullptr; ///< of each element, on the executor
  float low = 0;                       ///< of all coordinates
  float high = 1;                      ///< of all coordinates; positions outside count as at the edge
  int bits = 0;                        ///< of each coordinate, up to 10; 0: by the number of elements

  struct key_of {
    const Position* positions;
    float low;
    float cells; ///< per unit of length
    int bits;
    EVENLY_FN std::uint32_t cell(float coordinate) const {
      const auto last = static_cast<float>((1 << bits) - 1);
      const float at = (coordinate - low) * cells;
      return at > 0 ? static_cast<std::uint32_t>(at < last ? at : last) : 0;
    }
    EVENLY_FN std::uint32_t operator()(std::int64_t i) const {
      const Position p = detail::read_whole<true>(positions + i);
      return hilbert_place(cell(static_cast<float>(p.x)), cell(static_cast<float>(p.y)),
                           cell(static_cast<float>(p.z)), bits);
    }
  };

  template <class Executor, class I>
  buffer<I> operator()(const Executor& exec, const index_list<I>&, const access_shape& shape) const {
    require(low < high, [&] {
      return "low = " + std::to_string(low) + ", high = " + std::to_string(high) +
             ": low must not exceed high";
    });
    require(bits >= 0 && bits <= max_bits, [&] {
      return "bits = " + std::to_string(bits) + ": must be from 0 to " + std::to_string(max_bits);
    });
    detail::require_memory("positions", positions, shape.elements);
    const int sorted =
        ceil_div(detail::bits_below(shape.elements) - 1, 8) * 8; // two elements per cell, in whole passes
    const int each = bits > 0 ? bits : smaller(larger(sorted / 3, 1), max_bits);
    const auto keys = make_buffer<std::uint32_t>(exec, static_cast<std::size_t>(shape.elements));
    tabulate(exec, shape.elements, key_of{positions, low, static_cast<float>(1 << each) / (high - low), each},
             keys.data());
    return detail::ordered_by<I>(exec, keys, 3 * each);
  }
};

} // namespace evenly::layouts
