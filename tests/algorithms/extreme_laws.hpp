// SPDX-License-Identifier: Apache-2.0
// minimum, maximum, minimum_number and maximum_number of arrays with NaN, both zeros and infinities, on any executor:
// the result equals that of a loop by definition, in any order of combination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/work/csr.hpp"
#include "support/monoids.hpp"
#include "support/special_values.hpp"

namespace evenly::extremes {

/// Numbers of which one in `period` is special, the others in [-8, 8); all of them if it is 1.
template <class T> std::vector<T> some_values(std::int64_t count, std::uint64_t period) {
  const std::vector<T> special = special_values<T>();
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mixed(static_cast<std::uint64_t>(i) + period);
    const bool is_special = bits % period == 0;
    values.push_back(is_special ? special[(bits >> 32) % special.size()]
                                : static_cast<T>(static_cast<int>(bits >> 32 & 0xFFFF) - 0x8000) / 4096);
  }
  return values;
}

/// Arrays of `count` values: some special, hardly any, all of them, none but NaN.
template <class T> std::vector<std::vector<T>> arrays(std::int64_t count) {
  return {some_values<T>(count, 37), some_values<T>(count, 1000), some_values<T>(count, 1),
          std::vector<T>(static_cast<std::size_t>(count), std::numeric_limits<T>::quiet_NaN())};
}

/// prefixes[i]: of the first i values.
template <class T> std::vector<T> prefixes(const any_extreme<T>& op, const T* values, std::int64_t count) {
  std::vector<T> all = {op.identity()};
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back(extreme_by_definition(op.which, all.back(), values[i]));
  return all;
}

template <class T> void expect_alike(const std::vector<T>& found, const T* wanted, const std::string& what) {
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(alike(found[i], wanted[i]))
        << what << ": element " << i << " is " << found[i] << ", not " << wanted[i];
}

/// out[i * n + j] = op(values[i], values[j])
template <class Op, class T = typename Op::value_type> struct all_pairs {
  const T* values;
  std::int64_t n;
  EVENLY_FN T operator()(std::int64_t k) const { return Op{}(values[k / n], values[k % n]); }
};

/// Every pair of special values, combined on the executor.
template <class Op, class Executor> void expect_pairs(const Executor& exec) {
  using T = typename Op::value_type;
  const std::vector<T> values = special_values<T>();
  const auto n = static_cast<std::int64_t>(values.size());
  const auto there = to_executor(exec, values);
  const auto out = make_buffer<T>(exec, static_cast<std::size_t>(n * n));
  tabulate(exec, n * n, all_pairs<Op>{there.data(), n}, out.data());
  const auto found = to_host(exec, out);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const T a = values[k / values.size()], b = values[k % values.size()];
    EXPECT_TRUE(alike(found[k], extreme_by_definition(Op::which, a, b)))
        << a << " and " << b << " give " << found[k];
  }
}

/// reduce and both scans, with one of the four or any_extreme.
template <class Op, class Executor>
void expect_primitives(const Executor& exec, const Op& op, std::int64_t count) {
  using T = typename Op::value_type;
  const any_extreme<T> same{op.which};
  for (const std::vector<T>& values : arrays<T>(count)) {
    const std::string what = std::string(same.name()) + " of " + std::to_string(count);
    const auto wanted = prefixes(same, values.data(), count);
    const auto in = to_executor(exec, values);
    const auto out = make_buffer<T>(exec, values.size());
    expect_alike<T>({reduce(exec, in.data(), count, op)}, &wanted.back(), "reduce, " + what);
    inclusive_scan(exec, in.data(), count, op, out.data());
    expect_alike(to_host(exec, out), wanted.data() + 1, "inclusive_scan, " + what);
    exclusive_scan(exec, in.data(), count, op, out.data());
    expect_alike(to_host(exec, out), wanted.data(), "exclusive_scan, " + what);
  }
}

template <class T, class Executor>
void expect_all_primitives(const Executor& exec, const std::vector<std::int64_t>& counts) {
  expect_pairs<minimum<T>>(exec);
  expect_pairs<maximum<T>>(exec);
  expect_pairs<minimum_number<T>>(exec);
  expect_pairs<maximum_number<T>>(exec);
  for (const std::int64_t count : counts) {
    expect_primitives(exec, maximum<T>{}, count);
    for (const detail::extreme which : all_extremes) expect_primitives(exec, any_extreme<T>{which}, count);
  }
}

template <class T> struct keep {
  T* values;
  EVENLY_FN void operator()(std::int64_t i, const T& value) const { values[i] = value; }
};

/// Tiles of many sizes, empty ones too.
inline std::vector<int> some_offsets(std::int64_t atoms) {
  std::vector<int> offsets = {0};
  for (std::uint64_t t = 0; offsets.back() < atoms; ++t) {
    const auto size = t == 20 ? atoms / 2 : static_cast<std::int64_t>(mixed(t) % (t % 3 == 0 ? 3 : 90));
    offsets.push_back(static_cast<int>(smaller<std::int64_t>(offsets.back() + size, atoms)));
  }
  return offsets;
}

/// reduce_tiles and scan_tiles under one schedule.
template <class T, class Executor, class Schedule>
void expect_skeletons(const Executor& exec, const char* name, const Schedule& schedule, std::int64_t atoms) {
  const std::vector<int> offsets = some_offsets(atoms);
  const auto there = to_executor(exec, offsets);
  const std::size_t tiles = offsets.size() - 1;
  auto plan = make_plan(exec, schedule, csr_tiles(there.span()));
  const auto sums = make_buffer<T>(exec, tiles),
             scanned = make_buffer<T>(exec, static_cast<std::size_t>(atoms));
  for (const std::vector<T>& values : arrays<T>(atoms)) {
    const auto in = to_executor(exec, values);
    for (const detail::extreme which : all_extremes) {
      const any_extreme<T> op{which};
      reduce_tiles(exec, plan, values_of(in.data()), op, keep<T>{sums.data()});
      scan_tiles(exec, plan, values_of(in.data()), op, keep<T>{scanned.data()});
      std::vector<T> wanted_sums, wanted;
      for (std::size_t t = 0; t < tiles; ++t) {
        const auto of_tile = prefixes(op, values.data() + offsets[t], offsets[t + 1] - offsets[t]);
        wanted_sums.push_back(of_tile.back());
        wanted.insert(wanted.end(), of_tile.begin() + 1, of_tile.end());
      }
      expect_alike(to_host(exec, sums), wanted_sums.data(),
                   std::string("reduce_tiles, ") + op.name() + ", " + name);
      expect_alike(to_host(exec, scanned), wanted.data(),
                   std::string("scan_tiles, ") + op.name() + ", " + name);
      if (testing::Test::HasFailure()) return;
    }
  }
}

} // namespace evenly::extremes
