// SPDX-License-Identifier: Apache-2.0
// in_use: one holder at a time where builds are checked, nothing at all where they are not. (Plans and
// workspaces have their own tests of it.)

#include "evenly/execution/memory.hpp"

#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/simt.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

static_assert(EVENLY_CHECKED == 1, "our tests are checked builds");

const char* const refusal =
    "the thing is in use by another call: it supports one call at a time, and no nested calls";

TEST(InUse, IsForOneAtATime) {
  in_use_flag flag;
  for (int i = 0; i < 3; ++i) {
    const in_use<true> first(flag, "thing");
    EXPECT_EQ(message_of<invalid_argument>([&] { in_use<true>(flag, "thing"); }), refusal);
    EXPECT_EQ(message_of<invalid_argument>([&] { in_use<true>(flag, "thing"); }),
              refusal); // the refused let nothing go
  }
  EXPECT_NO_THROW(in_use<true>(flag, "thing"));
}

TEST(InUse, IsNotLookedAtInUncheckedBuilds) {
  in_use_flag flag;
  const in_use<true> first(flag, "thing");
  {
    const in_use<false> second(flag, "thing");
    const in_use<false> third(flag, "thing");
  }
  EXPECT_EQ(message_of<invalid_argument>([&] { in_use<true>(flag, "thing"); }), refusal);
}

TEST(InUse, DoesNotMove) {
  in_use_flag flag;
  const in_use<true> first(flag, "thing");
  in_use_flag moved = std::move(flag);
  EXPECT_NO_THROW(in_use<true>(moved, "thing"));
}

TEST(Executors, RefuseBadOptions) {
  const auto message = [](simt_options options) {
    return message_of<invalid_argument>([&] { simt{options}; });
  };
  EXPECT_EQ(message({.warp_size = 3}), "warp_size = 3: must be a power of two from 1 to 64");
  EXPECT_EQ(message({.threads = -1}), "threads = -1: must not be negative");
  EXPECT_EQ(message({.patience = -1}), "patience = -1.000000: must be greater than 0 seconds");
  EXPECT_EQ(message({.patience = std::numeric_limits<double>::quiet_NaN()}),
            "patience = nan: must be greater than 0 seconds");
  EXPECT_EQ(message_of<invalid_argument>([] { simt({}, nullptr); }),
            "resource is null: an executor needs a std::pmr::memory_resource");
}

} // namespace
} // namespace evenly
