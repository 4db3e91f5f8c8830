// SPDX-License-Identifier: Apache-2.0
// Storage on the simulated GPU: the accesses that race, and the reports of races.

#include <atomic>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/simt.hpp"
#include "execution/reports.hpp"

namespace evenly {
namespace {

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
  EXPECT_TRUE(says(
      report(exec, {1, 2}, 64, [](auto& block) { use(block.storage(slot<int>{0, 16})[3]); }),
      {"block 0: thread 0 reads element 3 (byte 12", "no thread", "has written", "(simt_storage_test.cpp:"}));
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
          {"thread 0", "(simt_storage_test.cpp:", "element " + std::to_string(i) + " of storage of 16"}));
    EXPECT_TRUE(
        says(report(simt(options), {1, 2}, 48, [](auto& block) { block.storage(slot<int>{0, 16})[0] = 1; }),
             {"64 bytes", "lay_out() takes 48"}));
  }
}

} // namespace
} // namespace evenly
