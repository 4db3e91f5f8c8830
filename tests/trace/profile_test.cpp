// SPDX-License-Identifier: Apache-2.0
// What simt counts by place, warp, block and slot adds up to what it counts in all, and is known for small kernels;
// skeletons on counted memory ask for what their arrays say.

#include "evenly/trace/profile.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/expand.hpp"
#include "evenly/block/block.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/trace/trace.hpp"
#include "evenly/work/csr.hpp"
#include "trace/lambda_kernel.hpp"

namespace evenly {
namespace {

template <class Body>
launch_profile profile_of(const launch_shape& shape, const Body& body, int ints = 0,
                          simt_options options = {}) {
  trace counts{keep_profiles{}};
  options.trace = &counts;
  launch(simt(options), shape, lambda_kernel<Body>{&body, ints});
  const auto all = counts.take_profiles();
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(counts.take_profiles().empty());
  return all.empty() ? launch_profile{} : all[0];
}

void expect_to_add_up(const launch_profile& profile) {
  trace_counts of_sites;
  for (const site_profile& site : profile.sites) of_sites += site.counts;
  warp_profile of_warps;
  for (const warp_profile& warp : profile.warps) {
    of_warps.turns += warp.turns;
    of_warps.requests += warp.requests;
    of_warps.lanes += warp.lanes;
    of_warps.sectors += warp.sectors;
  }
  const trace_counts& all = profile.totals;
  EXPECT_EQ(of_sites.requests(), all.requests());
  EXPECT_EQ(of_sites.turns(), all.turns());
  EXPECT_EQ(of_sites.bytes_wanted(), all.bytes_wanted());
  EXPECT_EQ(of_sites.bytes_moved(), all.bytes_moved());
  EXPECT_EQ(of_sites.request_lanes, all.request_lanes);
  EXPECT_GE(of_sites.global_load_block_sectors, all.global_load_block_sectors);
  EXPECT_EQ(of_warps.turns, all.turns());
  EXPECT_EQ(of_warps.requests, all.requests());
  EXPECT_EQ(of_warps.lanes, all.request_lanes);
  EXPECT_EQ(of_warps.sectors * 32, all.bytes_moved());
  EXPECT_EQ(static_cast<int>(profile.block_turns.size()), profile.blocks);
  EXPECT_EQ(static_cast<int>(profile.warps.size()), profile.blocks * profile.warps_of_block());
  std::int64_t distributed = 0, turns = 0;
  for (const slot_profile& slot : profile.distribute_to_slots()) {
    distributed += slot.blocks;
    turns += slot.turns;
  }
  EXPECT_EQ(distributed, profile.blocks);
  EXPECT_EQ(turns, std::accumulate(profile.block_turns.begin(), profile.block_turns.end(), std::int64_t{0}));
  const idle_parts idle = idle_of(profile);
  for (const double part : {idle.lanes, idle.warps, idle.slots}) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
  }
}

TEST(TraceProfile, PlacesHaveTheirLinesAndCounts) {
  const auto memory = make_buffer<float>(simt(), 4096), output = make_buffer<float>(simt(), 128);
  float *const at = memory.data(), *const to = output.data();
  std::fill(at, at + 4096, 1.F);
  const unsigned load_line = __LINE__ + 4, store_line = load_line + 1;
  const auto profile = profile_of({2, 64}, [&](auto& block) {
    const auto all = traced(block, at), out = traced(block, to);
    const int i = block.index() * 64 + block.rank();
    const float value = all[i * 32];
    if (block.rank() % 2 == 0) out[i] = value;
  });
  expect_to_add_up(profile);
  ASSERT_EQ(profile.sites.size(), 2u);
  const site_profile &load = profile.sites[0], &store = profile.sites[1]; // most turns first
  EXPECT_EQ(load.kind, access_kind_of_site::load);
  EXPECT_EQ(load.line, load_line);
  EXPECT_TRUE(load.file.ends_with("profile_test.cpp"));
  EXPECT_EQ(load.counts.global_load_requests, 4);
  EXPECT_EQ(load.counts.global_load_sectors, 128);
  EXPECT_EQ(load.counts.global_load_lines, 128);
  EXPECT_EQ(load.counts.global_load_bytes, 4 * 128);
  EXPECT_EQ(store.kind, access_kind_of_site::store);
  EXPECT_EQ(store.line, store_line);
  EXPECT_EQ(store.counts.request_lanes, 64);
  EXPECT_EQ(store.counts.global_store_sectors, 16);
  EXPECT_EQ(idle_of(profile).lanes, 1 - 192. / 256);
}

TEST(TraceProfile, WarpsWaitAtBarriersForTheBusiest) {
  const auto memory = make_buffer<int>(simt(), 32);
  int* const at = memory.data();
  std::fill(at, at + 32, 0);
  const auto profile = profile_of({1, 64}, [&](auto& block) {
    const auto all = traced(block, at);
    [[maybe_unused]] int sum = 0;
    for (int k = 0; k < (block.rank() < 32 ? 3 : 1); ++k) sum += static_cast<int>(all[block.rank() % 32]);
    block.sync();
    for (int k = 0; k < (block.rank() < 32 ? 0 : 5); ++k) sum += static_cast<int>(all[block.rank() % 32]);
  });
  expect_to_add_up(profile);
  EXPECT_EQ(profile.warps[0].turns, 3);
  EXPECT_EQ(profile.warps[1].turns, 6);
  EXPECT_EQ(profile.block_turns[0], 3 + 5);
  EXPECT_EQ(idle_of(profile).warps, 1 - 9. / 16);
}

TEST(TraceProfile, BlocksGoToTheSlotThatIsFree) {
  launch_profile profile;
  profile.blocks = 5;
  profile.slots = 2;
  profile.block_turns = {10, 1, 1, 1, 4};
  const auto slots = profile.distribute_to_slots();
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0].blocks, 1);
  EXPECT_EQ(slots[0].turns, 10);
  EXPECT_EQ(slots[1].blocks, 4);
  EXPECT_EQ(slots[1].turns, 7);
  EXPECT_EQ(idle_of(profile).slots, 1 - 17. / 20);
  EXPECT_EQ(launch_profile{}.distribute_to_slots().size(), 1u);
}

TEST(TraceProfile, SlotsAreWhatThreadsAndStorageLeaveRoomFor) {
  const auto nothing = [](auto&) {};
  EXPECT_EQ(profile_of({1, 256}, nothing).slots, 8);
  EXPECT_EQ(profile_of({1, 256}, nothing, 25 * 1024).slots, 2); // of 228 KiB
  EXPECT_EQ(profile_of({1, 1024}, nothing).slots, 2);
}

TEST(TraceProfile, SectorsOfABlockAreCountedOnce) {
  const auto memory = make_buffer<int>(simt(), 1024);
  int* const at = memory.data();
  std::fill(at, at + 1024, 0);
  const auto seen = profile_of({3, 128}, [&](auto& block) {
    const auto all = traced(block, at);
    [[maybe_unused]] int sum = 0;
    for (int k = 0; k < 10; ++k) sum += static_cast<int>(all[block.rank()]);
    sum += static_cast<int>(all[block.rank() + 8]); // 15 of its 16 sectors are known
  });
  EXPECT_EQ(seen.totals.global_load_sectors, 3 * 4 * 11 * 4);
  EXPECT_EQ(seen.totals.global_load_block_sectors, 3 * (16 + 1));
}

TEST(TraceProfile, AtomicLoadsAndStoresOfMemoryAreToldApart) {
  int number = 0;
  const auto seen = profile_of({1, 32}, [&](auto& block) {
    atomic_ref(number).load();
    atomic_ref(number).fetch_add(1);
    if (block.rank() == 0) atomic_ref(number).store(1);
  });
  expect_to_add_up(seen);
  EXPECT_EQ(seen.totals.atomics, 65);
  EXPECT_EQ(seen.totals.atomic_requests, 3);
  EXPECT_EQ(seen.totals.atomic_load_requests, 1);
  EXPECT_EQ(seen.totals.atomic_load_sectors, 1);
  EXPECT_EQ(seen.totals.atomic_store_requests, 1);
}

/// Rows of 0 to 12 elements, of a matrix with `rows` columns.
struct small_matrix {
  std::vector<int> offsets{0}, columns;
  std::vector<float> values, x, y;

  explicit small_matrix(int rows) : x(rows, 1.F), y(rows) {
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < r * 7 % 13; ++k) columns.push_back((r * 31 + k * 17) % rows);
      offsets.push_back(static_cast<int>(columns.size()));
    }
    values.assign(columns.size(), 1.F);
  }
  csr_view<float> view() const {
    const int rows = static_cast<int>(x.size());
    return {rows, rows, offsets.data(), columns.data(), values.data()};
  }
};

template <class Schedule> void expect_all_is_seen(const Schedule& schedule) {
  small_matrix m(1000);
  trace counts{keep_profiles{}};
  const simt exec({.trace = &counts});
  auto plan = make_plan(exec, schedule, counted_csr_tiles<int>(rows_of(m.view())));
  counts.take_profiles();
  spmv(exec, plan, m.view(), m.x, m.y);
  for (int r = 0; r < 1000; ++r) EXPECT_EQ(m.y[r], static_cast<float>(m.offsets[r + 1] - m.offsets[r]));
  trace_counts sums;
  std::int64_t loads = 0;
  for (const launch_profile& each : counts.take_profiles()) {
    expect_to_add_up(each);
    sums += each.totals;
    for (const site_profile& site : each.sites)
      if (site.file.ends_with("spmv.hpp") && site.kind == access_kind_of_site::load)
        loads += site.counts.request_lanes;
  }
  EXPECT_GE(loads, 3 * static_cast<std::int64_t>(m.columns.size())); // column, value and x of each atom
  EXPECT_GE(sums.global_store_bytes, 4 * 1000);

  std::vector<int> tile_of(m.columns.size());
  const trace_counts before = counts.totals();
  expand(exec, plan, tile_of);
  EXPECT_EQ((counts.totals() - before).global_store_bytes, 4 * static_cast<std::int64_t>(tile_of.size()));
  EXPECT_TRUE(std::is_sorted(tile_of.begin(), tile_of.end()));
}
TEST(CountedMemory, SkeletonsAskForTheirArrays) {
  expect_all_is_seen(thread_mapped{});
  expect_all_is_seen(merge_path{});
}

TEST(CountedMemory, AThreadsOwnStackIsNoMemory) {
#if defined(EVENLY_ADDRESS_SANITIZER)
  GTEST_SKIP() << "the address sanitizer keeps what a function declares in memory of its own";
#endif
  const auto seen = profile_of({1, 32}, [](auto&) {
    int mine[2] = {1, 2};
    counted_store(mine, counted_load(mine + 1));
    EXPECT_EQ(mine[0], 2);
  });
  EXPECT_EQ(seen.totals.requests(), 0);
}

TEST(CountedMemory, NothingIsToldOutsideOfTracedLaunches) {
  int number = 1;
  counted_pointer<int> at(&number);
  at[0] = 2;
  EXPECT_EQ(static_cast<int>(at[0]), 2);
  const auto seen = profile_of({1, 1}, [](auto&) {});
  EXPECT_EQ(seen.totals.requests(), 0);
  static_assert(std::is_same_v<pointer_on<cpu, int>, int*> && std::is_same_v<pointer_on<void, int>, int*>);
  static_assert(std::is_same_v<pointer_on<simt, const int>, counted_pointer<const int>>);
}

TEST(TraceProfile, DoesNotDependOnTheOrderOfThreadsAndBlocks) {
  const auto run = [](simt_options options) {
    small_matrix m(3000);
    trace counts{keep_profiles{}};
    options.trace = &counts;
    const simt exec(options);
    auto plan = make_plan(exec, thread_mapped{}, counted_csr_tiles<int>(rows_of(m.view())));
    counts.take_profiles();
    // Aligned alike in every run.
    const auto columns = to_executor(exec, m.columns);
    const auto values = to_executor(exec, m.values);
    const auto x = to_executor(exec, m.x);
    const auto y = make_buffer<float>(exec, m.y.size());
    spmv(exec, plan, csr_view<float>{3000, 3000, m.offsets.data(), columns.data(), values.data()}, x.span(),
         y.span());
    std::vector<std::int64_t> numbers;
    for (const launch_profile& each : counts.take_profiles()) {
      for (const site_profile& site : each.sites)
        if (site.file.ends_with("spmv.hpp")) numbers.push_back(site.counts.turns());
      for (const warp_profile& warp : each.warps) numbers.push_back(warp.requests);
    }
    return numbers;
  };
  const auto once = run({.threads = 1});
  EXPECT_GT(once.size(), 90u);
  EXPECT_EQ(run({.threads = 2}), once);
  EXPECT_EQ(run({.seed = 3, .threads = 2}), once);
}

} // namespace
} // namespace evenly
