// SPDX-License-Identifier: Apache-2.0
#include "io/fortran_format.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

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

} // namespace evenly::io
