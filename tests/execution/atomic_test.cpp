// SPDX-License-Identifier: Apache-2.0
// The laws of atomic operations on cpu and simt.

#include "evenly/execution/atomic.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "execution/atomic_laws.hpp"

namespace evenly {
namespace {

TEST(Atomics, KeepTheirLawsOnCpu) {
  for (const int blocks : {1, 2, 300}) atomic_laws::expect_operations(cpu(4), blocks, 1);
  for (const int blocks : {1, 2, 5}) atomic_laws::expect_orders(cpu(4), blocks);
  atomic_laws::expect_nan_stays_out(cpu(1));
}

TEST(Atomics, KeepTheirLawsOnSimt) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt exec({.seed = seed});
    atomic_laws::expect_operations(exec, 1, 1);
    atomic_laws::expect_operations(exec, 3, 33);
    atomic_laws::expect_orders(exec, 5);
    atomic_laws::expect_nan_stays_out(exec);
  }
}

} // namespace
} // namespace evenly
