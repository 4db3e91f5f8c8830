// SPDX-License-Identifier: Apache-2.0
// Decompression of LZF (Lehmann, LibLZF, 2000), which .pcd files use.
//
// A control byte c below 32 is followed by c + 1 literal bytes. Otherwise its upper three bits are a length, to which
// the next byte is added if they are 7, and its lower five bits and one more byte are a distance.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace evenly::io {

/// The maximum number of output bytes per byte of input: three bytes expand to 264.
inline constexpr std::size_t max_lzf_expansion = 88;

/// Fills `to` from `packed`. Returns false if `packed` is damaged or does not expand to exactly `to.size()` bytes.
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
