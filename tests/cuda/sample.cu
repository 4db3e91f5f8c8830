// SPDX-License-Identifier: Apache-2.0
// A GPU and a CPU compute the same facts of a sample of references.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/layouts/choice/sample.hpp"

namespace evenly::layouts {
namespace {

void expect_same(const access_sample& here, const access_sample& there) {
  EXPECT_EQ(here.share, there.share);
  EXPECT_EQ(here.requests, there.requests);
  EXPECT_EQ(here.lines, there.lines);
  EXPECT_EQ(here.sectors, there.sectors);
  EXPECT_EQ(here.block_sectors, there.block_sectors);
  EXPECT_EQ(here.block_elements, there.block_elements);
}

void expect_samples(std::int64_t threads, int block) {
  const access_shape shape{
      .threads = threads, .references = 5, .elements = threads, .element_bytes = 16, .block = block};
  std::vector<int> p(static_cast<std::size_t>(shape.total_references()));
  for (std::size_t i = 0; i < p.size(); ++i)
    p[i] = static_cast<int>(detail::scattered(i) % static_cast<std::uint64_t>(threads));
  const auto there = to_executor(cuda(), p);
  expect_same(sample_blocks(cuda(), index_list<int>(there), shape),
              sample_blocks(cpu(2), index_list<int>(p), shape));
  expect_same(sample_clusters(cuda(), index_list<int>(there), shape),
              sample_clusters(cpu(2), index_list<int>(p), shape));
}

TEST(SampleOnCuda, IsThatOfCores) {
  for (const std::int64_t threads : {1, 100, 100'000}) expect_samples(threads, 256);
}

TEST(ReducedSampleOnCuda, IsThatOfCores) { expect_samples(300, 40); }

} // namespace
} // namespace evenly::layouts
