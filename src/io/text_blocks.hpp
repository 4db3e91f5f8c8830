// SPDX-License-Identifier: Apache-2.0
// Text files whose lines can be read in any order, on all cores: large blocks of whole lines are cut into pieces, and
// each piece is read by one thread.
//
// Only the bytes come one after the other, through the decompressor: those of the next block while this one is worked
// at. Lines are counted by who complains. A file is read, not mapped: one that gets shorter meanwhile would end the
// program, and copying takes a twentieth of the time of parsing.
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
#include "io/progress.hpp"

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

  /// Lines that are longer than `longest` are refused where no block of `bytes` has an end of them.
  explicit text_blocks(byte_source source, std::size_t longest = longest_line,
                       std::size_t bytes = block_bytes);

  /// Reads on: whole lines, about a block of them, each of which ends in \n: so do here those that end in \r\n, in \r
  /// alone or at the end of the file. False at the end. Throws file_error for a line that is too long.
  bool next();
  /// What is left of the block that was read last.
  std::string_view text() const { return text_; }
  /// Takes a line off the front of that, as piece_reader::next does; reads on where there is none. False at the end.
  bool next_line(std::string_view& line);
  /// The number of the last line that was taken.
  std::int64_t line_number() const { return lines_; }
  /// As of the source.
  const std::string& name() const { return source_.name(); }

  /// Calls read(piece_reader&, number) for the pieces of what is left of the block, several at a time, and takes them.
  /// cut(pieces): told the pieces before. Throws file_error of the first line that someone complains about, in the
  /// file's order, and else what was thrown.
  template <class Cut, class Read> void read_pieces(const Cut& cut, const Read& read) {
    const std::vector<std::string_view> pieces = cut_text();
    cut(pieces);
    const auto thrown = for_each_piece(pieces, [&](std::string_view piece, std::size_t i) {
      piece_reader lines(piece);
      read(lines, i);
    });
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (thrown[i]) rethrow(thrown[i], pieces[i]);
    take_all();
  }

  /// What is left of the block, in pieces of whole lines.
  std::vector<std::string_view> cut_text() const;
  /// Calls read(piece, number) for all of them, several at a time, while the next block is read; returns what each has
  /// thrown.
  template <class Read>
  std::vector<std::exception_ptr> for_each_piece(const std::vector<std::string_view>& pieces,
                                                 const Read& read) {
    std::vector<std::exception_ptr> thrown(pieces.size());
    const auto one = [&](std::size_t i) {
      try {
        read(pieces[i], i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    };
    if (pieces.size() == 1) { // nothing to gain, and no threads are made for small files
      one(0);
      return thrown;
    }
    for_each_range(static_cast<std::int64_t>(pieces.size()) + 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        if (i == 0)
          read_ahead();
        else
          one(static_cast<std::size_t>(i) - 1);
    });
    return thrown;
  }
  /// Throws what a piece has thrown; a piece_reader::complaint as file_error with the line's number in the file.
  [[noreturn]] void rethrow(const std::exception_ptr& thrown, std::string_view piece);
  /// Takes `bytes` of whole lines, or all that is left of the block.
  void take(std::size_t bytes);
  /// The same for who has counted these lines.
  void take(std::size_t bytes, std::int64_t lines);
  void take_all() { take(text_.size()); }

 private:
  /// `name:line: what` for the last line that was taken.
  void complain(std::string_view what) const override;
  void read_ahead();
  void put_behind(std::string_view rest);

  byte_source source_;
  std::size_t longest_;
  std::size_t block_;
  std::size_t next_ = 1 << 16; ///< bytes of the next block: small files need no large ones
  std::vector<char> buffer_;   ///< [begin_, end_) are read, and not yet taken but for what text_ has lost
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<char> ahead_; ///< what comes behind it, from `room` on
  std::size_t ahead_bytes_ = 0;
  bool has_ahead_ = false;
  std::exception_ptr ahead_thrown_;
  std::string_view text_; ///< whole lines, in the buffer
  bool at_end_ = false;
  std::int64_t lines_ = 0; ///< taken
  std::int64_t bytes_ = 0; ///< read
  progress progress_;
};

} // namespace evenly::io
