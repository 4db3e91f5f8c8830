// SPDX-License-Identifier: Apache-2.0
// Launches on the simulated GPU that can never complete: each report names the threads and the lines.

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "execution/reports.hpp"

namespace evenly {
namespace {

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
                   {"thread 0 calls warp_sync with mask 0xff00 (simt_errors_test.cpp:", "without being"}));
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
  EXPECT_TRUE(says(report(simt(), {1, 64}, 0,
                          [](auto& block) {
                            if (block.rank() != 40) block.warp_ballot(first_lanes(32), true);
                          }),
                   {"threads 32-39, 41-63 wait at warp_ballot with mask 0xffffffff (simt_errors_test.cpp:",
                    "have finished"}));
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

} // namespace
} // namespace evenly
