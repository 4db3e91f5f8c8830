// SPDX-License-Identifier: Apache-2.0
// Sources whose capacity is met, and exceeded by one, on a GPU: algorithms/frontier_laws.hpp.

#include <gtest/gtest.h>

#include "algorithms/frontier_laws.hpp"
#include "cuda/one_size.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedCapacitiesOnCuda, AreNotExceeded) { expect_capacities_of_plans_kept(cuda_of_any_size()); }

} // namespace
} // namespace evenly::laws
