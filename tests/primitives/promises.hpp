// SPDX-License-Identifier: Apache-2.0
// What the primitives promise, on any executor: each result is compared with a plain loop on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/exclusive_scan.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/sort_by_key.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "support/monoids.hpp"

namespace evenly::primitives {

/// Numbers of no order in [0, below), times `scale`.
struct scattered {
  std::uint64_t below;
  std::int64_t scale = 1;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(i)) % below) * scale;
  }
};

/// Holds for about one number in `one_in`; for none if that is 0.
struct now_and_then {
  std::uint64_t one_in;
  EVENLY_FN bool operator()(std::int64_t i) const {
    return one_in > 0 && mixed(static_cast<std::uint64_t>(i)) % one_in == 0;
  }
};

/// None, one, few, and so many that threads and blocks share them.
inline const std::vector<std::int64_t> counts = {0, 1, 2, 1000, 4096, 4097, 70'001};

template <class Executor> void expect_tabulates(const Executor& exec) {
  for (const std::int64_t count : counts) {
    const auto out = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(count));
    tabulate(exec, count, scattered{1000}, out.data());
    const auto got = to_host(exec, out);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(got[i], scattered{1000}(i)) << i << " of " << count;
  }
}

template <class Executor> void expect_scans(const Executor& exec) {
  for (const std::int64_t scale : {std::int64_t{1}, std::int64_t{1} << 35}) {
    const scattered value{100, scale};
    for (const std::int64_t count : counts) {
      const auto out = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(count) + 1);
      exclusive_scan(exec, count, value, out.data());
      const auto got = to_host(exec, out);
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(got[i], sum) << i << " of " << count;
        sum += value(i);
      }
      ASSERT_EQ(got[count], sum) << "all of " << count;
    }
  }
}

template <class Executor, class Index> void expect_selects(const Executor& exec) {
  for (const std::uint64_t one_in : {0, 1, 3, 1000}) {
    for (const std::int64_t all : counts) {
      const std::int64_t count = smaller<std::int64_t>(all, std::numeric_limits<Index>::max());
      const now_and_then predicate{one_in};
      std::vector<Index> want;
      for (std::int64_t i = 0; i < count; ++i)
        if (predicate(i)) want.push_back(static_cast<Index>(i));
      const auto out = make_buffer<Index>(exec, want.size()); // no room for more
      EXPECT_EQ(select(exec, count, predicate, out.data()), static_cast<std::int64_t>(want.size()));
      EXPECT_EQ(to_host(exec, out), want) << "one in " << one_in << " of " << count;
    }
  }
}

template <int Keys, class Index, class Executor> void expect_sorts(const Executor& exec) {
  const scattered key{Keys};
  for (const std::int64_t all : counts) {
    const std::int64_t count = smaller<std::int64_t>(all, std::numeric_limits<Index>::max());
    std::vector<Index> want;
    key_starts<Keys> starts{};
    for (int k = 0; k < Keys; ++k) {
      starts[k] = static_cast<std::int64_t>(want.size());
      for (std::int64_t i = 0; i < count; ++i)
        if (key(i) == k) want.push_back(static_cast<Index>(i));
    }
    starts[Keys] = count;
    const auto out = make_buffer<Index>(exec, static_cast<std::size_t>(count));
    EXPECT_EQ((sort_by_key<Keys>(exec, count, key, out.data())), starts) << Keys << " keys, " << count;
    EXPECT_EQ(to_host(exec, out), want) << Keys << " keys, " << count;
  }
}

template <class Executor> void expect_all_right(const Executor& exec) {
  expect_tabulates(exec);
  expect_scans(exec);
  expect_selects<Executor, std::int16_t>(exec);
  expect_selects<Executor, int>(exec);
  expect_selects<Executor, std::int64_t>(exec);
  expect_sorts<1, int>(exec);
  expect_sorts<2, std::int16_t>(exec);
  expect_sorts<65, int>(exec);
  expect_sorts<256, std::int64_t>(exec);
}

} // namespace evenly::primitives
