// SPDX-License-Identifier: Apache-2.0
// Races on memory that kernels access through traced(): those that are there are found, under any seed, and what orders
// threads keeps others from being reported.

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "execution/reports.hpp"

namespace evenly {
namespace {

// --- the two examples of a course on reductions ---

/// A tree over all elements in one launch: each step adds elements that are `stride` apart. `Meets`: all threads meet
/// after each step, as they must, for other blocks read what is written here.
template <bool Meets> struct tree_of_all {
  int* values;
  int count;
  grid_barrier barrier;

  template <class Block> void operator()(Block& block) const {
    const auto all = traced(block, values);
    const int me = block.index() * block.size() + block.rank();
    for (int stride = 1; stride < count; stride *= 2) {
      const int at = 2 * stride * me;
      if (at + stride < count) {
        const int upper = all[at + stride];
        all[at] += upper;
      }
      if constexpr (Meets)
        grid_sync(block, barrier);
      else
        block.sync();
    }
  }
};

template <bool Meets> void run_tree(const simt& exec) {
  std::vector<int> values(64, 1);
  workspace memory;
  workspace::lease lease(memory);
  launch(exec, {4, 8, Meets}, tree_of_all<Meets>{values.data(), 64, lease.take(exec, 0).barrier});
  EXPECT_EQ(values[0], 64);
}

TEST(TracedMemory, ATreeWhoseBlocksDoNotMeetReadsTooEarly) {
  const std::string words = found_by_all(run_tree<false>);
  EXPECT_TRUE(says(words, {"race: block ", " of traced memory (of 4 bytes) (memory_races_test.cpp:",
                           "which block ", "with no barrier or atomic operation that orders the two"}));
  EXPECT_EQ(found_by_all(run_tree<true>), "");
}

/// Each block adds up a part of the elements; its sum goes to the beginning of `to`. In place, it lands on what another
/// block may not have read yet.
struct sum_of_parts {
  const int* from;
  int* to;

  static slot<int> lay_out(storage_layout& layout, block_shape shape) { return layout.take<int>(shape.size); }
  template <class Block> void operator()(Block& block) const {
    storage_layout layout;
    const auto part = block.storage(lay_out(layout, block.shape()));
    part[block.rank()] = traced(block, from)[block.index() * block.size() + block.rank()];
    block.sync();
    for (int half = block.size() / 2; half > 0; half /= 2) {
      if (block.rank() < half) part[block.rank()] += part[block.rank() + half];
      block.sync();
    }
    if (block.rank() == 0) traced(block, to)[block.index()] = part[0];
  }
};

TEST(TracedMemory, SumsOfPartsInPlaceAreWrittenTooEarly) {
  const auto run_parts = [](const simt& exec, bool in_place) {
    std::vector<int> values(4 * 16, 1), sums(4);
    launch(exec, {4, 16}, sum_of_parts{values.data(), in_place ? values.data() : sums.data()});
    EXPECT_EQ(sums, std::vector<int>(4, in_place ? 0 : 16));
  };
  EXPECT_TRUE(says(found_by_all([&](const simt& exec) { run_parts(exec, true); }),
                   {"race: block ", " of traced memory", "which block "}));
  EXPECT_EQ(found_by_all([&](const simt& exec) { run_parts(exec, false); }), "");
}

TEST(TracedMemory, TheReportNamesBothAccesses) {
  int writes = 0, reads = 0;
  std::vector<int> values(10);
  const auto body = [&](auto& block) {
    const auto all = traced(block, values.data());
    if (block.index() == 0 && block.rank() == 2) writes = __LINE__, all[7] = 1;
    if (block.index() == 1 && block.rank() == 1) reads = __LINE__, use(all[7]);
  };
  const auto line = [](int number) { return " (memory_races_test.cpp:" + std::to_string(number) + ")"; };
  const std::string words = report(simt(), {2, 4, true}, 0, body);
  EXPECT_EQ(words, "race: block 1: thread 1 reads element 7 of traced memory (of 4 bytes)" + line(reads) +
                       ", which block 0: thread 2 has written" + line(writes) +
                       ", with no barrier or atomic operation that orders the two");
  simt_options unchecked;
  unchecked.check_races = false;
  EXPECT_EQ(report(simt(unchecked), {2, 4, true}, 0, body), "");
}

// --- within a block ---

TEST(TracedMemory, BarriersOrderABlock) {
  const auto exchanged = [](int size, auto meet) {
    return found_by_all([=](const simt& exec) {
      std::vector<int> values(size);
      run(exec, {1, size}, 0, [&](auto& block) {
        const auto all = traced(block, values.data());
        all[block.rank()] = block.rank();
        meet(block);
        use(all[size - 1 - block.rank()]);
      });
    });
  };
  EXPECT_EQ(exchanged(100, [](auto& block) { block.sync(); }), "");
  EXPECT_EQ(exchanged(32, [](auto& block) { block.warp_sync(first_lanes(32)); }), "");
  EXPECT_TRUE(says(exchanged(64, [](auto& block) { block.warp_sync(first_lanes(32)); }), {"race: block 0"}));
  EXPECT_TRUE(says(exchanged(32, [](auto&) {}), {"race: block 0"}));
}

TEST(TracedMemory, NeighboursAreNoRaceOfWhateverSize) {
  EXPECT_EQ(found_by_all([](const simt& exec) {
              std::vector<char> bytes(300);
              std::vector<std::int16_t> halves(300);
              std::vector<double> wide(300);
              run(exec, {3, 100}, 0, [&](auto& block) {
                const int me = block.index() * 100 + block.rank();
                traced(block, bytes.data())[me] = 1;
                traced(block, halves.data())[me] = 2;
                traced(block, wide.data())[me] = 3;
              });
            }),
            "");
  const auto overlapping = [](const simt& exec) {
    alignas(8) std::int32_t words[2] = {};
    run(exec, {2, 1}, 0, [&](auto& block) {
      if (block.index() == 0)
        traced(block, words)[1] = 1;
      else
        traced(block, reinterpret_cast<char*>(words))[6] = 1;
    });
  };
  EXPECT_TRUE(says(found_by_all(overlapping), {"race: block "}));
}

TEST(TracedMemory, ReadersAreRememberedAcrossBlocks) {
  EXPECT_TRUE(says(found_by_all([](const simt& exec) {
                     std::vector<int> values(1);
                     run(exec, {3, 8}, 0, [&](auto& block) {
                       const auto all = traced(block, values.data());
                       use(all[0]);
                       block.sync();
                       if (block.index() == 1 && block.rank() == 3) all[0] = 5;
                     });
                   }),
                   {"race: block "}));
}

// --- atomic operations, fences and meetings order blocks ---

/// Block 0 writes `data`, then says so by a flag; block 1 waits for the flag and reads `data`.
template <class Signal, class Await> std::string hand_over(const Signal& signal, const Await& await) {
  return found_by_all([&](const simt& exec) {
    std::vector<int> data(40);
    int flag = 0;
    run(exec, {2, 40, true}, 0, [&](auto& block) {
      const auto all = traced(block, data.data());
      if (block.index() == 0) {
        all[block.rank()] = block.rank();
        block.sync();
        if (block.rank() == 0) signal(block, flag);
      } else {
        if (block.rank() == 0) await(block, flag);
        block.sync();
        const int seen = all[39 - block.rank()];
        EXPECT_EQ(seen, 39 - block.rank());
      }
    });
  });
}

TEST(TracedMemory, AReleaseAndAnAcquireOrder) {
  const auto release = [](auto&, int& flag) { atomic_ref(flag).store(1); };
  const auto acquire = [](auto& block, int& flag) {
    while (atomic_ref(flag).load() == 0) block.backoff();
  };
  const auto relaxed_store = [](auto&, int& flag) { atomic_ref(flag).store(1, order::relaxed{}); };
  const auto relaxed_load = [](auto& block, int& flag) {
    while (atomic_ref(flag).load(order::relaxed{}) == 0) block.backoff();
  };
  EXPECT_EQ(hand_over(release, acquire), "");
  EXPECT_EQ(hand_over([](auto&, int& flag) { atomic_ref(flag).fetch_add(1); },
                      [](auto& block, int& flag) {
                        int seen = 1;
                        while (!atomic_ref(flag).compare_exchange(seen, 2)) seen = 1, block.backoff();
                      }),
            "");
  EXPECT_TRUE(says(hand_over(relaxed_store, acquire), {"race: block 1"}));
  EXPECT_TRUE(says(hand_over(release, relaxed_load), {"race: block 1"}));
  const auto fenced_store = [](auto& block, int& flag) {
    block.fence();
    atomic_ref(flag).store(1, order::relaxed{});
  };
  const auto fenced_load = [&](auto& block, int& flag) {
    relaxed_load(block, flag);
    block.fence();
  };
  EXPECT_EQ(hand_over(fenced_store, fenced_load), "");
  EXPECT_EQ(hand_over(fenced_store, acquire), "");
  EXPECT_EQ(hand_over(release, fenced_load), "");
  EXPECT_TRUE(says(hand_over(fenced_store, relaxed_load), {"race: block 1"}));
}

TEST(TracedMemory, AReleaseSpeaksForThoseWhomItsThreadHasMet) {
  const auto with = [](bool meets) {
    return found_by_all([=](const simt& exec) {
      std::vector<int> data(64);
      int flag = 0;
      run(exec, {2, 64, true}, 0, [&](auto& block) {
        const auto all = traced(block, data.data());
        if (block.index() == 0) {
          all[block.rank()] = 1;
          if (meets) block.sync();
          if (block.rank() == 63) atomic_ref(flag).store(1);
        } else {
          if (block.rank() == 0)
            while (atomic_ref(flag).load() == 0) block.backoff();
          block.sync();
          use(all[block.rank()]);
        }
      });
    });
  };
  EXPECT_EQ(with(true), "");
  EXPECT_TRUE(says(with(false), {"race: block "}));
}

TEST(TracedMemory, LanesThatMeetKnowWhatAnyOfThemKnew) {
  EXPECT_EQ(found_by_all([](const simt& exec) {
              std::vector<int> data(2);
              int posted = 0, heard = 0;
              run(exec, {2, 3, true}, 0, [&](auto& block) {
                const auto all = traced(block, data.data());
                const auto await = [&](int& place, int turn) {
                  while (atomic_ref(place).load() != turn) block.backoff();
                };
                if (block.index() == 0 && block.rank() == 0) {
                  all[0] = 1;
                  atomic_ref(posted).store(1);
                  await(heard, 1);
                  all[1] = 2;
                  atomic_ref(posted).store(2);
                } else if (block.index() == 1) {
                  if (block.rank() == 1) { // has seen less than rank 0 sees later
                    await(posted, 1);
                    atomic_ref(heard).store(1);
                  }
                  if (block.rank() == 0) await(posted, 2);
                  block.warp_sync(0b111);
                  use(all[0]);
                  use(all[1]);
                }
              });
            }),
            "");
}

TEST(TracedMemory, WhoComesLastMaySumUpWhatAllHaveWritten) {
  for (const int blocks : {1, 2, 50})
    for (const bool together : {false, true})
      EXPECT_EQ(found_by_all([=](const simt& exec) {
                  std::vector<int> parts(blocks);
                  int retired = 0, sum = 0;
                  run(exec, {blocks, 3, together}, 0, [&](auto& block) {
                    const auto all = traced(block, parts.data());
                    if (block.rank() != 0) return;
                    all[block.index()] = block.index();
                    if (atomic_ref(retired).fetch_add(1) != blocks - 1) return;
                    for (int b = 0; b < blocks; ++b) sum += all[b];
                  });
                  EXPECT_EQ(sum, blocks * (blocks - 1) / 2);
                }),
                "");
}

TEST(TracedMemory, PlainAccessesRaceWithAtomicOnes) {
  const auto with = [](bool writes, bool changes) {
    return found_by_all([=](const simt& exec) {
      int counter = 0;
      run(exec, {4, 8}, 0, [&](auto& block) {
        if (block.index() == 2 && block.rank() == 5) {
          if (writes)
            traced(block, &counter)[0] = 1;
          else
            use(traced(block, &counter)[0]);
        } else if (changes)
          atomic_ref(counter).fetch_add(1, order::relaxed{});
        else
          atomic_ref(counter).load(order::relaxed{});
      });
    });
  };
  EXPECT_TRUE(says(with(true, true), {"race: block ", "atomically access"}));
  EXPECT_TRUE(says(with(false, true), {"race: block ", "atomically access"}));
  EXPECT_TRUE(says(with(true, false), {"race: block ", "atomically access"}));
  EXPECT_EQ(with(false, false), "");
}

TEST(TracedMemory, IsNotCheckedForeverWhereVeryManyOperationsOrder) {
  // Some thousand blocks, each of whose threads acquires and releases many objects: a second, not minutes.
  std::vector<int> objects(5000), values(1);
  run(simt(), {1500, 64}, 0, [&](auto& block) {
    use(traced(block, values.data())[0]);
    for (int i = 0; i < 5; ++i)
      atomic_ref(objects[(block.index() * 7919 + block.rank() * 31 + i * 101) % 5000]).fetch_add(1);
  });
  EXPECT_EQ(std::accumulate(objects.begin(), objects.end(), 0), 1500 * 64 * 5);
}

TEST(TracedMemory, LaunchesAreOrdered) {
  EXPECT_EQ(found_by_all([](const simt& exec) {
              std::vector<int> values(64, 1);
              for (int turn = 0; turn < 3; ++turn)
                run(exec, {4, 16}, 0, [&](auto& block) {
                  const auto all = traced(block, values.data());
                  all[63 - (block.index() * 16 + block.rank())] += turn;
                });
            }),
            "");
}

TEST(TracedMemory, AtomicsOfStorageOrderABlockButNoOthers) {
  const auto with = [](bool across) {
    return found_by_all([=](const simt& exec) {
      std::vector<int> values(4);
      run(exec, {2, 2}, 4, [&](auto& block) {
        const auto flag = block.storage(slot<int>{0, 1});
        const auto all = traced(block, values.data());
        const int at = across ? 0 : block.index();
        if (block.rank() == 0) flag[0] = 0;
        block.sync();
        if (block.rank() == 0) {
          all[at] = 1;
          atomic_ref(flag[0]).store(1);
        } else {
          while (atomic_ref(flag[0]).load() == 0) block.backoff();
          use(all[at]);
        }
      });
    });
  };
  EXPECT_EQ(with(false), "");
  EXPECT_TRUE(says(with(true), {"race: block "}));
}

// --- switching at atomic operations ---

/// How many of `threads` increments by a load and a store are lost.
int lost_increments(const simt& exec, int blocks, int block_size) {
  int counter = 0;
  run(exec, {blocks, block_size, true}, 0, [&](auto&) {
    const int seen = atomic_ref(counter).load();
    atomic_ref(counter).store(seen + 1);
  });
  return blocks * block_size - counter;
}

TEST(SwitchAtAtomics, ShowsWhatIsNotAtomicAsAWhole) {
  EXPECT_EQ(lost_increments(simt(with_seed(5)), 3, 10), 0); // without it, nothing comes between
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    simt_options options = with_seed(seed);
    options.switch_at_atomics = true;
    EXPECT_GT(lost_increments(simt(options), 3, 10), 0) << seed;
    EXPECT_EQ(lost_increments(simt(options), 3, 10), lost_increments(simt(options), 3, 10)) << "it repeats";
  }
}

TEST(SwitchAtAtomics, LetsALockBeATurnstile) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    simt_options options = with_seed(seed);
    options.switch_at_atomics = true;
    int lock = 0, entered = 0;
    std::vector<int> guarded(1);
    run(simt(options), {4, 5, true}, 0, [&](auto& block) {
      for (int turn = 0; turn < 3; ++turn) {
        while (atomic_ref(lock).exchange(1, order::acquire{}) != 0) block.backoff();
        traced(block, guarded.data())[0] += 1;
        atomic_ref(entered).fetch_add(1, order::relaxed{});
        atomic_ref(lock).store(0);
      }
    });
    EXPECT_EQ(guarded[0], 60);
    EXPECT_EQ(entered, 60);
  }
}

TEST(SwitchAtAtomics, DoesNotTakeWorkForWaiting) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    simt_options options = with_seed(seed);
    options.switch_at_atomics = true;
    int done = 0, read = 0;
    std::vector<int> values(50'000, 1);
    run(simt(options), {2, 1, true}, 0, [&](auto& block) {
      if (block.index() == 0) {
        for (int& each : values) read += atomic_ref(each).load(order::relaxed{});
        atomic_ref(done).store(1);
      } else
        while (atomic_ref(done).load() == 0) block.backoff();
    });
    EXPECT_EQ(read, 50'000);
  }
}

TEST(SwitchAtAtomics, StillTellsWhoWaitsForEver) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    simt_options options = with_seed(seed);
    options.switch_at_atomics = true;
    int never = 0;
    const auto waits = [&](auto& block) {
      while (atomic_ref(never).load() == 0) block.backoff();
    };
    EXPECT_TRUE(says(report(simt(options), {2, 3, true}, 0, waits),
                     {"nothing but backoff in 10000 rounds: block 0: "}));
    workspace memory;
    workspace::lease lease(memory);
    const grid_barrier barrier = lease.take(simt(), 0).barrier;
    EXPECT_TRUE(says(report(simt(options), {4, 3, true}, 0,
                            [&](auto& block) {
                              if (block.index() != 2) grid_sync(block, barrier);
                            }),
                     {"grid_sync waits for block 2 of 4: block 0: "}));
  }
}

} // namespace
} // namespace evenly
