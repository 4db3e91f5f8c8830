// SPDX-License-Identifier: Apache-2.0
#include "json/value.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace evenly::json {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const parse_error& e) {
    return e.what();
  }
  return "";
}

TEST(JsonValue, BracedListsOfNamedPairsAreObjectsAndOthersArrays) {
  EXPECT_EQ(dump_line({{"name", "a"}, {"ms", 1.5}}), R"({"name":"a","ms":1.5})");
  EXPECT_EQ(dump_line({{"n", {1, 2}}}), R"({"n":[1,2]})");
  EXPECT_EQ(dump_line({"merge", "direct"}), R"(["merge","direct"])");
  EXPECT_EQ(dump_line({{1, 2}, {"a", 3}}), R"([[1,2],["a",3]])");
  EXPECT_EQ(dump_line({{"a", 1}, {"a", 2}}), R"({"a":1})");
}

TEST(JsonValue, TypesAreKept) {
  const value all{{"null", nullptr},
                  {"bool", true},
                  {"unsigned", std::numeric_limits<std::uint64_t>::max()},
                  {"real", 2.0},
                  {"float", 0.5F},
                  {"list", std::vector<std::string>{"x", "y"}},
                  {"fixed", std::array<int, 2>{3, 4}},
                  {"none", array()},
                  {"nothing", object()}};
  EXPECT_EQ(dump_line(all),
            R"({"null":null,"bool":true,"unsigned":18446744073709551615,"real":2.0,"float":0.5,)"
            R"("list":["x","y"],"fixed":[3,4],"none":[],"nothing":{}})");
  EXPECT_EQ(parse(dump(all)), all);
  EXPECT_FALSE(all["unsigned"].fits_int64());
  EXPECT_TRUE(all["unsigned"].is_integer());
  EXPECT_FALSE(all["real"].is_integer());
  EXPECT_EQ(all["real"], 2);
  EXPECT_NE(all["unsigned"], -1);
}

TEST(JsonValue, MembersKeepTheirOrder) {
  value all;
  all["z"] = 1;
  all["a"] = 2;
  all.update({{"z", 3}, {"m", 4}});
  EXPECT_EQ(dump_line(all), R"({"z":3,"a":2,"m":4})");
  all.erase("a");
  std::string keys;
  for (const auto& [key, each] : all.items()) keys += key;
  EXPECT_EQ(keys, "zm");
  EXPECT_TRUE(value().items().empty());
  EXPECT_NE(all, (value{{"m", 4}, {"z", 3}}));
}

TEST(JsonValue, AMemberIsCopiedToANewOneOfTheSameObject) {
  value all{{"first", {"a text that is too long for the value itself", 2}}};
  for (int i = 0; i < 20; ++i) all[std::to_string(i)] = all["first"];
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all[std::to_string(i)], all["first"]);
  all["first"] = all["first"][0];
  EXPECT_EQ(all["first"], "a text that is too long for the value itself");
}

TEST(JsonValue, MissingMembersAndOtherTypesThrow) {
  const value all{{"a", 1}};
  EXPECT_EQ(all.find("b"), nullptr);
  EXPECT_THROW(all.at("b"), std::out_of_range);
  EXPECT_THROW(std::ignore = all.at("a").as_string(), std::bad_variant_access);
  EXPECT_THROW(std::ignore = all[0], std::bad_variant_access);
  EXPECT_EQ(value(1).find("a"), nullptr);
}

TEST(JsonValue, FilesAreIndentedAsciiAndLinesAreUtf8) {
  const value all{{"a", {1, "\u00fc"}}, {"bad", "\xff"}};
  EXPECT_EQ(dump(all), "{\n  \"a\": [\n    1,\n    \"\\u00fc\"\n  ],\n  \"bad\": \"\\ufffd\"\n}\n");
  EXPECT_EQ(dump_line(all), "{\"a\":[1,\"\u00fc\"],\"bad\":\"\ufffd\"}");
}

TEST(JsonValue, ParseErrorsSayWhere) {
  EXPECT_EQ(error_of("[1,\n2,"),
            "parse error at line 2, column 3: syntax error while parsing value - unexpected end of "
            "input; expected '[', '{', or a literal");
  EXPECT_EQ(error_of("[1e999]"), "number overflow parsing '1e999'");
  EXPECT_NE(error_of(""), "");
  EXPECT_EQ(error_of(std::string(1000, '[') + std::string(1000, ']')), "");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "arrays and objects are nested more than 1000 deep");
}

TEST(JsonValue, TheLastOfTwoParsedMembersWithOneNameCounts) {
  EXPECT_EQ(dump_line(parse(R"({"a":1,"b":{"c":2},"a":[3,{"d":4},5]})")),
            R"({"a":[3,{"d":4},5],"b":{"c":2}})");
}

} // namespace
} // namespace evenly::json
