// SPDX-License-Identifier: Apache-2.0
// Entries shared among persistent blocks, on cpu and simt: graph/persistent_entries_laws.hpp.

#include "graph/persistent_entries_laws.hpp"

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly::laws {
namespace {

TEST(ResidentEntries, AreAllVisitedOnCpu) { expect_all_entries(cpu(2), 1); }

TEST(ResidentEntries, AreAllVisitedOnSimt) {
  expect_all_entries(simt({.warp_size = 8}), 24);
  expect_all_entries(simt({.warp_size = 4, .seed = 7, .switch_at_atomics = true}), 8);
}

} // namespace
} // namespace evenly::laws
