// SPDX-License-Identifier: Apache-2.0
// Cases that the laws do not cover: blocks that have several parts which cut tiles, special values, calls that
// plan and run at once, tile sets that are refused, and a map that throws while blocks wait for each other.

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/block/search.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

using offsets_type = std::vector<int>;
using tiles_type = decltype(csr_tiles(std::declval<const offsets_type&>()));

offsets_type offsets_of(const std::vector<int>& sizes, int first = 0) {
  offsets_type offsets{first};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

// --- several parts ---

/// Every block has `parts` parts of one kind, a few atoms each.
template <class Sharing> struct patchwork {
  int block_size = 1;
  int parts = 1;

  static constexpr int items = 3;

  struct mapping {
    using tiles_type = evenly::tiles_type;
    using sharings = sharing::list<Sharing>;
    struct slots {};
    static constexpr int tuned_block_size = 128;

    tiles_type tiles;
    int parts;
    int per_part; ///< steps of the merge path, atoms, or pieces

    static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

    int first() const { return tiles.begin(0); }
    int atoms() const { return tiles.end(tiles.tiles() - 1) - first(); }
    int tile_of(int a) const {
      return first_past(0, tiles.tiles(), [&](int t) { return tiles.end(t) > a; });
    }

    run_chunk<tiles_type> chunk(int number) const {
      const auto at = [&](int steps) {
        return merge_path_search(smaller(steps, atoms() + tiles.tiles()), tiles.tiles(), atoms(),
                                 [&](int t) { return tiles.end(t) - first(); });
      };
      const int begin = smaller(number * per_part, atoms() + tiles.tiles());
      const int end = smaller(begin + per_part, atoms() + tiles.tiles());
      const int from = at(begin), to = at(end);
      const int first_atom = first() + begin - from;
      return {tiles, from, to, first_atom, first() + end - to};
    }

    template <class Block> struct run {
      Block& block;
      const mapping& all;
      int first_atom;
      int last_atom;

      const tiles_type& set() const { return all.tiles; }
      const tiles_type& tiles() const { return all.tiles; }
      template <class Visit> void for_each(Visit visit) const {
        for (int i = 0; i < items; ++i) {
          const bool striped = std::is_same_v<Sharing, sharing::striped_run<items>>;
          const int k = striped ? block.rank() + i * block.size() : block.rank() * items + i;
          if (first_atom + k >= last_atom) break;
          if constexpr (striped)
            visit(k, all.tile_of(first_atom + k));
          else
            visit(all.tile_of(first_atom + k), first_atom + k);
        }
      }
    };

    /// Pieces of the last tile come first.
    piece_part<tiles_type> piece(int number) const {
      int t = tiles.tiles();
      for (int before = 0; t-- > 0;) {
        const int here = ceil_div(tiles.end(t) - tiles.begin(t), per_part);
        if (number < before + here) {
          const int begin = tiles.begin(t) + (number - before) * per_part;
          const int end = smaller(begin + per_part, tiles.end(t));
          return {tiles, t, begin, end, begin == tiles.begin(t), end == tiles.end(t)};
        }
        before += here;
      }
      return {tiles, 0, 0, 0, false, false};
    }

    template <class Block, class Consumer>
    void distribute(Block& block, const slots&, Consumer& consumer) const {
      for (int i = 0; i < parts; ++i) {
        if (i > 0) block.sync();
        const int number = block.index() * parts + i;
        if constexpr (std::is_same_v<Sharing, sharing::piece>) {
          if (const auto part = piece(number); part.begin < part.end) consumer(Sharing{}, part);
        } else if constexpr (Block::is_serial) {
          consumer(sharing::blocked_run<1>{}, chunk(number));
        } else if constexpr (std::is_same_v<Sharing, sharing::blocked_run<items>>) {
          consumer(Sharing{}, chunk(number));
        } else {
          const int begin = first() + smaller(number * per_part, atoms());
          const int end = smaller(begin + per_part, first() + atoms());
          if (begin < end) consumer(Sharing{}, run<Block>{block, *this, begin, end});
        }
      }
    }
  };

  template <class Visit> void parameters(Visit visit) const { visit("block_size", block_size); }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor&, const Tiles& tiles, const extent<Tiles>&) const {
    const int per_part = Executor::serial_blocks ? 50 : items * block_size;
    int all =
        tiles.end(tiles.tiles() - 1) - tiles.begin(0) + tiles.tiles(); // more than enough for atoms alone
    if (std::is_same_v<Sharing, sharing::piece>) all += tiles.tiles() * per_part;
    return prepared(launch_of<mapping>{{tiles, parts, per_part},
                                       {block_count(ceil_div(all, per_part), parts), block_size}});
  }
};

struct in_place {
  matrices::value_type* values;
  matrices::value_type operator()(int a) const { return values[a]; }
  void operator()(int a, const matrices::value_type& value) const { values[a] = value; }
};

template <class Executor, class Schedule>
void expect_prefixes(const Executor& exec, const Schedule& schedule, const offsets_type& offsets) {
  const matrices op;
  std::vector<matrices::value_type> values, want;
  for (int a = 0; a < offsets.back(); ++a) values.push_back(matrices::of(static_cast<std::uint64_t>(a)));
  want = values;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    for (int a = offsets[t] + 1; a < offsets[t + 1]; ++a) want[a] = op(want[a - 1], want[a]);
  scan_tiles(exec, schedule, csr_tiles(offsets), in_place{values.data()}, op, in_place{values.data()});
  for (std::size_t a = 0; a < values.size(); ++a)
    ASSERT_EQ(values[a], want[a]) << "atom " << a << ", blocks of " << schedule.block_size << " with "
                                  << schedule.parts << " parts";
}

template <class Sharing> void expect_prefixes_under_patchwork() {
  const std::vector<offsets_type> sets = {
      offsets_of({700, 1, 0, 2000}, 5), offsets_of({30, 0, 0, 30, 400, 1, 1, 600, 29, 31, 0}),
      offsets_of(std::vector<int>(300, 3)), offsets_of({90, 90, 180, 360, 450})};
  for (const offsets_type& offsets : sets)
    for (const int parts : {1, 2, 3, 7}) {
      for (const int block_size : {1, 30, 64})
        expect_prefixes(simt({.seed = static_cast<unsigned>(parts)}), patchwork<Sharing>{block_size, parts},
                        offsets);
      expect_prefixes(cpu(2), patchwork<Sharing>{1, parts}, offsets);
    }
}

TEST(ScanTiles, BlocksMayHaveSeveralPieces) { expect_prefixes_under_patchwork<sharing::piece>(); }
TEST(ScanTiles, BlocksMayHaveSeveralBlockedRuns) {
  expect_prefixes_under_patchwork<sharing::blocked_run<3>>();
}
TEST(ScanTiles, BlocksMayHaveSeveralStripedRuns) {
  expect_prefixes_under_patchwork<sharing::striped_run<3>>();
}
TEST(ScanTiles, BlocksMayHaveSeveralSequentialRuns) { expect_prefixes_under_patchwork<sharing::run<true>>(); }

// --- as everybody calls it ---

template <class Executor> class ScanTilesOn : public testing::Test {
 protected:
  Executor exec;
};
using executors = testing::Types<cpu, simt>;
TYPED_TEST_SUITE(ScanTilesOn, executors);

template <class Body> void on_three_schedules(const Body& body) {
  body(merge_path{});
  body(dynamic_group_per_tile{});
  body(warp_mapped{});
}

TYPED_TEST(ScanTilesOn, PlansAndRunsInOneCall) {
  const offsets_type offsets = {2, 4, 4, 9};
  on_three_schedules([&](const auto& schedule) {
    std::vector<int> with(9, -1), before(9, -1);
    scan_tiles(
        this->exec, schedule, csr_tiles(offsets), [](int a) { return a; }, plus<int>{},
        [out = with.data()](int a, int sum) { out[a] = sum; });
    EXPECT_EQ(with, (std::vector<int>{-1, -1, 2, 5, 4, 9, 15, 22, 30}));
    scan_tiles_exclusive(
        this->exec, schedule, csr_tiles(offsets), [](int t, int a) { return 10 * t + a; }, plus<int>{},
        [out = before.data()](int a, int sum) { out[a] = sum; });
    EXPECT_EQ(before, (std::vector<int>{-1, -1, 0, 2, 0, 24, 49, 75, 102}));
  });
}

TYPED_TEST(ScanTilesOn, RefusesDecreasingOffsets) {
  const offsets_type offsets = {0, 3, 2, 5};
  on_three_schedules([&](const auto& schedule) {
    EXPECT_EQ(message_of<invalid_argument>([&] {
                scan_tiles(
                    this->exec, schedule, csr_tiles(offsets), [](int a) { return a; }, plus<int>{},
                    [](int, int) {});
              }),
              "offsets[2] = 2 is less than offsets[1] = 3: offsets must not decrease");
  });
}

/// Infinities and not-a-numbers come through as in a loop, and never leave their tile.
TYPED_TEST(ScanTilesOn, KeepsSpecialValuesInTheirTiles) {
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<int> sizes;
  for (int i = 0; i < 60; ++i) sizes.insert(sizes.end(), {5, 0, 400, 31, 6000});
  const offsets_type offsets = offsets_of(sizes);
  const auto value = [](int a) {
    if (a % 997 == 500) return infinity;
    if (a % 1499 == 77) return -infinity;
    return a % 3001 == 1700 ? std::numeric_limits<float>::quiet_NaN() : 1.0f;
  };
  on_three_schedules([&](const auto& schedule) {
    std::vector<float> got(offsets.back());
    scan_tiles(this->exec, schedule, csr_tiles(offsets), value, plus<float>{},
               [out = got.data()](int a, float sum) { out[a] = sum; });
    int wrong = 0;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      float sum = 0;
      for (int a = offsets[t]; a < offsets[t + 1]; ++a) {
        sum += value(a);
        wrong += std::isnan(sum) ? !std::isnan(got[a]) : got[a] != sum;
      }
    }
    EXPECT_EQ(wrong, 0);
  });
}

/// Blocks that wait for the one that failed are ended, and the plan is as good as new.
TYPED_TEST(ScanTilesOn, RethrowsWhatMapThrows) {
  const offsets_type offsets = {0, 100'000};
  auto plan = make_plan(this->exec, merge_path{}, csr_tiles(offsets));
  std::vector<int> sums(100'000);
  const auto scan = [&](int bad) {
    scan_tiles(
        this->exec, plan, [=](int a) { return a == bad ? throw std::runtime_error("no value") : 1; },
        plus<int>{}, [out = sums.data()](int a, int sum) { out[a] = sum; });
  };
  for (const int bad : {0, 50'000, 99'999}) {
    EXPECT_EQ(message_of<std::runtime_error>([&] { scan(bad); }), "no value");
    scan(-1);
    for (int a = 0; a < 100'000; ++a) ASSERT_EQ(sums[a], a + 1);
  }
}

} // namespace
} // namespace evenly
