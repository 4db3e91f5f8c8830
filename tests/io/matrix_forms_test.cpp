// SPDX-License-Identifier: Apache-2.0
// Forms of Matrix Market files that other programs write: each is read with its meaning, or refused by one line.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generate/random.hpp"
#include "host/errors.hpp"
#include "invariants.hpp"
#include "io/dense_output.hpp"
#include "io/matrix_market.hpp"
#include "io/matrix_rows.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

using complex = std::complex<double>;
using places = std::map<std::pair<int, int>, complex>;

std::vector<std::string> said; // by the last read

any_matrix read_any_text(const std::string& text) {
  std::istringstream stream(text);
  said.clear();
  return read_any_matrix(byte_source(stream, "text"), {},
                         [](const std::string& remark) { said.push_back(remark); });
}

/// What is where, once the rules of rows hold.
places places_of(const std::string& text) {
  places found;
  std::visit(
      [&](const auto& a) {
        for (int row = 0; row < a.rows; ++row)
          for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
            if (k > a.offsets[row]) {
              EXPECT_LT(a.columns[k - 1], a.columns[k]);
            }
            found[{row + 1, a.columns[k] + 1}] = a.values[k];
          }
        EXPECT_EQ(static_cast<std::size_t>(a.atoms()), found.size());
      },
      read_any_text(text));
  return found;
}

std::string banner(const std::string& rest) { return "%%MatrixMarket matrix " + rest + "\n"; }

TEST(matrix_forms, complex_values_in_every_symmetry) {
  const std::string lines = "3 3 3\n3 1 10 1\n3 2 -20 2.5e0\n2 2 0 0\n";
  const complex a(10, 1), b(-20, 2.5);
  EXPECT_EQ(places_of(banner("coordinate complex general") + lines),
            (places{{{2, 2}, 0}, {{3, 1}, a}, {{3, 2}, b}}));
  EXPECT_EQ(places_of(banner("coordinate complex symmetric") + lines),
            (places{{{2, 2}, 0}, {{3, 1}, a}, {{3, 2}, b}, {{1, 3}, a}, {{2, 3}, b}}));
  EXPECT_EQ(places_of(banner("coordinate complex skew-symmetric") + lines),
            (places{{{2, 2}, 0}, {{3, 1}, a}, {{3, 2}, b}, {{1, 3}, -a}, {{2, 3}, -b}}));
  EXPECT_EQ(places_of(banner("coordinate complex hermitian") + lines),
            (places{{{2, 2}, 0}, {{3, 1}, a}, {{3, 2}, b}, {{1, 3}, std::conj(a)}, {{2, 3}, std::conj(b)}}));
  EXPECT_TRUE(said.empty());
}

TEST(matrix_forms, hermitian_of_real_values_is_symmetric) {
  for (const std::string field : {"real", "double", "integer", "unsigned-integer"})
    EXPECT_EQ(places_of(banner("coordinate " + field + " hermitian") + "3 3 2\n3 1 10\n3 3 7\n"),
              (places{{{1, 3}, 10}, {{3, 1}, 10}, {{3, 3}, 7}}));
  EXPECT_EQ(places_of(banner("coordinate pattern hermitian") + "2 2 1\n2 1\n"),
            (places{{{1, 2}, 1}, {{2, 1}, 1}}));
}

TEST(matrix_forms, skew_symmetric_may_have_zeros_on_its_diagonal) {
  EXPECT_EQ(places_of(banner("coordinate real skew-symmetric") + "2 2 3\n1 1 0\n2 1 5\n2 2 -0.0\n"),
            (places{{{1, 1}, 0}, {{1, 2}, -5}, {{2, 1}, 5}, {{2, 2}, 0}}));
}

TEST(matrix_forms, values_of_complex_files_are_as_strictly_read) {
  const auto complaint = [](const std::string& text) {
    return message_of<file_error>([&] { read_any_text(text); });
  };
  const std::string general = banner("coordinate complex general") + "2 2 1\n";
  EXPECT_EQ(complaint(general + "1 1 1\n"), "text:3: the line ends where the imaginary part should be");
  EXPECT_EQ(complaint(general + "1 1 1 x\n"), "text:3: 'x' is not a number: the imaginary part must be one");
  EXPECT_EQ(complaint(general + "1 1 i 1\n"), "text:3: 'i' is not a number: the real part must be one");
  EXPECT_EQ(complaint(general + "1 1 1 2 3\n"),
            "text:3: '3' after the imaginary part, where the line must end");
  EXPECT_EQ(complaint(banner("coordinate complex hermitian") + "2 2 1\n% c\n2 2 1 -2\n"),
            "text:4: the diagonal entry of row 2 is 1 -2: it must be real in a hermitian matrix");
  EXPECT_EQ(complaint(banner("coordinate complex skew-symmetric") + "2 2 1\n2 2 0 1\n"),
            "text:3: the diagonal entry of row 2 is 0 1: it must be zero in a skew-symmetric matrix");
  EXPECT_EQ(complaint(banner("array complex hermitian") + "2 2\n1 0\n5 5\n1 2\n"),
            "text: the diagonal value of row 2 is 1 2: it must be real in a hermitian matrix");
}

TEST(matrix_forms, structure_needs_no_values) {
  std::istringstream stream(banner("coordinate complex hermitian") + "2 2 2\n1 1 3 0\n2 1 4 5\n");
  const csr_matrix<double> a = read_structure(byte_source(stream, "text"));
  EXPECT_EQ(a.columns, (std::vector{0, 1, 0}));
  EXPECT_EQ(a.values, (std::vector<double>{1, 1, 1}));
}

TEST(matrix_forms, arrays_go_column_by_column) {
  EXPECT_EQ(places_of(banner("array real general") + "%\n2 3\n1\n2\n\n0\n4\n5\n6\n"),
            (places{{{1, 1}, 1}, {{2, 1}, 2}, {{1, 2}, 0}, {{2, 2}, 4}, {{1, 3}, 5}, {{2, 3}, 6}}));
  EXPECT_EQ(places_of(banner("array integer symmetric") + "2 2\n1\n2\n3\n"),
            (places{{{1, 1}, 1}, {{2, 1}, 2}, {{1, 2}, 2}, {{2, 2}, 3}}));
  EXPECT_EQ(places_of(banner("array real skew-symmetric") + "3 3\n22\n33\n44\n"), (places{{{1, 1}, 0},
                                                                                          {{2, 1}, 22},
                                                                                          {{3, 1}, 33},
                                                                                          {{1, 2}, -22},
                                                                                          {{2, 2}, 0},
                                                                                          {{3, 2}, 44},
                                                                                          {{1, 3}, -33},
                                                                                          {{2, 3}, -44},
                                                                                          {{3, 3}, 0}}));
  EXPECT_EQ(places_of(banner("array complex hermitian") + "2 2\n1 0\n22 1\n3 0\n"),
            (places{{{1, 1}, 1}, {{2, 1}, complex(22, 1)}, {{1, 2}, complex(22, -1)}, {{2, 2}, 3}}));
  EXPECT_EQ(places_of(banner("array real general") + "0 5\n"), places{});
}

TEST(matrix_forms, vectors_are_one_column) {
  EXPECT_EQ(places_of("%%MatrixMarket vector coordinate real general\n4 3\n1 101\n4 404\n2 202\n"),
            (places{{{1, 1}, 101}, {{2, 1}, 202}, {{4, 1}, 404}}));
  EXPECT_EQ(places_of("%%MatrixMarket vector coordinate pattern general\n4 1\n3\n"), (places{{{3, 1}, 1}}));
  EXPECT_EQ(places_of("%%MatrixMarket vector array complex general\n2\n1 2\n3 4\n"),
            (places{{{1, 1}, complex(1, 2)}, {{2, 1}, complex(3, 4)}}));
}

TEST(matrix_forms, lines_end_in_every_way) {
  const std::string text =
      banner("coordinate real general") + "% one\n\n2 2 2\n1 1 1\n% two\n2 2 4\n% three\n";
  const places expected{{{1, 1}, 1}, {{2, 2}, 4}};
  for (const std::string end : {"\n", "\r\n", "\r", "\r\r\n"}) {
    std::string other;
    for (const char c : text) other += c == '\n' ? end : std::string(1, c);
    EXPECT_EQ(places_of(other), expected);
    EXPECT_EQ(places_of(other.substr(0, other.size() - end.size())), expected); // the last line without one
  }
  const auto complaint = [](const std::string& bad) {
    return message_of<file_error>([&] { read_any_text(bad); });
  };
  EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\r1 1 1\r\r1 2 1\r"),
            "text:4: the column is '2': it must be 1 to 1");
}

TEST(matrix_forms, banners_of_others) {
  const std::string rest = "1 1 1\n1 1 7\n";
  for (const std::string first : {"%MatrixMarket matrix coordinate real general",
                                  "\xef\xbb\xbf%%MatrixMarket matrix "
                                  "coordinate real general",
                                  "%%matrixmarket MATRIX COORDINATE DOUBLE GENERAL\n%%GraphBLAS type double"})
    EXPECT_EQ(places_of(first + "\n" + rest), (places{{{1, 1}, 7}})) << first;
}

TEST(matrix_forms, infinities_and_nan_as_they_are_written) {
  const auto value = [](const std::string& text) {
    return places_of(banner("coordinate real general") + "1 1 1\n1 1 " + text + "\n").at({1, 1}).real();
  };
  for (const std::string text :
       {"inf", "Inf", "+inf", "INF", "Infinity", "+Infinity", "1.#INF", "1.#INF00e+000"})
    EXPECT_EQ(value(text), INFINITY) << text;
  for (const std::string text : {"-inf", "-Infinity", "-1.#INF"}) EXPECT_EQ(value(text), -INFINITY) << text;
  for (const std::string text :
       {"nan", "NaN", "-nan", "NAN", "nan(ind)", "-nan(ind)", "1.#QNAN", "-1.#IND", "1.#IND00"})
    EXPECT_TRUE(std::isnan(value(text))) << text;
  EXPECT_TRUE(said.empty());
}

TEST(matrix_forms, exponents_of_fortran) {
  EXPECT_EQ(places_of(banner("coordinate real general") + "1 3 3\n1 1 1.0D+00\n1 2 -25d-1\n1 3 +.5D2\n"),
            (places{{{1, 1}, 1}, {{1, 2}, -2.5}, {{1, 3}, 50}}));
  EXPECT_EQ(places_of(banner("coordinate complex general") + "1 1 1\n1 1 1d5 -2D0\n"),
            (places{{{1, 1}, complex(1e5, -2)}}));
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(places_of(banner("coordinate real general") + "1 1 1\n1 1 -1D999\n"),
            (places{{{1, 1}, -INFINITY}}));
  EXPECT_EQ(said,
            (std::vector<std::string>{
                "text:3: the value is '-1D999', outside the range of a double: read as infinity or zero"}));
}

TEST(matrix_forms, comments_behind_sizes_and_entries) {
  for (const std::string field : {"real", "integer", "unsigned-integer"})
    EXPECT_EQ(
        places_of(banner("coordinate " + field + " general") + "2 2 2 % sizes\n1 1 3 % note\n2 2 4 %note\n"),
        (places{{{1, 1}, 3}, {{2, 2}, 4}}));
  EXPECT_EQ(places_of(banner("coordinate pattern general") + "2 2 2\n1 1 % note\n2 2 %\n"),
            (places{{{1, 1}, 1}, {{2, 2}, 1}}));
  EXPECT_EQ(places_of(banner("coordinate complex general") + "2 2 1\n1 1 3 4 % note\n"),
            (places{{{1, 1}, complex(3, 4)}}));
  EXPECT_EQ(places_of(banner("array real general") + "1 2 % sizes\n3 % note\n4\n"),
            (places{{{1, 1}, 3}, {{1, 2}, 4}}));
  EXPECT_TRUE(said.empty());
}

TEST(matrix_forms, lines_may_be_longer_than_any_block) {
  const std::string blanks(std::size_t{40} << 20, ' ');
  EXPECT_EQ(
      places_of(banner("coordinate real general") + "%" + blanks + "\r2 2 2\n1 1 " + blanks + "1\n2 2 4"),
      (places{{{1, 1}, 1}, {{2, 2}, 4}}));
}

TEST(matrix_forms, rounded_integers_are_said_once) {
  for (const std::string field : {"integer", "unsigned-integer"}) {
    EXPECT_EQ(
        places_of(banner("coordinate " + field + " general") +
                  "1 5 5\n1 1 9007199254740992\n1 2 9007199254740993\n1 3 9007199254740994\n1 4 "
                  "9223372036854775807\n1 5 4611686018427387904\n"),
        (places{
            {{1, 1}, 0x1p53}, {{1, 2}, 0x1p53}, {{1, 3}, 0x1p53 + 2}, {{1, 4}, 0x1p63}, {{1, 5}, 0x1p62}}));
    EXPECT_EQ(said,
              (std::vector<std::string>{
                  "text:4: the value is '9007199254740993', and 1 more, above 2^53: rounded to a double"}));
  }
  EXPECT_EQ(places_of(banner("array integer general") + "1 1\n-9007199254740993\n"),
            (places{{{1, 1}, -0x1p53}}));
  EXPECT_EQ(said, (std::vector<std::string>{
                      "text:3: the value is '-9007199254740993', above 2^53: rounded to a double"}));
  places_of(banner("coordinate real general") + "1 1 1\n1 1 9007199254740993\n"); // real numbers are decimals
  EXPECT_TRUE(said.empty());
}

exact_matrix read_exact_text(const std::string& text) {
  std::istringstream stream(text);
  said.clear();
  return read_exact_matrix(byte_source(stream, "text"), {},
                           [](const std::string& remark) { said.push_back(remark); });
}

TEST(matrix_forms, integers_stay_exact_where_nothing_is_computed) {
  constexpr std::int64_t large = 9007199254740993, min = std::numeric_limits<std::int64_t>::min();
  const exact_matrix a = read_exact_text(banner("coordinate integer skew-symmetric") +
                                         "3 3 3\n2 1 9007199254740993\n3 1 9223372036854775807\n3 2 -1\n");
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(a.matrix).values,
            (std::vector<std::int64_t>{-large, min + 1, large, 1, -(min + 1), -1}));
  EXPECT_FALSE(a.is_pattern);
  EXPECT_EQ(
      std::get<csr_matrix<std::uint64_t>>(read_exact_text(banner("coordinate unsigned-integer symmetric") +
                                                          "2 2 1\n2 1 18446744073709551615\n")
                                              .matrix)
          .values,
      (std::vector<std::uint64_t>(2, ~std::uint64_t{0})));
  const exact_matrix pattern =
      read_exact_text(banner("coordinate pattern general") + "2 2 3\n1 1\n2 2\n1 1\n");
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(pattern.matrix).values, (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(pattern.is_pattern);
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(
                read_exact_text(banner("array integer general") + "1 2\n9007199254740993\n7\n").matrix)
                .values,
            (std::vector<std::int64_t>{large, 7}));
  EXPECT_EQ(std::get<csr_matrix<std::int64_t>>(read_exact_text(banner("coordinate integer general") +
                                                               "1 1 2\n1 1 9007199254740993\n1 1 -1\n")
                                                   .matrix)
                .values,
            (std::vector<std::int64_t>{large - 1}));
  EXPECT_TRUE(std::holds_alternative<csr_matrix<double>>(
      read_exact_text(banner("coordinate real general") + "1 1 0\n").matrix));
  EXPECT_TRUE(said.empty());
}

TEST(matrix_forms, sums_of_integers_beyond_64_bits_are_refused) {
  const auto complaint = [](const std::string& text) {
    return message_of<file_error>([&] { read_exact_text(text); });
  };
  EXPECT_EQ(
      complaint(banner("coordinate integer general") + "2 3 3\n2 3 9223372036854775807\n1 1 1\n2 3 1\n"),
      "text: the sum of the values in row 2 and column 3 does not fit into 64 bits");
  EXPECT_EQ(
      complaint(banner("coordinate unsigned-integer general") + "1 1 2\n1 1 18446744073709551615\n1 1 1\n"),
      "text: the sum of the values in row 1 and column 1 does not fit into 64 bits");
  EXPECT_EQ(complaint(banner("coordinate integer skew-symmetric") + "2 2 1\n2 1 -9223372036854775808\n"),
            "text:3: the value is '-9223372036854775808': its negative, in the other triangle, does not fit "
            "into 64 bits");
}

TEST(matrix_forms, unsigned_integers_have_64_bits) {
  EXPECT_EQ(
      places_of(banner("coordinate unsigned-integer general") + "1 2 2\n1 1 18446744073709551615\n1 2 +3\n"),
      (places{{{1, 1}, 0x1p64}, {{1, 2}, 3}}));
}

TEST(matrix_forms, numbers_beyond_double_are_rounded_and_said_once) {
  EXPECT_EQ(places_of(banner("coordinate real general") +
                      "1 5 5\n1 1 2\n1 2 1e400\n1 3 -1e-400\n1 4 -0.001e9999999999999999999\n1 5 1e-320\n"),
            (places{{{1, 1}, 2}, {{1, 2}, INFINITY}, {{1, 3}, 0}, {{1, 4}, -INFINITY}, {{1, 5}, 1e-320}}));
  EXPECT_EQ(said, (std::vector<std::string>{"text:4: the value is '1e400', and 2 more, outside the range of "
                                            "a double: read as infinity or zero"}));
}

TEST(matrix_forms, third_columns_of_patterns_are_ignored_and_said_once) {
  EXPECT_EQ(places_of(banner("coordinate pattern general") + "2 2 2\n1 1\n2 2 0.5\n"),
            (places{{{1, 1}, 1}, {{2, 2}, 1}}));
  EXPECT_EQ(said, (std::vector<std::string>{
                      "text:4: the third number is '0.5': a pattern has no values, so they are ignored"}));
}

/// Numbers of all lengths are what the standard library makes of them, however they are read.
TEST(matrix_forms, numbers_are_the_nearest_doubles) {
  generate::random_sequence random(5, generate::stream::values);
  std::string lines;
  std::vector<std::string> texts{"9007199254740993",
                                 "9007199254740992.0",
                                 "1e22",
                                 "1e23",
                                 "123456789012345678901234567890",
                                 "0.1e-21",
                                 "5e-324",
                                 "1.7976931348623157e308",
                                 "-0",
                                 ".5",
                                 "5.",
                                 "0.3",
                                 "1e+5"};
  while (texts.size() < 20'000) {
    std::string text = random.below(2) == 0 ? "-" : "";
    for (std::int64_t n = 1 + random.below(19); n > 0; --n) text += static_cast<char>('0' + random.below(10));
    if (random.below(2) == 0) text += ".";
    for (std::int64_t n = random.below(10); n > 0 && text.find('.') != std::string::npos; --n)
      text += static_cast<char>('0' + random.below(10));
    if (random.below(2) == 0) text += fmt::format("e{}", random.below(60) - 30);
    texts.push_back(text);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) lines += fmt::format("{} 1 {}\n", i + 1, texts[i]);
  const auto a =
      read_text(banner("coordinate real general") + fmt::format("{0} 1 {0}\n", texts.size()) + lines);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(a.values[i], std::strtod(texts[i].c_str(), nullptr)) << texts[i];
}

template <class Offset, class Column>
matrix_rows<double, Offset, Column> rows_of_text(const std::string& text) {
  std::istringstream stream(text);
  text_blocks blocks{byte_source(stream, "text")};
  const matrix_limits limits = limits_of<Offset, Column>();
  const matrix_header shape = read_matrix_header(blocks, limits);
  return read_rows<double, Offset, Column>(blocks, shape, limits, host::ignore_remark);
}

TEST(matrix_forms, indices_are_of_any_width) {
  std::istringstream stream(banner("coordinate real general") +
                            "2 5000000000000 3\n2 4999999999999 7.5\n1 1 1\n2 4294967297 2\n");
  const auto wide = read_wide_matrix<double>(byte_source(stream, "text"));
  EXPECT_EQ(wide.cols, 5'000'000'000'000);
  EXPECT_EQ(wide.offsets, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(wide.columns, (std::vector<std::int64_t>{0, 4294967296, 4999999999998}));
  EXPECT_EQ(wide.values, (std::vector<double>{1, 2, 7.5}));
  // That nothing counts entries by less than the type of the offsets is seen where that is small.
  std::string lines;
  for (int k = 1; k <= 200; ++k) lines += fmt::format("1 {} 1\n", k);
  const std::string text = banner("coordinate real general") + "1 200 200\n" + lines;
  EXPECT_EQ((rows_of_text<std::int16_t, std::int16_t>(text).offsets), (std::vector<std::int16_t>{0, 200}));
  EXPECT_EQ((message_of<file_error>([&] { rows_of_text<std::int8_t, std::int16_t>(text); })),
            "text:2: the number of entries is '200': it must be 0 to 127");
  EXPECT_EQ((message_of<file_error>([&] { rows_of_text<std::int16_t, std::int8_t>(text); })),
            "text:2: the number of columns is '200': it must be 0 to 127");
}

TEST(matrix_forms, dense_matrices_come_back_to_the_bit) {
  const scratch_folder folder;
  const auto path = folder / "a.mtx";
  const dense_matrix<double> real{
      2, 3, {1, 0.1, -0.0, std::numeric_limits<double>::denorm_min(), INFINITY, 1e300}};
  const auto write = [&]<class Value>(const dense_matrix<Value>& a) {
    write_dense<Value>(path, dense_matrix_output,
                       {.values = a.values, .rows = a.rows, .cols = a.cols, .columns_first = true});
  };
  write(real);
  EXPECT_EQ(content_of(path).substr(0, 45), "%%MatrixMarket matrix array real general\n2 3\n");
  const auto back = read_dense_market<double>(byte_source(path));
  EXPECT_EQ(std::tuple(back.rows, back.cols, back.values), std::tuple(real.rows, real.cols, real.values));
  const dense_matrix<complex> other{2, 1, {complex(1, -2), complex(0.1, 3)}};
  write(other);
  EXPECT_EQ(read_dense_market<complex>(byte_source(path)).values, other.values);
  EXPECT_EQ(message_of<file_error>([&] { read_dense_market<double>(byte_source(path)); }),
            path.string() + ":2: the values are complex, but must be real: only spmv and commands that "
                            "ignore values accept complex matrices");
}

/// Many pieces and buckets, against entries in a map.
TEST(matrix_forms, large_files_are_read_by_all_threads) {
  generate::random_sequence random(11, generate::stream::edges);
  constexpr int rows = 30'000, count = 300'000;
  std::map<std::pair<int, int>, double> expected;
  std::string text = banner("coordinate integer symmetric") + fmt::format("{0} {0} {1}\n", rows, count);
  for (int k = 0; k < count; ++k) {
    const int row = static_cast<int>(random.below(rows)),
              col = static_cast<int>(random.below(k % 3 == 0 ? 9 : rows));
    const int value = static_cast<int>(random.below(1000));
    text += k % 1000 == 0 ? "% a comment\n" : "";
    text += fmt::format("{} {} {}\n", row + 1, col + 1, value);
    expected[{row, col}] += value;
    if (row != col) expected[{col, row}] += value;
  }
  const csr_matrix<double> a = read_text(text);
  EXPECT_EQ(broken_rule(a), "");
  ASSERT_EQ(static_cast<std::size_t>(a.atoms()), expected.size());
  auto next = expected.begin();
  for (int row = 0; row < rows; ++row)
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k, ++next)
      ASSERT_EQ(std::tuple(std::pair(row, a.columns[k]), a.values[k]), std::tuple(next->first, next->second));
  // The first wrong line is named, whichever thread reads it, and so is the first superfluous line.
  const auto complaint = [](const std::string& bad) {
    return message_of<file_error>([&] { read_text(bad); });
  };
  EXPECT_EQ(complaint(text + "1 1 1\n"),
            fmt::format("text:{}: '1 1 1' after the last of 300000 entries, the number on line 2",
                        2 + count + count / 1000 + 1));
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(half), '\n') + 1;
  EXPECT_EQ(complaint(std::string(text).insert(half, "0 0 0\n") + "x\n"),
            fmt::format("text:{}: the row is '0': it must be 1 to 30000", line));
}

} // namespace
} // namespace evenly::io::testing
