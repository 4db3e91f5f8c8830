// SPDX-License-Identifier: Apache-2.0
// vector: elements that know their executor.

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/execution/vector.hpp"
#include "support/counting_resource.hpp"

namespace evenly {
namespace {

const std::vector<float> three{1, 2, 3};

TEST(Vectors, AreCopiesOfAnyRangeOnTheHost) {
  const std::array<int, 2> array{4, 5};
  const double plain[] = {6, 7};
  const auto buffered = to_executor(cpu(1), three);
  const vector of_vector(cpu(1), three), of_span(cpu(1), std::span(three).first(2)),
      of_buffer(cpu(1), buffered);
  const vector of_array(cpu(1), array);
  const vector of_plain(simt(), plain);
  static_assert(std::is_same_v<decltype(of_span), const vector<float, cpu>>);
  static_assert(std::is_same_v<decltype(of_array), const vector<int, cpu>>);
  static_assert(std::is_same_v<decltype(of_plain), const vector<double, simt>>);
  EXPECT_EQ(of_vector.to_host(), three);
  EXPECT_EQ(of_buffer.to_host(), three);
  EXPECT_EQ(of_span.to_host(), (std::vector<float>{1, 2}));
  EXPECT_EQ(of_array.to_host(), (std::vector<int>{4, 5}));
  EXPECT_EQ(of_plain.to_host(), (std::vector<double>{6, 7}));
}

TEST(Vectors, AreCopiesThatChangeAlone) {
  std::vector<float> source = three;
  const vector x(cpu(1), source);
  source[0] = 9;
  EXPECT_EQ(x[0], 1);
  x[1] = 8;
  EXPECT_EQ(x.to_host()[1], 8);
  EXPECT_EQ(source[1], 2);
}

TEST(Vectors, HaveViewsForTheirExecutor) {
  const vector x(cpu(1), three);
  const vector there(simt(), three);
  static_assert(std::is_same_v<decltype(x.view()), span_on<cpu, float>>);
  static_assert(std::is_same_v<decltype(there.view()), span_on<simt, float>>);
  x.view()[1] = 8;
  EXPECT_EQ(x.to_host(), (std::vector<float>{1, 8, 3}));
  EXPECT_EQ(there.view().size(), 3u);
}

TEST(Vectors, MayBeEmpty) {
  const vector none(cpu(1), std::vector<int>{});
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.to_host().empty());
  EXPECT_TRUE(none.to(simt()).empty());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ((vector<int, simt>(simt(), 0).span().size()), 0u);
}

TEST(Vectors, AreRangesOnTheHost) {
  const vector x(cpu(1), three);
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0.0f), 6);
  EXPECT_EQ(x.span().back(), 3);
  for (float& each : x) each *= 2;
  EXPECT_EQ(x.to_host(), (std::vector<float>{2, 4, 6}));
}

TEST(Vectors, AreCopiedToOtherExecutors) {
  const vector x(cpu(2), three);
  const auto there = x.to(simt({.warp_size = 8}));
  static_assert(std::is_same_v<decltype(there), const vector<float, simt>>);
  EXPECT_EQ(there.executor().options().warp_size, 8);
  EXPECT_NE(there.data(), x.data());
  const auto back = there.to(cpu(3));
  EXPECT_EQ(back.executor().threads(), 3);
  EXPECT_EQ(back.to_host(), three);
}

TEST(Vectors, AreMovedAndNotCopied) {
  static_assert(!std::is_copy_constructible_v<vector<int>> &&
                std::is_nothrow_move_constructible_v<vector<int>>);
  vector x(cpu(1), three);
  const float* const at = x.data();
  const vector moved = std::move(x);
  EXPECT_EQ(moved.data(), at);
  EXPECT_EQ(moved.to_host(), three);
  EXPECT_TRUE(x.empty()); // NOLINT(bugprone-use-after-move): what is left is an empty vector
}

TEST(Vectors, TakeTheirMemoryFromTheExecutor) {
  counting_resource memory;
  {
    const vector x(cpu(1, &memory), three);
    EXPECT_EQ(memory.allocations, 1);
    EXPECT_EQ(memory.bytes_out, 3 * sizeof(float));
  }
  EXPECT_EQ(memory.bytes_out, 0u);
}

/// Huge pages begin at multiples of their size.
TEST(Vectors, BeginAtHugePagesIfTheyAreLarge) {
  const auto place = [](std::size_t size) {
    return reinterpret_cast<std::uintptr_t>(make_buffer<char>(cpu(1), size).data());
  };
#if defined(__linux__)
  EXPECT_EQ(place(std::size_t{4} << 20) % (std::size_t{2} << 20), 0u);
#endif
  EXPECT_EQ(place(1) % 128, 0u);
}

} // namespace
} // namespace evenly
