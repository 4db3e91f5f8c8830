// SPDX-License-Identifier: Apache-2.0
// The facts that a sample gives of references equal the counts of the simulated GPU.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/layouts/choice/sample.hpp"
#include "evenly/trace/trace.hpp"
#include "support/messages.hpp"

namespace evenly::layouts {
namespace {

/// Loads all that a thread refers to.
template <class T> struct load_all {
  const int* p;
  access_shape shape;
  const T* a;
  template <class Block> void operator()(Block& block) const {
    const auto elements = traced(block, a);
    const std::int64_t t = std::int64_t{block.index()} * block.size() + block.rank();
    for (std::int64_t r = 0; r < shape.references && t < shape.threads; ++r) {
      const T each = elements[p[r * shape.threads + t]];
      static_cast<void>(each);
    }
  }
};

struct alignas(16) four_floats {
  float x[4];
};
struct alignas(8) five_doubles {
  double x[5];
};

template <class T> void expect_counts(access_shape shape, const std::vector<int>& p, int warp) {
  shape.element_bytes = sizeof(T);
  trace counted;
  const simt exec({.warp_size = warp, .trace = &counted});
  const auto a = make_buffer<T>(exec, static_cast<std::size_t>(shape.elements));
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 128, 0u);
  launch(exec, {block_count(shape.threads, shape.block), shape.block},
         load_all<T>{p.data(), shape, a.data()});
  const trace_counts seen = counted.totals();
  const access_sample said = sample_blocks(cpu(1), index_list<int>(p), shape, {.warp = warp}, 1);
  EXPECT_EQ(said.share, 1);
  EXPECT_EQ(said.requests, static_cast<double>(seen.global_load_requests));
  EXPECT_EQ(said.lines, static_cast<double>(seen.global_load_lines));
  EXPECT_EQ(said.sectors, static_cast<double>(seen.global_load_sectors));
  EXPECT_EQ(said.block_sectors, static_cast<double>(seen.global_load_block_sectors));
}

std::vector<int> random_references(std::int64_t count, int elements) {
  std::mt19937 random(1);
  std::vector<int> p(static_cast<std::size_t>(count));
  for (int& each : p) each = static_cast<int>(random() % static_cast<unsigned>(elements));
  return p;
}

TEST(SampleBlocks, CountsWhatTheSimulatedGpuCounts) {
  for (const int warp : {4, 32})
    for (const int block : {32, 100}) {
      const access_shape many{.threads = 333, .references = 3, .elements = 50, .block = block};
      const access_shape few{.threads = 130, .references = 2, .elements = 5000, .block = block};
      for (const access_shape& each : {many, few}) {
        const std::vector<int> p =
            random_references(each.total_references(), static_cast<int>(each.elements));
        expect_counts<char>(each, p, warp);
        expect_counts<float>(each, p, warp);
        expect_counts<four_floats>(each, p, warp);
        expect_counts<five_doubles>(each, p, warp);
      }
    }
}

/// Loads what the threads of blocks refer to that are listed: [block * size + rank], negative for none.
template <class T> struct load_of_threads {
  const int* threads;
  const int* p;
  access_shape shape;
  const T* a;
  template <class Block> void operator()(Block& block) const {
    const auto elements = traced(block, a);
    const int t = threads[std::int64_t{block.index()} * block.size() + block.rank()];
    for (std::int64_t r = 0; r < shape.references && t >= 0; ++r) {
      const T each = elements[p[r * shape.threads + t]];
      static_cast<void>(each);
    }
  }
};
/// Of those blocks, as trace/detail/block_trace.hpp counts it.
template <class T>
trace_counts counted(const access_shape& shape, const std::vector<int>& p, const std::vector<int>& threads) {
  trace counts;
  const simt exec({.trace = &counts});
  const auto a = make_buffer<T>(exec, static_cast<std::size_t>(shape.elements));
  launch(exec, {static_cast<int>(threads.size()) / shape.block, shape.block},
         load_of_threads<T>{threads.data(), p.data(), shape, a.data()});
  return counts.totals();
}

struct alignas(32) whole_sector {
  float x[8];
};

TEST(SampleBlocks, CountsSomeBlocksAsTheSimulatedGpuDoes) {
  access_shape shape{.threads = 40'100, .references = 5, .elements = 3000, .block = 64};
  shape.element_bytes = sizeof(whole_sector); // different sectors are different elements
  const std::vector<int> p = random_references(shape.total_references(), 3000);
  const std::int64_t all = ceil_div<std::int64_t>(shape.threads, shape.block);
  const std::int64_t some = detail::blocks_of_sample(shape, 0.2);
  ASSERT_LT(some, all / 4);
  std::vector<int> threads(static_cast<std::size_t>(some * shape.block));
  const detail::identity_threads place{shape, all, some};
  for (std::size_t i = 0; i < threads.size(); ++i)
    threads[i] = static_cast<int>(place(static_cast<std::int64_t>(i)));
  const trace_counts seen = counted<whole_sector>(shape, p, threads);
  const access_sample said = sample_blocks(cpu(2), index_list<int>(p), shape, {}, 0.2);
  const double each = static_cast<double>(all) / static_cast<double>(some);
  EXPECT_EQ(said.share, 1 / each);
  EXPECT_EQ(said.requests, each * static_cast<double>(seen.global_load_requests));
  EXPECT_EQ(said.lines, each * static_cast<double>(seen.global_load_lines));
  EXPECT_EQ(said.sectors, each * static_cast<double>(seen.global_load_sectors));
  EXPECT_EQ(said.block_sectors, each * static_cast<double>(seen.global_load_block_sectors));
  EXPECT_EQ(said.block_elements, said.block_sectors);
}

TEST(SampleClusters, CountRequestsAsTheSimulatedGpuDoes) {
  access_shape shape{.threads = 9000, .references = 8, .elements = 9000, .element_bytes = 4, .block = 64};
  const std::vector<int> p = random_references(shape.total_references(), 9000);
  const std::int64_t some = detail::blocks_of_sample(shape, 0.015);
  std::vector<int> threads(static_cast<std::size_t>(some * shape.block));
  const detail::threads_around<int> place{shape, p.data()};
  for (std::size_t i = 0; i < threads.size(); ++i)
    threads[i] = static_cast<int>(place(static_cast<std::int64_t>(i)));
  const trace_counts seen = counted<float>(shape, p, threads);
  const access_sample said = sample_clusters(cpu(2), index_list<int>(p), shape);
  const double each =
      static_cast<double>(ceil_div<std::int64_t>(shape.threads, shape.block)) / static_cast<double>(some);
  EXPECT_EQ(said.requests, each * static_cast<double>(seen.global_load_requests));
  EXPECT_EQ(said.lines, each * static_cast<double>(seen.global_load_lines));
  EXPECT_EQ(said.sectors, each * static_cast<double>(seen.global_load_sectors));
}

TEST(SampleBlocks, SaysOfAllWhatItSeesOfSome) {
  const access_shape shape{.threads = 64 * 4000, .references = 4, .elements = 1000, .block = 64};
  const std::vector<int> p = random_references(shape.total_references(), 1000);
  const access_sample all = sample_blocks(cpu(2), index_list<int>(p), shape, {}, 1);
  const access_sample some = sample_blocks(cpu(2), index_list<int>(p), shape, {}, 0.05);
  EXPECT_EQ(some.share, 0.05);
  EXPECT_NEAR(some.lines, all.lines, 0.02 * all.lines);
  EXPECT_NEAR(some.block_sectors, all.block_sectors, 0.02 * all.block_sectors);
  EXPECT_NEAR(some.block_elements, all.block_elements, 0.02 * all.block_elements);
}

TEST(SampleBlocks, IsTheSameOnTheSimulatedGpu) {
  for (const int bytes : {1, 4, 12, 16, 32, 40, 100}) {
    const access_shape shape{
        .threads = 1000, .references = 3, .elements = 1000, .element_bytes = bytes, .block = 96};
    const std::vector<int> p = random_references(shape.total_references(), 1000);
    const index_list<int> list(p);
    const auto expect_same = [&](const access_sample& here, const access_sample& there) {
      EXPECT_EQ(here.requests, there.requests);
      EXPECT_EQ(here.lines, there.lines);
      EXPECT_EQ(here.sectors, there.sectors);
      EXPECT_EQ(here.block_sectors, there.block_sectors);
      EXPECT_EQ(here.block_elements, there.block_elements);
    };
    expect_same(sample_blocks(simt(), list, shape), sample_blocks(cpu(2), list, shape));
    expect_same(sample_clusters(simt(), list, shape), sample_clusters(cpu(1), list, shape));
  }
}

TEST(SampleBlocks, NoReferences) {
  EXPECT_EQ(sample_blocks(cpu(1), index_list<int>{}, {.threads = 0, .elements = 3}).requests, 0);
  EXPECT_EQ(
      sample_clusters(cpu(1), index_list<int>{}, {.threads = 3, .references = 0, .elements = 3}).requests, 0);
}

TEST(SampleBlocks, RefusesWhatItCannotLookAt) {
  const std::vector<int> p{0};
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { sample_blocks(cpu(1), index_list<int>(p), {.threads = 1, .elements = 1}, {}, 0); }),
            "share = 0.000000: must be greater than 0 and at most 1");
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { sample_clusters(cpu(1), index_list<int>(p), {.threads = 1, .elements = 2}); }),
            "sample_clusters needs as many threads as elements, but there are 1 threads and 2 elements");
}

/// The neighbours of points of a grid of which `shuffled` says the numbers.
std::vector<int> grid_neighbours(int side, bool shuffled) {
  std::vector<int> number(static_cast<std::size_t>(side) * side);
  std::iota(number.begin(), number.end(), 0);
  if (shuffled) std::shuffle(number.begin(), number.end(), std::mt19937(2));
  const int n = side * side;
  std::vector<int> p(static_cast<std::size_t>(8 * n));
  const int dx[] = {-1, 1, 0, 0, -1, -1, 1, 1}, dy[] = {0, 0, -1, 1, -1, 1, -1, 1};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (int r = 0; r < 8; ++r)
        p[static_cast<std::size_t>(r * n + number[y * side + x])] =
            number[(y + dy[r] + side) % side * side + (x + dx[r] + side) % side];
  return p;
}

TEST(SampleClusters, SeesNeighboursWhateverTheirNumbers) {
  constexpr int side = 200, n = side * side;
  const access_shape shape{.threads = n, .references = 8, .elements = n, .element_bytes = 32, .block = 256};
  const std::vector<int> p = grid_neighbours(side, true);
  const access_sample as_is = sample_blocks(cpu(2), index_list<int>(p), shape);
  const access_sample clusters = sample_clusters(cpu(2), index_list<int>(p), shape);
  EXPECT_GT(as_is.block_elements, 7.0 * n);    // eight neighbours each, hardly any of them the same
  EXPECT_LT(clusters.block_elements, 2.5 * n); // a patch of the grid, and what is around it
  EXPECT_GT(clusters.block_elements, 1.0 * n);

  const std::vector<int> at_random = random_references(8 * n, n); // has no patches
  EXPECT_GT(sample_clusters(cpu(2), index_list<int>(at_random), shape).block_elements, 6.0 * n);
}

TEST(SampleClusters, AreTheSameEverywhere) {
  const access_shape shape{.threads = 900, .references = 8, .elements = 900, .block = 64};
  const std::vector<int> p = grid_neighbours(30, true);
  const access_sample here = sample_clusters(cpu(2), index_list<int>(p), shape);
  const access_sample there = sample_clusters(simt(), index_list<int>(p), shape);
  EXPECT_EQ(here.lines, there.lines);
  EXPECT_EQ(here.block_sectors, there.block_sectors);
  EXPECT_EQ(here.block_elements, there.block_elements);
}

} // namespace
} // namespace evenly::layouts
