// SPDX-License-Identifier: Apache-2.0
// The collectives on several items a thread, on the simulated GPU for every kind of block, and on cpu, where the items
// of a block are those of one thread; and what exchanges cost in banks.

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "block/item_collectives.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::collectives {
namespace {

/// Block and warp sizes: warps of 4 in small blocks only, as each thread goes through the totals of all warps.
std::vector<std::pair<int, int>> shapes() {
  const std::vector<int> sizes = sanitized ? std::vector{1, 2, 31, 33, 100}
                                           : std::vector{1, 2, 31, 32, 33, 64, 96, 100, 256, 1000, 1024};
  std::vector<std::pair<int, int>> all;
  for (const int size : sizes)
    for (const int warp : {4, 32, 64})
      if (warp > 4 || size <= 256) all.emplace_back(size, warp);
  return all;
}

class ItemCollectives : public testing::TestWithParam<std::pair<int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ItemCollectives, testing::ValuesIn(shapes()));

TEST_P(ItemCollectives, AreRightOnSimt) {
  const auto [block_size, warp_size] = GetParam();
  simt_options options;
  options.warp_size = warp_size;
  expect_all_items_right(simt(options), block_size);
  for (options.seed = 1; options.seed <= (block_size <= 256 ? 3 : 1); ++options.seed)
    expect_some_items_right(simt(options), block_size);
}

TEST(ItemCollectives, AreTrivialOnCpu) { expect_all_items_right(cpu(), 1); }

/// How often 32 banks of 4 bytes are accessed until 32 lanes have their elements, of numbers `step` apart: elements of
/// 8 and 16 bytes by halves and quarters of the warp, those of odd sizes word by word.
int wavefronts(int bytes, int step, const exchange_padding& padding) {
  const int part = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
  const int together = 128 / part;
  std::size_t all = 0;
  for (int from = 0; from < 32; from += together)
    for (int offset = 0; offset < bytes; offset += part) { // once for an element that is smaller
      std::array<std::set<int>, 32> words;
      for (int lane = from; lane < from + together; ++lane)
        for (int byte = 0; byte < part; byte += 4) {
          const int word = (padding.place(lane * step) * bytes + offset + byte) / 4;
          words[word % 32].insert(word);
        }
      std::size_t max = 0;
      for (const auto& bank : words) max = std::max(max, bank.size());
      all += max;
    }
  return static_cast<int>(all);
}

TEST(Exchange, HasNoBankConflictsWithAnyNumberOfItems) {
  for (const int bytes : {4, 8, 12, 16, 20, 24, 28})
    for (int items = 1; items <= 64; ++items) {
      const exchange_padding padding = padding_for(bytes, items);
      const int min = bytes / 4; // 32 lanes want so many times 128 bytes
      EXPECT_EQ(wavefronts(bytes, items, padding), min) << items << " items of " << bytes << " bytes";
      EXPECT_EQ(wavefronts(bytes, 1, padding), min) << items << " items of " << bytes << " bytes";
      const bool pads = padding.gap != 0, must = wavefronts(bytes, items, {1, 0}) > min;
      EXPECT_EQ(pads, must) << items << " items of " << bytes << " bytes";
    }
}

TEST(Exchange, OfSmallElementsTakesNoLongerForTheGaps) {
  for (const int bytes : {1, 2})
    for (int items = 1; items <= 64; ++items) {
      const int padded = wavefronts(bytes, items, padding_for(bytes, items));
      EXPECT_LE(padded, wavefronts(bytes, items, {1, 0})) << items << " items of " << bytes << " bytes";
      EXPECT_LE(padded, 4) << items << " items of " << bytes << " bytes";
    }
}

TEST(Exchange, NeedsStorageForItemsAndGaps) {
  constexpr block_shape shape{64, 32};
  EXPECT_EQ((block_exchange_slots<float, 3>(shape)), 192);
  EXPECT_EQ((block_exchange_slots<float, 4>(shape)), 256 + 7);
  EXPECT_EQ((block_exchange_slots<float, 6>(shape)), 384 + 3);
  EXPECT_EQ((team_exchange_slots<float, 4>(1, shape)), 0);
}

} // namespace
} // namespace evenly::collectives
