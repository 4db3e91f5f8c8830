// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process: messages under any seed, and what ends a group.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/distributed/array.hpp"
#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/mpi.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using distributed::communicator;
using distributed::incoming;
using distributed::local_devices;
using distributed::outgoing;
using distributed::rank_failed;

TEST(LocalRanks, SendMessagesUnderAnySeed) {
  for (const int ranks : {1, 2, 3, 4, 7})
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      std::atomic<int> bodies = 0;
      local_devices(ranks, {.seed = seed}).run([&](communicator& here) {
        ++bodies;
        EXPECT_EQ(here.size(), ranks);
        for (int round = 0; round < 5; ++round) {
          const int mine = here.rank() * 10 + round;
          std::vector<int> expected;
          for (int r = 0; r < ranks; ++r) expected.push_back(r * 10 + round);
          EXPECT_EQ(here.all_gather("numbers", mine), expected);
          const std::vector<int> list(static_cast<std::size_t>(here.rank()), here.rank());
          const std::vector<int> lists = here.all_gather_lists("lists", std::span<const int>(list));
          EXPECT_EQ(lists.size(), static_cast<std::size_t>(ranks * (ranks - 1) / 2));
          EXPECT_TRUE(std::ranges::is_sorted(lists));
        }
        here.barrier("end");
      });
      EXPECT_EQ(bodies, ranks);
    }
}

TEST(LocalRanks, NameTheRankThatThrows) {
  const auto ranks = local_devices(4);
  EXPECT_EQ(message_of<rank_failed>([&] {
              ranks.run([](communicator& here) {
                if (here.rank() == 2) throw std::runtime_error("no more memory");
                here.barrier("start");
              });
            }),
            "rank 2 of 4 failed: no more memory");
  EXPECT_EQ(refusal_of([&] {
              ranks.run([](communicator& here) {
                if (here.rank() == 1) throw invalid_argument("k = 0: must be at least 1");
                here.barrier("start");
              });
            }),
            "rank 1 of 4 failed: k = 0: must be at least 1");
  EXPECT_EQ(message_of<rank_failed>([&] {
              ranks.run([](communicator& here) {
                if (here.rank() == 3) throw 7;
                here.barrier("start");
              });
            }),
            "rank 3 of 4 failed: an exception that is no std::exception");
  ranks.run([](communicator& here) { here.barrier("the group goes on"); });
  EXPECT_EQ(
      refusal_of([] { distributed::alone().run([](communicator&) { throw invalid_argument("alone"); }); }),
      "alone");
}

TEST(LocalRanks, FindARankThatWaitsForEver) {
  const auto ranks = local_devices(3);
  const std::string ended = message_of<rank_failed>([&] {
    ranks.run([](communicator& here) {
      if (here.rank() != 1) here.barrier("start");
    });
  });
  expect_in(ended, "no rank can continue: ");
  expect_in(ended, "rank 0 waits for rank 1 (start), which has ended");
  expect_in(ended, "rank 2 waits for rank 1 (start), which has ended");
  const std::string circle = message_of<rank_failed>([&] {
    ranks.run([](communicator& here) {
      int value = 0;
      const incoming from{(here.rank() + 1) % 3, &value, sizeof value};
      here.exchange("a circle", {}, {&from, 1});
    });
  });
  expect_in(
      circle,
      "rank 0 waits for rank 1 (a circle), rank 1 waits for rank 2 (a circle), rank 2 waits for rank 0");
}

TEST(LocalRanks, GiveUpOnARankThatRunsForEver) {
  std::atomic<bool> leave = false;
  const auto begin = std::chrono::steady_clock::now();
  const std::string late = message_of<rank_failed>([&] {
    local_devices(2, {.wait_seconds = 1}).run([&](communicator& here) {
      if (here.rank() == 1)
        while (!leave) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      try {
        here.barrier("start");
      } catch (...) {
        leave = true;
        throw;
      }
    });
  });
  EXPECT_EQ(late, "after 1 s of waiting: rank 0 waits for rank 1 (start)");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(LocalRanks, RefuseRanksAtDifferentCalls) {
  const std::string other = message_of<rank_failed>([] {
    local_devices(2).run([](communicator& here) { here.all_gather(here.rank() == 0 ? "sizes" : "sums", 1); });
  });
  expect_in(other, "all ranks must make the same calls in the same order");
  expect_in(other, "(sizes)");
  const std::string longer = message_of<rank_failed>([] {
    local_devices(2).run([](communicator& here) {
      const std::vector<char> mine(static_cast<std::size_t>(3 + here.rank()));
      std::vector<char> all(8);
      here.all_gather("bytes", mine.data(), mine.size(), all.data());
    });
  });
  expect_in(longer, " bytes (bytes): all ranks must make the same calls");
}

TEST(LocalRanks, NameTheRanksWithDifferentInputs) {
  using distributed::detail::require_same_inputs;
  const auto difference = [](const distributed::detail::input_description& of_last) {
    return message_of<distributed::different_inputs>([&] {
      local_devices(3).run([&](communicator& here) {
        require_same_inputs(here, "a matrix",
                            here.rank() == 2 ? of_last : distributed::detail::input_description{5, 6, 7, 1});
      });
    });
  };
  EXPECT_EQ(difference({5, 6, 8, 1}),
            "rank 0 has a matrix of 5 x 6 with 7 entries, but rank 2 has one of 5 x 6 with 8 "
            "entries: every rank must be given the same");
  EXPECT_EQ(difference({5, 6, 7, 2}),
            "ranks 0 and 2 have a matrix of 5 x 6 with 7 entries each, but with different "
            "contents: every rank must be given the same");
}

TEST(RanksUnderMpi, RefuseMessagesThatMpiCannotCount) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 31})
    EXPECT_EQ(refusal_of([&] { distributed::from_mpi({.max_message = bytes}); }),
              "max_message = " + std::to_string(bytes) + ": must be from 1 to 2147483647");
}

TEST(LocalRanks, RefuseAGroupOfNone) {
  EXPECT_EQ(refusal_of([] { local_devices(0); }), "ranks = 0: a group has at least one rank");
  EXPECT_EQ(refusal_of([] { local_devices(0, cpu(1)); }), "ranks = 0: a group has at least one rank");
  EXPECT_EQ(refusal_of([] { local_devices(std::vector<cpu>{}); }),
            "ranks = 0: a group has at least one rank");
}

} // namespace
} // namespace evenly
