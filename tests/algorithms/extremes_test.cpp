// SPDX-License-Identifier: Apache-2.0
// minimum, maximum and the pair that ignores NaN, of arrays with NaN: the same on cpu and simt, under every form of
// sharing.

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/extreme_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"

namespace evenly::extremes {
namespace {

TEST(Extremes, OfWholeArraysAreTheSameOnAllExecutors) {
  expect_all_primitives<float>(cpu(2), {0, 1, 5, 300, 40'001});
  expect_all_primitives<double>(cpu(2), {0, 1, 5, 300, 40'001});
  expect_all_primitives<float>(simt(), {0, 1, 5, 300, 9'001});
  expect_all_primitives<double>(simt(), {0, 1, 5, 300, 9'001});
}

TEST(Extremes, OfTilesAreTheSameInAllFormsOfSharing) {
  for_each_form_on<cpu>([](const char* name, const auto& schedule) {
    expect_skeletons<float>(cpu(2), name, schedule, 20'000); // in several blocks
  });
  for_each_form_on<simt>(
      [](const char* name, const auto& schedule) { expect_skeletons<float>(simt(), name, schedule, 5'000); });
}

TEST(Extremes, OfTilesAreTheSameForDoubles) {
  expect_skeletons<double>(cpu(2), "merge_path", merge_path{}, 20'000);
  expect_skeletons<double>(simt(), "merge_path", merge_path{}, 5'000);
  expect_skeletons<double>(simt(), "streamed", streamed{}, 5'000);
}

/// On cpu, registers combine several values of a long tile.
template <class Op> void expect_long_tiles(const cpu& exec) {
  using T = typename Op::value_type;
  const std::vector<int> offsets = some_offsets(20'000);
  std::vector<T> sums(offsets.size() - 1);
  for (const std::vector<T>& values : arrays<T>(20'000)) {
    reduce_tiles(exec, merge_path{}, csr_tiles(offsets), values_of(values.data()), Op{},
                 keep<T>{sums.data()});
    std::vector<T> wanted;
    for (std::size_t t = 0; t < sums.size(); ++t)
      wanted.push_back(
          prefixes(any_extreme<T>{Op::which}, values.data() + offsets[t], offsets[t + 1] - offsets[t])
              .back());
    expect_alike(sums, wanted.data(), any_extreme<T>{Op::which}.name());
  }
}

TEST(Extremes, OfLongTilesAreTheSameInRegisters) {
  const cpu exec(2);
  expect_long_tiles<minimum<double>>(exec);
  expect_long_tiles<maximum<float>>(exec);
  expect_long_tiles<maximum<double>>(exec);
  expect_long_tiles<maximum_number<double>>(exec);
}

} // namespace
} // namespace evenly::extremes
