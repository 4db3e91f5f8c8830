// SPDX-License-Identifier: Apache-2.0
// The simulated GPU runs blocks as the block contract says, for every block and warp size and in every order.

#include "evenly/execution/simt.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "execution/reports.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

// Some thread sanitizers take time in proportion to the number of fibres for each switch.
#if defined(EVENLY_THREAD_SANITIZER)
constexpr int block_sizes[] = {1, 2, 31, 32, 33, 64, 96, 100, 256};
#else
constexpr int block_sizes[] = {1, 2, 31, 32, 33, 64, 96, 100, 256, 1000, 1024};
#endif
constexpr int warp_sizes[] = {1, 2, 32, 64};

lane_mask whole_warp(const simt_block& block) {
  const int base = block.rank() / block.shape().warp * block.shape().warp;
  return first_lanes(smaller(block.shape().warp, block.size() - base));
}

// --- what the executor offers ---

TEST(Simt, RefusesBadOptionsAndShapes) {
  for (const int size : {-1, 0, 3, 48, 128}) {
    try {
      simt refused(with_warp(size));
      FAIL() << size;
    } catch (const invalid_argument& e) {
      EXPECT_TRUE(says(e.what(), {"warp_size = " + std::to_string(size), "power of two"}));
    }
  }
  simt_options negative;
  negative.threads = -1;
  EXPECT_THROW(simt{negative}, invalid_argument);
  EXPECT_THROW(run(simt(), {1, 1025}, 0, [](auto&) {}), invalid_argument);
  EXPECT_THROW(run(simt(), {-1, 32}, 0, [](auto&) {}), invalid_argument);
}

TEST(Simt, OwnsMemoryLikeEveryExecutor) {
  const simt exec;
  const std::vector<int> values = {3, 1, 4, 1, 5};
  const auto copy = to_executor(exec, values);
  EXPECT_EQ(to_host(exec, copy), values);
  exec.fill_zero(copy.data(), 2 * sizeof(int));
  exec.synchronize();
  EXPECT_EQ(to_host(exec, copy), (std::vector<int>{0, 0, 4, 1, 5}));
  EXPECT_GE(exec.threads(), 1);
}

TEST(Simt, NoBlocksRunNothing) {
  for (const bool together : {false, true}) run(simt(), {0, 32, together}, 0, [](auto&) { ADD_FAILURE(); });
}

struct takes_storage {
  int bytes;
  slot<char> lay_out(storage_layout& layout, block_shape) const { return layout.take<char>(bytes); }
  template <class Block> void operator()(Block&) const {}
};
struct is_tuned : takes_storage {
  static constexpr int tuned_block_size = 256, max_blocks = 3;
};

TEST(Simt, TellsHowManyBlocksHaveRoom) {
  const simt exec;
  EXPECT_EQ(resident_blocks(exec, takes_storage{0}, 1), 2048);
  EXPECT_EQ(resident_blocks(exec, takes_storage{0}, 256), 8);
  EXPECT_EQ(resident_blocks(exec, takes_storage{0}, 1000), 2);
  EXPECT_EQ(resident_blocks(exec, takes_storage{100'000}, 64), 2);
  EXPECT_EQ(resident_blocks(exec, takes_storage{200'000}, 64), 1);
  EXPECT_EQ(resident_blocks(exec, is_tuned{{0}}, 256), 3);
  EXPECT_EQ(resident_blocks(exec, is_tuned{{0}}, 128), 6);
  EXPECT_EQ(resident_blocks(exec, is_tuned{{0}}, 1024), 1);
  EXPECT_EQ(
      message_of<invalid_argument>([&] { resident_blocks(exec, takes_storage{300'000}, 64); }),
      "a block of 64 threads needs 300000 bytes of storage, but the device has 232448: use smaller blocks");
  EXPECT_THROW(resident_blocks(exec, takes_storage{0}, 1025), invalid_argument);
}

TEST(Simt, EveryThreadOfEveryBlockRunsOnce) {
  for (const bool together : {false, true})
    for (const int seed : {0, 5}) {
      std::vector<int> runs(7 * 100);
      run(simt(with_seed(seed)), {7, 100, together}, 0, [&](auto& block) {
        EXPECT_EQ(block.count(), 7);
        EXPECT_EQ(block.size(), 100);
        ++runs[block.index() * 100 + block.rank()];
      });
      EXPECT_EQ(runs, std::vector<int>(7 * 100, 1));
    }
}

// --- collectives, for every block size, warp size and order ---

class SimtCollectives : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  int size() const { return std::get<0>(GetParam()); }
  simt executor() const {
    simt_options options;
    options.warp_size = std::get<1>(GetParam());
    options.seed = std::get<2>(GetParam());
    return simt(options);
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes, SimtCollectives,
                         testing::Combine(testing::ValuesIn(block_sizes), testing::ValuesIn(warp_sizes),
                                          testing::Values(0, 11)));

TEST_P(SimtCollectives, SyncOrdersStorage) {
  const int n = size();
  std::vector<int> sums(n);
  run(executor(), {2, n}, n * sizeof(int), [&](auto& block) {
    storage_layout layout;
    auto shared = block.storage(layout.template take<int>(n));
    const int me = block.rank();
    shared[me] = me;
    for (int step = 1; step < n; step *= 2) { // Hillis and Steele's scan
      block.sync();
      const int before = me >= step ? static_cast<int>(shared[me - step]) : 0;
      block.sync();
      shared[me] += before;
    }
    if (block.index() == 1) sums[me] = shared[me];
  });
  for (int i = 0; i < n; ++i) ASSERT_EQ(sums[i], i * (i + 1) / 2);
}

TEST_P(SimtCollectives, ShufflesRotateTheWarp) {
  struct wide { // any trivially copyable value travels
    double a;
    char b[13];
  };
  const int n = size();
  std::vector<int> wrong(n);
  run(executor(), {1, n}, 0, [&](auto& block) {
    const lane_mask all = whole_warp(block);
    const int lanes = std::popcount(all), warp = block.shape().warp;
    const int lane = block.rank() % warp, source = (lane + 1) % lanes;
    const int expected = block.rank() - lane + source;
    for (int turn = 0; turn < 3; ++turn) {
      wrong[block.rank()] += block.warp_shuffle(all, block.rank() + turn, source) != expected + turn;
      wide value{block.rank() + 0.5, {}};
      value.b[12] = static_cast<char>(lane);
      const wide got = block.warp_shuffle(all, value, source);
      wrong[block.rank()] += got.a != expected + 0.5 || got.b[12] != static_cast<char>(source);
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(n));
}

TEST_P(SimtCollectives, BallotsCountTheWarp) {
  const int n = size();
  std::vector<int> wrong(n);
  run(executor(), {1, n}, 0, [&](auto& block) {
    const lane_mask all = whole_warp(block);
    const int lane = block.rank() % block.shape().warp;
    wrong[block.rank()] += block.warp_ballot(all, true) != all;
    wrong[block.rank()] += block.warp_ballot(all, false) != 0;
    wrong[block.rank()] += block.warp_ballot(all, lane % 3 == 0) != (0x9249249249249249u & all);
  });
  EXPECT_EQ(wrong, std::vector<int>(n));
}

TEST_P(SimtCollectives, WarpSyncOrdersTheWarp) {
  const int n = size();
  std::vector<int> got(n);
  run(executor(), {1, n}, n * sizeof(int), [&](auto& block) {
    auto shared = block.storage(slot<int>{0, static_cast<std::uint32_t>(n)});
    const lane_mask all = whole_warp(block);
    const int base = block.rank() / block.shape().warp * block.shape().warp;
    const int next = base + (block.rank() - base + 1) % std::popcount(all);
    for (int turn = 0; turn < 3; ++turn) {
      shared[block.rank()] = block.rank() + turn;
      block.warp_sync(all);
      got[block.rank()] += shared[next] == next + turn;
      block.warp_sync(all);
    }
  });
  EXPECT_EQ(got, std::vector<int>(n, 3));
}

TEST_P(SimtCollectives, DisjointMasksAreInProgressAtOnce) {
  const int n = size();
  std::vector<int> wrong(n);
  run(executor(), {1, n}, n * sizeof(int), [&](auto& block) {
    auto shared = block.storage(slot<int>{0, static_cast<std::uint32_t>(n)});
    const int warp = block.shape().warp, lane = block.rank() % warp, base = block.rank() - lane;
    const lane_mask even = 0x5555555555555555u & whole_warp(block);
    const lane_mask mine = lane % 2 == 0 ? even : whole_warp(block) & ~even;
    const int last = 63 - std::countl_zero(mine);
    for (int turn = 0; turn < 4 + 3 * (lane % 2); ++turn) { // the halves differ in how often they meet
      shared[block.rank()] = turn;
      block.warp_sync(mine);
      wrong[block.rank()] += shared[base + last] != turn;
      wrong[block.rank()] += block.warp_shuffle(mine, block.rank(), last) != base + last;
      wrong[block.rank()] += block.warp_ballot(mine, lane == last) != lane_mask{1} << last;
      block.warp_sync(mine);
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(n));
}

TEST(Simt, OverlappingMasksMeetOneAfterTheOther) {
  for (int seed = 0; seed < 20; ++seed) {
    std::array<int, 3> got{};
    run(simt(with_seed(seed)), {1, 3}, 0, [&](auto& block) {
      int value = block.rank() + 1;
      if (block.rank() > 0) value = block.warp_shuffle(0b110, value, 2);
      if (block.rank() < 2) value = block.warp_shuffle(0b011, value, 1);
      got[block.rank()] = value;
    });
    EXPECT_EQ(got, (std::array<int, 3>{3, 3, 3}));
  }
}

// --- order ---

/// The order in which threads take their turns in a launch of one executor.
std::vector<int> turns(const simt& exec, bool co_resident) {
  std::vector<int> order;
  run(exec, {4, 64, co_resident}, 0, [&](auto& block) {
    for (int i = 0; i < 2; ++i) {
      order.push_back(block.index() * 64 + block.rank());
      block.sync();
    }
  });
  return order;
}

TEST(SimtOrder, IsByRankWithoutSeedAndRepeatsWithOne) {
  auto exec = [](std::uint64_t seed) {
    simt_options options = with_seed(seed);
    options.threads = 1;
    return simt(options);
  };
  std::vector<int> by_rank;
  for (int block = 0; block < 4; ++block)
    for (int i = 0; i < 2; ++i)
      for (int rank = 0; rank < 64; ++rank) by_rank.push_back(block * 64 + rank);
  EXPECT_EQ(turns(exec(0), false), by_rank);
  EXPECT_EQ(turns(exec(0), true), by_rank);
  for (const bool together : {false, true}) {
    const auto first = turns(exec(1), together);
    EXPECT_NE(first, by_rank);
    EXPECT_EQ(first, turns(exec(1), together));
    EXPECT_NE(first, turns(exec(2), together));
  }
  const simt one = exec(1);
  EXPECT_NE(turns(one, false), turns(one, false)); // each launch has an order of its own
}

TEST(SimtOrder, DoesNotDependOnOperatingSystemThreads) {
  auto first_to_come = [](int threads) {
    simt_options options = with_seed(3);
    options.threads = threads;
    std::vector<int> first(50);
    run(simt(options), {50, 64}, sizeof(int), [&](auto& block) {
      auto taken = block.storage(slot<int>{0, 1});
      if (block.rank() == 0) taken[0] = 0;
      block.sync();
      if (atomic_ref<int>(taken[0]).fetch_add(1) == 0) first[block.index()] = block.rank();
    });
    return first;
  };
  EXPECT_EQ(first_to_come(1), first_to_come(2));
}

// --- blocks that wait for each other ---

TEST(SimtCoResident, AChainOfBlocksInEitherDirection) {
  constexpr int blocks = 20;
  for (const int direction : {1, -1})
    for (const std::uint64_t seed : {0, 6}) {
      std::vector<int> flags(blocks), sums(blocks);
      run(simt(with_seed(seed)), {blocks, 33, true}, 0, [&](auto& block) {
        const int me = block.index(), before = me - direction;
        if (block.rank() == 0) {
          const bool first = before < 0 || before >= blocks;
          if (!first)
            while (atomic_ref<int>(flags[before]).load() == 0) block.backoff();
          sums[me] = me + (first ? 0 : sums[before]);
          block.fence();
          atomic_ref<int>(flags[me]).store(1);
        }
        block.sync();
      });
      EXPECT_EQ(sums[direction > 0 ? blocks - 1 : 0], blocks * (blocks - 1) / 2);
    }
}

TEST(SimtCoResident, ARing) {
  constexpr int blocks = 8, laps = 50;
  for (const std::uint64_t seed : {0, 6}) {
    int turn = 0;
    run(simt(with_seed(seed)), {blocks, 4, true}, 0, [&](auto& block) {
      for (int lap = 0; lap < laps; ++lap) {
        if (block.rank() == 0) {
          while (atomic_ref<int>(turn).load() % blocks != block.index()) block.backoff();
          atomic_ref<int>(turn).fetch_add(1);
        }
        block.sync();
      }
    });
    EXPECT_EQ(turn, blocks * laps);
  }
}

TEST(Simt, BlocksMayWaitForEarlierTickets) {
  simt_options options;
  options.threads = 2;
  constexpr int blocks = 200;
  int tickets = 0, done = 0;
  run(simt(options), {blocks, 64}, 0, [&](auto& block) {
    if (block.rank() == 0) {
      const int mine = atomic_ref<int>(tickets).fetch_add(1);
      while (atomic_ref<int>(done).load() != mine) block.backoff();
      atomic_ref<int>(done).store(mine + 1);
    }
    block.sync();
  });
  EXPECT_EQ(done, blocks);
}

TEST(Simt, ManyFibres) {
#if defined(EVENLY_THREAD_SANITIZER) // which has room for some 8,000
  constexpr int blocks = 4;
#else
  constexpr int blocks = 64;
#endif
  const simt exec;
  for (const bool together : {false, true}) {
    std::vector<int> last(blocks);
    run(exec, {blocks, 512, together}, 0, [&](auto& block) {
      for (int i = 0; i < 5; ++i) block.sync();
      if (block.rank() == 511) last[block.index()] = 1;
    });
    EXPECT_EQ(std::accumulate(last.begin(), last.end(), 0), blocks);
  }
}

} // namespace
} // namespace evenly
