// SPDX-License-Identifier: Apache-2.0
// The simulated GPU must do what the block contract says, for every block and warp size and in every order,
// and must report what a GPU leaves undefined: each error test looks for the words by which a reader finds
// the mistake.

#include "evenly/execution/simt.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string>
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

/// How a report names a line of this file. A kernel notes the line of a call that is to be reported, as in
/// `at = __LINE__, block.sync()`.
std::string place(int line) { return "(simt_test.cpp:" + std::to_string(line) + ")"; }

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

// --- storage: what is a race and what is not ---

TEST(SimtStorage, BehavesLikeReferences) {
  struct pair {
    char a;
    int b; // three bytes of padding before it
  };
  int seen = 0;
  run(simt(), {1, 1}, 64, [&](auto& block) {
    storage_layout layout;
    auto ints = block.storage(layout.template take<int>(3));
    auto pairs = block.storage(layout.template take<pair>(2));
    EXPECT_EQ(ints.size(), 3);
    ints[0] = ints[1] = 40;
    ints[2] = ints[0];
    ints[0] += 2;
    EXPECT_EQ(value(ints[1]), 40);
    EXPECT_EQ(value(ints[2]), 40);
    ints[1] -= ints[2];
    EXPECT_EQ(value(ints[1]), 0);
    ints[1] = 3;
    EXPECT_EQ((ints[1] *= 4), 12);
    EXPECT_EQ((ints[1] /= 2), 6);
    EXPECT_EQ((ints[1] |= 9), 15);
    EXPECT_EQ((ints[1] &= 5), 5);
    EXPECT_EQ((ints[1] ^= 1), 4);
    EXPECT_EQ(++ints[1], 5);
    EXPECT_EQ(--ints[1], 4);
    pairs[0] = pair{'x', 7};
    pairs[1] = pairs[0];
    const pair copy = pairs[1];
    EXPECT_EQ(copy.b, 7);
    ints[0] = 2;
    EXPECT_EQ(value(ints[ints[0]]), 40); // an index from storage
    const bool less = ints[0] < ints[1];
    EXPECT_TRUE(less);
    const double mean = (ints[0] + ints[1]) / 2.0;
    EXPECT_EQ(mean, 3.0);
    seen = ints[0];
  });
  EXPECT_EQ(seen, 2);
}

TEST(SimtStorage, MayBeLargerThan48KiB) {
  constexpr int count = 40'000;
  std::int64_t total = 0;
  run(simt(), {1, 256}, count * sizeof(int), [&](auto& block) {
    auto shared = block.storage(slot<int>{0, count});
    for (int i = block.rank(); i < count; i += block.size()) shared[i] = i;
    block.sync();
    if (block.rank() == 0)
      for (int i = 0; i < count; ++i) total += shared[i];
  });
  EXPECT_EQ(total, std::int64_t{count} * (count - 1) / 2);
}

TEST(SimtRace, WriteAfterWrite) {
  std::atomic<int> at = 0;
  const auto words = report(simt(), {4, 64}, 64, [&at](auto& block) {
    auto shared = block.storage(slot<int>{16, 2});
    block.sync();
    if (block.index() == 2 && (block.rank() == 5 || block.rank() == 40)) at = __LINE__, shared[1] = 1;
  });
  EXPECT_TRUE(
      says(words, {"race", "block 2", "thread 40 writes", "element 1", "byte 20", "thread 5 has written",
                   "epoch 1", "writes element 1 (byte 20 of storage, elements of 4 bytes) " + place(at),
                   "has written " + place(at)}));
}

TEST(SimtRace, ReadAfterWriteAndWriteAfterRead) {
  int write = 0, read = 0;
  auto missing_sync = [&](auto& block) {
    auto shared = block.storage(slot<int>{0, 33});
    write = __LINE__, shared[block.rank()] = 1;
    if (block.rank() == 32) read = __LINE__, use(shared[0]);
  };
  const auto early_read = report(simt(), {1, 33}, 132, missing_sync);
  EXPECT_TRUE(says(early_read, {"thread 32 reads element 0", "bytes) " + place(read),
                                "thread 0 has written " + place(write)}));

  auto late_write = [&](auto& block) {
    auto shared = block.storage(slot<int>{0, 1});
    if (block.rank() == 0) shared[0] = 1;
    block.sync();
    read = __LINE__, use(shared[0]);
    if (block.rank() == 63) shared[0] = 2;
  };
  const auto overwritten = report(simt(), {1, 64}, 4, late_write);
  EXPECT_TRUE(says(overwritten, {"thread 63 writes element 0", "has read " + place(read)}));
}

TEST(SimtRace, IsFoundWhateverTheOrder) {
  for (int seed = 0; seed < 40; ++seed) {
    const auto words = report(simt(with_seed(seed)), {1, 64}, 256, [](auto& block) {
      auto shared = block.storage(slot<int>{0, 64});
      shared[block.rank()] = 1;
      const int other = shared[block.rank() ^ 1];
      shared[block.rank()] = other;
    });
    EXPECT_NE(words, "");
  }
}

TEST(SimtRace, WithinAWarpNeedsWarpSync) {
  auto exchange = [](bool synchronised) {
    return [synchronised](auto& block) {
      auto shared = block.storage(slot<int>{0, 32});
      shared[block.rank()] = 1;
      block.warp_ballot(first_lanes(32), true); // orders nothing
      if (synchronised) block.warp_sync(first_lanes(32));
      use(shared[31 - block.rank()]);
    };
  };
  EXPECT_EQ(report(simt(), {1, 32}, 128, exchange(true)), "");
  EXPECT_TRUE(says(report(simt(), {1, 32}, 128, exchange(false)), {"race"}));
}

TEST(SimtRace, WarpSyncDoesNotOrderOtherWarps) {
  const auto words = report(simt(), {1, 64}, 256, [](auto& block) {
    auto shared = block.storage(slot<int>{0, 64});
    shared[block.rank()] = 1;
    block.warp_sync(first_lanes(32));
    if (block.rank() >= 32) use(shared[block.rank() - 32]);
  });
  EXPECT_TRUE(says(words, {"race", "thread 32 reads element 0", "thread 0 has"}));
}

TEST(SimtRace, PartsOfAWarpAreOrderedByTheirMasks) {
  // Lane 0 hands its value on to lane 1, lane 1 to lane 2: a chain of meetings of two.
  auto chain = [](bool complete) {
    return [complete](auto& block) {
      auto shared = block.storage(slot<int>{0, 1});
      const int lane = block.rank();
      if (lane == 0) shared[0] = 1;
      if (lane <= 1) block.warp_sync(0b0011);
      if (complete && (lane == 1 || lane == 2)) block.warp_sync(0b0110);
      if (lane == 2) use(shared[0]);
    };
  };
  for (int seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(report(simt(with_seed(seed)), {1, 4}, 4, chain(true)), "");
    EXPECT_NE(report(simt(with_seed(seed)), {1, 4}, 4, chain(false)), "");
  }
  // The meeting of one half says nothing about the other.
  const auto words = report(simt(), {1, 32}, 4, [](auto& block) {
    auto shared = block.storage(slot<int>{0, 1});
    if (block.rank() == 0) shared[0] = 1;
    block.warp_sync(first_lanes(32));
    if (block.rank() == 20) use(shared[0]);
    const lane_mask low = first_lanes(16);
    block.warp_sync(block.rank() < 16 ? low : low << 16);
    if (block.rank() == 0) shared[0] = 2;
  });
  EXPECT_TRUE(says(words, {"thread 0 ", "thread 20 "})); // whichever came first
}

TEST(SimtRace, AReaderOfASecondWarpIsRemembered) {
  const auto words = report(simt(), {1, 64}, 4, [](auto& block) {
    auto shared = block.storage(slot<int>{0, 1});
    if (block.rank() == 0) shared[0] = 1;
    block.sync();
    if (block.rank() == 3 || block.rank() == 35) use(shared[0]);
    block.warp_sync(first_lanes(32));
    if (block.rank() == 36) shared[0] = 2; // ordered after thread 35, not after thread 3
  });
  EXPECT_TRUE(says(words, {"thread 36 writes", "thread 3 has read"}));
}

TEST(SimtRace, NeighboursWithinAWordAreNotARace) {
  for (const std::uint64_t seed : {0, 1, 2})
    EXPECT_EQ(report(simt(with_seed(seed)), {3, 96}, 1024,
                     [](auto& block) {
                       storage_layout layout;
                       auto bytes = block.storage(layout.template take<char>(97));
                       auto halves = block.storage(layout.template take<short>(96));
                       bytes[block.rank()] = 1;
                       halves[block.rank()] = 2;
                       EXPECT_EQ(value(bytes[block.rank()]), 1);
                       block.sync();
                       EXPECT_EQ(value(halves[95 - block.rank()]), 2);
                     }),
              "");
  EXPECT_TRUE(says(report(simt(), {1, 2}, 8, [](auto& block) { block.storage(slot<char>{0, 8})[5] = 1; }),
                   {"race", "element 5 (byte 5 ", "elements of 1 bytes"}));
}

TEST(SimtRace, BytesOfAWordThatWasWrittenWhole) {
  // A byte is read from a word that another thread writes as a whole.
  const auto words = report(simt(), {1, 2}, 8, [](auto& block) {
    auto whole = block.storage(slot<std::uint64_t>{0, 1});
    auto bytes = block.storage(slot<unsigned char>{0, 8});
    if (block.rank() == 0)
      whole[0] = 1;
    else
      use(bytes[6]);
  });
  EXPECT_TRUE(says(words, {"thread 1 reads element 6", "thread 0 has written"}));
}

TEST(SimtRace, AtomicsRaceWithPlainAccessesOnly) {
  auto count = [](int plain_reader, bool synchronised) {
    return [=](auto& block) {
      auto shared = block.storage(slot<int>{0, 1});
      if (block.rank() == 0) shared[0] = 0;
      block.sync();
      atomic_ref(shared[0]).fetch_add(1);
      if (synchronised) block.sync();
      if (block.rank() == plain_reader) use(shared[0]);
    };
  };
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt exec(with_seed(seed));
    EXPECT_EQ(report(exec, {1, 100}, 4, count(-1, false)), "");
    EXPECT_EQ(report(exec, {1, 100}, 4, count(70, true)), "");
    EXPECT_TRUE(says(report(exec, {1, 100}, 4, count(70, false)), {"race", "atomically access"}));
  }
  // A read that is ordered after the atomics does not hide them from one that is not.
  const auto words = report(simt(), {1, 64}, 4, [](auto& block) {
    auto shared = block.storage(slot<int>{0, 1});
    if (block.rank() == 0) shared[0] = 0;
    block.sync();
    if (block.rank() == 0) {
      atomic_ref(shared[0]).store(1);
      use(shared[0]);
    }
    if (block.rank() == 32) use(shared[0]);
  });
  EXPECT_TRUE(says(words, {"thread 32 reads", "thread 0 has"}));
}

TEST(SimtRace, ReuseAfterSyncIsNone) {
  for (const std::uint64_t seed : {0, 9})
    EXPECT_EQ(report(simt(with_seed(seed)), {3, 96}, 96 * 8,
                     [](auto& block) {
                       storage_layout layout;
                       const auto start = layout.mark();
                       auto first = block.storage(layout.template take<int>(96));
                       first[block.rank()] = block.rank();
                       block.sync();
                       EXPECT_EQ(value(first[95 - block.rank()]), 95 - block.rank());
                       block.sync();
                       layout.rewind(start);
                       auto second = block.storage(layout.template take<double>(96));
                       second[95 - block.rank()] = 1.0;
                       block.sync();
                       for (int i = 0; i < 3; ++i) EXPECT_EQ(value(second[(block.rank() + i) % 96]), 1.0);
                     }),
              "");
}

TEST(SimtRace, IsNotLookedForWhenSwitchedOff) {
  simt_options options;
  options.check_races = false;
  EXPECT_EQ(report(simt(options), {1, 64}, 8, [](auto& block) { block.storage(slot<int>{0, 1})[0] = 1; }),
            "");
}

TEST(SimtStorage, ReadingWhatNobodyHasWritten) {
  const simt exec;
  // Another block's values do not count.
  run(exec, {1, 1}, 64, [](auto& block) { block.storage(slot<int>{0, 16})[3] = 1; });
  EXPECT_TRUE(
      says(report(exec, {1, 2}, 64, [](auto& block) { use(block.storage(slot<int>{0, 16})[3]); }),
           {"block 0: thread 0 reads element 3 (byte 12", "no thread", "has written", "(simt_test.cpp:"}));
  EXPECT_TRUE(says(report(exec, {1, 2}, 64,
                          [](auto& block) { atomic_ref(block.storage(slot<int>{0, 16})[3]).fetch_add(1); }),
                   {"atomically accesses element 3", "no thread"}));
  EXPECT_TRUE(says(report(exec, {1, 1}, 64,
                          [](auto& block) {
                            block.storage(slot<short>{0, 1})[0] = 1; // half of the int
                            use(block.storage(slot<int>{0, 16})[0]);
                          }),
                   {"reads element 0", "byte 2 of"}));
}

TEST(SimtStorage, OutOfRange) {
  for (const bool checked : {true, false}) {
    simt_options options;
    options.check_races = checked;
    for (const int i : {-1, 16})
      EXPECT_TRUE(says(
          report(simt(options), {1, 2}, 128, [i](auto& block) { block.storage(slot<int>{0, 16})[i] = 1; }),
          {"thread 0", "(simt_test.cpp:", "element " + std::to_string(i) + " of storage of 16"}));
    EXPECT_TRUE(
        says(report(simt(options), {1, 2}, 48, [](auto& block) { block.storage(slot<int>{0, 16})[0] = 1; }),
             {"64 bytes", "lay_out() takes 48"}));
  }
}

// --- collectives that can never complete ---

TEST(SimtError, ThreadFinishesWhileOthersWaitAtSync) {
  std::atomic<int> at = 0;
  const auto words = report(simt(), {5, 32}, 0, [&](auto& block) {
    if (block.index() == 3 && block.rank() == 31) return;
    at = __LINE__, block.sync();
  });
  EXPECT_TRUE(says(words, {"block 3: threads 0-30 wait at sync " + place(at) + ", thread 31 has finished"}));
}

TEST(SimtError, SomeWaitAtSyncAndSomeAtWarpSync) {
  for (const std::uint64_t seed : {0, 4}) {
    int sync = 0, warp_sync = 0;
    const auto words = report(simt(with_seed(seed)), {1, 8}, 0, [&](auto& block) {
      if (block.rank() < 3 || block.rank() == 6)
        sync = __LINE__, block.sync();
      else
        warp_sync = __LINE__, block.warp_sync(0xff);
    });
    EXPECT_TRUE(says(words, {"block 0: threads 0-2, 6 wait at sync " + place(sync),
                             "threads 3-5, 7 wait at warp_sync with mask 0xff " + place(warp_sync)}));
  }
}

TEST(SimtError, MasksThatDoNotFit) {
  EXPECT_TRUE(says(report(simt(), {1, 32}, 0, [](auto& block) { block.warp_sync(0xff00); }),
                   {"thread 0 calls warp_sync with mask 0xff00 (simt_test.cpp:", "without being"}));
  EXPECT_TRUE(
      says(report(simt(), {1, 40}, 0,
                  [](auto& block) { block.warp_ballot(first_lanes(block.rank() < 32 ? 32 : 9), true); }),
           {"thread 32 calls warp_ballot with mask 0x1ff", "lanes 0xff only"}));
  EXPECT_TRUE(says(
      report(simt(), {1, 4}, 0, [](auto& block) { block.warp_shuffle(0b11, 1, block.rank() < 2 ? 2 : 0); }),
      {"shuffles from lane 2", "mask 0x3"}));
  EXPECT_TRUE(
      says(report(simt(), {1, 4}, 0, [](auto& block) { block.warp_shuffle(0xf, 1, -1); }), {"lane -1"}));
}

TEST(SimtError, LanesDoNotAgree) {
  EXPECT_TRUE(says(
      report(simt(), {1, 4}, 0, [](auto& block) { block.warp_sync(block.rank() == 2 ? 0b0111 : 0b1111); }),
      {"thread 2 calls warp_sync with mask 0x7", "thread 0 waits for it", "mask 0xf"}));
  EXPECT_TRUE(says(report(simt(), {1, 4}, 0,
                          [](auto& block) {
                            if (block.rank() == 3)
                              block.warp_sync(0xf);
                            else
                              block.warp_ballot(0xf, true);
                          }),
                   {"thread 3 calls warp_sync", "thread 0 waits for it at warp_ballot"}));
  EXPECT_TRUE(says(report(simt(), {1, 4}, 0,
                          [](auto& block) {
                            if (block.rank() == 3)
                              block.warp_shuffle(0xf, 1.0, 0);
                            else
                              block.warp_shuffle(0xf, 1, 0);
                          }),
                   {"thread 3 calls warp_shuffle", "8 bytes, not 4"}));
}

TEST(SimtError, LaneFinishesThatAWarpOperationNeeds) {
  EXPECT_TRUE(says(
      report(simt(), {1, 64}, 0,
             [](auto& block) {
               if (block.rank() != 40) block.warp_ballot(first_lanes(32), true);
             }),
      {"threads 32-39, 41-63 wait at warp_ballot with mask 0xffffffff (simt_test.cpp:", "have finished"}));
}

TEST(SimtError, NothingButBackoff) {
  int at = 0;
  auto wait_for_ever = [&](auto& block) {
    if (block.rank() == 1)
      for (;;) at = __LINE__, block.backoff();
    block.sync();
  };
  for (const bool together : {false, true}) {
    const auto words = report(simt(), {1, 3, together}, 0, wait_for_ever);
    EXPECT_TRUE(says(words, {"nothing but backoff in 10000 rounds: block 0: threads 0, 2 wait at sync",
                             "thread 1 calls backoff " + place(at)}));
  }
  EXPECT_TRUE(says(report(simt(), {9, 2, true}, 0,
                          [](auto& block) {
                            for (;;) block.backoff();
                          }),
                   {"block 0: threads 0-1 call backoff", "; block 3: ", "5 more"}));
}

TEST(SimtError, BlocksOfSeveralThreadsSpinForEver) {
  simt_options options;
  options.threads = 2;
  options.patience = 0.05;
  EXPECT_TRUE(says(report(simt(options), {4, 2}, 0,
                          [](auto& block) {
                            for (;;) block.backoff();
                          }),
                   {"nothing but backoff", "threads 0-1 call backoff"}));
}

TEST(SimtError, AFailureEndsBlocksThatSpin) {
  simt_options options;
  options.threads = 2;
  std::atomic<int> tickets{0};
  EXPECT_THROW(run(simt(options), {8, 32}, 0,
                   [&](auto& block) {
                     if (block.rank() != 0) return block.sync();
                     if (tickets++ == 0) throw std::out_of_range("first");
                     for (;;) block.backoff(); // waits for the block that failed
                   }),
               std::out_of_range);
}

TEST(SimtError, ExceptionsAreCarriedOutAndThreadsUnwound) {
  struct counted {
    std::atomic<int>& live;
    explicit counted(std::atomic<int>& count) : live(count) { ++live; }
    ~counted() { --live; }
  };
  const simt exec;
  for (const bool together : {false, true})
    for (const int thrower : {0, 17, 63}) {
      std::atomic<int> live{0};
      try {
        run(exec, {5, 64, together}, 0, [&](auto& block) {
          const counted here(live);
          const std::vector<int> owned(100, block.rank());
          block.sync();
          if (block.index() == 2 && block.rank() == thrower) throw std::out_of_range("thrown by a kernel");
          block.warp_sync(first_lanes(32));
          block.sync();
        });
        FAIL();
      } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "thrown by a kernel");
      }
      EXPECT_EQ(live, 0);
    }
  EXPECT_EQ(report(exec, {5, 64}, 0, [](auto& block) { block.sync(); }),
            ""); // and the executor is as good as new
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
