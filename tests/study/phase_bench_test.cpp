// SPDX-License-Identifier: Apache-2.0
#include "study/phase_bench.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "measure/host_timer.hpp"

namespace evenly::cli {

using measure::bench, measure::candidate, measure::host_timer, measure::prepared_run, measure::update_problem;
using study::phase_bench;

namespace {

const std::vector<int> offsets{0, 3, 3, 1000, 20'000};

/// Each experiment says what its run did wrong, if it did.
TEST(PhaseBench, ExperimentsCheckThemselves) {
  study::phase_facts facts;
  const bench on = phase_bench(std::make_unique<host_timer>(1), simt(), update_problem{offsets}, facts);
  std::vector<candidate> all = on.candidates(0);
  std::ranges::move(on.candidates(96), std::back_inserter(all));
  int partial = 0;
  for (const candidate& each : all) {
    on.out->poison();
    const prepared_run made = each.prepare();
    made.run();
    const auto numbers = std::get<std::vector<int>>(on.out->result());
    const auto touched = std::ranges::count_if(numbers, [](int n) { return n != -1; });
    if (each.first_error) {
      ++partial;
      EXPECT_EQ(each.first_error(), std::nullopt) << each.name << ' ' << each.title;
      EXPECT_EQ(touched, 0) << each.name << ' ' << each.title;
    } else {
      EXPECT_EQ(touched, 20'000) << each.name << ' ' << each.title;
    }
  }
  EXPECT_EQ(partial, 5); // two stages, three partitions
  for (const candidate& each : all) {
    if (each.name == "stages" && each.first_error) { // what ran to the end left nothing out
      all.front().prepare().run();
      EXPECT_TRUE(each.first_error().has_value());
    }
  }
}

} // namespace
} // namespace evenly::cli
