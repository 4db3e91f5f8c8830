// SPDX-License-Identifier: Apache-2.0
// Files that begin with lines of text and continue with text or bytes: .ply and .pcd.
//
// Lines end in \n, \r\n or \r. If the first line of the file ends in \r alone, all other lines do, and a \n after a \r
// is the first byte of the data.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

// Numbers in binary files of points: their types, in either byte order.

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

class mixed_reader final : public line_place {
 public:
  static constexpr std::size_t max_bytes = 1 << 16; ///< of a piece

  explicit mixed_reader(byte_source source);

  /// The next line, without its end. Returns false at the end. `line` is valid until the next call of any member.
  bool next(std::string_view& line);
  /// The same without blank lines.
  bool next_record(std::string_view& line);

  /// Switches to bytes: messages name no line from now on.
  void begin_binary() { is_binary_ = true; }
  /// Sets the name of the data for messages about missing and surplus data: `3 points`.
  void expect(std::string things) { things_ = std::move(things); }
  /// The next `count` bytes; count <= max_bytes. Valid until the next call of any member. Fails if there are fewer.
  const char* bytes(std::size_t count);
  void skip(std::uint64_t count);

  /// Fails because the file has ended.
  [[noreturn]] void fail_at_end() const;
  /// Fails unless the file ends here. Blank lines may follow; after binary data blanks and zeros, at most max_bytes.
  void expect_end();

  const std::string& name() const { return source_.name(); }

 private:
  static constexpr std::size_t max_line = 1 << 28; ///< bytes

  void complain(std::string_view what) const override;
  std::string_view unread() const { return {buffer_.data() + at_, used_ - at_}; }
  bool refill();

  byte_source source_;
  std::vector<char> buffer_; ///< [at_, used_) are read and not yet taken
  std::size_t at_ = 0;
  std::size_t used_ = 0;
  bool at_end_ = false;
  bool is_binary_ = false;
  bool ends_in_cr_ = false; ///< every line
  std::int64_t lines_ = 0;
  std::string things_ = "elements";
};

} // namespace evenly::io
