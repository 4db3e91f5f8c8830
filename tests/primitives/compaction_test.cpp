// SPDX-License-Identifier: Apache-2.0
// select, partition and reduce_by_key on the executors of the host: the laws, large elements, and keys that
// are equal by a rule of one's own.

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "primitives/compaction_laws.hpp"

namespace evenly::primitives {
namespace {

TEST(Compactions, KeepTheLawsOnCpu) {
  const cpu exec(3);
  workspace memory;
  expect_compaction_laws<int>(exec, lengths_to(2100), {2}, memory);
  expect_compaction_laws<stretches::value_type>(exec, lengths_to(2100, 13), {0, 1, 3}, memory);
  expect_compaction_laws<int>(exec, lengths_around_powers(12, 20), {0, 1, 2, 1000}, memory);
}

TEST(Compactions, KeepTheLawsOnSimt) {
  const simt exec;
  workspace memory;
  expect_compaction_laws<stretches::value_type>(exec, lengths_to(400), {2}, memory,
                                                64); // of 320 values is a chunk
  expect_compaction_laws<int>(exec, lengths_to(2100, 13), {2}, memory, 64);
  expect_compaction_laws<stretches::value_type>(exec, lengths_to(2100, 97), {0, 1, 3}, memory, 64);
  expect_compaction_laws<int>(exec, lengths_around_powers(15, 17), {0, 1, 1000}, memory, 64);
  expect_compaction_laws<int>(exec, {300'001}, {2}, memory);
}

TEST(Runs, KeepTheLawsOnCpu) {
  const cpu exec(3);
  workspace memory;
  expect_run_laws<stretches>(exec, lengths_to(2100), {5}, memory);
  expect_run_laws<float_sum>(exec, lengths_to(2100, 13), {0, 1, 100}, memory);
  expect_run_laws<stretches>(exec, lengths_around_powers(12, 20), {0, 1, 5, 10'000}, memory);
}

TEST(Runs, KeepTheLawsOnSimt) {
  const simt exec;
  workspace memory;
  expect_run_laws<stretches>(exec, lengths_to(600), {5}, memory, 64); // of 256 values is a chunk
  expect_run_laws<float_sum>(exec, lengths_to(2100, 97), {0, 1, 100}, memory, 64);
  expect_run_laws<float_sum>(exec, lengths_around_powers(15, 16), {0, 1, 5, 10'000}, memory, 64);
  expect_run_laws<stretches>(exec, {300'001}, {50}, memory);
}

/// Warps of other sizes have other districts and regions of chunks: of one, of 4 and 16.
TEST(Compactions, KeepTheLawsInAnyInterleaving) {
  const std::vector<std::int64_t> lengths{0, 1, 63, 1000, 4097, 20'001};
  for (const int warp : {1, 4, 64}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const simt exec({.warp_size = warp, .seed = seed, .threads = 1 + static_cast<int>(seed % 2)});
      workspace memory;
      expect_compaction_laws<int>(exec, lengths, {3}, memory, 48);
      expect_run_laws<stretches>(exec, lengths, {20}, memory, 48);
      expect_run_laws<float_sum>(exec, lengths, {1000}, memory, 48);
    }
  }
}

struct page {
  std::array<int, 300> of;
};
struct has_odd_number {
  EVENLY_FN bool operator()(const page& p) const { return p.of[0] % 2 != 0; }
};

template <class Executor> void expect_selects_pages(const Executor& exec) {
  std::vector<page> pages(500), found(250);
  for (int i = 0; i < 500; ++i) pages[static_cast<std::size_t>(i)].of.fill(i);
  ASSERT_EQ(select(exec, pages.data(), 500, has_odd_number{}, found.data()), 250);
  for (int i = 0; i < 250; ++i)
    for (const int number : found[static_cast<std::size_t>(i)].of) ASSERT_EQ(number, 2 * i + 1);
}

TEST(Compactions, MoveLargeElements) {
  expect_selects_pages(cpu(2));
  expect_selects_pages(simt());
}

struct same_ten {
  EVENLY_FN bool operator()(std::int64_t a, std::int64_t b) const { return a / 10 == b / 10; }
};

template <class Executor> void expect_tens(const Executor& exec) {
  std::vector<std::int64_t> keys(101), sums(101);
  ASSERT_EQ(reduce_by_key(exec, counting(), counting(), 1005, plus<std::int64_t>{}, keys.data(), sums.data(),
                          same_ten{}),
            101);
  for (std::int64_t ten = 0; ten < 100; ++ten) {
    ASSERT_EQ(keys[static_cast<std::size_t>(ten)], 10 * ten); // the first key of a run
    ASSERT_EQ(sums[static_cast<std::size_t>(ten)], 100 * ten + 45);
  }
  EXPECT_EQ(sums[100], 5 * 1000 + 10);
}

TEST(Runs, AreOfKeysThatTheRuleSaysAreEqual) {
  expect_tens(cpu(2));
  expect_tens(simt());
}

} // namespace
} // namespace evenly::primitives
