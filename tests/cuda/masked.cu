// SPDX-License-Identifier: Apache-2.0
// Masked products, scaling and norms on a GPU: the laws of sparse/masked_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "sparse/masked_laws.hpp"

namespace evenly::systems {
namespace {

TEST(MaskedProductsOnCuda, AreThoseOfSpgemm) { expect_masked_products(cuda()); }

TEST(ScalingAndNormsOnCuda, FollowTheirDefinitions) { expect_scaling_and_norms(cuda()); }

} // namespace
} // namespace evenly::systems
