// SPDX-License-Identifier: Apache-2.0
// Entries shared among blocks that stay, on a GPU: schedules/resident_entries_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "schedules/resident_entries_laws.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedResidentEntriesOnCuda, AreAllVisited) { expect_all_entries(cuda(), 96); }

} // namespace
} // namespace evenly::laws
