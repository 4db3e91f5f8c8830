// SPDX-License-Identifier: Apache-2.0
// The contracts of tabulate and order_by_key, on any executor: each result is compared with a plain loop on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/order_by_key.hpp"
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
    EXPECT_EQ((order_by_key<Keys>(exec, count, key, out.data())), starts) << Keys << " keys, " << count;
    EXPECT_EQ(to_host(exec, out), want) << Keys << " keys, " << count;
  }
}

template <class Executor> void expect_tables_and_sorts(const Executor& exec) {
  expect_tabulates(exec);
  expect_sorts<1, int>(exec);
  expect_sorts<2, unsigned>(exec);
  expect_sorts<65, int>(exec);
  expect_sorts<256, std::int64_t>(exec);
}

} // namespace evenly::primitives
