// SPDX-License-Identifier: Apache-2.0
// Work ranges in kernels of one's own, on a GPU: kernels/work_ranges.hpp.

#include <type_traits>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "kernels/rounds.hpp"
#include "kernels/work_ranges.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

TEST(SharesOnCuda, KeepTheirLaws) {
  for (const int block_size : {32, 100, 128})
    for_each_kind_on<cuda>([&](const char* name, const auto& schedule) {
      for (const named_tiles& set : tile_sets_for_ranges(block_size))
        expect_lawful_ranges(cuda(), schedule, block_size, set, name);
    });
}

TEST(SharesOnCuda, ReducedKeepTheirLaws) {
  for_each_form_on<cuda>([&](const char* name, const auto& schedule) {
    expect_lawful_ranges(cuda(), schedule, 64, random_runs(30, 7 * 64, 3), name);
  });
}

TEST(SharesOnCuda, ReducedAreTakenInEveryRoundOfAKernelThatStays) {
  for_each_form_on<cuda>([&](const char* name, const auto& schedule) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(schedule)>, dynamic_group_per_tile>)
      for (const int blocks : {1, 2, 5}) expect_rounds(cuda(), schedule, blocks, name);
  });
}

/// In a __global__ function, which has no kernel object.
template <class Work> __global__ void add_tiles(Work work, const int* values, int* sums) {
  auto block = this_block<64>();
  storage_layout layout;
  const auto slots = work.lay_out(layout, block.shape());
  for_each_range(block, work, slots, [&](const auto& range) {
    for (const auto tile : range.tiles())
      for (const int atom : range.atoms(tile)) atomic_ref(sums[tile.number]).fetch_add(values[atom]);
  });
}

TEST(SharesOnCuda, AreTakenInGlobalFunctions) {
  const cuda exec;
  const std::vector<int> offsets{0, 3, 3, 700, 701};
  const std::vector<int> values(701, 2);
  const auto there = to_executor(exec, offsets), in = to_executor(exec, values);
  const auto sums = make_buffer<int>(exec, 4);
  exec.fill_zero(sums.data(), 4 * sizeof(int));
  merge_path<> schedule;
  schedule.block_size = 64;
  auto work = work_of(exec, schedule, assume_valid(csr_tiles(std::span<const int>(there.span())), 701));
  storage_layout layout;
  work.lay_out(layout, cuda::shape_of(64));
  add_tiles<<<2, 64, layout.bytes(), exec.stream()>>>(work, in.data(), sums.data());
  EVENLY_CUDA_CHECK(cudaGetLastError());
  EXPECT_EQ(to_host(exec, sums), (std::vector<int>{6, 0, 1394, 2}));
}

} // namespace
} // namespace evenly::laws
