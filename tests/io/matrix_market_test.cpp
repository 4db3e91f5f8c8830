// SPDX-License-Identifier: Apache-2.0
// Valid files, compared with a dense matrix that is filled naively from the same entries.
#include "io/matrix_market.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "generate/random.hpp"
#include "invariants.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

using dense = std::vector<std::vector<double>>;

/// The matrix as a dense one, once its invariants hold.
dense expand(const csr_matrix<double>& a) {
  EXPECT_EQ(broken_rule(a), "");
  dense d(static_cast<std::size_t>(a.rows), std::vector<double>(static_cast<std::size_t>(a.cols)));
  for (int row = 0; row < a.rows; ++row)
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) d[row][a.columns[k]] = a.values[k];
  return d;
}

constexpr std::string_view small = "%%MatrixMarket matrix coordinate real general\n"
                                   "3 4 4\n"
                                   "3 4 -2.5\n"
                                   "1 1 1\n"
                                   "3 1 4e2\n"
                                   "1 3 +0.125\n";
const dense small_dense{{1, 0, 0.125, 0}, {0, 0, 0, 0}, {400, 0, 0, -2.5}};

class matrix_market : public io_test {};

TEST_F(matrix_market, reads_every_packing_under_any_name) {
  for (const packing how : all_packings) {
    for (const std::string_view name : {"a.mtx", "a.mtx.gz", "a"}) {
      const auto path = file(name, pack(small, how));
      EXPECT_EQ(expand(read_matrix_market(path)), small_dense) << ending(how);
    }
  }
}

TEST_F(matrix_market, reads_packed_pieces_one_after_the_other) {
  const std::string text(small);
  for (const packing how : all_packings)
    EXPECT_EQ(expand(read_text(pack(text.substr(0, 60), how) + pack(text.substr(60), how))), small_dense)
        << ending(how);
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(expand(read_text(skippable + pack(small, packing::zstandard))), small_dense);
}

TEST_F(matrix_market, large_packed_files_come_through_whole) {
  constexpr int rows = 60'000; // some blocks of every format and of the reader
  std::string text = fmt::format("%%MatrixMarket matrix coordinate integer general\n{0} {0} {0}\n", rows);
  generate::random_sequence random(1, generate::stream::values);
  std::vector<double> diagonal;
  for (int row = 1; row <= rows; ++row) {
    diagonal.push_back(random.below(1'000'000'000));
    text += fmt::format("{0} {0} {1}\n", row, diagonal.back());
  }
  for (const packing how : all_packings)
    EXPECT_EQ(read_text(pack(text, how)).values, diagonal) << ending(how);
}

TEST_F(matrix_market, tolerates_layout) {
  EXPECT_EQ(expand(read_text("  %%matrixMARKET  MATRIX Coordinate\tREAL General  \r\n"
                             "% a comment\r\n"
                             "\r\n"
                             "\t3  4 4 \r\n"
                             "%another\n"
                             "3 4 -2.5\r\n"
                             "   1 1 1.0E0   \n"
                             "\n"
                             "  % indented\n"
                             "3\t1\t400\n"
                             "+1 3 .125")), // no end of line
            small_dense);
}

TEST_F(matrix_market, empty_shapes) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {3, 3}}) {
    const auto a =
        read_text(fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} 0\n", rows, cols));
    EXPECT_EQ(broken_rule(a), "");
    EXPECT_EQ(std::tuple(a.rows, a.cols, a.atoms()), std::tuple(rows, cols, 0));
  }
}

TEST_F(matrix_market, adds_entries_at_the_same_place_in_their_order) {
  const auto a = read_text("%%MatrixMarket matrix coordinate real general\n2 2 5\n"
                           "2 2 1e16\n1 2 3\n2 2 1\n2 2 -1e16\n2 1 7\n");
  EXPECT_EQ(expand(a), (dense{{0, 3}, {7, 0}})); // (1e16 + 1) - 1e16 is 0, another order gives 1
  EXPECT_EQ(a.atoms(), 3);
}

TEST_F(matrix_market, special_values) {
  const auto a = read_text("%%MatrixMarket matrix coordinate real general\n1 6 6\n"
                           "1 1 inf\n1 2 -Infinity\n1 3 NaN\n1 4 0\n1 5 4.9e-324\n1 6 -0.0\n");
  EXPECT_EQ(a.values[0], INFINITY);
  EXPECT_EQ(a.values[1], -INFINITY);
  EXPECT_TRUE(std::isnan(a.values[2]));
  EXPECT_EQ(a.values[3], 0); // an explicit zero is an entry
  EXPECT_EQ(a.values[4], 4.9e-324);
  EXPECT_TRUE(std::signbit(a.values[5]));
}

TEST_F(matrix_market, integers_up_to_64_bits) {
  const auto a = read_text("%%MatrixMarket matrix coordinate integer general\n1 2 2\n"
                           "1 1 -9223372036854775808\n1 2 9007199254740993\n");
  EXPECT_EQ(a.values, (std::vector{-0x1p63, 9007199254740992.0}));
}

/// Every field with every symmetry, entries in random order with repeats, against the definition of the
/// formats.
TEST_F(matrix_market, fields_and_symmetries_mean_what_the_format_says) {
  generate::random_sequence random(7, generate::stream::edges);
  for (const std::string field : {"real", "integer", "pattern"})
    for (const std::string symmetry : {"general", "symmetric", "skew-symmetric"}) {
      if (field == "pattern" && symmetry == "skew-symmetric") continue;
      const int rows = 17;
      const int cols = symmetry == "general" ? 23 : rows;
      dense expected(rows, std::vector<double>(static_cast<std::size_t>(cols)));
      std::string lines;
      int count = 0;
      for (; count < 120; ++count) {
        int i = random.below(rows);
        const int j = random.below(cols);
        if (symmetry == "skew-symmetric" && i == j) i = (i + 1) % rows;
        const double value = field == "pattern" ? 1 : random.below(100) - 50;
        lines +=
            fmt::format("{} {}", i + 1, j + 1) + (field == "pattern" ? "\n" : fmt::format(" {}\n", value));
        expected[i][j] += value;
        if (symmetry == "symmetric" && i != j) expected[j][i] += value;
        if (symmetry == "skew-symmetric") expected[j][i] -= value;
      }
      const std::string text = fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n{}", field,
                                           symmetry, rows, cols, count, lines);
      EXPECT_EQ(expand(read_text(text)), expected) << field << ' ' << symmetry;
    }
}

TEST_F(matrix_market, reads_pipes) {
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(pipe) << pack(small, packing::xz); });
  EXPECT_EQ(expand(read_matrix_market(pipe)), small_dense);
}

} // namespace
} // namespace evenly::io::testing
