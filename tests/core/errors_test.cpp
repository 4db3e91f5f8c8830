// SPDX-License-Identifier: Apache-2.0
// Errors can be told apart, and caught together.

#include "evenly/core/errors.hpp"

#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "support/messages.hpp"

namespace evenly {
namespace {

static_assert(std::is_base_of_v<error, invalid_argument> && std::is_base_of_v<error, device_error> &&
              std::is_base_of_v<error, simulation_error> && std::is_base_of_v<std::runtime_error, error>);

TEST(Errors, RequireThrowsWhatTheMessageSays) {
  EXPECT_EQ(message_of<invalid_argument>([] { require(false, [] { return "x = 3: must be even"; }); }),
            "x = 3: must be even");
  EXPECT_EQ(message_of<error>([] { require(false, [] { return std::string("as a string"); }); }),
            "as a string");
}

TEST(Errors, RequireMakesNoMessageInVain) {
  require(true, []() -> const char* { throw 1; });
}

} // namespace
} // namespace evenly
