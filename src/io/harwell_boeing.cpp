// SPDX-License-Identifier: Apache-2.0
#include "io/harwell_boeing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <complex>
#include <cstdint>
#include <limits>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/chunked.hpp"
#include "io/compressed_rows.hpp"
#include "io/matrix_rows.hpp"
#include "io/numbers.hpp"

namespace evenly::io {

namespace {

constexpr int max_steps = 1 << 20;          // of a format: repeat counts may be nested
constexpr int max_number = 1 << 20;         // repeat counts, widths
constexpr std::size_t max_fields = 1 << 16; // of a line

/// A recursive-descent parser of a format that is in parentheses.
class format_parser {
 public:
  explicit format_parser(std::string_view text) : text_(text) {}

  std::optional<std::vector<fortran_field>> parse() {
    if (take() != '(' || !take_items(0)) return {};
    if (at_ != text_.size() || fields_.empty()) return {};
    return std::move(fields_);
  }

 private:
  /// The next character that is not blank, in upper case; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? static_cast<char>(std::toupper(static_cast<unsigned char>(text_[at_])))
                              : '\0';
  }
  char take() {
    const char c = peek();
    if (at_ < text_.size()) ++at_;
    return c;
  }
  /// A number, if there is one. False if it is too large.
  bool take_number(std::optional<int>& number) {
    const bool negative = peek() == '-';
    const std::size_t start = at_;
    if (negative || peek() == '+') ++at_;
    if (std::isdigit(static_cast<unsigned char>(peek())) == 0) {
      at_ = start;
      return true;
    }
    int value = 0;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
      value = 10 * value + (take() - '0');
      if (value > max_number) return false;
    }
    number = negative ? -value : value;
    return true;
  }

  /// Parses items up to the closing parenthesis.
  bool take_items(int depth) {
    while (peek() != ')') {
      if (peek() == ',') {
        take();
        continue;
      }
      std::optional<int> count;
      if (++steps_ > max_steps || !take_number(count) || !take_item(count, depth)) return false;
    }
    take();
    return true;
  }

  bool take_item(const std::optional<int>& count, int depth) {
    const char letter = take();
    if (letter == 'P') {
      scale_ = count.value_or(0);
      return count.has_value() && std::abs(scale_) < 100;
    }
    const int repeat = count.value_or(1);
    if (repeat < 1) return false;
    if (letter == 'X') {
      column_ += static_cast<std::size_t>(repeat);
      return column_ <= max_number;
    }
    if (letter == '(') return take_group(repeat, depth);
    return take_field(letter, repeat);
  }

  bool take_group(int repeat, int depth) {
    constexpr int max_depth = 8;
    if (depth == max_depth || (depth == 0 && !fields_.empty()))
      return false; // later lines begin at the last group
    const std::size_t start = at_;
    for (int i = 0; i < repeat; ++i) {
      at_ = start;
      if (++steps_ > max_steps || !take_items(depth + 1)) return false;
    }
    return true;
  }

  bool take_field(char letter, int repeat) {
    constexpr std::string_view known = "IFEDG";
    if (known.find(letter) == std::string_view::npos) return false;
    if (letter == 'E' && (peek() == 'S' || peek() == 'N')) take();
    std::optional<int> width, decimals, exponent_digits;
    if (!take_number(width) || width.value_or(0) < 1) return false;
    if (peek() == '.') {
      take();
      if (!take_number(decimals) || decimals.value_or(-1) < 0) return false;
    }
    if (letter != 'I' && peek() == 'E') {
      take();
      if (!take_number(exponent_digits) || !exponent_digits) return false;
    }
    if (fields_.size() + static_cast<std::size_t>(repeat) > max_fields) return false;
    for (int i = 0; i < repeat; ++i) {
      const auto columns = static_cast<std::size_t>(*width);
      fields_.push_back({column_, columns, letter == 'I', letter == 'I' ? 0 : decimals.value_or(0), scale_});
      column_ += columns;
      if (column_ > max_number) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  int scale_ = 0;
  int steps_ = 0;
  std::vector<fortran_field> fields_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes the digits of a number from the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Parses an exponent, `E+03`, `D3` or `-103`, which may be absent. Returns false for other text.
bool read_exponent(std::string_view text, std::int64_t& exponent) {
  constexpr std::int64_t huge = 1 << 30; // beyond any double
  if (text.empty()) return true;
  const bool has_letter = std::string_view("eEdDqQ").find(text.front()) != std::string_view::npos;
  if (has_letter) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  if (!has_letter && !has_sign) return false;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (text.empty() || !is_digit(text.front()) || stop != text.data() + text.size()) return false;
  if (status == std::errc::result_out_of_range || exponent > huge) exponent = huge;
  if (negative) exponent = -exponent;
  return true;
}

} // namespace

std::optional<std::vector<fortran_field>> parse_fortran_format(std::string_view text) {
  return format_parser(text).parse();
}

std::errc read_fortran_real(std::string_view text, const fortran_field& field, std::string& scratch,
                            double& value) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  scratch.assign(negative ? 1 : 0, '-');
  if (text.empty()) return std::errc::invalid_argument;
  if (std::isalpha(static_cast<unsigned char>(text.front())) != 0) { // NaN, Infinity
    scratch += text;
  } else {
    std::string_view rest = text;
    const std::string_view whole = take_digits(rest);
    const bool has_point = rest.starts_with('.');
    if (has_point) rest.remove_prefix(1);
    const std::string_view fraction = has_point ? take_digits(rest) : std::string_view{};
    std::int64_t exponent = 0;
    if (whole.size() + fraction.size() == 0 || !read_exponent(rest, exponent))
      return std::errc::invalid_argument;
    if (rest.empty()) exponent -= field.scale;
    exponent -= has_point ? static_cast<std::int64_t>(fraction.size()) : field.decimals;
    scratch.append(whole).append(fraction).append(fmt::format("e{}", exponent));
  }
  const char* const last = scratch.data() + scratch.size();
  const auto [stop, status] = parse_real(scratch.data(), last, value);
  if (status == std::errc::result_out_of_range) value = rounded_beyond(scratch.data(), last);
  return stop == last ? status : std::errc::invalid_argument;
}

namespace {

using complex = std::complex<double>;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Whether a line begins with a type: values, storage, assembled or elemental.
bool begins_with_type(std::string_view line) {
  constexpr std::array<std::string_view, 3> letters{"rcpi", "suhzr", "ae"};
  if (line.size() < letters.size()) return false;
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (letters[i].find(lower(line[i])) == std::string_view::npos) return false;
  return line.size() == letters.size() || is_blank(line[letters.size()]);
}

std::string_view without_trailing_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// The numbers of a header line: in columns of 14, as the format requires, or separated by blanks.
std::vector<std::string_view> split_counts(std::string_view line) {
  constexpr std::size_t width = 14;
  line = without_trailing_blanks(line);
  std::vector<std::string_view> counts;
  for (std::size_t at = 0; at < line.size(); at += width) {
    counts.push_back(without_blanks(line.substr(at, width)));
    if (std::ranges::any_of(counts.back(), is_blank)) break;
  }
  if (counts.empty() || std::ranges::none_of(counts.back(), is_blank)) return counts;
  counts.clear();
  for (std::string_view rest = without_blanks(line); !rest.empty(); rest = without_blanks(rest)) {
    const auto end = std::ranges::find_if(rest, is_blank);
    counts.push_back(rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
    rest.remove_prefix(counts.back().size());
  }
  return counts;
}

template <class T>
void require_growth(const text_blocks& blocks, const chunked<T>& all, std::string_view what) {
  if (!all.is_full()) return;
  const auto gathered = static_cast<std::int64_t>(sizeof(T)) * all.next_capacity();
  if (const auto shortage = host::memory_shortage(all.growth() + gathered))
    blocks.fail(fmt::format("{} of {} read: {}", all.size(), what, *shortage));
}

} // namespace

bool begins_harwell_boeing(std::string_view text) {
  constexpr int type_line = 3, format_line = 4;
  text = without_byte_order_mark(text);
  for (int line = 1; line <= format_line; ++line) {
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view found = text.substr(0, end);
    if (line == type_line && !begins_with_type(found)) return false;
    if (line == format_line) return without_blanks(found).starts_with('(');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return false;
}

harwell_boeing_file::harwell_boeing_file(byte_source source, const matrix_limits& limits)
    : blocks_(std::move(source)), limits_(limits) {
  std::string_view title;
  if (!blocks_.next_raw_line(title))
    blocks_.fail("the file is empty: a Harwell-Boeing file has a header of 4 or 5 lines");
  read_counts();
  read_type();
  read_formats();
  std::string_view line;
  if (has_right_hand_sides_ && !blocks_.next_raw_line(line))
    blocks_.fail("the file ends before line 5 of the header, which describes the right-hand sides");
}

std::int64_t harwell_boeing_file::integer(std::string_view text, std::string_view what, std::int64_t min,
                                          std::int64_t max) const {
  if (text.empty()) blocks_.fail(fmt::format("the {} is missing", what));
  return field_reader(blocks_, text).integer(what, min, max);
}

/// Line 2: the numbers of lines.
void harwell_boeing_file::read_counts() {
  std::string_view line;
  if (!blocks_.next_raw_line(line))
    blocks_.fail("the file ends before line 2 of the header, the numbers of lines");
  constexpr std::array<std::string_view, 5> names{
      "number of lines", "number of lines of pointers", "number of lines of row indices",
      "number of lines of values", "number of lines of right-hand sides"};
  const std::vector<std::string_view> counts = split_counts(line);
  if (counts.size() > names.size())
    blocks_.fail(fmt::format("{} after the {}, where the line must end",
                             host::in_quotes(counts[names.size()]), names.back()));
  std::array<std::int64_t, names.size()> lines{};
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (!counts[i].empty())
      lines[i] = integer(counts[i], names[i], 0, std::numeric_limits<std::int64_t>::max());
  has_values_ = lines[3] > 0;
  has_right_hand_sides_ = lines[4] > 0;
}

/// Line 3: the type and the sizes.
void harwell_boeing_file::read_type() {
  std::string_view line;
  if (!blocks_.next_raw_line(line))
    blocks_.fail("the file ends before line 3 of the header, the type and the sizes");
  if (!begins_with_type(line))
    blocks_.fail(
        fmt::format("the type {} is unknown: it must be one of R, C, P, I, then one of S, U, H, Z, R, then A",
                    host::in_quotes(line.substr(0, 3))));
  if (lower(line[2]) == 'e')
    blocks_.fail(fmt::format("the type {} is elemental, but only assembled matrices (type {}A) are "
                             "supported: add up the elements first",
                             host::in_quotes(line.substr(0, 3)), line.substr(0, 2)));
  using enum matrix_symmetry;
  const char values = lower(line[0]), storage = lower(line[1]);
  values_ = values == 'r'   ? matrix_field::real
            : values == 'c' ? matrix_field::complex
            : values == 'p' ? matrix_field::pattern
                            : matrix_field::integer;
  storage_ = storage == 's' ? symmetric : storage == 'z' ? skew : storage == 'h' ? hermitian : general;
  if (values_ == matrix_field::pattern && storage_ == skew)
    blocks_.fail("the type is a skew-symmetric pattern, but a pattern has no signs");
  constexpr std::size_t type_columns = 14;
  std::vector<std::string_view> counts = split_counts(line.substr(std::min(type_columns, line.size())));
  if (without_blanks(line.substr(3, type_columns - 3)).size() > 0) counts = split_counts(line.substr(3));
  counts.resize(std::max<std::size_t>(counts.size(), 3));
  rows_ = integer(counts[0], "number of rows", 0, limits_.rows);
  cols_ = integer(counts[1], "number of columns", 0, limits_.cols);
  entries_ = integer(counts[2], "number of entries", 0, limits_.entries);
  if (storage_ != general && rows_ != cols_)
    blocks_.fail(fmt::format("{} rows and {} columns: a {} matrix must be square", rows_, cols_,
                             storage_ == hermitian ? "hermitian" : "symmetric"));
  if (values_ != matrix_field::pattern && !has_values_ && entries_ > 0)
    blocks_.fail(fmt::format("the type {} has values, but line 2 announces no lines of values: the type of a "
                             "matrix without values begins with P",
                             host::in_quotes(line.substr(0, 3))));
}

/// Line 4: the formats.
void harwell_boeing_file::read_formats() {
  std::string_view line;
  if (!blocks_.next_line(line)) blocks_.fail("the file ends before line 4 of the header, the formats");
  std::vector<std::string_view> formats;
  int depth = 0;
  for (std::size_t i = 0, start = 0; i < line.size(); ++i) {
    if (line[i] == '(' && depth++ == 0) start = i;
    if (line[i] == ')' && --depth == 0) formats.push_back(line.substr(start, i + 1 - start));
    if (depth < 0 || (depth == 0 && line[i] != ')' && !is_blank(line[i])))
      blocks_.fail(
          fmt::format("{} where a format in parentheses should be", host::in_quotes(line.substr(i))));
  }
  const bool needs_values = values_ != matrix_field::pattern && entries_ > 0;
  const std::size_t needed = needs_values ? 3 : 2;
  if (formats.size() < needed)
    blocks_.fail(fmt::format("{} formats on line 4 of the header: {} are needed, for pointers, row indices{}",
                             formats.size(), needed, needs_values ? " and values" : ""));
  pointer_section_ = parse_section(formats[0]);
  row_section_ = parse_section(formats[1]);
  if (needs_values) value_section_ = parse_section(formats[2]);
}

harwell_boeing_file::section harwell_boeing_file::parse_section(std::string_view text) const {
  auto fields = parse_fortran_format(text);
  if (!fields)
    blocks_.fail(
        fmt::format("the format {} is not supported: it must be like (16I5), (1P,4D20.12) or (4(1X,E20.12))",
                    host::in_quotes(text)));
  return {std::string(text), std::move(*fields)};
}

/// Calls take(text, field) for `count` fields on as many lines as necessary; text has no surrounding blanks.
template <class Take>
void harwell_boeing_file::read_section(const section& of, std::int64_t count, std::string_view what,
                                       std::string_view plural, const Take& take) {
  std::string_view line;
  for (std::int64_t done = 0; done < count;) {
    if (!blocks_.next_raw_line(line))
      blocks_.fail(fmt::format("the file ends after {} of {} {}, the number on line 3", done, count, plural));
    std::size_t end = 0;
    for (const fortran_field& field : of.fields) {
      if (done == count) break;
      const std::string_view text =
          without_blanks(line.substr(std::min(field.begin, line.size()), field.width));
      if (text.empty())
        blocks_.fail(fmt::format("columns {} to {} are blank, where the format {} has a {}", field.begin + 1,
                                 field.begin + field.width, host::in_quotes(of.format), what));
      take(text, field);
      ++done;
      end = field.begin + field.width;
    }
    const std::string_view rest = without_blanks(line.substr(std::min(end, line.size())));
    if (!rest.empty())
      blocks_.fail(fmt::format("{} after the last {} of the line, which has the format {}",
                               host::in_quotes(rest), what, host::in_quotes(of.format)));
  }
}

/// The pointers minus 1.
std::vector<int> harwell_boeing_file::read_pointers() {
  chunked<int> pointers;
  std::int64_t before = 1;
  read_section(
      pointer_section_, cols_ + 1, "pointer", "pointers", [&](std::string_view text, const fortran_field&) {
        const std::int64_t pointer = integer(text, "pointer", 1, entries_ + 1);
        if (pointers.size() == 0 && pointer != 1)
          blocks_.fail(fmt::format("the first pointer is {}: it must be 1", pointer));
        if (pointer < before)
          blocks_.fail(fmt::format("the pointer is {}, less than the {} before: pointers must not decrease",
                                   pointer, before));
        before = pointer;
        require_growth(blocks_, pointers, "pointers");
        pointers.push_back(static_cast<int>(pointer - 1));
      });
  if (before != entries_ + 1)
    blocks_.fail(fmt::format("the last pointer is {}: it must be {}, because line 3 announces {} entries",
                             before, entries_ + 1, entries_));
  return pointers.gather();
}

/// The row indices, 0-based.
std::vector<int> harwell_boeing_file::read_rows() {
  chunked<int> rows;
  read_section(row_section_, entries_, "row index", "row indices",
               [&](std::string_view text, const fortran_field&) {
                 const std::int64_t row = integer(text, "row index", 1, rows_);
                 require_growth(blocks_, rows, "row indices");
                 rows.push_back(static_cast<int>(row - 1));
               });
  return rows.gather();
}

/// `parts`: numbers per value, two for complex values.
template <class Value>
Value harwell_boeing_file::read_value(const std::string_view* parts, const fortran_field& field) {
  if (values_ == matrix_field::integer) {
    const std::int64_t value = integer(parts[0], "value", std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max());
    if (std::is_integral_v<Value> && storage_ == matrix_symmetry::skew &&
        value == std::numeric_limits<std::int64_t>::min())
      blocks_.fail(fmt::format(
          "the value is '{}': its negative, in the other triangle, does not fit into 64 bits", value));
    if (!std::is_integral_v<Value> && !is_exact_double(value) && inexact_.count++ == 0)
      inexact_ = {1, blocks_.line_number(), fmt::to_string(value)};
    return static_cast<Value>(value);
  }
  std::array<double, 2> numbers{};
  for (std::size_t i = 0; i < (values_ == matrix_field::complex ? 2 : 1); ++i) {
    const std::errc status = read_fortran_real(parts[i], field, scratch_, numbers[i]);
    if (status == std::errc::invalid_argument)
      blocks_.fail(fmt::format("{} is not a number: the value must be one", host::in_quotes(parts[i])));
    if (status == std::errc::result_out_of_range && rounded_.count++ == 0)
      rounded_ = {1, blocks_.line_number(), std::string(parts[i])};
  }
  if constexpr (std::is_same_v<Value, complex>)
    return {numbers[0], numbers[1]};
  else
    return static_cast<Value>(numbers[0]);
}

template <class Value> std::vector<Value> harwell_boeing_file::read_values(const host::remark_handler& say) {
  chunked<Value> values;
  const auto add = [&](Value value) {
    require_growth(blocks_, values, "values");
    values.push_back(value);
  };
  if (values_ == matrix_field::pattern) {
    for (std::int64_t k = 0; k < entries_; ++k) add(Value{1});
    return values.gather();
  }
  const std::size_t width = values_ == matrix_field::complex ? 2 : 1;
  std::string real_part; // a value may continue on the next line
  std::array<std::string_view, 2> parts;
  std::size_t count = 0;
  read_section(value_section_, entries_ * static_cast<std::int64_t>(width), "value", "values",
               [&](std::string_view text, const fortran_field& field) {
                 parts[count] = text;
                 if (++count < width) {
                   parts[0] = real_part = text;
                   return;
                 }
                 count = 0;
                 add(read_value<Value>(parts.data(), field));
               });
  const auto say_of = [&](const host::remark& kind, std::string_view rule) {
    if (kind.count > 0)
      say(fmt::format("{}:{}: {}", blocks_.name(), kind.line, host::value_remark(kind, rule)));
  };
  say_of(rounded_, host::beyond_range);
  say_of(inexact_, host::beyond_exact_integers);
  return values.gather();
}

/// Only right-hand sides may follow.
void harwell_boeing_file::check_end() {
  std::string_view line;
  if (!has_right_hand_sides_ && blocks_.next_record(line, {}))
    blocks_.fail(fmt::format("{} after the last of {} entries, the number on line 3", host::in_quotes(line),
                             entries_));
}

template <class Value>
void harwell_boeing_file::check_diagonal(const std::vector<int>& pointers, const std::vector<int>& rows,
                                         const std::vector<Value>& values) {
  const bool is_skew = storage_ == matrix_symmetry::skew;
  if (!is_skew && (storage_ != matrix_symmetry::hermitian || !std::is_same_v<Value, complex>)) return;
  for (std::size_t col = 0; col + 1 < pointers.size(); ++col)
    for (auto k = static_cast<std::size_t>(pointers[col]); k < static_cast<std::size_t>(pointers[col + 1]);
         ++k) {
      if (static_cast<std::size_t>(rows[k]) != col) continue;
      const auto imaginary = std::imag(complex(static_cast<complex>(values[k])));
      if (is_skew ? values[k] != Value{} : imaginary != 0)
        throw file_error(blocks_.name(), 0,
                         fmt::format("the diagonal value of row {} is not {}", col + 1,
                                     is_skew ? "zero: it must be zero in a skew-symmetric matrix"
                                             : "real: it must be real in a hermitian matrix"));
    }
}

template <class Value>
csr_matrix<Value> harwell_boeing_file::compress(const std::vector<int>& pointers,
                                                const std::vector<int>& rows,
                                                const std::vector<Value>& values) {
  const auto for_all = [&](const auto& visit) {
    for (std::size_t c = 0; c + 1 < pointers.size(); ++c)
      for (auto k = static_cast<std::size_t>(pointers[c]); k < static_cast<std::size_t>(pointers[c + 1]);
           ++k) {
        const auto col = static_cast<int>(c);
        visit(rows[k], col, values[k]);
        if (storage_ != matrix_symmetry::general && rows[k] != col)
          visit(col, rows[k], mirrored(storage_, values[k]));
      }
  };
  std::int64_t all = 0;
  for_all([&](int, int, const Value&) { ++all; });
  if (all > limits_.entries)
    blocks_.fail(
        fmt::format("{} entries, counting both triangles: at most {} are supported", all, limits_.entries));
  const std::int64_t bytes = 4 * (rows_ + 1) + (4 + static_cast<std::int64_t>(sizeof(Value))) * all;
  if (const auto shortage = host::memory_shortage(bytes))
    blocks_.fail(fmt::format("compressed rows: {}", *shortage));
  return compress_rows<Value>(static_cast<int>(rows_), static_cast<int>(cols_), for_all);
}

template <class Value> csr_matrix<Value> harwell_boeing_file::read(const host::remark_handler& say) {
  if (std::is_same_v<Value, double> && values_ == matrix_field::complex)
    blocks_.fail("the values are complex, but must be real: only spmv and commands that ignore values accept "
                 "complex matrices");
  try {
    const std::vector<int> pointers = read_pointers();
    const std::vector<int> rows = read_rows();
    const std::vector<Value> values = read_values<Value>(say);
    check_end();
    check_diagonal(pointers, rows, values);
    return compress(pointers, rows, values);
  } catch (const sum_overflow& at) {
    throw file_error(blocks_.name(), 0, at.text(1));
  } catch (const std::bad_alloc&) {
    blocks_.fail("not enough memory for the matrix");
  }
}
template csr_matrix<double> harwell_boeing_file::read(const host::remark_handler&);
template csr_matrix<complex> harwell_boeing_file::read(const host::remark_handler&);
template csr_matrix<std::int64_t> harwell_boeing_file::read(const host::remark_handler&);

} // namespace evenly::io
