// SPDX-License-Identifier: Apache-2.0
// Entries shared among persistent blocks, on a GPU: graph/persistent_entries_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/persistent_entries_laws.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedResidentEntriesOnCuda, AreAllVisited) { expect_all_entries(cuda(), 96); }

} // namespace
} // namespace evenly::laws
