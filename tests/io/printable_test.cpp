// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>

#include "host/errors.hpp"
#include "io/numbers.hpp"

namespace evenly::io::testing {
namespace {

TEST(printable_text, keeps_what_people_read) {
  for (const std::string_view text : {"", "plain ~ text",
                                      "\xc3\x9c"
                                      "bung",
                                      "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(host::printable(text), text);
}

TEST(printable_text, shows_what_controls_a_terminal) {
  EXPECT_EQ(host::printable("\x1b[2J\r\n\x7f"), "\\x1b[2J\\x0d\\x0a\\x7f");
  EXPECT_EQ(host::printable("\xc2\x9b"), "\\xc2\\x9b");          // CSI in one character
  EXPECT_EQ(host::printable("\xe2\x80\xae"), "\\xe2\\x80\\xae"); // right to left from here
  EXPECT_EQ(host::printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8"); // a line separator
  EXPECT_EQ(host::printable(std::string_view("\0", 1)), "\\x00");
}

TEST(printable_text, shows_what_is_not_utf_8) {
  EXPECT_EQ(host::printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(host::printable("\xc0\xaf"), "\\xc0\\xaf");                   // a slash, too long
  EXPECT_EQ(host::printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");          // half of a pair
  EXPECT_EQ(host::printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); // beyond the last character
  EXPECT_EQ(host::printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(real_numbers, what_would_become_zero_is_out_of_range) {
  const auto status = [](std::string_view text) {
    double value = 7;
    const auto [end, ec] = parse_real(text.data(), text.data() + text.size(), value);
    EXPECT_EQ(ec == std::errc{}, value != 7) << text;
    return ec;
  };
  for (const std::string_view text : {"1e-400", "-1e-400", "0.1E-400", "1e-324", "1e400", "-1e400"})
    EXPECT_EQ(status(text), std::errc::result_out_of_range) << text;
  for (const std::string_view text : {"0", "-0", "0e-999", "0.000e5", "1e-310", "5e-324", "1e308"})
    EXPECT_EQ(status(text), std::errc{}) << text;
  EXPECT_EQ(status("one"), std::errc::invalid_argument);
}

} // namespace
} // namespace evenly::io::testing
