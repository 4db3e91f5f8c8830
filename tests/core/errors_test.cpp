// SPDX-License-Identifier: Apache-2.0
// Errors have types of their own and a common base.

#include "evenly/core/errors.hpp"

#include <cstdint>
#include <limits>
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

TEST(Errors, MessagesOfTextsAndIntegers) {
  constexpr auto max = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(detail::concat("x = ", -3, ": below ", max), "x = -3: below 18446744073709551615");
  EXPECT_EQ(detail::concat(std::string("least "), std::numeric_limits<std::int64_t>::min()),
            "least -9223372036854775808");
  EXPECT_EQ(detail::concat(std::int8_t{-1}, "", std::uint16_t{0}), "-10");
  EXPECT_EQ(detail::concat(), "");
}

TEST(Errors, RequireMakesNoMessageInVain) {
  require(true, []() -> const char* { throw 1; });
}

} // namespace
} // namespace evenly
