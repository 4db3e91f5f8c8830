// SPDX-License-Identifier: Apache-2.0
// Text files with lines that can be read in any order, on all cores: large blocks of whole lines are divided into
// pieces, and one thread reads each piece.
//
// All readers of text share these rules: lines end in \n, \r\n or \r, the last one needs no end, a byte-order mark at
// the start is skipped, and blanks around a line are dropped. A line may have any length that memory allows.
//
// Only the decompressor is serial: it reads the next block while the current one is parsed. Lines are only counted if
// an error needs their number. A file is read instead of mapped, because truncation of a mapped file would end the
// program. Copying takes a twentieth of the time of parsing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/parallel.hpp"
#include "host/progress.hpp"
#include "io/byte_source.hpp"
#include "io/field_reader.hpp"

namespace evenly::io {

/// `text`, the start of a file, without the byte-order mark of UTF-8 that editors on Windows write.
std::string_view without_byte_order_mark(std::string_view text);

/// Whether the start of a file is the byte-order mark of UTF-16.
bool begins_utf16(std::string_view text);
inline constexpr std::string_view utf16_rule = "UTF-16 text: save it as UTF-8";

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

  explicit text_blocks(byte_source source, std::size_t bytes = block_bytes);

  /// Reads the next block: whole lines, about `bytes` of them, each of which ends in \n, whatever its end in the file.
  /// False at the end. Throws file_error if memory is short for a line that is longer than a block, and for UTF-16.
  bool next();
  /// What is left of the block that was read last.
  std::string_view text() const { return text_; }
  /// Takes a line off the front of that, as piece_reader::next does; reads the next block if nothing is left. False at
  /// the end.
  bool next_line(std::string_view& line);
  /// The same, with the blanks around the line.
  bool next_raw_line(std::string_view& line);
  /// As next_line, but skips blank lines and lines that begin with one of `comments`.
  bool next_record(std::string_view& line, std::string_view comments);
  /// The number of the last line that was taken.
  std::int64_t line_number() const { return lines_; }
  /// As of the source.
  const std::string& name() const { return source_.name(); }

  /// Calls read(piece_reader&, number) for the pieces of what is left of the block, several at a time, and takes them.
  /// cut(pieces) is called with all pieces before. Throws file_error for the first line in the file's order that a call
  /// of fail() refuses, and rethrows other exceptions.
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
    host::for_each_range(static_cast<std::int64_t>(pieces.size()) + 1,
                         [&](std::int64_t begin, std::int64_t end) {
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
  /// The same, of text with `lines` lines.
  void take(std::size_t bytes, std::int64_t lines);
  void take_all() { take(text_.size()); }

 private:
  /// `name:line: what` for the last line that was taken.
  void complain(std::string_view what) const override;
  std::size_t read(char* to, std::size_t max);
  void read_ahead();
  void put_behind(std::string_view rest);
  void extend_line(std::size_t checked);
  void report(std::size_t bytes);
  void check_start();
  std::size_t whole_lines(std::size_t checked);

  byte_source source_;
  std::size_t block_;
  std::size_t next_ = 1 << 16; ///< bytes of the next block: small files need no large ones
  std::vector<char> buffer_;   ///< [begin_, end_) are read; text_ is what is left of the whole lines
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
  host::progress progress_;
};

} // namespace evenly::io
