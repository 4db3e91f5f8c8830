// SPDX-License-Identifier: Apache-2.0
// Products on ranks: the same bits for every number of ranks and of threads, under any seed, with and without reach.

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/matrices.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/entries.hpp"
#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/read.hpp"
#include "evenly/distributed/reduce_tiles.hpp"
#include "evenly/distributed/spmm.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using distributed::communicator;
using distributed::local_devices;
using distributed::matrix_options;

const matrix_options blocks_of_96{.split = {.block_size = 8, .blocks_per_group = 2}, .columns = {}};

template <class World> std::vector<double> product_on(const World& world, const csr_matrix<double>& a) {
  auto A = world.distribute(a, blocks_of_96);
  const auto x = world.distribute(uneven_vector(a.cols), A.columns());
  auto y = A * x;
  std::vector<double> first = y.gather();
  A.multiply(x, y); // the second uses the other buffers
  EXPECT_EQ(y.gather(), first);
  A.multiply(x, y);
  EXPECT_EQ(y.gather(), first);
  return first;
}

void expect_near_reference(const std::vector<double>& y, const csr_matrix<double>& a) {
  const std::vector<double> x = uneven_vector(a.cols);
  ASSERT_EQ(y.size(), static_cast<std::size_t>(a.rows));
  for (std::size_t row = 0; row < y.size(); ++row) {
    double sum = 0, size = 0;
    for (auto k = static_cast<std::size_t>(a.offsets[row]); k < static_cast<std::size_t>(a.offsets[row + 1]);
         ++k) {
      const double term = a.values[k] * x[static_cast<std::size_t>(a.columns[k])];
      sum += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(y[row], sum, 1e-12 * size) << "row " << row;
  }
}

TEST(ProductsOnRanks, HaveTheSameBitsOnAnyNumberOfRanks) {
  for (const auto& [name, a] : hard_matrices()) {
    SCOPED_TRACE(name);
    const std::vector<double> one = product_on(distributed::alone(cpu(1)), a);
    expect_near_reference(one, a);
    for (const int ranks : {1, 2, 3, 4, 7})
      for (const int threads : {1, 3})
        EXPECT_EQ(product_on(local_devices(ranks, cpu(threads)), a), one) << ranks << " ranks of " << threads;
    EXPECT_EQ(product_on(local_devices(40, cpu(1)), a), one) << "more ranks than work";
  }
}

TEST(ProductsOnRanks, HaveTheSameBitsUnderAnySeed) {
  const auto matrices = hard_matrices();
  for (const auto& [name, a] : {matrices[4], matrices[5]}) {
    SCOPED_TRACE(name);
    const std::vector<double> one = product_on(distributed::alone(cpu(1)), a);
    for (const bool reaches : {false, true})
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        EXPECT_EQ(product_on(local_devices(4, cpu(1), {.seed = seed, .reaches = reaches}), a), one) << seed;
  }
}

TEST(ProductsOnRanks, HaveTheSameBitsOnSimulatedDevices) {
  for (const auto& [name, a] : hard_matrices()) {
    SCOPED_TRACE(name);
    const std::vector<double> one = product_on(distributed::alone(simt()), a);
    expect_near_reference(one, a);
    for (const int ranks : {2, 3}) EXPECT_EQ(product_on(local_devices(ranks, simt()), a), one) << ranks;
  }
}

TEST(ProductsOnRanks, SendWhatTheCostsSay) {
  for (const auto& [name, a] : hard_matrices())
    for (const int ranks : {1, 2, 4, 7})
      for (const bool reaches : {false, true}) {
        SCOPED_TRACE(name + " on " + std::to_string(ranks));
        const auto world = local_devices(ranks, cpu(1), {.reaches = reaches});
        auto A = world.distribute(a, blocks_of_96);
        const auto found = A.costs(), expected = distributed::costs_of(a.view(), ranks, blocks_of_96);
        ASSERT_EQ(found.size(), expected.size());
        std::int64_t rows = 0, entries = 0, needed = 0, sent = 0;
        for (std::size_t r = 0; r < found.size(); ++r) {
          EXPECT_EQ(found[r], expected[r]) << "rank " << r;
          rows += found[r].rows;
          entries += found[r].entries;
          needed += found[r].needed;
          sent += found[r].sent;
        }
        EXPECT_EQ(rows, a.rows);
        EXPECT_EQ(entries, a.atoms());
        EXPECT_EQ(needed, sent);
        if (name == "one tile over all ranks" && ranks > 1) {
          EXPECT_GE(found[0].carries, 1);
        }
      }
}

/// Counts what another communicator sends.
class counting_communicator final : public communicator {
 public:
  explicit counting_communicator(communicator& of) : communicator(of.rank(), of.size()), of_(of) {}
  using communicator::all_gather;
  void exchange(const char* purpose, std::span<const distributed::outgoing> out,
                std::span<const distributed::incoming> in) override {
    for (const auto& each : out) {
      ++messages;
      bytes += static_cast<std::int64_t>(each.bytes);
    }
    of_.exchange(purpose, out, in);
  }
  void all_gather(const char* purpose, const void* mine, std::size_t size, void* all) override {
    ++gathers;
    of_.all_gather(purpose, mine, size, all);
  }

  std::int64_t messages = 0, bytes = 0, gathers = 0;

 private:
  communicator& of_;
};

TEST(ProductsOnRanks, SendOneMessageToEachNeighbour) {
  for (const auto& [name, a] : hard_matrices())
    for (const int ranks : {2, 4, 7}) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks));
      const auto world = local_devices(ranks, cpu(1), {.reaches = false});
      auto A = world.distribute(a, blocks_of_96);
      const auto x = world.distribute(uneven_vector(a.cols), A.columns());
      const distributed::array<double, cpu> y(world, A.rows());
      const auto costs = distributed::costs_of(a.view(), ranks, blocks_of_96);
      world.run([&](communicator& here) {
        counting_communicator counted(here);
        A.multiply(counted, x.part(here), y.part(here));
        const auto& of = costs[static_cast<std::size_t>(here.rank())];
        EXPECT_EQ(counted.messages, of.targets + (of.carries > 0));
        EXPECT_EQ(counted.bytes, (of.sent + of.carries) * 8);
        EXPECT_EQ(counted.gathers, 0);
      });
    }
}

TEST(ProductsOnRanks, ExplainWhatTheySend) {
  csr_matrix<double> a = matrix_of({1, 190, 1}, 4, 1); // 195 steps: groups of 96, 96 and 3
  auto A =
      local_devices(2, cpu(1)).distribute(a, matrix_options{.split = {.block_size = 4, .blocks_per_group = 2},
                                                            .columns = distributed::ranges({0, 4, 4})});
  EXPECT_EQ(A.explain(),
            "rank 0: 1 rows, 95 entries; receives 0 bytes from 0 ranks; sends 32 bytes to 1 ranks, and 1 "
            "partial sums\n"
            "rank 1: 2 rows, 97 entries; receives 32 bytes from 1 ranks; sends 0 bytes to 0 ranks, and 0 "
            "partial sums\n"
            "imbalance 1.02\n");
}

TEST(ProductsOnRanks, RefuseWhatDoesNotFit) {
  const auto world = local_devices(2, cpu(1));
  csr_matrix<double> a = matrix_of({1, 2}, 5, 1);
  auto A = world.distribute(a);
  EXPECT_EQ(A.columns(), distributed::ranges::equal(5, 2));
  const auto by_rows = world.distribute(uneven_vector(5), distributed::ranges({0, 0, 5}));
  EXPECT_EQ(refusal_of([&] { A* by_rows; }),
            "x has 5 elements, but not in the ranges of the matrix's 5 columns: "
            "distribute it with columns()");
  const auto x = world.distribute(uneven_vector(5), A.columns());
  distributed::array<double, cpu> y(world, distributed::ranges({0, 2, 2}));
  if (A.rows() == y.where()) y = distributed::array<double, cpu>(world, distributed::ranges({0, 0, 2}));
  EXPECT_EQ(refusal_of([&] { A.multiply(x, y); }),
            "y has 2 elements, but not in the ranges of the matrix's 2 rows: "
            "distribute it with rows()");
  const auto other = local_devices(2, cpu(1)).distribute(uneven_vector(5), A.columns());
  EXPECT_EQ(refusal_of([&] { A* other; }),
            "the arrays and the matrix are on different worlds: use one world for all");
  a.columns[1] = 5;
  const std::string outside = refusal_of([&] { world.distribute(a); });
  expect_in(outside, "columns[1] = 5: must be from 0 to 4");
  a.columns[1] = 4;
  EXPECT_EQ(refusal_of([&] {
              world.distribute(a, matrix_options{.split = {}, .columns = distributed::ranges::equal(4, 2)});
            }),
            "ranges of 4 columns on 2 ranks are given for a matrix of 5 columns on 2 ranks");
}

TEST(ProductsOnRanks, HaveSeveralColumns) {
  for (const auto& [name, a] : hard_matrices())
    for (const int columns : {1, 6}) {
      SCOPED_TRACE(name);
      std::vector<double> x, one;
      for (int c = 0; c < columns; ++c) {
        const std::vector<double> column = uneven_vector(a.cols);
        x.resize(column.size() * static_cast<std::size_t>(columns));
        for (std::size_t i = 0; i < column.size(); ++i)
          x[i * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)] = column[i] + c;
      }
      for (const int ranks : {1, 2, 3, 4, 7}) {
        const auto world = local_devices(ranks, cpu(2), {.reaches = ranks != 3});
        auto A = world.distribute(a, blocks_of_96);
        const std::vector<double> y =
            spmm(A, world.distribute(x, A.columns().times(columns)), columns).gather();
        if (ranks == 1) one = y;
        EXPECT_EQ(y, one) << ranks;
      }
      ASSERT_EQ(one.size(), static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(columns));
      std::vector<double> first;
      for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row)
        first.push_back(one[row * static_cast<std::size_t>(columns)]);
      expect_near_reference(first, a);
    }
  const auto world = local_devices(2, cpu(1));
  auto A = world.distribute(matrix_of({1, 2}, 5, 1));
  const auto x = world.distribute(uneven_vector(10));
  EXPECT_EQ(refusal_of([&] { spmm(A, x, 3); }),
            "X has 10 elements, but not in the ranges of 3 columns of 5 rows: distribute it with "
            "A.columns().times(3)");
  EXPECT_EQ(refusal_of([&] { spmm(A, x, 0); }), "columns = 0: X must have at least one");
}

/// The entries of a matrix on ranks, by rows and columns.
template <class Matrix> std::vector<std::tuple<int, int, double>> entries_of(Matrix& a) {
  std::vector<std::tuple<int, int, double>> all;
  a.ranks().run([&](communicator& here) {
    std::vector<distributed::detail::located_entry<double>> mine;
    for_each_entry(a, here, [&](std::int64_t row, std::int64_t column, double value) {
      mine.push_back({static_cast<int>(row), static_cast<int>(column), value});
    });
    const auto found =
        here.all_gather_lists("entries", std::span<const distributed::detail::located_entry<double>>(mine));
    if (here.rank() != 0) return;
    for (const auto& each : found) all.emplace_back(each.row, each.column, each.value);
  });
  return all;
}

TEST(EntriesOnRanks, MakeTheSameMatrixAsTheWholeOne) {
  for (const auto& [name, a] : hard_matrices()) {
    std::map<std::pair<int, int>, double> sums, mirrored;
    for (int row = 0; row < a.rows; ++row)
      for (int k = a.offsets[static_cast<std::size_t>(row)]; k < a.offsets[static_cast<std::size_t>(row) + 1];
           ++k) {
        const auto at = static_cast<std::size_t>(k);
        sums[{row, a.columns[at]}] += a.values[at];
      }
    std::vector<std::tuple<int, int, double>> expected, transposed;
    for (const auto& [at, value] : sums) expected.emplace_back(at.first, at.second, value);
    for (const auto& [at, value] : sums) mirrored[{at.second, at.first}] = value;
    for (const auto& [at, value] : mirrored) transposed.emplace_back(at.first, at.second, value);
    for (const int ranks : {1, 2, 3, 7}) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks));
      const auto world = local_devices(ranks, cpu(1));
      const auto fill_row = [&a = a](int row, const auto& add) {
        for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]); ++k)
          add(a.columns[k], a.values[k]);
      };
      auto made = distributed::generate<double>(world, a.rows, a.cols, fill_row, blocks_of_96);
      EXPECT_EQ(entries_of(made), expected);
      auto turned = transpose(made, blocks_of_96.split);
      EXPECT_EQ(entries_of(turned), transposed);
      EXPECT_EQ(turned.columns(), made.rows());
    }
  }
  EXPECT_EQ(refusal_of([] {
              distributed::from_entries<double>(local_devices(2, cpu(1)), 3, 4,
                                                [](communicator& here, const auto& add) {
                                                  if (here.rank() == 1) add(2, 4, 1.0);
                                                });
            }),
            "rank 1 of 2 failed: an entry at (2, 4): a matrix of 3 x 4 has rows 0 to 2 and columns 0 to 3");
}

TEST(FilesOnRanks, AreReadInRanges) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / ("evenly_ranks_" + std::to_string(::getpid()) + ".mtx")).string();
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  using found = std::vector<std::tuple<int, int, double>>;
  const auto read = [&](int ranks) {
    auto a = distributed::read_matrix_market<double>(local_devices(ranks, cpu(1)), path, blocks_of_96);
    return entries_of(a);
  };
  const std::string three = "3 2 3\n1 1 +1.5\n% between\n3 2 -2e-1\r\n\n  2 1 7 \n";
  for (const int ranks : {1, 2, 3, 7, 60}) {
    SCOPED_TRACE(ranks);
    write("%%MatrixMarket matrix coordinate real general\n% comment\n\n" + three);
    EXPECT_EQ(read(ranks), (found{{0, 0, 1.5}, {1, 0, 7}, {2, 1, -0.2}}));
    write("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n3 1 5\n3 1 6"); // no newline
    EXPECT_EQ(read(ranks), (found{{0, 0, 4}, {0, 2, 11}, {2, 0, 11}}));
    write("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5e999\n");
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(read(ranks), (found{{0, 1, -inf}, {1, 0, inf}}));
    write("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n");
    EXPECT_EQ(read(ranks), (found{{1, 0, 1}}));
    write("%%MatrixMarket matrix coordinate real general\n0 0 0");
    EXPECT_EQ(read(ranks), found{});
  }
  const auto error = [&](const std::string& text) {
    write(text);
    std::string line;
    try {
      read(2);
    } catch (const std::exception& e) {
      line = e.what();
    }
    return line;
  };
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  expect_in(error(head + "2 2 1\n1 1 x\n"), ", byte 52: expected a row, a column and a value");
  expect_in(error(head + "2 2 1\n1 3 1\n"), ", byte 52: the row or the column is outside of the matrix");
  expect_in(error(head + "2 2 2\n1 1 1\n"), ": has 1 entries, but its head announces 2");
  expect_in(error(head + "2 2\n"), "has no line with the numbers of rows, columns and entries");
  expect_in(error("%%MatrixMarket matrix array real general\n"), "ranks read coordinates of real numbers");
  expect_in(error("PK"), "is no Matrix Market file in plain text, which ranks read in ranges");
  EXPECT_FALSE(distributed::is_readable_in_ranges(path));
  write(head + three);
  EXPECT_TRUE(distributed::is_readable_in_ranges(path));
  std::filesystem::remove(path);
}

/// Counts how often each tile is stored.
struct counts_stores {
  std::atomic<int>* counts;
  std::int64_t* sums;
  void operator()(int tile, std::int64_t sum) const {
    counts[tile].fetch_add(1);
    sums[tile] = sum;
  }
};
struct value_of_atom {
  const std::int64_t* values;
  std::int64_t operator()(int atom) const { return values[atom]; }
};

TEST(ReduceTilesOnRanks, StoresEachTileOnceAndTakesEachAtomOnce) {
  for (const auto& [name, a] : hard_matrices())
    for (const int ranks : {1, 2, 3, 4, 7}) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks));
      const auto tiles = csr_tiles(a.offsets);
      const auto plan = distributed::split(tiles, ranks, blocks_of_96.split);
      const auto rows = static_cast<std::size_t>(a.rows);
      std::vector<std::atomic<int>> counts(rows);
      std::vector<std::int64_t> sums(rows), values;
      for (std::int64_t k = 0; k < a.atoms(); ++k) values.push_back(k * k + 1);
      const auto world = local_devices(ranks, cpu(2));
      world.run([&](communicator& here) {
        const auto& from = plan.begin(here.rank());
        distributed::local_tiles<cpu, int> mine(world.executor(here), plan, here.rank(), tiles);
        distributed::reduce_tiles(here, world.executor(here), mine, value_of_atom{values.data() + from.atom},
                                  plus<std::int64_t>{},
                                  counts_stores{counts.data() + from.tile, sums.data() + from.tile});
      });
      for (std::size_t t = 0; t < rows; ++t) {
        std::int64_t expected = 0;
        for (auto k = static_cast<std::size_t>(a.offsets[t]); k < static_cast<std::size_t>(a.offsets[t + 1]);
             ++k)
          expected += values[k];
        ASSERT_EQ(counts[t], 1) << "tile " << t;
        ASSERT_EQ(sums[t], expected) << "tile " << t;
      }
    }
}

TEST(ReductionsOnRanks, HaveTheSameBitsInAnyRanges) {
  for (const int size : {0, 1, 5, 4096, 10000, 100001}) {
    const std::vector<double> x = uneven_vector(size);
    const double one = reduce(distributed::alone(cpu(1)).distribute(x), plus{});
    double sum = 0;
    for (const double each : x) sum += each;
    EXPECT_NEAR(one, sum, 1e-6 * (1 + std::abs(sum)));
    for (const int ranks : {2, 3, 4, 7})
      EXPECT_EQ(reduce(local_devices(ranks, cpu(2)).distribute(x), plus{}), one) << size << " on " << ranks;
    const distributed::ranges uneven({0, size / 9, size / 9, size - size / 3, size});
    EXPECT_EQ(reduce(local_devices(4, cpu(1)).distribute(x, uneven), plus{}), one);
    EXPECT_EQ(reduce(local_devices(3, cpu(1)).distribute(x), maximum{}),
              reduce(distributed::alone(cpu(1)).distribute(x), maximum{}));
  }
}

TEST(ArraysOnRanks, AreGatheredInOrder) {
  const std::vector<double> x = uneven_vector(23);
  for (const int ranks : {1, 2, 7, 40})
    EXPECT_EQ(local_devices(ranks, cpu(1)).distribute(x).gather(), x) << ranks;
  EXPECT_EQ(refusal_of([&] { local_devices(2, cpu(1)).distribute(x, distributed::ranges({0, 20, 22})); }),
            "ranges of 22 elements are given for an array of 23");
  EXPECT_EQ(refusal_of([&] { local_devices(2, cpu(1)).distribute(x, distributed::ranges({0, 20, 22, 23})); }),
            "ranges for 3 ranks are given to a world of 2");
}

} // namespace
} // namespace evenly
