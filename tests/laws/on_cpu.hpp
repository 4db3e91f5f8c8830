// SPDX-License-Identifier: Apache-2.0
// The battery on the cpu executor, where a block is one thread and gets 4,096 items or more: block sizes mean nothing,
// but the number of threads decides where work is cut. Several files share the skeletons and tile sets, for compile
// time's sake.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "laws/battery.hpp"

namespace evenly::laws {

/// What a block gets at least.
inline constexpr std::int64_t chunk = 4096;

inline battery<cpu> on(int threads) {
  return {cpu(threads), "cpu of " + std::to_string(threads) + " threads", 128};
}

inline const auto threads_on_cpu = testing::Values(1, 2, 7);

} // namespace evenly::laws
