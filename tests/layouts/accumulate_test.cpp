// SPDX-License-Identifier: Apache-2.0
// share_accumulate on the cores of this machine and on the simulated GPU.
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "layouts/accumulate_laws.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

TEST(ShareAccumulate, AddsEachIncrementOnce) {
  for (const int block : {1, 100, 256}) expect_sums(cpu(2), block);
  expect_sums(simt(), 100);
}

TEST(ShareAccumulate, RepeatsItsBits) {
  expect_same_bits(cpu(1), cpu(1), 64);
  expect_same_bits(simt({.seed = 1}), simt({.seed = 2}), 64);
}

} // namespace
} // namespace evenly::laws
