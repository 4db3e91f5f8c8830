// SPDX-License-Identifier: Apache-2.0
// Text files whose lines can be read in any order, on all cores. Large blocks of whole lines are divided into pieces,
// and one thread reads each piece.
//
// Rules for all readers of text: lines end in \n, \r\n or \r; the last line needs no end; a byte-order mark at the
// start is skipped; blanks around a line are dropped. A line may have any length that memory allows.
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

/// `text`, the start of a file, without a byte-order mark of UTF-8, which editors on Windows write.
std::string_view without_byte_order_mark(std::string_view text);

/// Whether the start of a file is a byte-order mark of UTF-16.
bool begins_utf16(std::string_view text);
inline constexpr std::string_view utf16_rule = "UTF-16 text: save it as UTF-8";

/// Iterates over the lines of a piece of text.
class piece_reader final : public line_place {
 public:
  /// The exception of fail. line: in the piece, from 1.
  struct complaint {
    std::int64_t line;
    std::string what;
  };

  explicit piece_reader(std::string_view text) : rest_(text) {}

  /// The next line, without its end and surrounding blanks. Returns false at the end.
  bool next(std::string_view& line);
  /// The number of remaining lines that do not begin with `comment`, including blank lines.
  static std::int64_t count_records(std::string_view text, char comment);

 private:
  void complain(std::string_view what) const override;

  std::string_view rest_;
  std::int64_t line_ = 0;
};

class text_blocks final : public line_place {
 public:
  static constexpr std::size_t block_bytes = 16 << 20; ///< enough pieces for many cores

  explicit text_blocks(byte_source source, std::size_t bytes = block_bytes);

  /// Reads the next block: whole lines, about `bytes` bytes. Every line end becomes \n. Returns false at the end.
  /// Throws file_error if memory is insufficient for a line that is longer than a block, and for UTF-16.
  bool next();
  /// The rest of the current block.
  std::string_view text() const { return text_; }
  /// Takes the next line of the block, as piece_reader::next does; reads the next block at the end of this one. Returns
  /// false at the end.
  bool next_line(std::string_view& line);
  /// The same, with surrounding blanks.
  bool next_raw_line(std::string_view& line);
  /// Like next_line, but skips blank lines and lines that begin with one of `comments`.
  bool next_record(std::string_view& line, std::string_view comments);
  /// The number of the last line that was taken.
  std::int64_t line_number() const { return lines_; }
  /// The name of the source.
  const std::string& name() const { return source_.name(); }

  /// Calls read(piece_reader&, number) for the pieces of the rest of the block, concurrently, and takes them. Before
  /// that it calls cut(pieces) with all pieces. Throws file_error for the first line in file order that fail() refuses,
  /// and rethrows other exceptions.
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

  /// The rest of the block, in pieces of whole lines.
  std::vector<std::string_view> cut_text() const;
  /// Calls read(piece, number) for all of them, concurrently, while the next block is read. Returns the exceptions of
  /// the pieces.
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
    if (pieces.size() == 1) { // no gain; small files start no threads
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
  /// Throws the exception of a piece; a piece_reader::complaint as file_error with the line's number in the file.
  [[noreturn]] void rethrow(const std::exception_ptr& thrown, std::string_view piece);
  /// Takes `bytes` of whole lines, or the rest of the block.
  void take(std::size_t bytes);
  /// The same for text with `lines` lines.
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
  std::size_t next_ = 1 << 16; ///< bytes of the next block; small at first, for small files
  std::vector<char> buffer_;   ///< [begin_, end_) are read; text_ is the rest of the whole lines
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<char> ahead_; ///< the bytes after it, from `room` on
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
