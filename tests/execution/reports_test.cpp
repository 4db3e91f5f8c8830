// SPDX-License-Identifier: Apache-2.0
// Reports name the places by which a reader finds the mistake, the caller's too, and repeat.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/block/segments.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/simulator/detail/report.hpp"
#include "execution/reports.hpp"

namespace evenly {
namespace {

/// How a report names a line of this file. A kernel notes the line of a call, as in `at = __LINE__, block.sync()`.
std::string line(int at) { return "reports_test.cpp:" + std::to_string(at); }

/// The words of `report` from `from` on that a place is, as "file:line".
std::string place_after(const std::string& report, const std::string& from) {
  const auto start = report.find(from);
  if (start == std::string::npos) return "nothing";
  const auto open = report.find('(', start) + 1;
  return report.substr(open, report.find_first_of(",)", open) - open);
}

// --- the place of a collective is part of it ---

TEST(SimtPlace, ThreadsAtTwoSyncs) {
  int even = 0, odd = 0;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto words = report(simt(with_seed(seed)), {1, 64}, 0, [&](auto& block) {
      if (block.rank() % 2)
        odd = __LINE__, block.sync();
      else
        even = __LINE__, block.sync();
    });
    EXPECT_EQ(words, "sync at different places: block 0: threads 0-62 in steps of 2 wait at sync (" +
                         line(even) + "), threads 1-63 in steps of 2 wait at sync (" + line(odd) + ")");
  }
}

TEST(SimtPlace, TwoSyncsOnOneLineAreToldApartByColumn) {
  int at = 0;
  const auto words = report(simt(), {1, 4}, 0, [&](auto& block) {
    // clang-format off
    at = __LINE__; if (block.rank() < 2) block.sync(); else block.sync();
    // clang-format on
  });
  EXPECT_TRUE(says(words, {"threads 0-1 wait at sync (" + line(at) + ":", "threads 2-3 wait at sync"}));
  EXPECT_NE(place_after(words, "threads 0-1"), place_after(words, "threads 2-3"));
}

template <int, class Block> void meet(Block& block) { block.sync(); }

TEST(SimtPlace, TwoInstancesOfATemplateAreToldApartByFunction) {
#if defined(__clang__)
  GTEST_SKIP() << "clang names a function without the arguments of its template";
#endif
  const auto words = report(simt(), {1, 4}, 0, [](auto& block) {
    if (block.rank() < 2)
      meet<17>(block);
    else
      meet<18>(block);
  });
  EXPECT_TRUE(says(words, {"sync at different places", "17", "18"}));
}

TEST(SimtPlace, OneSyncInALoopIsOnePlace) {
  EXPECT_EQ(report(simt(with_seed(4)), {2, 100}, 0,
                   [](auto& block) {
                     for (int i = 0; i < 10; ++i) {
                       block.sync();
                       team<whole_block, simt_block>(block).sync();
                     }
                   }),
            "");
}

TEST(SimtPlace, ACollectiveCalledAtTwoLinesNamesBoth) {
  int first = 0, second = 0;
  const auto words = report(simt(), {1, 64}, 8, [&](auto& block) {
    const auto scratch = block.storage(slot<int>{0, 2});
    if (block.rank() < 32)
      first = __LINE__, block_scan(block, 1, plus<int>{}, scratch);
    else
      second = __LINE__, block_scan(block, 1, plus<int>{}, scratch);
  });
  EXPECT_TRUE(says(words, {"sync at different places: block 0: threads 0-31 wait at sync (team.hpp:",
                           ", called at " + line(first) + "), threads 32-63 wait at sync (team.hpp:",
                           ", called at " + line(second) + ")"}));
}

TEST(SimtPlace, LanesAtTwoWarpOperations) {
  int one = 0, other = 0;
  const auto sync = report(simt(), {1, 32}, 0, [&](auto& block) {
    if (block.rank() < 20)
      one = __LINE__, block.warp_sync(first_lanes(32));
    else
      other = __LINE__, block.warp_sync(first_lanes(32));
  });
  EXPECT_EQ(sync, "block 0: thread 20 calls warp_sync with mask 0xffffffff (" + line(other) +
                      ") where thread 0 waits for it at warp_sync with mask 0xffffffff (" + line(one) + ")");
  const auto reduce = report(simt(), {1, 32}, 0, [&](auto& block) {
    if (block.rank() < 20)
      one = __LINE__, this_warp(block).reduce(1, plus<int>{});
    else
      other = __LINE__, this_warp(block).reduce(1, plus<int>{});
  });
  EXPECT_TRUE(says(reduce, {"thread 20 calls warp_shuffle with mask 0xffffffff (team.hpp:",
                            ", called at " + line(other) + ") where thread 0 waits for it at warp_shuffle",
                            ", called at " + line(one) + ")"}));
  const auto ballot = report(simt(), {1, 32}, 0, [&](auto& block) {
    const auto warp = this_warp(block);
    if (block.rank() == 0 ? warp.any(true) : warp.all(true)) return;
  });
  EXPECT_TRUE(says(ballot, {"thread 1 calls warp_ballot", "where thread 0 waits for it at warp_ballot"}));
}

// --- an error inside a collective names the caller's line ---

TEST(SimtCaller, OfARace) {
  int first = 0, second = 0;
  const auto words = report(simt(), {1, 64}, 8, [&](auto& block) {
    const auto scratch = block.storage(slot<int>{0, 2});
    first = __LINE__, block_scan(block, 1, plus<int>{}, scratch);
    second = __LINE__, block_scan(block, 2, plus<int>{}, scratch);
  });
  EXPECT_TRUE(says(words, {"race: block 0: thread ", " writes element 0",
                           "(team.hpp:", ", called at " + line(second) + ")",
                           "has read (team.hpp:", ", called at " + line(first) + ")"}));
}

TEST(SimtCaller, OfAnElementOutsideASlot) {
  int at = 0;
  const auto words = report(simt(), {1, 64}, 8, [&](auto& block) {
    const auto too_small = block.storage(slot<int>{0, 1});
    at = __LINE__, block_reduce(block, block.rank(), plus<int>{}, too_small);
  });
  EXPECT_TRUE(says(words, {"block 0: thread 32 accesses element 1 of storage of 1 elements (team.hpp:",
                           ", called at " + line(at) + ")"}));
}

TEST(SimtCaller, OfAMaskAndOfAThreadThatIsMissing) {
  int at = 0;
  const auto mask =
      report(simt(), {1, 20}, 0, [&](auto& block) { at = __LINE__, lanes<simt_block>(block, 0, 32).sync(); });
  EXPECT_TRUE(says(mask, {"thread 0 calls warp_sync with mask 0xffffffff (team.hpp:",
                          ", called at " + line(at) + ")", "lanes 0xfffff only"}));
  const auto missing = report(simt(), {1, 64}, 256, [&](auto& block) {
    bool heads[1] = {true}, tails[1];
    if (block.rank() != 5)
      at = __LINE__, block_mark_tails(block, heads, tails, block.storage(slot<int>{0, 64}));
  });
  EXPECT_TRUE(says(missing, {"threads 0-4, 6-31 wait at warp_shuffle with mask 0xffffffff (team.hpp:",
                             ", called at " + line(at) + "), thread 5 has finished"}));
}

TEST(SimtCaller, IsForgottenWhenTheCollectiveReturns) {
  int at = 0;
  const auto words = report(simt(), {1, 64}, 8, [&](auto& block) {
    block_scan(block, 1, plus<int>{}, block.storage(slot<int>{0, 2}));
    if (block.rank() > 0) at = __LINE__, block.sync();
  });
  EXPECT_TRUE(says(words, {"threads 1-63 wait at sync (" + line(at) + ")"}));
}

// --- numbers of threads ---

TEST(SimtReport, ListsRangesOfThreads) {
  using detail::report::ranges;
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({0, 1}), "0-1");
  EXPECT_EQ(ranges({0, 2}), "0, 2");
  EXPECT_EQ(ranges({0, 1, 2, 31, 64, 65}), "0-2, 31, 64-65");
  EXPECT_EQ(ranges({1, 3, 5, 6, 7, 8}), "1-5 in steps of 2, 6-8");
  EXPECT_EQ(ranges({0, 32, 64, 96}), "0-96 in steps of 32");
  EXPECT_EQ(ranges({0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100}), "0-1, 4, 9, 16, 25, 36, 49, 64 and 2 more");
  const auto words = report(simt(), {1, 128}, 0, [](auto& block) {
    if (block.rank() / 32 % 2 == 0) block.sync();
  });
  EXPECT_TRUE(says(words, {"threads 0-31, 64-95 wait at sync", "threads 32-63, 96-127 have finished"}));
}

// --- reports repeat ---

/// All that 50 executors of this seed report of the kernel, each once.
template <class Body> std::vector<std::string> all_reports(std::uint64_t seed, int blocks, const Body& body) {
  std::vector<std::string> seen;
  for (int turn = 0; turn < 50; ++turn) {
    simt_options options = with_seed(seed);
    options.threads = 4;
    const auto words = report(simt(options), {blocks, 64}, 256, body);
    if (std::find(seen.begin(), seen.end(), words) == seen.end()) seen.push_back(words);
  }
  return seen;
}

TEST(SimtReport, RepeatsWithItsSeedOnSeveralThreads) {
  const auto races = [](auto& block) {
    auto shared = block.storage(slot<int>{0, 64});
    shared[block.rank()] = 1;
    if (block.index() % 7 == 3) shared[block.rank() / 2] = 2;
    block.sync();
    if (block.index() % 5 == 4) shared[block.rank() & ~1] = 3;
  };
  std::vector<std::string> of_seeds;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto seen = all_reports(seed, 40, races);
    ASSERT_EQ(seen.size(), 1u) << seen[0] << "\n" << seen[1];
    EXPECT_TRUE(says(seen[0], {"race: block ", ": thread ", "(reports_test.cpp:"}));
    of_seeds.push_back(seen[0]);
  }
  EXPECT_TRUE(says(of_seeds[0], {"block 3: "})); // the first in order
  EXPECT_NE(of_seeds[1], of_seeds[2]);
}

TEST(SimtReport, OfTheEarlierBlockWinsThoughItFailsLater) {
  const auto seen = all_reports(0, 8, [](auto& block) {
    for (int i = 0; i < (block.index() < 3 ? 300 : 0); ++i) block.sync();
    if (block.index() >= 2 && block.rank() == 9) return;
    block.sync();
  });
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(says(seen[0], {"block 2: threads 0-8, 10-63 wait at sync", "thread 9 has finished"}));
}

TEST(SimtReport, OfBlocksThatSpinRepeats) {
  std::vector<std::string> seen;
  for (int turn = 0; turn < 10; ++turn) {
    simt_options options;
    options.threads = 3;
    options.patience = 0.02;
    seen.push_back(report(simt(options), {6, 2}, 0, [](auto& block) {
      for (;;) block.backoff();
    }));
    EXPECT_TRUE(says(seen.back(), {"nothing but backoff for 0.02 s: block 0: threads 0-1 call backoff"}));
    EXPECT_EQ(seen.back(), seen.front());
  }
}

// --- atomic_ref on storage ---

/// Counts the threads of each block in storage, in three ways.
struct count_threads {
  std::uint32_t* out;

  EVENLY_FN static slot<std::uint32_t> lay_out(storage_layout& layout, block_shape) {
    return layout.take<std::uint32_t>(3);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto counts = block.storage(lay_out(layout, block.shape()));
    if (block.rank() == 0)
      for (int i = 0; i < 3; ++i) counts[i] = i == 2 ? 100 : 0;
    block.sync();
    const auto rank = static_cast<std::uint32_t>(block.rank());
    atomic_ref(counts[0]).fetch_add(1);
    const atomic_ref<std::uint32_t> mine(counts[1]);
    for (auto seen = mine.load(); !mine.compare_exchange(seen, seen + 2);) {
    }
    atomic_ref(counts[2]).fetch_min(rank + 1);
    block.sync();
    if (block.rank() == 0) out[block.index()] = counts[0] * 10'000 + counts[1] * 10 + counts[2];
  }
};

TEST(SimtAtomic, WorksOnStorageOnEveryExecutor) {
  std::vector<std::uint32_t> counts(4);
  for (const std::uint64_t seed : {0, 3}) {
    launch(simt(with_seed(seed)), {4, 100}, count_threads{counts.data()});
    EXPECT_EQ(counts, std::vector<std::uint32_t>(4, 100 * 10'000 + 200 * 10 + 1));
  }
  launch(cpu(), {4, 100}, count_threads{counts.data()});
  EXPECT_EQ(counts, std::vector<std::uint32_t>(4, 10'000 + 2 * 10 + 1));
}

TEST(SimtAtomic, EveryOperationIsSeenNotOnlyTheFirst) {
  int at = 0, write = 0;
  const auto words = report(simt(), {1, 64}, 4, [&](auto& block) {
    auto shared = block.storage(slot<int>{0, 1});
    if (block.rank() == 0) shared[0] = 0;
    block.sync();
    at = __LINE__ + 1;
    const atomic_ref counter(shared[0]);
    counter.fetch_add(1);
    block.sync();
    if (block.rank() == 0) write = __LINE__, shared[0] = 7;
    if (block.rank() == 40) counter.fetch_add(1);
  });
  EXPECT_TRUE(says(words, {"race: block 0: thread 40 atomically accesses element 0", "(" + line(at) + ")",
                           "which thread 0 has written (" + line(write) + ")"}));
}

TEST(SimtAtomic, IsCheckedLikeAnyAccess) {
  auto load = [](int element) {
    return [element](auto& block) { atomic_ref(block.storage(slot<int>{0, 4})[element]).load(); };
  };
  EXPECT_TRUE(says(report(simt(), {1, 1}, 16, load(4)),
                   {"accesses element 4 of storage of 4 elements (reports_test.cpp:"}));
  EXPECT_TRUE(says(report(simt(), {1, 1}, 16, load(2)),
                   {"atomically accesses element 2", "no thread of the block has written before"}));
}

// --- the page ---

/// docs/simulated-gpu.md of the project; on another machine, if it lies in this folder or one above it.
std::string page() {
  std::filesystem::path folder = EVENLY_SOURCE_DIR;
  if (!exists(folder)) folder = std::filesystem::current_path();
  while (!exists(folder / "docs/simulated-gpu.md") && folder != folder.root_path())
    folder = folder.parent_path();
  std::ifstream file(folder / "docs/simulated-gpu.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The reports of the page's table, in its order; their lines are those of a kernel.cpp.
std::vector<std::string> reports_of_page() {
  simt_options options;
  options.stack_bytes = 64 * 1024;
  std::vector<std::string> all;
  const auto note = [&](int bytes, const auto& body, launch_shape shape = {1, 64}) {
    all.push_back(report(simt(options), shape, bytes, body));
  };
  workspace memory;
  workspace::lease lease(memory);
  int values[1] = {};
  const auto all_values = view(simt(), std::span<int>(values));
  const grid_barrier barrier = lease.take(simt(), 0).barrier;
  // clang-format off
#line 9 "kernel.cpp"
  note(0, [&](auto&) { all_values[0] += 1; }, {2, 1, true});
  note(0, [&](auto&) { all_values[1] = 1; }, {1, 1});
#line 23 "kernel.cpp"
  note(0, [&](auto& block) { if (block.index() == 0) traced(block, values)[0] = 1;
                             else use(traced(block, values)[0]); }, {2, 1, true});
#line 11 "kernel.cpp"
  note(0, [](auto& block) { if (block.rank() != 63) block.sync(); });
  note(0, [](auto& block) { if (block.rank() % 2 == 0) block.sync();
                            else block.sync(); });
  note(0, [](auto& block) { if (block.rank() == 0) block.warp_ballot(first_lanes(32), true);
                            else block.warp_shuffle(first_lanes(32), 1, 0); });
  note(64, [](auto& block) { use(block.storage(slot<int>{0, 16})[0]); });
  note(128, [](auto& block) { block.storage(slot<int>{0, 32})[block.rank() + 1] = 1; });
  note(4, [](auto& block) { auto partials = block.storage(slot<int>{0, 1});
                            block_reduce(block, 1, plus<int>{}, partials); });
  note(64, [](auto& block) { block.storage(slot<int>{0, 32}); });
  note(0, [](auto& block) { for (;;) block.backoff(); }, {2, 1, true});
  note(0, [&](auto& block) { if (block.index() == 0) grid_sync(block, barrier); }, {2, 1, true});
  note(0, [](auto&) { volatile char large[1 << 20]; large[0] = 1; use(large[0]); });
#line 362 "reports_test.cpp"
  // clang-format on
  return all;
}

/// Without the lines of headers, which change.
std::string without_library_lines(const std::string& text) {
  return std::regex_replace(text, std::regex(R"((\w+\.hpp):\d+)"), "$1");
}

TEST(SimtReport, ThoseOfThePageAreReal) {
  const std::string text = without_library_lines(page());
  std::size_t from = text.find("## Reports");
  ASSERT_NE(from, std::string::npos) << "the page is not here, or has no reports";
  for (const std::string& real : reports_of_page()) {
    const auto at = text.find("`" + without_library_lines(real) + "`", from);
    EXPECT_NE(at, std::string::npos) << real;
    if (at != std::string::npos) from = at;
  }
}

} // namespace
} // namespace evenly
