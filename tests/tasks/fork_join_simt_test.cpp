// SPDX-License-Identifier: Apache-2.0
// Joins on the simulated GPU: the laws under every pool, in interleavings of many seeds, with races looked for.

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/tasks/registry.hpp"
#include "tasks/fork_join_laws.hpp"

namespace evenly {
namespace {

using namespace join_laws;

join_options shaped(int blocks, int block_size, int stack, std::int64_t frames) {
  join_options options;
  options.blocks = blocks;
  options.block_size = block_size;
  options.stack = stack;
  options.frames = frames;
  return options;
}

/// Warps of 4 and 8 lanes, one or two a block, in order and in interleavings.
template <class Form, class Pool> void expect_laws(const Pool& pool, int seeds) {
  for (int seed = 0; seed <= seeds; ++seed) {
    simt_options of;
    of.seed = static_cast<std::uint64_t>(seed);
    of.switch_at_atomics = seed % 2 == 1;
    of.warp_size = seed % 3 == 0 ? 8 : 4;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simt exec(of);
    join_options options = shaped(1 + seed % 3, of.warp_size * (1 + seed % 2), seed % 4 == 0 ? 0 : 40, 2000);
    if (seed % 5 == 1) options.capacity = 1;
    expect_trees<Form>(exec, run_on<Form>(exec, pool), options, 60);
    if (testing::Test::HasFailure()) return; // one seed says enough
  }
}
/// Few frames, which go from worker to worker, a batch of one at a time, changing over at atomic operations.
template <class Pool> void expect_interleavings(const Pool& pool, int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    simt_options of;
    of.seed = static_cast<std::uint64_t>(seed);
    of.switch_at_atomics = true;
    of.check_races = seed % 8 == 0;
    of.warp_size = 1 + seed % 2;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simt exec(of);
    expect_joined<tasks::each_thread>(exec, run_on<tasks::each_thread>(exec, pool), {13, 1 + seed % 3},
                                      shaped(2 + seed % 2, of.warp_size, 20, 13 + 2 * 3 + seed % 5));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ForkJoinOnSimt, KeepsTheLawsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    expect_laws<tasks::each_thread>(pool, 12);
  });
}
TEST(ForkJoinOnSimt, KeepsTheLawsInStep) { expect_laws<tasks::in_step>(batched_stealing{}, 12); }
TEST(ForkJoinOnSimt, KeepsTheLawsInManyInterleavings) {
  expect_interleavings(batched_stealing{}, 600);
  expect_interleavings(stealing{}, 300);
}
TEST(ForkJoinOnSimt, DeepTreesNeedRoomOnlyInThePool) {
  for (const int warp : {1, 4, 8}) {
    simt_options of;
    of.warp_size = warp;
    expect_deep_join(simt(of), batched_stealing{}, shaped(2, 2 * warp, warp + 2, 0), 200);
    expect_deep_join(simt(of), stealing{}, shaped(1, warp, warp + 2, 0), 200);
  }
}
TEST(ForkJoinOnSimt, GoesDepthFirstWhereFramesAreFew) {
  for (const int warp : {1, 4, 8}) {
    simt_options of;
    of.warp_size = warp;
    const simt exec(of);
    expect_few_frames<tasks::each_thread>(exec, run_on<tasks::each_thread>(exec, batched_stealing{}),
                                          shaped(1, warp, 64, 0));
  }
}

} // namespace
} // namespace evenly
