// SPDX-License-Identifier: Apache-2.0
// The lines after the header of a Matrix Market file as entries, on all cores.
//
// Blocks of lines are divided into pieces, which threads parse concurrently. A fast path of a few loops over characters
// parses common lines. A slow path parses all other lines again and finds their errors. Errors that depend on earlier
// pieces, such as more lines than announced, are found after those pieces are counted, so messages are the same as
// those of a serial reader.
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/remarks.hpp"
#include "io/numbers.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

// The header of a Matrix Market file: its banner and its sizes.

struct matrix_limits;

inline constexpr std::string_view matrix_comment = "%"; ///< starts a comment

enum class matrix_field { real, integer, unsigned_integer, complex, pattern };
enum class matrix_symmetry { general, symmetric, skew, hermitian };

struct matrix_header {
  bool is_array = false;  ///< all values column by column, without row and column numbers
  bool is_vector = false; ///< of the object `vector`: one column, without column numbers
  matrix_field values = matrix_field::real;
  matrix_symmetry storage = matrix_symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;   ///< lines that follow: announced, or the product of an array's sizes
  std::int64_t size_line = 0; ///< the number of the line that announced them

  /// The number of entries that an off-diagonal entry represents.
  int expansion() const { return storage == matrix_symmetry::general ? 1 : 2; }
};

/// Reads the banner and the line of sizes. Throws file_error for unknown words, impossible sizes, and sizes beyond the
/// limits.
matrix_header read_matrix_header(text_blocks& blocks, const matrix_limits& limits);

/// The value type if values are not needed.
struct no_value {};

template <class Index, class Value> struct matrix_entry {
  Index row = 0; ///< 0-based, like col
  Index col = 0;
  [[no_unique_address]] Value value = {};
};

/// The counts and remarks of a piece. Remarks count lines from 1 in the piece.
struct piece_remarks {
  std::int64_t lines = 0;    ///< up to the end, or up to the invalid line
  std::int64_t records = 0;  ///< entries before that line
  std::int64_t expanded = 0; ///< positions of the matrix that these entries represent
  host::remark rounded = {}; ///< numbers beyond the range of a double
  host::remark inexact = {}; ///< integers that a double cannot represent
  host::remark ignored = {}; ///< values of a pattern
};

/// Parses a piece of whole lines. Record: a matrix_entry; for an array its value type.
template <class Record> class piece_parser final : public line_place {
  static constexpr bool has_place = requires(Record r) { r.row; };

 public:
  piece_parser(const matrix_header& shape, std::string_view piece, std::vector<Record>& out,
               piece_remarks& found)
      : shape_(shape), begin_(piece.data()), end_(piece.data() + piece.size()), line_(begin_), out_(out),
        found_(found) {}

  /// Throws piece_reader::complaint for the first invalid line.
  void run() {
    for (const char* at = begin_; at != end_;) {
      line_ = at;
      ++found_.lines;
      while (is_blank(*at)) ++at;
      if (*at == '\n' || *at == matrix_comment.front()) {
        at = behind_line(at);
        continue;
      }
      if (!take_plain(at)) at = take_any();
      ++found_.records;
    }
  }

 private:
  void complain(std::string_view what) const override {
    throw piece_reader::complaint{line_number(), std::string(what)};
  }
  std::int64_t line_number() const { return found_.lines; }
  const char* behind_line(const char* at) const {
    return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end_ - at))) + 1;
  }

  /// The fast path: parses a line of plain numbers. Returns false and consumes nothing if the line has another form or
  /// breaks a rule.
  bool take_plain(const char*& line) {
    const char* at = line;
    Record record{};
    if constexpr (has_place) {
      std::uint64_t row = 0, col = 1;
      if (!take_digits(at, row) || row - 1 >= static_cast<std::uint64_t>(shape_.rows)) return false;
      if (!shape_.is_vector) {
        skip_blanks(at);
        if (!take_digits(at, col) || col - 1 >= static_cast<std::uint64_t>(shape_.cols)) return false;
      }
      if (row == col && shape_.storage > matrix_symmetry::symmetric) return false; // its diagonal has rules
      record.row = static_cast<decltype(record.row)>(row - 1);
      record.col = static_cast<decltype(record.col)>(col - 1);
      if (shape_.values != matrix_field::pattern && !is_blank(*at)) return false;
      skip_blanks(at);
      if (!take_plain_value(at, record.value)) return false;
    } else {
      if (!take_plain_value(at, record)) return false;
    }
    skip_blanks(at);
    if (*at != '\n') return false;
    put(record);
    line = at + 1;
    return true;
  }

  template <class Value> bool take_plain_value(const char*& at, Value& value) {
    double real = 1, imaginary = 0;
    switch (shape_.values) {
    case matrix_field::pattern:
      set_integer(value, 1);
      return true;
    case matrix_field::real:
      if (!take_real(at, end_, real)) return false;
      break;
    case matrix_field::complex:
      if (!take_real(at, end_, real) || !is_blank(*at)) return false;
      skip_blanks(at);
      if (!take_real(at, end_, imaginary)) return false;
      break;
    default: {
      const bool negative = *at == '-' && shape_.values == matrix_field::integer;
      if (negative) ++at;
      std::uint64_t digits = 0;
      if (!take_digits(at, digits)) return false;
      if (digits > max_exact_integer) return false; // a double may not represent it
      const auto whole = static_cast<std::int64_t>(digits);
      set_integer(value, negative ? -whole : whole);
      return true;
    }
    }
    set(value, real, imaginary);
    return true;
  }

  /// The slow path: parses any line. Returns the start of the next line.
  const char* take_any() {
    const char* const behind = behind_line(line_);
    const char* first = line_;
    const char* last = behind - 1;
    while (first != last && is_blank(*first)) ++first;
    while (first != last && is_blank(last[-1])) --last;
    field_reader fields(*this, {first, static_cast<std::size_t>(last - first)});
    Record record{};
    if constexpr (has_place) {
      record.row = static_cast<decltype(record.row)>(
          fields.integer(shape_.is_vector ? "index" : "row", 1, shape_.rows) - 1);
      if (!shape_.is_vector)
        record.col = static_cast<decltype(record.col)>(fields.integer("column", 1, shape_.cols) - 1);
      const std::complex<double> value = take_any_value(fields, record.value);
      if (record.row == record.col) check_diagonal(record.row + 1, value.real(), value.imag());
    } else {
      take_any_value(fields, record);
    }
    put(record);
    return behind;
  }

  /// Parses the value and the rest of the line. Returns the value as a complex number.
  template <class Value> std::complex<double> take_any_value(field_reader& fields, Value& value) {
    double real = 1, imaginary = 0;
    std::string_view rounded;
    switch (shape_.values) {
    case matrix_field::pattern:
      take_pattern(fields);
      set_integer(value, 1);
      return 1;
    case matrix_field::real:
      real = fields.rounded_real("value", rounded);
      break;
    case matrix_field::complex:
      real = fields.rounded_real("real part", rounded);
      imaginary = fields.rounded_real("imaginary part", rounded);
      break;
    case matrix_field::integer:
      real = take_integer(value, fields.integer("value", std::numeric_limits<std::int64_t>::min(),
                                                std::numeric_limits<std::int64_t>::max()));
      fields.finish("value", matrix_comment);
      return real;
    case matrix_field::unsigned_integer:
      real = take_integer(value, fields.unsigned_integer("value"));
      fields.finish("value", matrix_comment);
      return real;
    }
    fields.finish(shape_.values == matrix_field::complex ? "imaginary part" : "value", matrix_comment);
    if (!rounded.empty()) note(found_.rounded, rounded);
    set(value, real, imaginary);
    return {real, imaginary};
  }

  template <class Value, class Integer> double take_integer(Value& value, Integer integer) {
    if constexpr (std::is_same_v<Value, std::int64_t> && std::is_signed_v<Integer>)
      if (shape_.storage == matrix_symmetry::skew && integer == std::numeric_limits<std::int64_t>::min())
        fail(fmt::format("the value is '{}': its negative, in the other triangle, does not fit into 64 bits",
                         integer));
    constexpr bool is_rounded = std::is_same_v<Value, double> || std::is_same_v<Value, std::complex<double>>;
    if (is_rounded && !is_exact_double(integer)) note(found_.inexact, fmt::to_string(integer));
    set_integer(value, integer);
    return static_cast<double>(integer);
  }

  /// Parses the rest of a line of a pattern: nothing, a comment, or a number, which is ignored.
  void take_pattern(field_reader& fields) {
    const std::string_view third = fields.word();
    if (third.empty() || third.starts_with(matrix_comment)) return;
    ignore(third);
    fields.finish("column", matrix_comment);
  }

  /// The third column of a pattern, which must be a number.
  void ignore(std::string_view third) {
    field_reader number(*this, third);
    std::string_view rounded;
    try {
      number.rounded_real("value", rounded);
    } catch (const piece_reader::complaint&) {
      fail(fmt::format("{} after the column, where the line must end", host::in_quotes(third)));
    }
    note(found_.ignored, third);
  }

  void note(host::remark& kind, std::string_view text) const {
    if (kind.count++ > 0) return;
    kind.line = line_number();
    kind.text = text;
  }

  void check_diagonal(std::int64_t row, double real, double imaginary) const {
    if (shape_.storage == matrix_symmetry::skew && (real != 0 || imaginary != 0))
      fail(fmt::format("the diagonal entry of row {} is {}: it must be zero in a skew-symmetric matrix", row,
                       shape_.values == matrix_field::complex ? fmt::format("{} {}", real, imaginary)
                                                              : fmt::format("{}", real)));
    if (shape_.storage == matrix_symmetry::hermitian && imaginary != 0)
      fail(fmt::format("the diagonal entry of row {} is {} {}: it must be real in a hermitian matrix", row,
                       real, imaginary));
  }

  template <class Value, class Integer> void set_integer(Value& value, Integer integer) const {
    if constexpr (std::is_integral_v<Value>)
      value = static_cast<Value>(integer);
    else
      set(value, static_cast<double>(integer), 0);
  }
  static void set(no_value&, double, double) {}
  static void set(std::integral auto&, double, double) {} // only files of integers are read as integers
  static void set(std::complex<double>& value, double real, double imaginary) { value = {real, imaginary}; }
  /// A complex value counts as 1 if real values are read: see matrix_rows.hpp.
  void set(double& value, double real, double) const {
    value = shape_.values == matrix_field::complex ? 1 : real;
  }

  void put(const Record& record) {
    out_.push_back(record);
    if constexpr (has_place)
      found_.expanded += shape_.storage == matrix_symmetry::general || record.row == record.col ? 1 : 2;
  }

  const matrix_header& shape_;
  const char* begin_;
  const char* end_;
  const char* line_; ///< the current line
  std::vector<Record>& out_;
  piece_remarks& found_;
};

/// The rules for all lines together, and the remarks at the end.
class record_count {
 public:
  record_count(const matrix_header& shape, std::int64_t max_expanded) : shape_(shape), max_(max_expanded) {}

  std::int64_t read() const { return read_; }
  std::int64_t expanded() const { return expanded_; }
  std::string so_far() const;

  /// Checks the pieces of a block in order. Throws the first error in file order.
  void take(text_blocks& blocks, const std::vector<std::string_view>& pieces,
            const std::vector<piece_remarks>& found, const std::vector<std::exception_ptr>& thrown);
  /// At the end of the file: throws if records are missing, and passes on the remarks.
  void finish(const text_blocks& blocks, const host::remark_handler& say) const;

 private:
  void refuse_surplus(text_blocks& blocks, std::string_view piece, std::int64_t before) const;

  const matrix_header& shape_;
  std::int64_t max_;
  std::int64_t read_ = 0;
  std::int64_t expanded_ = 0;
  host::remark rounded_;
  host::remark inexact_;
  host::remark ignored_;
};

/// Reads all records, and calls:
///
/// - sink.expect(count, pieces, blocks) before each block, with the maximum numbers of records and pieces. It may fail.
/// - sink.take(i, records) for the records of piece i of the block, concurrently. It may change them.
/// - sink.finish_block() after each block that has no errors.
template <class Record, class Sink>
void read_records(text_blocks& blocks, const matrix_header& shape, std::int64_t max_expanded,
                  const host::remark_handler& say, Sink& sink) {
  record_count count(shape, max_expanded);
  const std::size_t min_bytes = requires(Record r) { r.row; } && !shape.is_vector ? 4 : 2; // "1 1\n", "1\n"
  for (bool more = true; more; more = blocks.next()) {
    const std::vector<std::string_view> pieces = blocks.cut_text();
    const auto max =
        std::min(shape.entries - count.read(), static_cast<std::int64_t>(blocks.text().size() / min_bytes));
    sink.expect(max, pieces.size(), count, blocks);
    std::vector<piece_remarks> found(pieces.size());
    const auto thrown = blocks.for_each_piece(pieces, [&](std::string_view piece, std::size_t i) {
      static thread_local std::vector<Record> records; // keeps its capacity
      records.clear();
      piece_parser<Record>(shape, piece, records, found[i]).run();
      sink.take(i, records);
    });
    count.take(blocks, pieces, found, thrown);
    sink.finish_block();
  }
  count.finish(blocks, say);
}

} // namespace evenly::io
