// SPDX-License-Identifier: Apache-2.0
// Masked products, scaling and norms on cores and on the simulated GPU.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "sparse/masked_laws.hpp"

namespace evenly::systems {
namespace {

TEST(MaskedProducts, AreThoseOfSpgemm) {
  expect_masked_products(cpu(1));
  expect_masked_products(cpu(3));
  expect_masked_products(simt({.warp_size = 32, .seed = 1}));
  expect_masked_products(simt({.warp_size = 8, .seed = 2}));
}

TEST(ScalingAndNorms, FollowTheirDefinitions) {
  expect_scaling_and_norms(cpu(3));
  expect_scaling_and_norms(simt({.warp_size = 32, .seed = 3}));
}

} // namespace
} // namespace evenly::systems
