// SPDX-License-Identifier: Apache-2.0
// Generators: their figures, their structure, the same bits everywhere, and refusals.
#include "generate/generators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#if !defined(EVENLY_STD_THREADS)
#include <tbb/global_control.h>
#endif

#include "host/errors.hpp"
#include "invariants.hpp"
#include "support.hpp"

namespace evenly::io::testing {
namespace {

struct figures {
  double average = 0;
  double deviation = 0;
  int longest = 0;
  int longest_rows = 0; ///< rows of that size
  int empty = 0;
};

figures measure(const csr_matrix<double>& a) {
  figures f;
  double squares = 0;
  for (int row = 0; row < a.rows; ++row) {
    const int size = a.offsets[row + 1] - a.offsets[row];
    squares += static_cast<double>(size) * size;
    f.empty += size == 0 ? 1 : 0;
    if (size > f.longest) f.longest_rows = 0;
    f.longest = std::max(f.longest, size);
    f.longest_rows += size == f.longest ? 1 : 0;
  }
  f.average = static_cast<double>(a.atoms()) / a.rows;
  f.deviation = std::sqrt(squares / a.rows - f.average * f.average);
  return f;
}

/// FNV-1a over everything in the matrix.
std::uint64_t hash(const csr_matrix<double>& a) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) h = (h ^ (word >> (8 * byte) & 0xff)) * 0x100000001b3;
  };
  add(static_cast<std::uint64_t>(a.rows));
  add(static_cast<std::uint64_t>(a.cols));
  for (const int offset : a.offsets) add(static_cast<std::uint64_t>(offset));
  for (const int column : a.columns) add(static_cast<std::uint64_t>(column));
  for (const double value : a.values) add(std::bit_cast<std::uint64_t>(value));
  return h;
}

struct golden {
  std::string spec;
  std::uint64_t hash;
};

/// A small instance of every generator. A hash that changes breaks the promise of same bits for the same
/// text.
const std::vector<golden> instances{
    {"regular:rows=1e3,size=8", 0x593a6b26856f2d2a},
    {"regular:rows=1e3,size=8,seed=2", 0xb5d9077b493b8eaa},
    {"powerlaw:rows=5e3,avg=9.5,sd=30,max=1500", 0xe652445eb56387be},
    {"powerlaw:rows=5e3,avg=9.5,sd=30,max=1500,reach=200,far=25", 0xaf918aac5e517c2b},
    {"fem:nodes=300,avg=9,reach=40,dofs=3", 0x78231a79b7f15d75},
    {"rmat:scale=9,edges=12", 0xf7f77626793f46cd},
    {"rmat:scale=9,edges=12,a=0.25,b=0.25,c=0.25,d=0.25,seed=5", 0x69a7607f56a5530},
    {"kron:9", 0x1f57d882f360b7fc},
    {"urand:scale=8,degree=5", 0x87f226033e2e26b1},
    {"grid:x=30,y=20", 0x6ae1fdf7709ae764},
    {"grid:x=7,y=8,z=9", 0x921b4f697df7e78d},
    {"banded:rows=300,width=6", 0x9b566ccd3e26ef5e},
    {"dense:rows=20,cols=30", 0xcd019bb199e20ff},
    {"one-dense-row:rows=500,long=1000", 0x502ad085323afd60},
    {"one-dense-row:scale=0.001", 0xe10c4844565b84ed},
    {"mostly-empty:rows=4000", 0xe9052e7c51790bb1},
    {"mostly-empty:scale=0.0005", 0xe9052e7c51790bb1},
    {"regular8:scale=0.001", 0x593a6b26856f2d2a},
    {"great-britain_osm:scale=0.0005", 0x3326d214ea17ab27},
    {"cit-Patents:scale=0.001", 0xc14d988838fc4e13},
    {"web-NotreDame:scale=0.01", 0x57fef3586577fdda},
    {"circuit5M:scale=0.0005", 0x2a18d52025b8a6e4},
    {"as-Skitter:scale=0.001", 0xd7e4ee0108cbf19},
    {"kron_g500-logn20:scale=0.001", 0x2bd08704dbe8ce01},
    {"band27:scale=0.001", 0x8b2ac3127af5ba60},
};

TEST(generators, every_one_has_an_instance_here) {
  for (const generate::generator_info& known : generate::generators()) {
    const bool listed = std::ranges::any_of(
        instances, [&](const golden& g) { return g.spec.substr(0, g.spec.find(':')) == known.name; });
    EXPECT_TRUE(listed) << known.name;
    EXPECT_EQ(known.keys.back().name == "seed", !generate::has_weights(known.name));
    EXPECT_EQ(known.description.find('\n'), std::string_view::npos);
  }
}

TEST(generators, same_bits_everywhere) {
  for (const golden& g : instances) {
    const auto a = generate::generate(g.spec);
    EXPECT_EQ(broken_rule(a), "") << g.spec;
    EXPECT_EQ(hash(a), g.hash) << g.spec << std::hex << " has 0x" << hash(a);
    const bool has_weights = generate::has_weights(g.spec);
    EXPECT_TRUE(std::ranges::all_of(a.values, [&](double v) {
      return has_weights ? v >= 1 && v <= 255 : v >= -1 && v < 1;
    })) << g.spec;
  }
}

#if !defined(EVENLY_STD_THREADS)
TEST(generators, same_bits_with_any_number_of_threads) {
  for (const std::size_t threads : {1, 3, 8}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    for (const golden& g : instances) EXPECT_EQ(hash(generate::generate(g.spec)), g.hash) << g.spec;
  }
}
#endif

TEST(generators, seeds_and_ways_of_writing) {
  const auto h = [](std::string_view spec) { return hash(generate::generate(spec)); };
  EXPECT_EQ(h("regular:rows=1e3,size=8"), h("regular:size=8,seed=1,rows=1000"));
  EXPECT_EQ(h("regular:rows=1.5e3,size=8"), h("regular:rows=1500,size=8"));
  std::set<std::uint64_t> all;
  for (const std::string seed : {"0", "1", "2", "9007199254740992"})
    all.insert(h("regular:rows=1000,size=8,seed=" + seed));
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(h("one-dense-row:scale=0.001"), h("one-dense-row:rows=1000,long=4000"));
  EXPECT_EQ(h("mostly-empty:scale=0.001"), h("mostly-empty:rows=8000"));
  EXPECT_EQ(h("kron:8"), h("kron:scale=8,degree=16"));
  EXPECT_EQ(h("regular:1e3,size=8"), h("regular:rows=1e3,size=8"));
}

/// Numbers that the GAP benchmark suite prints for these graphs (gapbs, test/reference).
TEST(generators, gap_graphs_are_those_of_gap) {
  EXPECT_EQ(generate::generate("kron:10").atoms(), 2 * 10496);
  EXPECT_EQ(generate::generate("urand:10").atoms(), 2 * 16125);
  EXPECT_EQ(generate::generate("kron:10,release=1.4").atoms(), 2 * 10496);
  EXPECT_EQ(generate::generate("urand:10,release=1.4").atoms(), 2 * 16104);
}

// --- figures
// -------------------------------------------------------------------------------------------------------

struct workload {
  std::string_view name;
  int rows;
  int cols;
  double entries, average, deviation;
  int longest;
};

/// The figures of the multi-phase mapping paper's workloads, and three more; kron_g500-logn20 has its own
/// test.
constexpr workload workloads[]{
    {"great-britain_osm", 7'733'822, 7'733'822, 16.2e6, 2.1, 0.5, 8},
    {"cit-Patents", 3'774'768, 3'774'768, 16.5e6, 4.38, 7.5, 770},
    {"web-NotreDame", 325'729, 325'729, 1.5e6, 4.6, 21.4, 3445},
    {"regular8", 1'000'000, 1'000'000, 8e6, 8, 0, 8},
    {"circuit5M", 5'558'326, 5'558'326, 59.5e6, 10.7, 1356.6, 1'290'501},
    {"as-Skitter", 1'696'415, 1'696'415, 22.2e6, 13.1, 136.9, 35'455},
    {"band27", 2'000'000, 2'000'000, 53.2e6, 26.6, 1.9, 27},
    {"one-dense-row", 1'000'000, 4'000'000, 5e6, 5, 4000, 4'000'000},
    {"mostly-empty", 8'000'000, 8'000'000, 3.2e6, 0.4, 1.4, 7},
};

TEST(generators, workloads_have_their_figures) {
  if (sanitized) GTEST_SKIP() << "takes minutes under a sanitizer, which the likenesses above suit as well";
  for (const workload& w : workloads) {
    SCOPED_TRACE(w.name);
    const auto a = generate::generate(w.name);
    const figures got = measure(a);
    EXPECT_EQ(a.rows, w.rows);
    EXPECT_EQ(a.cols, w.cols);
    EXPECT_NEAR(a.atoms(), w.entries, 0.02 * w.entries);
    EXPECT_NEAR(got.average, w.average, 0.02 * w.average);
    EXPECT_NEAR(got.deviation, w.deviation, 0.02 * w.deviation);
    EXPECT_EQ(got.longest, w.longest);
    EXPECT_EQ(broken_rule(a), "");
  }
}

TEST(generators, columns_within_reach) {
  const auto a = generate::generate("powerlaw:rows=4000,avg=20,sd=30,max=900,reach=100,far=25");
  int far = 0;
  for (int row = 0; row < a.rows; ++row)
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
      far += std::abs(a.columns[k] - row) > 200 ? 1 : 0;
  EXPECT_NEAR(far / static_cast<double>(a.atoms()), 0.25, 0.06) << "and rows wider than their window";
  const auto near = generate::generate("powerlaw:rows=4000,avg=20,sd=10,max=90,reach=100");
  for (int row = 0; row < near.rows; ++row)
    for (int k = near.offsets[row]; k < near.offsets[row + 1]; ++k)
      ASSERT_LE(std::abs(near.columns[k] - row), 200) << row; // at the border the window is shifted
}

TEST(generators, rows_of_a_node_are_alike) {
  const auto a = generate::generate("fem:nodes=500,avg=8,reach=30,dofs=3");
  ASSERT_EQ(a.rows, 1500);
  for (int row = 0; row < a.rows; ++row) {
    const int size = a.offsets[row + 1] - a.offsets[row], first = row / 3 * 3;
    EXPECT_GE(size, 12);
    EXPECT_LE(size, 36);
    EXPECT_EQ(size, a.offsets[first + 1] - a.offsets[first]);
    for (int k = 0; k < size; ++k) {
      EXPECT_EQ(a.columns[a.offsets[row] + k], a.columns[a.offsets[first] + k]);
      EXPECT_EQ(a.columns[a.offsets[row] + k] % 3, k % 3);
    }
  }
}

TEST(generators, powerlaw_hits_its_figures) {
  for (const workload& w : std::initializer_list<workload>{
           {"powerlaw:rows=1e5,avg=10,sd=50,max=1e4", 100'000, 100'000, 1e6, 10, 50, 10'000},
           {"powerlaw:rows=1e4,avg=10,sd=20,max=300", 10'000, 10'000, 1e5, 10, 20, 300},
           {"powerlaw:rows=1e5,avg=0.4,sd=1,max=20", 100'000, 100'000, 4e4, 0.4, 1, 20},
           {"powerlaw:rows=1000,avg=5,sd=20,max=500", 1000, 1000, 5e3, 5, 20, 500},
           {"powerlaw:rows=2e4,avg=300,sd=500,max=2e4", 20'000, 20'000, 6e6, 300, 500, 20'000},
           {"powerlaw:rows=1e5,avg=50,sd=10,max=100", 100'000, 100'000, 5e6, 50, 10, 100},
           {"powerlaw:rows=1e5,avg=50,sd=40,max=100", 100'000, 100'000, 5e6, 50, 40, 100}}) {
    SCOPED_TRACE(w.name);
    const auto a = generate::generate(w.name);
    const figures got = measure(a);
    EXPECT_EQ(a.rows, w.rows);
    EXPECT_NEAR(got.average, w.average, 0.02 * w.average);
    EXPECT_NEAR(got.deviation, w.deviation, 0.02 * w.deviation);
    EXPECT_EQ(got.longest, w.longest);
    EXPECT_EQ(got.longest_rows, 1);
  }
}

TEST(generators, likenesses_shrink_rows_and_long_rows) {
  const auto circuit = generate::generate("circuit5M:scale=0.01");
  EXPECT_EQ(circuit.rows, 55'583);
  EXPECT_EQ(measure(circuit).longest, 12'905);
  EXPECT_NEAR(measure(circuit).average, 10.7, 0.1);
  EXPECT_EQ(measure(generate::generate("as-Skitter:scale=0.01")).longest, 355);
  EXPECT_EQ(measure(generate::generate("cit-Patents:scale=0.01")).longest, 100);
  EXPECT_EQ(measure(generate::generate("cit-Patents:scale=0.01")).empty, 3774);
  EXPECT_EQ(generate::generate("kron_g500-logn20:scale=0.01").rows, 1 << 13);
  EXPECT_EQ(generate::generate("band27:scale=0.001").rows, 13 * 13 * 13);
  for (const workload& w : workloads)
    EXPECT_EQ(broken_rule(generate::generate(std::string(w.name) + ":scale=1e-12")), "") << w.name;
}

// --- structure
// -----------------------------------------------------------------------------------------------------

/// Rows of alike sizes stay together; their number and sizes stay the same.
TEST(generators, likenesses_have_a_locality) {
  const auto sizes_of = [](const std::string& spec) {
    const std::vector<int> offsets = generate::generate(spec).offsets;
    std::vector<int> sizes;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) sizes.push_back(offsets[i + 1] - offsets[i]);
    return sizes;
  };
  const auto neighbours_alike = [](const std::vector<int>& sizes) {
    std::size_t alike = 0;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) alike += sizes[i] == sizes[i + 1] ? 1 : 0;
    return alike;
  };
  for (const char* const likeness :
       {"great-britain_osm", "cit-Patents", "web-NotreDame", "circuit5M", "as-Skitter"}) {
    const std::string name = likeness;
    std::vector<int> shuffled = sizes_of(name + ":scale=0.001");
    EXPECT_EQ(sizes_of(name + ":scale=0.001,locality=1"), shuffled);
    std::vector<int> together = sizes_of(name + ":scale=0.001,locality=16");
    EXPECT_GT(neighbours_alike(together), shuffled.size() * 3 / 4) << name;
    EXPECT_GT(neighbours_alike(together), neighbours_alike(shuffled)) << name;
    std::ranges::sort(shuffled);
    std::ranges::sort(together);
    EXPECT_EQ(together, shuffled) << name;
  }
}

TEST(generators, columns_are_one_of_each_stratum) {
  const auto a = generate::generate("powerlaw:rows=3000,avg=20,sd=40,max=900");
  for (int row = 0; row < a.rows; ++row) {
    const std::int64_t size = a.offsets[row + 1] - a.offsets[row];
    for (std::int64_t k = 0; k < size; ++k) {
      const int column = a.columns[static_cast<std::size_t>(a.offsets[row] + k)];
      EXPECT_GE(column, a.cols * k / size);
      EXPECT_LT(column, a.cols * (k + 1) / size);
    }
  }
}

TEST(generators, great_britain_osm_stays_near_the_diagonal) {
  const auto a = generate::generate("great-britain_osm:scale=0.05");
  int near = 0;
  int farthest = 0;
  for (int row = 0; row < a.rows; ++row)
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const int distance = std::abs(a.columns[k] - row);
      near += distance <= 300 ? 1 : 0;
      farthest = std::max(farthest, distance);
    }
  EXPECT_NEAR(near, 0.95 * a.atoms(), 0.005 * a.atoms());
  EXPECT_LE(farthest, 50'000);
  EXPECT_GT(farthest, 49'000);
}

TEST(generators, grids_couple_neighbours) {
  for (const auto& [spec, x, y, z, reach] : {std::tuple{"grid:x=5,y=4", 5, 4, 1, 1},
                                             {"grid:x=4,y=3,z=5", 4, 3, 5, 1},
                                             {"band27:scale=2e-6", 2, 2, 2, 3}}) {
    const auto a = generate::generate(spec);
    ASSERT_EQ(a.rows, x * y * z) << spec;
    std::vector<int> expected;
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.rows; ++j) {
        const int dx = std::abs(i % x - j % x);
        const int dy = std::abs(i / x % y - j / x % y);
        const int dz = std::abs(i / x / y - j / x / y);
        const bool coupled = reach == 1 ? dx + dy + dz == 1 : std::max({dx, dy, dz}) <= 1;
        if (coupled) expected.push_back(i * a.rows + j);
      }
    std::vector<int> got;
    for (int i = 0; i < a.rows; ++i)
      for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k) got.push_back(i * a.rows + a.columns[k]);
    EXPECT_EQ(got, expected) << spec;
  }
}

TEST(generators, banded_dense_and_one_dense_row) {
  const auto banded = generate::generate("banded:rows=6,width=4");
  EXPECT_EQ(banded.offsets, (std::vector{0, 3, 7, 11, 15, 18, 20}));
  EXPECT_EQ(std::vector(banded.columns.begin(), banded.columns.begin() + 11),
            (std::vector{0, 1, 2, 0, 1, 2, 3, 1, 2, 3, 4}));
  const auto dense = generate::generate("dense:rows=2,cols=3");
  EXPECT_EQ(dense.columns, (std::vector{0, 1, 2, 0, 1, 2}));
  const auto one = generate::generate("one-dense-row:rows=5,long=7");
  EXPECT_EQ(one.cols, 7);
  EXPECT_EQ(one.offsets, (std::vector{0, 1, 2, 9, 10, 11}));
}

TEST(generators, rmat_is_a_graph) {
  const auto a = generate::generate("rmat:scale=8,edges=20");
  std::set<std::pair<int, int>> edges;
  for (int row = 0; row < a.rows; ++row)
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      EXPECT_NE(a.columns[k], row);
      edges.emplace(row, a.columns[k]);
    }
  for (const auto& [from, to] : edges) EXPECT_TRUE(edges.contains({to, from}));
}

/// A pair of vertices is missed by all edges with probability (1 - p(u,v) - p(v,u))^edges, where p is a
/// product of quarters over the bits of u and v.
TEST(generators, rmat_has_as_many_entries_as_its_parameters_give) {
  constexpr int scale = 10;
  constexpr double quarters[2][2] = {{0.57, 0.19}, {0.19, 0.05}};
  constexpr double edges = 16 << scale;
  const auto probability = [&](int u, int v) {
    double p = 1;
    for (int bit = 0; bit < scale; ++bit) p *= quarters[u >> bit & 1][v >> bit & 1];
    return p;
  };
  double expected = 0;
  double expected_longest = 0;
  for (int u = 0; u < 1 << scale; ++u) {
    double degree = 0;
    for (int v = 0; v < 1 << scale; ++v)
      if (u != v) degree += 1 - std::pow(1 - probability(u, v) - probability(v, u), edges);
    expected += degree;
    expected_longest = std::max(expected_longest, degree);
  }
  const auto a = generate::generate("rmat:scale=10,edges=16");
  EXPECT_NEAR(a.atoms(), expected, 0.02 * expected);
  EXPECT_NEAR(measure(a).longest, expected_longest, 0.05 * expected_longest);
}

// --- refusals
// -----------------------------------------------------------------------------------------------

std::string spec_complaint(std::string_view spec) {
  const cheap here;
  return message_of<host::spec_error>([&] { generate::generate(spec); });
}

TEST(generators, refuse_with_the_rule) {
  const std::pair<std::string_view, std::string_view> cases[]{
      {"nothing",
       "'nothing' is not a generator; choose one of regular, powerlaw, fem, rmat, kron, urand, grid, "
       "banded, dense, one-dense-row, mostly-empty, regular8, great-britain_osm, cit-Patents, web-NotreDame, "
       "circuit5M, as-Skitter, kron_g500-logn20, band27"},
      {"regular", "regular: rows is missing: regular:rows=,size=[,seed=1]"},
      {"regular:rows=5", "regular:rows=5: size is missing: regular:rows=,size=[,seed=1]"},
      {"regular:", "regular:: '' is not a parameter of regular: regular:rows=,size=[,seed=1]"},
      {"regular:rows=5,size=2,",
       "regular:rows=5,size=2,: '' is not a parameter of regular: regular:rows=,size=[,seed=1]"},
      {"regular:rows=5,width=2",
       "regular:rows=5,width=2: 'width' is not a parameter of regular: regular:rows=,size=[,seed=1]"},
      {"mostly-empty:cols=1", "mostly-empty:cols=1: 'cols' is not a parameter of mostly-empty: "
                              "mostly-empty[:rows=8e6,scale=1,seed=1]"},
      {"regular:rows=5,size=2,rows=6", "regular:rows=5,size=2,rows=6: rows is given twice"},
      {"regular:rows=5,size", "regular:rows=5,size: size has no value"},
      {"regular:rows=5,size=", "regular:rows=5,size=: size has no value"},
      {"regular:rows=5,size=two", "regular:rows=5,size=two: size = 'two' is not a number"},
      {"regular:rows=5,size=2x", "regular:rows=5,size=2x: size = '2x' is not a number"},
      {"regular:rows=5,size=nan", "regular:rows=5,size=nan: size = 'nan' is not a number"},
      {"regular:rows=5,size=0.5", "regular:rows=5,size=0.5: size = '0.5' must be a whole number"},
      {"regular:rows=5,size=-1", "regular:rows=5,size=-1: size = '-1' must be 0 to 5"},
      {"regular:rows=5,size=6", "regular:rows=5,size=6: size = '6' must be 0 to 5"},
      {"regular:rows=0,size=0", "regular:rows=0,size=0: rows = '0' must be 1 to 2147483646"},
      {"regular:rows=1e10,size=1", "regular:rows=1e10,size=1: rows = '1e10' must be 1 to 2147483646"},
      {"regular:rows=inf,size=1", "regular:rows=inf,size=1: rows = 'inf' must be 1 to 2147483646"},
      {"regular:rows=1e999,size=1", "regular:rows=1e999,size=1: rows = '1e999' is out of range"},
      {"regular:rows=5,size=2,seed=-1",
       "regular:rows=5,size=2,seed=-1: seed = '-1' must be 0 to 9007199254740992"},
      {"regular:rows=1e9,size=3",
       "regular:rows=1e9,size=3: the matrix would have more than 2147483647 entries, the supported maximum"},
      {"dense:rows=1e5,cols=1e5",
       "dense:rows=1e5,cols=1e5: the matrix would have more than 2147483647 entries, the supported maximum"},
      {"banded:rows=1e9,width=5",
       "banded:rows=1e9,width=5: the matrix would have more than 2147483647 entries, the supported maximum"},
      {"grid:x=1e9,y=2",
       "grid:x=1e9,y=2: the matrix would have more than 2147483647 entries, the supported maximum"},
      {"grid:x=1e9,y=1e9", "grid:x=1e9,y=1e9: x * y * z must be at most 2147483646"},
      {"grid:x=1e5,y=1e4,z=1e9", "grid:x=1e5,y=1e4,z=1e9: x * y * z must be at most 2147483646"},
      {"rmat:scale=30,edges=48",
       "rmat:scale=30,edges=48: the matrix would have more than 2147483647 entries, the supported maximum"},
      {"rmat:scale=31,edges=1", "rmat:scale=31,edges=1: scale = '31' must be 0 to 30"},
      {"rmat:scale=3,edges=1,a=0.5", "rmat:scale=3,edges=1,a=0.5: a + b + c + d must be 1"},
      {"powerlaw:rows=1e9,avg=3,sd=3,max=9", "powerlaw:rows=1e9,avg=3,sd=3,max=9: the matrix would have more "
                                             "than 2147483647 entries, the supported maximum"},
      {"powerlaw:rows=1e3,avg=5,sd=5,max=1001",
       "powerlaw:rows=1e3,avg=5,sd=5,max=1001: max = '1001' must be 1 to 1000"},
      {"powerlaw:rows=1e3,avg=6,sd=5,max=5", "powerlaw:rows=1e3,avg=6,sd=5,max=5: avg = '6' must be 0 to 5"},
      {"powerlaw:rows=1e4,avg=50,sd=80,max=100",
       "powerlaw:rows=1e4,avg=50,sd=80,max=100: no lognormal distribution clipped at max has this avg and "
       "sd; with one row of 100 entries among 10000, avg must be greater than 0.01 and sd from 0.5 to 50"},
      {"circuit5M:scale=0", "circuit5M:scale=0: scale must be greater than 0"},
      {"circuit5M:scale=2", "circuit5M:scale=2: scale = '2' must be 0 to 1"},
      {"kron:scale=10,5",
       "kron:scale=10,5: '5' is not a parameter of kron: kron:scale=[,degree=16,release=1.5]"},
      {"kron:10,seed=2",
       "kron:10,seed=2: 'seed' is not a parameter of kron: kron:scale=[,degree=16,release=1.5]"},
      {"kron:ten", "kron:ten: 'ten' is not a parameter of kron: kron:scale=[,degree=16,release=1.5]"},
      {"urand:26", "urand:26: the matrix would have more than 2147483647 entries, the supported maximum"},
      {"line\nbreak", "'line\\x0abreak' is not a generator; choose one of regular, "},
  };
  for (const auto& [spec, expected] : cases) {
    const std::string message = spec_complaint(spec);
    EXPECT_EQ(message.substr(0, expected.size()), expected) << spec;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(generators, none_takes_memory_before_it_is_known_to_be_there) {
  if (sanitized) GTEST_SKIP() << "the address space cannot be limited under a sanitizer";
  for (const std::string spec :
       {"regular:rows=2e9,size=1", "powerlaw:rows=2e9,avg=1,sd=1,max=9", "rmat:scale=30,edges=0",
        "rmat:scale=0,edges=1e9", "kron:25", "grid:x=2e4,y=2e4", "banded:rows=2e9,width=1",
        "dense:rows=2e9,cols=1", "one-dense-row:rows=2,long=2e9", "mostly-empty:rows=2e9"}) {
    const int status = status_in_child([&] {
      limit_resource(RLIMIT_AS, 1 << 30);
      const cheap here;
      const std::string first = message_of<host::memory_error>([&] { generate::generate(spec); });
      return first.ends_with("(ulimit -v)") &&
                     first == message_of<host::memory_error>([&] { generate::check_generator(spec); })
                 ? 0
                 : 1;
    });
    EXPECT_EQ(status, 0) << spec;
  }
}

TEST(generators, too_little_memory_is_a_message) {
  if (sanitized) GTEST_SKIP() << "the address space cannot be limited under a sanitizer";
  EXPECT_EQ(status_in_child([&] {
              limit_resource(RLIMIT_AS, 1 << 30);
              const std::string message =
                  message_of<host::memory_error>([] { generate::generate("dense:rows=20000,cols=20000"); });
              const bool said =
                  message.starts_with("dense:rows=20000,cols=20000: 4.81 GB of memory are needed, but ") &&
                  message.ends_with(" are available (ulimit -v)");
              return said ? 0 : 1;
            }),
            0);
}

} // namespace
} // namespace evenly::io::testing
