// SPDX-License-Identifier: Apache-2.0
// Segments of an array: all forms against a loop, on cpu and on the simulated GPU, and refusals.

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/schedules/default_plan.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// 3 elements in front of the first segment, which no segment has, and 2 behind the last.
struct segments {
  std::vector<float> values;
  std::vector<int> offsets{3};

  explicit segments(int count) {
    for (int s = 0; s < count; ++s) offsets.push_back(offsets.back() + (s % 5 == 4 ? 700 : s % 3));
    for (int i = 0; i < offsets.back() + 2; ++i) values.push_back(static_cast<float>(i % 13) - 4);
  }
};

/// sums: of each segment; inclusive, exclusive: of each element, 0 in no segment; segment_of: of those in one.
struct by_loop {
  std::vector<float> sums, inclusive, exclusive;
  std::vector<int> segment_of;

  explicit by_loop(const segments& of) : inclusive(of.values.size()), exclusive(of.values.size()) {
    for (std::size_t s = 0; s + 1 < of.offsets.size(); ++s) {
      float sum = 0;
      for (auto i = static_cast<std::size_t>(of.offsets[s]); i < static_cast<std::size_t>(of.offsets[s + 1]);
           ++i) {
        exclusive[i] = sum;
        sum += of.values[i];
        inclusive[i] = sum;
        segment_of.push_back(static_cast<int>(s));
      }
      sums.push_back(sum);
    }
  }
};

template <class Env> void expect_all(const segments& of, const Env& env, const char* name) {
  const by_loop expected(of);
  EXPECT_EQ(segmented_reduce(of.values, of.offsets, env), expected.sums) << name;
  EXPECT_EQ(expand(of.offsets, env), expected.segment_of) << name;
  std::vector<float> out(of.values.size());
  segmented_inclusive_scan(of.values, of.offsets, out, env);
  EXPECT_EQ(out, expected.inclusive) << name;
  out = of.values;
  segmented_exclusive_scan(out, of.offsets, out, plus<float>{}, env);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool in_segment = i >= 3 && i + 2 < out.size();
    EXPECT_EQ(out[i], in_segment ? expected.exclusive[i] : of.values[i]) << name << ", in place, " << i;
  }
}

TEST(Segments, AreReducedScannedAndExpanded) {
  for (const int count : {0, 1, 2, 500}) {
    expect_all(segments(count), environment<>{}, "default");
    expect_all(segments(count), on(cpu(2)).with(merge_path{}), "merge_path");
    expect_all(segments(count), on(simt({.seed = 2})).with(merge_path{}), "simt");
  }
}

TEST(Segments, AreRunUnderAPlan) {
  const segments of(300);
  auto plan = make_plan(csr_tiles(of.offsets));
  for (int round = 0; round < 2; ++round) expect_all(of, with(plan), "plan");
  const segments others(300);
  EXPECT_EQ(message_of<invalid_argument>([&] { segmented_reduce(of.values, others.offsets, plan); }),
            "the plan is for other offsets: a plan supports only the array of offsets that it was made for");
}

TEST(Segments, HaveTheBitsOfTheLongForm) {
  segments of(400);
  for (float& each : of.values) each = 1 / (each + 20);
  const cpu exec(2);
  const auto tiles = csr_tiles(of.offsets);
  auto plan = make_plan(exec, merge_path{}, tiles);
  std::vector<float> expected(400);
  const float* const values = of.values.data();
  float* const sums = expected.data();
  reduce_tiles(
      exec, plan, [=](int i) { return values[i]; }, plus<float>{}, [=](int s, float sum) { sums[s] = sum; });
  EXPECT_EQ(segmented_reduce(of.values, of.offsets, plan), expected);
  EXPECT_EQ(segmented_reduce(of.values, of.offsets, on(exec).with(merge_path{})), expected);
}

TEST(Segments, AreOfAnyRangeOffsetsAndValues) {
  const double values[] = {1, 2, 3};
  const std::array<std::int64_t, 4> offsets{0, 2, 2, 3};
  EXPECT_EQ(segmented_reduce(values, offsets), (std::vector<double>{3, 0, 3}));
  EXPECT_EQ(segmented_inclusive_scan(values, offsets), (std::vector<double>{1, 3, 3}));
  EXPECT_EQ(segmented_exclusive_scan(values, offsets), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(expand(offsets), (std::vector<int>{0, 0, 2}));
  std::array<double, 3> out{};
  segmented_reduce(values, offsets, out);
  EXPECT_EQ(out, (std::array<double, 3>{3, 0, 3}));
  segmented_reduce(values, offsets, std::span(out), cpu(1));
  EXPECT_EQ(out[2], 3);
}

TEST(Segments, AreCombinedByAMonoidWithoutAType) {
  const std::vector<int> offsets{0, 2, 2, 3};
  const std::vector<float> values{1, 2, 3};
  EXPECT_EQ(segmented_reduce(values, offsets, plus{}), (std::vector<float>{3, 0, 3}));
  EXPECT_EQ(segmented_reduce(values, offsets, maximum{}, cpu(1))[0], 2);
  EXPECT_EQ(segmented_inclusive_scan(values, offsets, multiplies{}), (std::vector<float>{1, 2, 3}));
  std::vector<float> out(3);
  segmented_exclusive_scan(values, offsets, out, plus{}, merge_path{});
  EXPECT_EQ(out, (std::vector<float>{0, 1, 0}));
  const auto map = [&](int k) { return values[static_cast<std::size_t>(k)]; };
  EXPECT_EQ(reduce_tiles(csr_tiles(offsets), map, minimum{})[0], 1);
  float* const to = out.data();
  const auto store = [=](int number, float value) { to[number] = value; };
  reduce_tiles(cpu(1), merge_path{}, csr_tiles(offsets), map, plus{}, store);
  EXPECT_EQ(out, (std::vector<float>{3, 0, 3}));
  scan_tiles(cpu(1), merge_path{}, csr_tiles(offsets), map, plus{}, store);
  EXPECT_EQ(out, (std::vector<float>{1, 3, 3}));
}

TEST(Segments, AreCombinedByAnyMonoid) {
  const std::vector<int> offsets{0, 2, 2, 3};
  const std::vector<float> values{1, std::nanf(""), 3};
  const auto min = segmented_reduce(values, offsets, minimum_number<float>{});
  EXPECT_EQ(min[0], 1);
  EXPECT_EQ(min[2], 3);
  const auto sums = segmented_reduce(values, offsets);
  EXPECT_TRUE(std::isnan(sums[0]));
  EXPECT_EQ(sums[1], 0);
  using complex = std::complex<double>;
  EXPECT_EQ(segmented_reduce(std::vector<complex>{{1, 2}, {3, 4}, {5, 6}}, offsets),
            (std::vector<complex>{{4, 6}, {0, 0}, {5, 6}}));
  const auto wide =
      segmented_reduce(std::vector<int>{1 << 30, 1 << 30, 1 << 30}, offsets, plus<std::int64_t>{});
  EXPECT_EQ(wide, (std::vector<std::int64_t>{std::int64_t{1} << 31, 0, 1 << 30}));
}

TEST(Segments, AreWhereTheirValuesAre) {
  const segments of(50);
  const by_loop expected(of);
  const simt there({.seed = 4});
  const vector values(there, of.values);
  const vector offsets(there, of.offsets);
  EXPECT_EQ(segmented_reduce(values, offsets), expected.sums);
  const vector<float, simt> out(there, 50);
  segmented_reduce(values, offsets, out);
  EXPECT_EQ(out.to_host(), expected.sums);
}

TEST(Segments, AreRefusedWhenTheyDoNotFit) {
  std::vector<float> values{1, 2, 3};
  const auto refused = [&](const std::vector<int>& offsets, std::size_t size) {
    std::vector<float> out(size);
    return message_of<invalid_argument>([&] { segmented_reduce(values, offsets, out); });
  };
  EXPECT_EQ(refused({}, 0), "offsets is empty: it needs one more element than there are segments");
  EXPECT_EQ(refused({0, 1, 3}, 3), "out has 3 elements, but there are 2 segments: it needs one for each");
  EXPECT_EQ(
      refused({0, 1, 4}, 2),
      "the last segment ends at 4, but there are 3 values: offsets must be at most the number of values");
  EXPECT_EQ(refused({0, 2, 1}, 2), "offsets[2] = 1 is less than offsets[1] = 2: offsets must not decrease");
  EXPECT_EQ(refused({-1, 2}, 1), "offsets[0] = -1 is negative: offsets must be 0 or greater");
  const std::vector<int> offsets{0, 1, 2};
  EXPECT_TRUE(contains(message_of<invalid_argument>([&] { expand(std::vector<int>{}); }), "offsets"));
  EXPECT_TRUE(contains(
      message_of<invalid_argument>([&] { segmented_reduce(values, offsets, std::span(values).first(2)); }),
      "out begins 0 bytes after the start of values and overlaps it"));
  EXPECT_TRUE(contains(message_of<invalid_argument>([&] {
                         segmented_inclusive_scan(std::span(values).first(2), offsets,
                                                  std::span(values).subspan(1, 2));
                       }),
                       "they must be the same or disjoint"));
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { segmented_inclusive_scan(values, offsets, std::span(values).first(2)); }),
            "out has 2 elements, but there are 3 values: it needs one for each");
}

TEST(Segments, AreReducedByTwoThreadsAtATime) {
  const segments of(2000);
  const by_loop expected(of);
  std::vector<float> results[2];
  {
    std::vector<std::jthread> threads;
    for (auto& result : results)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) result = segmented_reduce(of.values, of.offsets);
      });
  }
  for (const auto& result : results) EXPECT_EQ(result, expected.sums);
}

} // namespace
} // namespace evenly
