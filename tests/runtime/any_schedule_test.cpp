// SPDX-License-Identifier: Apache-2.0
// Every name makes a schedule, text and values go there and back, and impossible values are refused by one line.
#include "evenly/runtime/any_schedule.hpp"

#include <string>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/schedules/registry.hpp"

namespace evenly {
namespace {

std::string refused(const std::string& text) {
  try {
    const any_schedule made(text);
    return "taken as " + made.text();
  } catch (const invalid_argument& e) {
    return e.what();
  }
}

TEST(AnySchedule, HasTheRegistrysNamesAndParameters) {
  int index = 0;
  for_each_schedule([&](const std::string& name, const auto& schedule) {
    const any_schedule made(name);
    EXPECT_EQ(made.name(), name);
    EXPECT_EQ(made.text(), name);
    EXPECT_EQ(made.index(), index);
    EXPECT_EQ(schedule_names()[static_cast<std::size_t>(index++)], name);
    std::size_t at = 0;
    schedule.parameters([&](const std::string& key, auto value) {
      ASSERT_LT(at, made.parameters().size());
      EXPECT_EQ(made.parameters()[at++], std::pair(key, static_cast<int>(value)));
    });
    EXPECT_EQ(made.parameters().size(), at);
    EXPECT_EQ(made.settings().front(), "block_size");
  });
  EXPECT_EQ(schedule_names().size(), static_cast<std::size_t>(index));
}

TEST(AnySchedule, TakesValues) {
  any_schedule made("cta_warp_scan:warp_threshold=8,block_size=256");
  EXPECT_EQ(made.text(), "cta_warp_scan:warp_threshold=8,block_size=256");
  EXPECT_EQ(any_schedule(made.text()).parameters(), made.parameters());
  EXPECT_EQ(made.parameters(), (std::vector<std::pair<std::string, int>>{
                                   {"block_size", 256}, {"cta_threshold", 256}, {"warp_threshold", 8}}));
  EXPECT_TRUE(made.is_set("block_size"));
  EXPECT_FALSE(made.is_set("cta_threshold"));
  made.set("block_size", 64);
  EXPECT_EQ(made.text(), "cta_warp_scan:warp_threshold=8,block_size=64");
  EXPECT_EQ(any_schedule("dynamic_group_per_tile:long_tile=99").parameters()[1].second, 99);
}

TEST(AnySchedule, RefusesInOneLine) {
  const std::string of_names = "'merge' is not a schedule; choose one of automatic, thread_mapped, ";
  EXPECT_EQ(refused("merge").substr(0, of_names.size()), of_names);
  EXPECT_EQ(refused("").substr(0, 21), "'' is not a schedule;");
  EXPECT_EQ(refused("a\n" + std::string(99, 'b')).find('\n'), std::string::npos);
  EXPECT_EQ(refused("merge_path:"), "merge_path: '' must be KEY=VALUE");
  EXPECT_EQ(refused("merge_path:block_size"), "merge_path: 'block_size' must be KEY=VALUE");
  EXPECT_EQ(refused("merge_path:block_size=128,"), "merge_path: '' must be KEY=VALUE");
  EXPECT_EQ(refused("merge_path:long_tile=8"),
            "merge_path: 'long_tile' is not a parameter; choose one of block_size");
  EXPECT_EQ(refused("merge_path:items_per_thread=8"),
            "merge_path: 'items_per_thread' is not a parameter; choose one of block_size");
  EXPECT_EQ(refused("merge_path:block_size=1025"), "merge_path: block_size = 1025: must be from 1 to 1024");
  EXPECT_EQ(refused("merge_path:block_size=0"), "merge_path: block_size = 0: must be from 1 to 1024");
  EXPECT_EQ(refused("merge_path:block_size=12x"),
            "merge_path: 'block_size' is '12x': must be a whole number");
  EXPECT_EQ(refused("merge_path:block_size="), "merge_path: 'block_size' is '': must be a whole number");
  EXPECT_EQ(refused("merge_path:block_size=99999999999"),
            "merge_path: 'block_size' is '99999999999': must be a whole number");
  EXPECT_EQ(refused("merge_path:block_size=64,block_size=64"), "merge_path: 'block_size' is given twice");
}

TEST(AnySchedule, IsAutomaticWithSettingsOfItsOwn) {
  const any_schedule plain("automatic");
  EXPECT_TRUE(plain.is_automatic());
  EXPECT_FALSE(any_schedule("merge_path").is_automatic());
  EXPECT_EQ(plain.name(), "automatic");
  EXPECT_EQ(plain.text(), "automatic");
  EXPECT_EQ(plain.settings(), (std::vector<std::string>{"block_size", "expected_runs"}));
  EXPECT_EQ(plain.parameters(), (std::vector<std::pair<std::string, int>>{{"expected_runs", 100}}));
  const any_schedule once("automatic:expected_runs=1,block_size=64");
  EXPECT_EQ(once.parameters(),
            (std::vector<std::pair<std::string, int>>{{"expected_runs", 1}, {"block_size", 64}}));
  EXPECT_EQ(refused("automatic:expected_runs=0"), "automatic: expected_runs = 0: must be from 1 to 1000000");
  EXPECT_EQ(refused("automatic:items=3"),
            "automatic: 'items' is not a parameter; choose one of block_size, expected_runs");
}

} // namespace
} // namespace evenly
