// SPDX-License-Identifier: Apache-2.0
// Streams of bytes as functions, which byte_source stacks: a file, its decompressor, a member of an archive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace evenly::io {

/// Reads up to `count` > 0 bytes to `to` and returns how many; 0 only at the end. Throws file_error.
using byte_reader = std::function<std::size_t(char* to, std::size_t count)>;

/// Bytes that can be inspected before they are read. Itself a byte_reader.
class peekable_bytes {
 public:
  explicit peekable_bytes(byte_reader read) : read_(std::move(read)) {}

  std::size_t operator()(char* to, std::size_t count) {
    const std::size_t got = std::min(ahead_.size() - ahead_read_, count);
    if (got == 0) return read_(to, count);
    std::memcpy(to, ahead_.data() + ahead_read_, got);
    ahead_read_ += got;
    return got;
  }

  /// The next bytes, at most `count`. Valid until the next call of either function.
  std::string_view peek(std::size_t count) {
    ahead_.erase(0, std::exchange(ahead_read_, 0));
    for (std::size_t got = 1; got > 0 && ahead_.size() < count;) {
      const std::size_t had = ahead_.size();
      ahead_.resize(count);
      got = read_(ahead_.data() + had, count - had);
      ahead_.resize(had + got);
    }
    return std::string_view(ahead_).substr(0, count);
  }

 private:
  byte_reader read_;
  std::string ahead_;
  std::size_t ahead_read_ = 0; ///< bytes of `ahead_` that were read after peek()
};

} // namespace evenly::io
