// SPDX-License-Identifier: Apache-2.0
// Row sizes alone equal those of the whole matrix, for any order of entries, at a cost proportional to the file.
#include "generate/row_profile.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "generate/generators.hpp"
#include "generate/random.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "io/matrix_market.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

struct place {
  int row;
  int col;
};

class row_profiles : public io_test {
 protected:
  /// Checks the profile of a file with these entries against its matrix.
  void check(const std::string& symmetry, int size, const std::vector<place>& places) {
    std::string text = fmt::format("%%MatrixMarket matrix coordinate pattern {}\n{} {} {}\n", symmetry, size,
                                   size, places.size());
    for (const place& each : places) text += fmt::format("{} {}\n", each.row + 1, each.col + 1);
    const auto path = file("a.mtx", text);
    same(read_row_profile(byte_source(path)), read_matrix_market(path));
  }

  static void same(const generate::row_profile& found, const csr_matrix<double>& right) {
    EXPECT_EQ(found.rows, right.rows);
    EXPECT_EQ(found.cols, right.cols);
    std::vector<int> offsets(right.offsets.size());
    for (const generate::filled_row& each : found.filled) {
      EXPECT_GT(each.size, 0);
      offsets[static_cast<std::size_t>(each.row) + 1] += each.size;
    }
    for (std::size_t row = 1; row < offsets.size(); ++row) offsets[row] += offsets[row - 1];
    EXPECT_EQ(offsets, right.offsets);
    EXPECT_TRUE(std::ranges::is_sorted(found.filled, {}, &generate::filled_row::row));
  }
};

TEST_F(row_profiles, in_every_order_with_repeats_and_in_both_triangles) {
  generate::random_sequence random(5, generate::stream::values);
  for (const std::string symmetry : {"general", "symmetric"})
    for (const int size : {1, 2, 7, 40})
      for (const int entries : {0, 1, 3, 30, 400}) {
        std::vector<place> places;
        for (int k = 0; k < entries; ++k) places.push_back({random.below(size), random.below(size)});
        check(symmetry, size, places);
        std::ranges::sort(places, {}, [](const place& p) { return std::pair(p.row, p.col); });
        check(symmetry, size, places);
        std::ranges::sort(places, {}, [](const place& p) { return std::pair(p.col, p.row); });
        check(symmetry, size, places);
        for (place& each : places)
          if (each.row < each.col) std::swap(each.row, each.col);
        check(symmetry, size, places);
        std::ranges::sort(places, {}, [](const place& p) { return std::pair(p.col, p.row); });
        check(symmetry, size, places);
      }
}

TEST_F(row_profiles, errors_are_those_of_the_matrix) {
  for (const std::string_view rest :
       {"2 2 1\n", "2 2 1\n3 1 1\n", "2 2 2\n2 2 1\n1 1 x\n", "2 2 1\n1 1 1\n2 2 2\n"}) {
    const auto path =
        file("bad.mtx", std::string("%%MatrixMarket matrix coordinate real general\n") + std::string(rest));
    EXPECT_EQ(message_of<file_error>([&] { read_row_profile(byte_source(path)); }),
              message_of<file_error>([&] { read_matrix_market(path); }));
  }
}

TEST_F(row_profiles, of_a_pipe_in_no_order) {
  const auto path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] {
    std::ofstream(path) << "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n3 1\n1 1\n2 2\n3 1\n";
  });
  const generate::row_profile found = read_row_profile(byte_source(path));
  ASSERT_EQ(found.filled.size(), 3u);
  EXPECT_EQ(found.filled[2].size, 1);
}

TEST_F(row_profiles, of_generators) {
  for (const std::string spec :
       {"regular:rows=50,size=3", "powerlaw:rows=1e3,avg=4,sd=10,max=100", "rmat:scale=6,edges=4",
        "grid:x=9,y=8", "banded:rows=20,width=5", "one-dense-row:rows=9,long=40", "mostly-empty:rows=1e3",
        "circuit5M:scale=1e-4"})
    same(generate::generate_profile(spec), generate::generate(spec));
}

TEST_F(row_profiles, announced_rows_cost_nothing) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string_view entries : {"1\n5 7 1\n", "2\n2000000000 1 1\n3 1 1\n"}) {
    const auto path = file("large.mtx", banner + "2000000000 2000000000 " + std::string(entries));
    const cheap here;
    EXPECT_EQ(read_row_profile(byte_source(path)).rows, 2000000000);
    input_source{path.string()};
  }
}

/// Entries at one place that repeat are one, and cost nothing.
TEST_F(row_profiles, repeats_cost_nothing) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n9 9 10000000\n";
  for (int k = 0; k < 10'000'000; ++k) text += "4 4\n";
  const auto path = file("bomb.mtx.gz", pack(text, packing::gzip));
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(read_row_profile(byte_source(path)).filled.size(), 1u);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 << 10) << "KiB";
}

} // namespace
} // namespace evenly::io::testing
