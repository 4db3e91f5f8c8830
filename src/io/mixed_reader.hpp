// SPDX-License-Identifier: Apache-2.0
// Files that begin with lines of text and continue with text or bytes: .ply and .pcd.
//
// Lines end in \n, \r\n or \r. If the first line of the file ends in \r alone, all other lines do, and a \n after a \r
// is the first byte of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

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
