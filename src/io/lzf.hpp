// SPDX-License-Identifier: Apache-2.0
// Decompression of LZF (Lehmann, LibLZF, 2000), which .pcd files use.
//
// A control byte below 32 is followed by so many literal bytes and one more. Any other has a length in its upper three
// bits, 7 of which say that the next byte is added, and a distance in its lower five bits and one more byte.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace evenly::io {

/// No byte of compressed data yields more bytes than this: three of them make 264.
inline constexpr std::size_t max_lzf_expansion = 88;

/// Fills `to` from `packed`. False if `packed` is damaged or does not expand to exactly so many bytes.
inline bool expand_lzf(std::string_view packed, std::span<char> to) {
  std::size_t at = 0, done = 0;
  while (at < packed.size()) {
    const auto byte = [&] { return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++])); };
    const std::size_t control = byte();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (packed.size() - at < count || to.size() - done < count) return false;
      packed.copy(to.data() + done, count, at);
      at += count;
      done += count;
      continue;
    }
    const bool is_long = control >> 5 == 7;
    if (packed.size() - at < (is_long ? 2U : 1U)) return false;
    const std::size_t count = 2 + (control >> 5) + (is_long ? byte() : 0);
    const std::size_t distance = 1 + ((control & 31) << 8) + byte();
    if (distance > done || to.size() - done < count) return false;
    for (const std::size_t end = done + count; done < end; ++done)
      to[done] = to[done - distance]; // may overlap
  }
  return done == to.size();
}

} // namespace evenly::io
