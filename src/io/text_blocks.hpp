// SPDX-License-Identifier: Apache-2.0
// Text files whose lines can be read in any order, on all cores: large blocks of whole lines are cut into pieces, and
// each piece is read by one thread.
//
// Only the bytes come one after the other, through the decompressor. Lines are counted by who complains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "io/byte_source.hpp"
#include "io/line_reader.hpp"
#include "io/parallel.hpp"

namespace evenly::io {

/// Goes through the lines of a piece of text.
class piece_reader final : public line_place {
 public:
  /// What fail throws; line: in the piece, from 1 on.
  struct complaint {
    std::int64_t line;
    std::string what;
  };

  explicit piece_reader(std::string_view text) : rest_(text) {}

  /// The next line, without its end and without blanks around it. False at the end.
  bool next(std::string_view& line);
  /// How many lines that next() would give do not begin with `comment`, blank ones counted.
  static std::int64_t count_records(std::string_view text, char comment);

 private:
  void complain(std::string_view what) const override;

  std::string_view rest_;
  std::int64_t line_ = 0;
};

class text_blocks final : public line_place {
 public:
  static constexpr std::size_t block_bytes = 16 << 20; ///< pieces of which keep many cores busy
  static constexpr std::size_t longest_line = 1 << 28; ///< bytes

  explicit text_blocks(byte_source source);

  /// Reads on: whole lines, about block_bytes of them. False at the end. Throws file_error for a line beyond
  /// longest_line.
  bool next();
  /// What is left of the block that was read last.
  std::string_view text() const { return text_; }
  /// Takes a line off the front of that, as piece_reader::next does; reads on where there is none. False at the end.
  bool next_line(std::string_view& line);

  /// Calls read(piece_reader&, number) for the pieces of what is left of the block, several at a time, and takes them.
  /// cut(pieces): told the pieces before. Throws file_error of the first line that someone complains about, in the
  /// file's order, and else what was thrown.
  template <class Cut, class Read> void read_pieces(const Cut& cut, const Read& read) {
    const std::vector<std::string_view> pieces = cut_text();
    cut(pieces);
    std::vector<std::exception_ptr> thrown(pieces.size());
    for_each_range(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        piece_reader piece(pieces[i]);
        try {
          read(piece, i);
        } catch (...) {
          thrown[i] = std::current_exception();
        }
      }
    });
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (thrown[i]) rethrow(thrown[i], pieces[i]);
    take(text_.size());
  }

 private:
  /// `name:line: what` for the last line that was taken.
  void complain(std::string_view what) const override;
  std::vector<std::string_view> cut_text() const;
  [[noreturn]] void rethrow(const std::exception_ptr& thrown, std::string_view piece);
  void take(std::size_t bytes);

  byte_source source_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;  ///< bytes that the buffer has
  std::string_view text_; ///< whole lines, in the buffer
  bool at_end_ = false;
  std::int64_t lines_ = 0; ///< taken
};

} // namespace evenly::io
