// SPDX-License-Identifier: Apache-2.0
// Numbers in binary files of points: their types, in either byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace evenly::io {

enum class scalar_type { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

constexpr std::size_t bytes_of(scalar_type type) {
  constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

template <class T> T load(const char* from, bool swapped) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swapped) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

/// Integers beyond 2^53 are rounded.
inline double load(scalar_type type, const char* from, bool swapped) {
  switch (type) {
  case scalar_type::int8:
    return load<std::int8_t>(from, swapped);
  case scalar_type::uint8:
    return load<std::uint8_t>(from, swapped);
  case scalar_type::int16:
    return load<std::int16_t>(from, swapped);
  case scalar_type::uint16:
    return load<std::uint16_t>(from, swapped);
  case scalar_type::int32:
    return load<std::int32_t>(from, swapped);
  case scalar_type::uint32:
    return load<std::uint32_t>(from, swapped);
  case scalar_type::int64:
    return static_cast<double>(load<std::int64_t>(from, swapped));
  case scalar_type::uint64:
    return static_cast<double>(load<std::uint64_t>(from, swapped));
  case scalar_type::float32:
    return load<float>(from, swapped);
  default:
    return load<double>(from, swapped);
  }
}

} // namespace evenly::io
