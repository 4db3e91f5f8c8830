// SPDX-License-Identifier: Apache-2.0
// The laws of atomic operations on a GPU.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "execution/atomic_laws.hpp"

namespace evenly {
namespace {

TEST(ReducedAtomics, KeepTheirLawsOnCuda) {
  atomic_laws::expect_operations(cuda(), 1, 1);
  atomic_laws::expect_operations(cuda(), 100, 256);
  for (const int blocks : {1, 2, 50}) atomic_laws::expect_orders(cuda(), blocks);
  atomic_laws::expect_nan_stays_out(cuda());
}

} // namespace
} // namespace evenly
