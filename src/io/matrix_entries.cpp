// SPDX-License-Identifier: Apache-2.0
#include "io/matrix_entries.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

namespace {

constexpr std::string_view banner_word = "%%MatrixMarket";

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

template <class T> using word_list = std::initializer_list<std::pair<std::string_view, T>>;

/// Removes the next word of the banner, which must be one of `known`, and returns its meaning.
template <class T>
T choose(const text_blocks& blocks, field_reader& fields, std::string_view what, word_list<T> known) {
  const std::string_view found = fields.word();
  for (const auto& [word, meaning] : known)
    if (same_word(found, word)) return meaning;
  std::string all;
  for (const auto& [word, meaning] : known) all += fmt::format("{}{}", all.empty() ? "" : ", ", word);
  if (found.empty()) blocks.fail(fmt::format("the banner ends where the {} should be ({})", what, all));
  blocks.fail(fmt::format("the {} {} is not supported, only {}", what, host::in_quotes(found), all));
}

bool is_banner_word(std::string_view word) {
  return same_word(word, banner_word) || same_word(word, banner_word.substr(1)); // some programs write one %
}

matrix_header read_banner(text_blocks& blocks) {
  std::string_view line;
  if (!blocks.next_line(line))
    blocks.fail("the file is empty: a Matrix Market file starts with %%MatrixMarket");
  field_reader fields(blocks, line);
  if (const std::string_view first = fields.word(); !is_banner_word(first))
    blocks.fail(fmt::format("the file starts with {}: a Matrix Market file starts with %%MatrixMarket",
                            host::in_quotes(first)));
  matrix_header read;
  read.is_vector = choose<bool>(blocks, fields, "object", {{"matrix", false}, {"vector", true}});
  read.is_array = choose<bool>(blocks, fields, "format", {{"coordinate", false}, {"array", true}});
  using enum matrix_field;
  read.values = choose<matrix_field>(blocks, fields, "field",
                                     {{"real", real},
                                      {"double", real},
                                      {"integer", integer},
                                      {"unsigned-integer", unsigned_integer},
                                      {"complex", complex},
                                      {"pattern", pattern}});
  using enum matrix_symmetry;
  read.storage = choose<matrix_symmetry>(
      blocks, fields, "symmetry",
      {{"general", general}, {"symmetric", symmetric}, {"skew-symmetric", skew}, {"hermitian", hermitian}});
  fields.finish("symmetry");
  if (read.values == pattern && read.storage == skew)
    blocks.fail("pattern and skew-symmetric exclude each other, because a pattern has no signs");
  if (read.values == unsigned_integer && read.storage == skew)
    blocks.fail(
        "unsigned-integer and skew-symmetric exclude each other, because unsigned numbers have no signs");
  if (read.values == pattern && read.is_array)
    blocks.fail("pattern and array exclude each other: an array has every entry");
  if (read.is_vector && read.storage != general)
    blocks.fail("a vector must be general, because it has no other triangle");
  return read;
}

/// The names of the numbers on the line of sizes.
std::string_view sizes_of(const matrix_header& read) {
  if (read.is_array) return read.is_vector ? "length" : "rows columns";
  return read.is_vector ? "length entries" : "rows columns entries";
}

/// The number of values of an array; of a symmetric one, those of the stored triangle.
std::int64_t values_of_array(const text_blocks& blocks, const matrix_header& read,
                             const matrix_limits& limits) {
  if (read.cols != 0 && read.rows > limits.entries / read.cols)
    blocks.fail(fmt::format("an array of {} rows and {} columns: at most {} values are supported", read.rows,
                            read.cols, limits.entries));
  const std::int64_t diagonal = read.storage == matrix_symmetry::skew ? -1 : 1;
  return read.storage == matrix_symmetry::general ? read.rows * read.cols
                                                  : (read.rows * read.rows + diagonal * read.rows) / 2;
}

} // namespace

matrix_header read_matrix_header(text_blocks& blocks, const matrix_limits& limits) {
  matrix_header read = read_banner(blocks);
  std::string_view line;
  if (!blocks.next_record(line, matrix_comment))
    blocks.fail(fmt::format("the file ends before the line '{}'", sizes_of(read)));
  field_reader fields(blocks, line);
  read.rows = fields.integer(read.is_vector ? "length" : "number of rows", 0, limits.rows);
  read.cols = read.is_vector ? 1 : fields.integer("number of columns", 0, limits.cols);
  if (!read.is_array) read.entries = fields.integer("number of entries", 0, limits.entries);
  fields.finish(!read.is_array   ? "number of entries"
                : read.is_vector ? "length"
                                 : "number of columns",
                matrix_comment);
  read.size_line = blocks.line_number();
  const std::string_view kind = read.storage == matrix_symmetry::hermitian ? "hermitian" : "symmetric";
  if (read.storage != matrix_symmetry::general && read.rows != read.cols)
    blocks.fail(
        fmt::format("{} rows and {} columns: a {} matrix must be square", read.rows, read.cols, kind));
  if (read.is_array) {
    read.entries = values_of_array(blocks, read, limits);
  } else if (read.storage != matrix_symmetry::general) {
    const std::int64_t diagonal = read.storage == matrix_symmetry::skew ? 0 : read.rows;
    if (read.entries > limits.entries / 2 + diagonal / 2 + 1 || 2 * read.entries - diagonal > limits.entries)
      blocks.fail(fmt::format("{} entries of a {} matrix stand for {} or more: at most {} are supported",
                              read.entries, kind, 2 * read.entries - diagonal, limits.entries));
  }
  return read;
}

namespace {

std::string_view records_of(const matrix_header& shape) { return shape.is_array ? "values" : "entries"; }

std::string announcement(const matrix_header& shape) {
  return shape.is_array ? fmt::format("the product of the sizes on line {}", shape.size_line)
                        : fmt::format("the number on line {}", shape.size_line);
}

void add(host::remark& all, const host::remark& found, std::int64_t lines_before) {
  if (found.count > 0 && all.count == 0) {
    all.line = lines_before + found.line;
    all.text = found.text;
  }
  all.count += found.count;
}

} // namespace

std::string record_count::so_far() const {
  return fmt::format("{} of {} {} read", read_, shape_.entries, records_of(shape_));
}

void record_count::take(text_blocks& blocks, const std::vector<std::string_view>& pieces,
                        const std::vector<piece_remarks>& found,
                        const std::vector<std::exception_ptr>& thrown) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const piece_remarks& each = found[i];
    if (read_ + each.records + (thrown[i] ? 1 : 0) > shape_.entries)
      refuse_surplus(blocks, pieces[i], shape_.entries - read_);
    if (thrown[i]) blocks.rethrow(thrown[i], pieces[i]);
    add(rounded_, each.rounded, blocks.line_number());
    add(inexact_, each.inexact, blocks.line_number());
    add(ignored_, each.ignored, blocks.line_number());
    read_ += each.records;
    expanded_ += each.expanded;
    blocks.take(pieces[i].size(), each.lines);
    if (expanded_ > max_)
      blocks.fail(fmt::format("more than {} entries, the supported maximum, counting both triangles", max_));
  }
}

void record_count::refuse_surplus(text_blocks& blocks, std::string_view piece, std::int64_t before) const {
  piece_reader lines(piece);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.starts_with(matrix_comment) || before-- > 0) continue;
    blocks.take(static_cast<std::size_t>(line.data() - piece.data()));
    blocks.next_line(line);
    blocks.fail(fmt::format("{} after the last of {} {}, {}", host::in_quotes(line), shape_.entries,
                            records_of(shape_), announcement(shape_)));
  }
}

void record_count::finish(const text_blocks& blocks, const host::remark_handler& say) const {
  if (read_ < shape_.entries)
    blocks.fail(fmt::format("the file ends after {} of {} {}, {}", read_, shape_.entries, records_of(shape_),
                            announcement(shape_)));
  const auto say_of = [&](const host::remark& kind, std::string_view rule) {
    if (kind.count > 0)
      say(fmt::format("{}:{}: {}", blocks.name(), kind.line, host::value_remark(kind, rule)));
  };
  say_of(rounded_, host::beyond_range);
  say_of(inexact_, host::beyond_exact_integers);
  if (ignored_.count > 0)
    say(fmt::format("{}:{}: the third number is {}{}: a pattern has no values, so they are ignored",
                    blocks.name(), ignored_.line, host::in_quotes(ignored_.text), host::and_more(ignored_)));
}

} // namespace evenly::io
