// SPDX-License-Identifier: Apache-2.0
// share_accumulate on a GPU: layouts/accumulate_laws.hpp.
#include "evenly/execution/cuda.hpp"
#include "layouts/accumulate_laws.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

TEST(ShareAccumulateOnCuda, AddsEachIncrementOnce) {
  for (const int block : {100, 256}) expect_sums(cuda(), block);
}

TEST(ReducedShareAccumulateOnCuda, AddsEachIncrementOnce) { expect_sums(cuda(), 40, few_references()); }

TEST(ShareAccumulateOnCuda, RepeatsItsBits) { expect_same_bits(cuda(), cuda(), 64); }

} // namespace
} // namespace evenly::laws
