// SPDX-License-Identifier: Apache-2.0
// The table of docs/collectives.md: barriers, operations and bank conflicts, counted on the simulated GPU.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "block/item_collectives.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/trace/counted.hpp"
#include "evenly/trace/trace.hpp"

namespace evenly::collectives {
namespace {

constexpr int items = 3;

/// In the order of the table.
enum collective {
  reduce,
  scan,
  scan_of_block,
  inclusive_scan,
  exclusive_scan,
  inclusive_segmented_scan,
  exclusive_segmented_scan,
  segmented_reduce,
  mark_heads,
  mark_tails,
  inclusive_scan_by_key,
  exclusive_scan_by_key,
  reduce_by_key,
  neighbour,
  exchange,
  exchange_in_warps,
  tile_search,
  all_collectives
};

/// One collective, once.
template <int G> struct one_collective {
  using sum = counted<plus<int>>;
  int which;

  struct slots {
    slot<int> scan;
    by_key_slots<int, int> keys;
    slot<int> items_of_block;
    tile_search_slots tiles;
  };
  static slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<int>(block_scan_slots(shape)), by_key_slots<int, int>::lay_out(layout, G, shape),
            layout.take<int>(team_exchange_slots<int, items>(G, shape)),
            tile_search_slots::lay_out(layout, shape, items, G)};
  }

  template <class Block> void operator()(Block& block) const {
    using namespace arrangement;
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const team<G, Block> me(block);
    const sum op{};
    const auto scratch = block.storage(place.scan);
    const auto chained = block.storage(place.keys.segments.warps);
    const auto staged = block.storage(place.items_of_block);
    int mine[items] = {1, 2, 3};
    const int keys[items] = {block.rank() / 4, block.rank() / 4, block.rank() / 4};
    bool heads[items] = {block.rank() % 8 == 0, false, false}, tails[items];
    switch (which) {
    case reduce:
      team_reduce(me, mine, op, scratch);
      break;
    case scan:
      team_scan(me, mine[0], op, scratch);
      break;
    case scan_of_block:
      block_scan(block, mine[0], op, scratch);
      break;
    case inclusive_scan:
      team_inclusive_scan(me, mine, op, scratch);
      break;
    case exclusive_scan:
      team_exclusive_scan(me, mine, op, scratch);
      break;
    case inclusive_segmented_scan:
      team_inclusive_segmented_scan(me, mine, heads, op, chained);
      break;
    case exclusive_segmented_scan:
      team_exclusive_segmented_scan(me, mine, heads, op, chained);
      break;
    case segmented_reduce:
      team_segmented_reduce(me, mine, heads, tails, op, place.keys.segments);
      break;
    case mark_heads:
      team_mark_heads(me, keys, heads, scratch);
      break;
    case mark_tails:
      team_mark_tails(me, heads, tails, scratch);
      break;
    case inclusive_scan_by_key:
      team_inclusive_scan_by_key(me, keys, mine, op, place.keys);
      break;
    case exclusive_scan_by_key:
      team_exclusive_scan_by_key(me, keys, mine, op, place.keys);
      break;
    case reduce_by_key:
      team_reduce_by_key(me, keys, mine, tails, op, place.keys);
      break;
    case neighbour:
      team_neighbour<1>(me, mine[0], scratch);
      break;
    case exchange:
      team_exchange(me, mine, blocked{}, striped{}, staged);
      break;
    case exchange_in_warps:
      team_exchange(me, mine, blocked{}, warp_striped{}, staged);
      break;
    case tile_search:
      team_tile_search<items>(
          me, me.size(), me.size() * items, [](int t) { return t * items; },
          [](int t) { return (t + 1) * items; }, place.tiles);
    }
  }
};

template <int G> trace_counts counts_of(int which) {
  trace counts;
  simt_options options;
  options.trace = &counts;
  launch(simt(options), {1, 128}, one_collective<G>{which});
  return counts.totals();
}

TEST(CollectiveCosts, WideTeamsMeetAsOftenAsTheTableSays) {
  const std::vector<int> barriers{2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 2, 2, 3, 1, 1, 0, 4};
  ASSERT_EQ(barriers.size(), std::size_t{all_collectives});
  for (int which = 0; which < all_collectives; ++which) {
    EXPECT_EQ(counts_of<whole_block>(which).barriers, barriers[which]) << "collective " << which;
    EXPECT_EQ(counts_of<64>(which).barriers, barriers[which]) << "collective " << which;
  }
}

TEST(CollectiveCosts, OtherTeamsDoNotMeet) {
  for (int which = 0; which < all_collectives; ++which)
    EXPECT_EQ(counts_of<8>(which).barriers, which == scan_of_block) << "collective " << which;
}

/// One after the other, by the thread that does most.
template <int G> void expect_operations(int warps) {
  constexpr int log_warp = 5;
  EXPECT_EQ(counts_of<G>(reduce).steps, items + log_warp + warps - 2);
  const int of_scan = log_warp + warps + 1;
  EXPECT_EQ(counts_of<G>(scan).steps, of_scan);
  EXPECT_EQ(counts_of<G>(inclusive_scan).steps, 2 * items + of_scan);
  EXPECT_EQ(counts_of<G>(exclusive_scan).steps, 2 * items + of_scan - 1);
  for (const int which : {inclusive_segmented_scan, exclusive_segmented_scan, segmented_reduce,
                          inclusive_scan_by_key, exclusive_scan_by_key, reduce_by_key}) {
    EXPECT_LE(counts_of<G>(which).steps, 2 * items + of_scan) << "collective " << which;
    EXPECT_GT(counts_of<G>(which).steps, 0) << "collective " << which;
  }
  for (const int which : {mark_heads, mark_tails, neighbour, exchange, tile_search})
    EXPECT_EQ(counts_of<G>(which).steps, 0) << "collective " << which;
}

TEST(CollectiveCosts, OperationsAreThoseOfTheTable) {
  expect_operations<whole_block>(4);
  expect_operations<64>(2);
}

/// Of exchanges from every arrangement to every other.
template <int G, int Items, class T> std::int64_t conflicts(int block_size) {
  trace counts;
  simt_options options;
  options.trace = &counts;
  expect_right<simt, exchange_kernel<G, Items, T>>(simt(options), block_size, "exchanges");
  EXPECT_GT(counts.totals().storage_store_requests, 0);
  return counts.totals().bank_conflicts();
}

TEST(CollectiveCosts, ExchangesInWholeWarpsHaveNoBankConflicts) {
  for (const int block_size : {32, 64, 256}) {
    EXPECT_EQ((conflicts<whole_block, 4, int>(block_size)), 0);
    EXPECT_EQ((conflicts<whole_block, 6, double>(block_size)), 0);
    EXPECT_EQ((conflicts<64, 8, float>(block_size)), 0);
  }
}

/// Both forms of every collective, by every thread of a block; `wrong` counts the differences, or what is wrong.
struct both_forms {
  int* wrong;

  using slots = one_collective<whole_block>::slots;
  static slots lay_out(storage_layout& layout, block_shape shape) {
    return one_collective<whole_block>::lay_out(layout, shape);
  }

  template <class Block> void operator()(Block& block) const {
    using namespace arrangement;
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    const team<whole_block, Block> me(block);
    const plus<int> op;
    const auto scratch = block.storage(place.scan);
    const auto chained = block.storage(place.keys.segments.warps);
    const int n = block.rank();
    int found = 0;
    int keys[items] = {n / 3, n / 3, n / 2};
    const bool heads[items] = {n % 5 == 0, n % 7 == 0, false};
    /// Calls both, each on items and flags of its own.
    const auto compare = [&](auto of_team, auto of_block) {
      int a[items] = {n, 2 * n, 7}, b[items] = {n, 2 * n, 7};
      bool a_flags[items] = {}, b_flags[items] = {};
      of_team(a, a_flags);
      block.sync();
      of_block(b, b_flags);
      block.sync();
      for (int i = 0; i < items; ++i) found += a[i] != b[i] || a_flags[i] != b_flags[i];
    };
#define EVENLY_COMPARE(name, ...)                                                                            \
  compare([&]([[maybe_unused]] auto& x, [[maybe_unused]] auto& flags) { team_##name(me, __VA_ARGS__); },     \
          [&]([[maybe_unused]] auto& x, [[maybe_unused]] auto& flags) { block_##name(block, __VA_ARGS__); })
    EVENLY_COMPARE(inclusive_scan, x, op, scratch);
    EVENLY_COMPARE(exclusive_scan, x, op, scratch, 3);
    EVENLY_COMPARE(inclusive_segmented_scan, x, heads, op, chained);
    EVENLY_COMPARE(exclusive_segmented_scan, x, heads, op, chained, 3);
    EVENLY_COMPARE(segmented_reduce, x, heads, flags, op, place.keys.segments);
    EVENLY_COMPARE(mark_heads, keys, flags, scratch);
    EVENLY_COMPARE(mark_tails, heads, flags, scratch);
    EVENLY_COMPARE(inclusive_scan_by_key, keys, x, op, place.keys);
    EVENLY_COMPARE(exclusive_scan_by_key, keys, x, op, place.keys);
    EVENLY_COMPARE(reduce_by_key, keys, x, flags, op, place.keys);
    EVENLY_COMPARE(exchange, x, blocked{}, striped{}, block.storage(place.items_of_block));
#undef EVENLY_COMPARE
    const int last = block.size() - 1;
    found += block_reduce(block, n, op, scratch) != last * (last + 1) / 2 && n == 0;
    found += block_neighbour<1>(block, n, scratch) != smaller(n + 1, last);
    block_tile_search<items>(
        block, block.size(), block.size() * items, [](int t) { return t * items; },
        [](int t) { return (t + 1) * items; }, place.tiles);
    const int tile = block.storage(place.tiles.tile_of)[n];
    found += tile != n / items;
    wrong[n] = found;
  }
};

TEST(BlockForms, AreTheTeamFormsOfTheWholeBlock) {
  std::vector<int> wrong(100, -1);
  launch(simt(), {1, 100}, both_forms{wrong.data()});
  EXPECT_EQ(wrong, std::vector<int>(100, 0));
}

} // namespace
} // namespace evenly::collectives
