// SPDX-License-Identifier: Apache-2.0
// Follows the frame structure of Zstandard data, to know whether they end where a frame ends.
//
// Boost's Zstandard filter takes any end of input for the end of the data, so a file cut short would pass for
// a shorter one. The structure is that of RFC 8878, section 3; contents are left to the decompressor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenly::io {

class zstd_frames {
 public:
  /// Whether `first`, at least four bytes, starts a frame (an ordinary or a skippable one).
  static bool starts_frame(std::string_view first) {
    if (first.size() < 4) return false;
    const std::uint32_t magic = little_endian(first.substr(0, 4));
    return magic == frame_magic || is_skippable(magic);
  }

  /// Takes the next bytes of the data.
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      if (skip_ > 0) {
        const auto step = std::min<std::uint64_t>(skip_, bytes.size());
        skip_ -= step;
        bytes.remove_prefix(static_cast<std::size_t>(step));
      } else {
        field_[have_++] = bytes.front();
        bytes.remove_prefix(1);
        if (have_ == field_size()) take_field();
      }
    }
  }

  /// Whether what was fed ends with the end of a frame.
  bool complete() const { return expected_ == part::magic && have_ == 0 && skip_ == 0; }

 private:
  enum class part { magic, skippable_size, descriptor, block };

  static constexpr std::uint32_t frame_magic = 0xFD2FB528;
  static bool is_skippable(std::uint32_t magic) { return (magic & 0xFFFFFFF0) == 0x184D2A50; }

  static std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  std::size_t field_size() const {
    constexpr std::size_t sizes[] = {4, 4, 1, 3};
    return sizes[static_cast<int>(expected_)];
  }

  void take_field() {
    const std::uint32_t value = little_endian({field_, have_});
    have_ = 0;
    switch (expected_) {
    case part::magic:
      expected_ = is_skippable(value) ? part::skippable_size : part::descriptor;
      break;
    case part::skippable_size:
      skip_ = value;
      expected_ = part::magic;
      break;
    case part::descriptor:
      take_descriptor(value);
      break;
    case part::block:
      take_block(value);
      break;
    }
  }

  void take_descriptor(std::uint32_t value) {
    const bool single_segment = (value >> 5 & 1) != 0;
    constexpr int dictionary_bytes[] = {0, 1, 2, 4};
    const int content_size_bytes[] = {single_segment ? 1 : 0, 2, 4, 8};
    checksum_ = (value >> 2 & 1) != 0;
    skip_ = static_cast<std::uint64_t>((single_segment ? 0 : 1) + dictionary_bytes[value & 3] +
                                       content_size_bytes[value >> 6]);
    expected_ = part::block;
  }

  void take_block(std::uint32_t value) {
    constexpr std::uint32_t repeated_byte = 1;
    skip_ = (value >> 1 & 3) == repeated_byte ? 1 : value >> 3;
    if ((value & 1) == 0) return; // not the last block
    if (checksum_) skip_ += 4;
    expected_ = part::magic;
  }

  part expected_ = part::magic;
  char field_[4] = {};
  std::size_t have_ = 0;
  std::uint64_t skip_ = 0; ///< bytes to pass over before the next field
  bool checksum_ = false;
};

} // namespace evenly::io
