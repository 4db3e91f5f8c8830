// SPDX-License-Identifier: Apache-2.0
// Counts of simt equal known numbers: the table of coalescing, strides through banks, and algorithms whose steps,
// operations, barriers and requests have closed forms; under every seed, and on any number of operating-system threads.

#include "evenly/trace/trace.hpp"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/trace/counted.hpp"
#include "support/sanitized.hpp"
#include "trace/accesses.hpp"
#include "trace/lambda_kernel.hpp"

namespace evenly {
namespace {

/// Whether all counts are `expected`, and which are not.
testing::AssertionResult same(const trace_counts& seen, const trace_counts& expected) {
  std::string differences;
  trace_counts::members([&](const char* name, auto member) {
    if (seen.*member != expected.*member)
      differences += std::string(" ") + name + " = " + std::to_string(seen.*member) + " instead of " +
                     std::to_string(expected.*member);
  });
  if (differences.empty() != (seen == expected)) return testing::AssertionFailure() << "a count has no name";
  if (differences.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << differences;
}

/// What one launch counts.
template <class Body>
trace_counts count(const launch_shape& shape, const Body& body, int ints = 0, simt_options options = {}) {
  trace counts;
  options.trace = &counts;
  launch(simt(options), shape, lambda_kernel<Body>{&body, ints});
  return counts.totals();
}

using sum = counted<plus<int>>;

TEST(TraceAccesses, AreThoseOfTheTable) {
  int kernels = 0;
  accesses::each(simt(), [&](const std::string& name, const launch_shape& shape, const auto& kernel,
                             const trace_counts& known) {
    trace counts;
    EXPECT_TRUE(accesses::runs_right(simt({.check_races = false, .trace = &counts}), shape, kernel)) << name;
    EXPECT_TRUE(same(counts.totals(), known)) << name;
    ++kernels;
  });
  EXPECT_GT(kernels, 100);
}

/// Element `rank * stride` of memory is loaded by every lane of one warp.
template <class T> trace_counts one_load(int lanes, int warp_size, int stride = 1) {
  const auto memory = make_buffer<T>(simt(), 64 * static_cast<std::size_t>(stride));
  const T* from = memory.data();
  return count({1, lanes},
               [=](auto& block) {
                 [[maybe_unused]] const T value = traced(block, from)[std::int64_t{block.rank()} * stride];
               },
               0, {.warp_size = warp_size});
}

TEST(TraceAccesses, TypesAreAccessedInPiecesOfTheirAlignment) {
  struct four_floats {
    float x, y, z, w;
  };
  struct alignas(32) wide {
    double words[4];
  };
  struct three {
    short x, y, z;
  };
  const auto requests_and_sectors = [](const trace_counts& seen) {
    return std::pair(seen.global_load_requests, seen.global_load_sectors);
  };
  EXPECT_EQ(requests_and_sectors(one_load<std::int8_t>(32, 32)), std::pair(1l, 1l));
  EXPECT_EQ(requests_and_sectors(one_load<std::int8_t>(32, 32, 4)), std::pair(1l, 4l));
  EXPECT_EQ(requests_and_sectors(one_load<std::int16_t>(32, 32)), std::pair(1l, 2l));
  EXPECT_EQ(requests_and_sectors(one_load<three>(32, 32)), std::pair(3l, 18l)); // 6 sectors each time
  EXPECT_EQ(requests_and_sectors(one_load<four_floats>(32, 32)), std::pair(4l, 64l));
  EXPECT_EQ(requests_and_sectors(one_load<wide>(32, 32)), std::pair(2l, 64l));
}

TEST(TraceAccesses, WarpsOfOtherSizesHaveRequestsOfTheirOwn) {
  EXPECT_EQ(one_load<int>(64, 64).global_load_requests, 1);
  EXPECT_EQ(one_load<int>(64, 64).global_load_sectors, 8);
  EXPECT_EQ(one_load<int>(64, 4).global_load_requests, 16);
  EXPECT_EQ(one_load<int>(64, 4).global_load_sectors, 16);
  EXPECT_EQ(one_load<int>(33, 32).global_load_requests, 2); // the last warp has one lane
  EXPECT_EQ(one_load<int>(33, 32).global_load_sectors, 5);
  EXPECT_EQ(one_load<int>(20, 32).global_load_sectors, 3);
  EXPECT_EQ(one_load<int>(1, 1).global_load_requests, 1);

  const auto seen =
      count({1, 64}, [](auto& block) { block.storage(slot<int>{0, 64})[block.rank()] = block.rank(); }, 64,
            {.warp_size = 64});
  EXPECT_EQ(seen.storage_store_requests, 1);
  EXPECT_EQ(seen.storage_store_wavefronts, 2);
  EXPECT_EQ(seen.storage_store_conflicts, 0);
}

TEST(TraceAccesses, SmallElementsShareTheWordsOfBanks) {
  const auto seen = count(
      {1, 32},
      [](auto& block) {
        const auto bytes = block.storage(slot<std::int8_t>{0, 32 * 128});
        bytes[block.rank()] = 1;       // 8 words
        bytes[block.rank() * 128] = 1; // 32 words of bank 0
      },
      32 * 32);
  EXPECT_EQ(seen.storage_store_requests, 2);
  EXPECT_EQ(seen.storage_store_wavefronts, 1 + 32);
  EXPECT_EQ(seen.storage_store_conflicts, 31);
}

TEST(TraceAccesses, LanesThatBranchElsewhereTakeNoPart) {
  std::vector<int> memory(128);
  int* const data = memory.data();
  const auto seen = count({1, 32}, [=](auto& block) {
    const auto view = traced(block, data);
    const int i = block.rank();
    const int value = i < 16 ? view[i] : view[i + 64]; // two places of one line
    if (i % 2 == 0) view[i] = value;
  });
  EXPECT_EQ(seen.global_load_requests, 2);
  EXPECT_EQ(seen.global_store_requests, 1);

  const auto turns = count({1, 32}, [=](auto& block) { // the k-th turns of all lanes are one request
    const auto view = traced(block, data);
    for (int turn = 0; turn <= block.rank(); ++turn) {
      [[maybe_unused]] const int value = view[0];
    }
  });
  EXPECT_EQ(turns.global_load_requests, 32);
  EXPECT_EQ(turns.global_load_sectors, 32);
}

TEST(TraceAccesses, LanesMeetAgainAfterWhatIsUnderACondition) {
  const auto memory = make_buffer<int>(simt(), 512);
  int* const data = memory.data();
  const auto seen = count({1, 32}, [=](auto& block) {
    const auto view = traced(block, data);
    for (int turn = 0; turn < 8; ++turn) {
      [[maybe_unused]] const int value = view[turn * 32 + block.rank()];
      if (turn == 2 * (block.rank() % 3))
        view[256 + block.rank()] = turn; // a third of the lanes in turns 0, 2 and 4
    }
  });
  EXPECT_EQ(seen.global_load_requests, 8);
  EXPECT_EQ(seen.global_load_sectors, 8 * 4);
  EXPECT_EQ(seen.global_store_requests, 3);
  EXPECT_EQ(seen.global_store_sectors, 3 * 4);
}

TEST(TraceAccesses, LanesThatLeaveALoopWaitForTheOthers) {
  const auto memory = make_buffer<int>(simt(), 512);
  int* const data = memory.data();
  const auto seen = count({1, 32}, [=](auto& block) {
    const auto view = traced(block, data);
    for (int outer = 0; outer < 2; ++outer) {
      for (int inner = 0; inner <= block.rank() % 2 * 2; ++inner) {
        [[maybe_unused]] const int value = view[(outer * 4 + inner) * 32];
      }
      view[256 + block.rank()] = outer;
    }
  });
  EXPECT_EQ(seen.global_load_requests, 2 * 3);
  EXPECT_EQ(seen.global_load_sectors, 2 * 3); // of one turn of the outer loop
  EXPECT_EQ(seen.global_store_requests, 2);
  EXPECT_EQ(seen.request_lanes, 2 * (16 + 48 + 32));
}

TEST(TraceAccesses, PlacesAreToldApart) {
  std::vector<int> memory(64);
  std::vector<double> doubles(32);
  int* const data = memory.data();
  double* const wide = doubles.data();
  const auto load = [](auto view, int i) { return static_cast<double>(view[i]); };
  const auto seen = count({1, 32}, [=](auto& block) {
    const auto view = traced(block, data);
    const int i = block.rank();
    view[i] = sum{}(view[i], view[i + 32]); // two loads and a store
    view[i] += 1;                           // a load and a store
    ++view[i];
    // One line of the source, instantiated for two types.
    [[maybe_unused]] const double some =
        i < 16 ? load(view, i) : load(traced(block, static_cast<const double*>(wide)), 0);
  });
  EXPECT_EQ(seen.global_load_requests, 4 + 2);
  EXPECT_EQ(seen.global_store_requests, 3);
  EXPECT_EQ(seen.operations, 32);
}

TEST(TraceAccesses, EveryAccessOfAnElementIsSeen) {
  std::vector<int> memory(32, 3);
  int* const data = memory.data();
  const auto seen = count({1, 1}, [=](auto& block) {
    const auto view = traced(block, data);
    view[std::int64_t{0}] -= 1;
    view[1u] *= 2;
    view[2] /= 3;
    view[3] &= 1;
    view[4] |= 4;
    view[5] ^= 1;
    --view[6];
    view[7] = view[0];
  });
  EXPECT_EQ(std::vector<int>(data, data + 8), (std::vector<int>{2, 6, 1, 1, 7, 2, 2, 2}));
  EXPECT_EQ(seen.global_load_requests, 8);
  EXPECT_EQ(seen.global_store_requests, 8);
}

TEST(TraceAccesses, RequestsEndWhereTheWarpMeets) {
  std::vector<int> memory(1024);
  const int* const data = memory.data();
  // Before the meeting only lane 0 comes by; after it all lanes, to one address.
  const auto loads_around = [=](auto meet) {
    return count({2, 32}, [=](auto& block) {
      const auto view = traced(block, data);
      for (int time = 0; time < 2; ++time) {
        if (time == 0 && block.rank() > 0) {
          meet(block);
          continue;
        }
        [[maybe_unused]] const int value = view[time * 512];
        if (time == 0) meet(block);
      }
    });
  };
  const lane_mask all = first_lanes(32);
  for (const auto& seen : {loads_around([](auto& block) { block.sync(); }),
                           loads_around([=](auto& block) { block.warp_sync(all); }),
                           loads_around([=](auto& block) { block.warp_shuffle(all, 1, 0); }),
                           loads_around([=](auto& block) { block.warp_ballot(all, true); })}) {
    EXPECT_EQ(seen.global_load_requests, 4);
    EXPECT_EQ(seen.global_load_sectors, 4);
  }
  // Where they do not all meet, lane 0's first time is matched with the first time of the others.
  const auto apart = loads_around([](auto& block) { block.warp_sync(first_lanes(1) << block.rank()); });
  EXPECT_EQ(apart.global_load_requests, 4);
  EXPECT_EQ(apart.global_load_sectors, 2 * (2 + 1));
}

TEST(TraceAccesses, AtomicsAreCountedForThemselves) {
  const auto seen = count(
      {1, 32},
      [](auto& block) {
        const auto values = block.storage(slot<int>{0, 1});
        if (block.rank() == 0) values[0] = 0;
        block.sync();
        atomic_ref(values[0]).fetch_add(1);
      },
      1);
  EXPECT_EQ(seen.storage_store_requests, 1);
  EXPECT_EQ(seen.storage_load_requests, 0);
  EXPECT_EQ(seen.atomics, 32);
  EXPECT_EQ(seen.atomic_requests, 1);
  EXPECT_EQ(seen.atomic_conflicts, 31);
}

TEST(TraceAccesses, AtomicsOnOneObjectAreInConflictWithinARequest) {
  const auto with = [](int objects, simt_options options = {}) {
    std::vector<std::int64_t> counts(objects);
    return count(
        {3, 70},
        [&](auto& block) {
          for (int i = 0; i < 5; ++i) atomic_ref(counts[block.rank() % objects]).fetch_add(1);
          block.sync();
          if (block.rank() < 7) atomic_ref(counts[0]).load();
        },
        0, options);
  };
  const auto all_on_one = with(1), four = with(4), apart = with(70);
  EXPECT_EQ(all_on_one.atomics, 3 * (5 * 70 + 7));
  EXPECT_EQ(all_on_one.atomic_requests, 3 * (5 * 3 + 1)); // warps of 32, 32 and 6 lanes
  EXPECT_EQ(all_on_one.atomic_conflicts, 3 * (5 * (31 + 31 + 5) + 6));
  EXPECT_EQ(four.atomic_conflicts, 3 * (5 * (28 + 28 + 2) + 6));
  EXPECT_EQ(apart.atomic_conflicts, 3 * 6);
  EXPECT_EQ(apart.global_load_requests + apart.global_store_requests, 0);
  for (const std::uint64_t seed : {1, 2}) {
    simt_options options;
    options.seed = seed;
    options.switch_at_atomics = true;
    EXPECT_EQ(with(4, options), four);
  }
}

/// The sum of 2^k numbers in one block of half as many threads: a tree, whose levels are between barriers.
trace_counts tree_reduction(int count_of_numbers, simt_options options = {}) {
  return count(
      {1, count_of_numbers / 2},
      [=](auto& block) {
        const auto values = block.storage(slot<int>{0, static_cast<std::uint32_t>(count_of_numbers)});
        const int i = block.rank();
        values[i] = i;
        values[i + block.size()] = i + block.size();
        for (int half = block.size(); half > 0; half /= 2) {
          block.sync();
          if (i < half) values[i] = sum{}(values[i], values[i + half]);
        }
        if (i == 0) {
          EXPECT_EQ(static_cast<int>(values[0]), count_of_numbers * (count_of_numbers - 1) / 2);
        }
      },
      count_of_numbers, options);
}

TEST(TraceSteps, ATreeReductionHasItsClosedForms) {
  for (const int n : {2, 4, 32, 64, 256, 2048}) {
    const trace_counts seen = tree_reduction(n);
    const int levels = std::bit_width(static_cast<unsigned>(n)) - 1;
    EXPECT_EQ(seen.threads, n / 2) << n;
    EXPECT_EQ(seen.barriers, levels) << n;
    EXPECT_EQ(seen.steps, levels) << n;
    EXPECT_EQ(seen.operations, n - 1) << n;
    EXPECT_EQ(seen.cost(), n / 2 * levels) << n;
    EXPECT_EQ(seen.idle(), n / 2 * levels - (n - 1)) << n;
    EXPECT_EQ(seen.bank_conflicts(), 0) << n;
    EXPECT_EQ(seen.warp_operations, 0) << n;
  }
}

TEST(TraceSteps, ANaiveScanIsNotWorkOptimal) {
  for (const int n : {1, 2, 8, 64, 1024}) {
    const auto seen = count(
        {1, n},
        [=](auto& block) {
          const auto values = block.storage(slot<int>{0, static_cast<std::uint32_t>(n)});
          const int i = block.rank();
          values[i] = 1;
          block.sync();
          for (int by = 1; by < n; by *= 2) {
            const int left = i >= by ? values[i - by] : 0;
            block.sync();
            if (i >= by) values[i] = sum{}(left, values[i]);
            block.sync();
          }
          EXPECT_EQ(static_cast<int>(values[i]), i + 1);
        },
        n);
    const int levels = std::bit_width(static_cast<unsigned>(n)) - 1;
    EXPECT_EQ(seen.steps, levels) << n;
    EXPECT_EQ(seen.operations, n * levels - (n - 1)) << n; // the sum of n - 2^j
    EXPECT_EQ(seen.barriers, 1 + 2 * levels) << n;
  }
}

TEST(TraceSteps, BlocksWorkAtTheSameTimeAndLaunchesOneAfterTheOther) {
  trace counts;
  const simt exec({.trace = &counts});
  const auto body = [](auto& block) { // block b: b + 1 operations by each thread, then 3 - b by thread 0
    int value = 0;
    for (int j = 0; j <= block.index(); ++j) value = sum{}(value, 1);
    block.sync();
    if (block.rank() == 0)
      for (int j = block.index(); j < 3; ++j) value = sum{}(value, 1);
  };
  launch(exec, {3, 8}, lambda_kernel<decltype(body)>{&body});
  EXPECT_EQ(counts.totals().steps, 3 + 3);
  EXPECT_EQ(counts.totals().operations, 8 * (1 + 2 + 3) + (3 + 2 + 1));
  const trace_counts first = counts.totals();
  launch(exec, {1, 4}, lambda_kernel<decltype(body)>{&body});
  launch(exec, {0, 4}, lambda_kernel<decltype(body)>{&body}); // nothing
  EXPECT_TRUE(same(counts.totals() - first, {.launches = 1,
                                             .blocks = 1,
                                             .threads = 24,
                                             .barriers = 1,
                                             .steps = 1 + 3,
                                             .operations = 4 + 3,
                                             .warp_steps = 1 + 3}));
  EXPECT_EQ(counts.totals().launches, 2);
  EXPECT_EQ(counts.totals().cost(), 24 * 10);
}

TEST(TraceSteps, WarpOperationsAreCountedOncePerMask) {
  const auto seen = count({1, 40}, [](auto& block) { // warps of 32 and 8 lanes
    const lane_mask mask = first_lanes(block.rank() < 32 ? 32 : 8);
    block.warp_sync(mask);
    block.warp_shuffle(mask, 1, 0);
    block.warp_ballot(mask, true);
    block.warp_sync(lane_mask{1} << block.rank() % 32); // by each lane alone
  });
  EXPECT_EQ(seen.warp_operations, 3 * 2 + 40);
  EXPECT_EQ(seen.barriers, 0);
}

/// Many blocks with divergence, storage, barriers and warp operations.
trace_counts mixed(simt_options options, bool co_resident = false) {
  const int n = 20 * 70;
  std::vector<int> numbers(n, 1), results(n);
  const auto memory = to_executor(simt(), numbers);
  const auto output = make_buffer<int>(simt(), 2 * n);
  const int* from = memory.data();
  int* to = output.data();
  return count(
      {20, 70, co_resident},
      [=](auto& block) {
        const auto in = traced(block, from);
        const auto out = traced(block, to);
        const auto values = block.storage(slot<int>{0, 70});
        const int i = block.index() * block.size() + block.rank();
        values[block.rank()] = in[n - 1 - i];
        block.sync();
        for (int j = 0; j < (i * 7) % 13; ++j) out[i] = sum{}(values[(block.rank() * j) % 70], j);
        const int lanes = smaller(32, block.size() - warp_of(block) * 32);
        block.warp_sync(first_lanes(lanes));
        if (block.index() % 3 == 0) block.sync();
        if (i % 5 < 2) out[n + (i * 11) % n] = sum{}(in[(i * 3) % n], 1);
      },
      70, options);
}

TEST(TraceRepeats, CountsDoNotDependOnTheOrderOfThreadsAndBlocks) {
  const trace_counts once = mixed({});
  EXPECT_GT(once.operations, 0);
  EXPECT_GT(once.bank_conflicts(), 0);
  EXPECT_EQ(once.barriers, 20 + 7);
  for (std::uint64_t seed = 1; seed <= (sanitized ? 1 : 4); ++seed)
    for (const int threads : {1, 2, 4})
      EXPECT_TRUE(same(mixed({.seed = seed, .threads = threads}), once)) << seed;
  EXPECT_TRUE(same(mixed({.check_races = false}), once));
  EXPECT_TRUE(same(mixed({.seed = 7}, true), once)); // all blocks at the same time
  EXPECT_TRUE(same(tree_reduction(256, {.seed = 9}), tree_reduction(256)));
}

TEST(TraceRepeats, SeveralExecutorsMayShareATrace) {
  trace counts;
  const auto body = [](auto& block) { block.sync(), sum{}(1, 2); };
  const auto work = [&] {
    const simt exec({.threads = 1, .trace = &counts});
    for (int i = 0; i < 10; ++i) launch(exec, {3, 5}, lambda_kernel<decltype(body)>{&body});
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_TRUE(same(counts.totals(), {.launches = 20,
                                     .blocks = 60,
                                     .threads = 15,
                                     .barriers = 60,
                                     .steps = 20,
                                     .operations = 300,
                                     .warp_steps = 60}));
}

TEST(TraceErrors, ALaunchThatThrowsAddsNothing) {
  trace counts;
  const simt exec({.trace = &counts});
  const auto right = [](auto& block) { block.sync(), sum{}(1, 2); };
  const auto wrong = [](auto& block) {
    sum{}(1, 2);
    block.sync();
    if (block.index() == 1 && block.rank() == 3) throw std::runtime_error("no");
    block.sync();
  };
  const trace_counts once{.launches = 1,
                          .blocks = 4,
                          .threads = 16,
                          .barriers = 4,
                          .steps = 1,
                          .operations = 16,
                          .warp_steps = 4};
  launch(exec, {4, 4}, lambda_kernel<decltype(right)>{&right});
  EXPECT_THROW(launch(exec, {4, 4}, lambda_kernel<decltype(wrong)>{&wrong}), std::runtime_error);
  EXPECT_TRUE(same(counts.totals(), once));
  launch(exec, {4, 4}, lambda_kernel<decltype(right)>{&right});
  EXPECT_TRUE(same(counts.totals() - once, once));
}

TEST(TraceErrors, NothingIsCountedWithoutATrace) {
  trace counts;
  const auto body = [](auto& block) { block.sync(), sum{}(1, 2); };
  launch(simt({.trace = &counts}), {1, 2}, lambda_kernel<decltype(body)>{&body});
  const trace_counts before = counts.totals();
  launch(simt(), {1, 2}, lambda_kernel<decltype(body)>{&body});
  launch(cpu(), {1, 1}, lambda_kernel<decltype(body)>{&body});
  EXPECT_EQ((sum{}(1, 2)), 3); // outside of launches
  EXPECT_TRUE(same(counts.totals(), before));
}

TEST(TraceErrors, ACountedMonoidIsTheMonoid) {
  const counted op{maximum<float>{}};
  EXPECT_EQ(op.identity(), maximum<float>{}.identity());
  EXPECT_EQ(op(1.f, 2.f), 2.f);
  static_assert(is_commutative<decltype(op)>);
  static_assert(std::is_same_v<decltype(op)::value_type, float>);
}

} // namespace
} // namespace evenly
