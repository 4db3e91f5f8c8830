// SPDX-License-Identifier: Apache-2.0
// select, partition and reduce_by_key on a GPU: the laws, and more elements than 32 bits can count. Tests whose name
// begins with Reduced are few and small enough for compute-sanitizer.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "primitives/compaction_laws.hpp"

namespace evenly::primitives {
namespace {

TEST(CompactionsOnCuda, KeepTheLaws) {
  const cuda exec;
  workspace memory;
  expect_compaction_laws<int>(exec, lengths_to(2100), {2}, memory);
  expect_compaction_laws<int>(exec, lengths_around_powers(12, 22), {0, 1, 2, 1000}, memory);
}

TEST(RunsOnCuda, KeepTheLaws) {
  const cuda exec;
  workspace memory;
  expect_run_laws<stretches>(exec, lengths_to(2100), {5}, memory);
  expect_run_laws<float_sum>(exec, lengths_to(2100, 13), {0, 1, 100}, memory);
  expect_run_laws<float_sum>(exec, lengths_around_powers(12, 21), {0, 1, 5, 10'000}, memory);
  expect_run_laws<stretches>(exec, {1'000'001}, {50}, memory);
}

TEST(ReducedCompactionsOnCuda, KeepTheLaws) {
  const cuda exec;
  workspace memory;
  const std::vector<std::int64_t> lengths{0, 1, 1000, 8193, 100'001};
  expect_compaction_laws<int>(exec, lengths, {2}, memory);
  expect_run_laws<float_sum>(exec, lengths, {20}, memory);
}

/// Multiples of 2^20.
struct is_round {
  EVENLY_FN bool operator()(std::int64_t i) const { return (i & ((1 << 20) - 1)) == 0; }
};

TEST(CompactionsOnCuda, SelectFromMoreThan32BitsCount) {
  constexpr std::int64_t count = (std::int64_t{1} << 32) + 5;
  const cuda exec;
  std::vector<std::int64_t> want;
  for (std::int64_t i = 0; i < count; i += 1 << 20) want.push_back(i);
  const auto out = make_buffer<std::int64_t>(exec, want.size());
  EXPECT_EQ(select(exec, counting(), count, is_round{}, out.data()), static_cast<std::int64_t>(want.size()));
  EXPECT_EQ(to_host(exec, out), want);
}

} // namespace
} // namespace evenly::primitives
