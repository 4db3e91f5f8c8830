// SPDX-License-Identifier: Apache-2.0
// reduce, inclusive_scan and exclusive_scan on the executors of the host: the laws, and that bits do
// not depend on the order of threads.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "primitives/scan_laws.hpp"

namespace evenly::primitives {
namespace {

TEST(Scans, KeepTheLawsOnCpu) {
  for (const int threads : {1, 3}) {
    const cpu exec(threads);
    workspace memory;
    expect_scan_laws<stretches>(exec, lengths_to(2100), memory);
    expect_scan_laws<float_sum>(exec, lengths_to(2100), memory);
    expect_scan_laws<latest_byte>(exec, lengths_to(2100, 7), memory);
    expect_scan_laws<stretches>(exec, lengths_around_powers(12, 18), memory);
    expect_scan_laws<float_sum>(exec, lengths_around_powers(12, 20), memory);
  }
}

TEST(Scans, KeepTheLawsOnSimt) {
  const simt exec;
  workspace memory;
  expect_scan_laws<stretches>(exec, lengths_to(400), memory, 64); // of 320 values is a chunk
  expect_scan_laws<stretches>(exec, lengths_to(2100, 13), memory, 64);
  expect_scan_laws<float_sum>(exec, lengths_to(2100, 31), memory, 64);
  expect_scan_laws<latest_byte>(exec, lengths_to(2100, 97), memory, 64);
  expect_scan_laws<stretches>(exec, lengths_around_powers(13, 15), memory, 64);
  expect_scan_laws<float_sum>(exec, {65'537, 200'001}, memory);
}

/// Warps of other sizes have other districts and regions: of one chunk, of 4 and 16.
TEST(Scans, KeepTheLawsInAnyInterleaving) {
  for (const int warp : {1, 4, 64}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const simt exec({.warp_size = warp, .seed = seed, .threads = 1 + static_cast<int>(seed % 2)});
      workspace memory;
      expect_scan_laws<stretches>(exec, {0, 1, 63, 1000, 4097, 20'001}, memory, 48);
      expect_scan_laws<float_sum>(exec, {0, 1, 63, 1000, 4097, 20'001}, memory, 48);
    }
  }
}

TEST(Scans, HaveTheSameBitsWhoeverRunsThem) {
  constexpr std::int64_t n = 150'001;
  const auto on_cpu = float_results(cpu(2), n);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(float_results(cpu(2), n), on_cpu));
  auto by_one = float_results(cpu(1), n);
  by_one.back() = on_cpu.back(); // a reduce is cut for so many threads, a scan is not
  EXPECT_TRUE(same_bits(by_one, on_cpu));
  const auto on_simt = float_results(simt(), n);
  for (const std::uint64_t seed : {0, 1, 2, 3})
    for (const int threads : {1, 3})
      EXPECT_TRUE(same_bits(float_results(simt({.seed = seed, .threads = threads}), n), on_simt)) << seed;
}

TEST(Scans, PutWhatIsNotFiniteWhereALoopPutsIt) {
  for (const std::int64_t n : {5, 100, 33'000}) {
    expect_values_that_are_not_finite(cpu(2), n);
    expect_values_that_are_not_finite(simt(), n);
  }
}

TEST(Scans, TakeFormulasAndOutputsThatAreNoArrays) {
  expect_scans_of_formulas(cpu(2), (std::int64_t{1} << 24) + 5);
  expect_scans_of_formulas(simt(), (std::int64_t{1} << 20) + 5);
}

/// More elements than 32 bits count would take long here in a scan.
TEST(Scans, ReduceMoreThan32BitsCount) {
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 5;
  struct one_now_and_then {
    std::uint64_t operator()(std::int64_t i) const { return static_cast<std::uint64_t>(i >> 31); }
  };
  EXPECT_EQ(reduce(cpu(), generated(one_now_and_then{}), n, word_sum{}), (std::uint64_t{1} << 31) + 10);
}

} // namespace
} // namespace evenly::primitives
