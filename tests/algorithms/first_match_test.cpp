// SPDX-License-Identifier: Apache-2.0
// Three handlers are a skeleton: first_match.hpp, on the CPU and on the simulated GPU.

#include <concepts>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/first_match_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

/// Counts how often each tile is handed out as an empty one.
struct counts_empty_tiles {
  static constexpr bool is_copyable = true;

  int* times;

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;

    const counts_empty_tiles& work;
    Block& block;
    const Slots& slots;

    template <int G> void operator()(sharing::team<G> form, const team_part<int, int>& part) const {
      const bool empty = part.has_tile && part.begin == part.end;
      if (empty && team_of(block, form).rank() == 0) atomic_ref(work.times[part.tile]).fetch_add(1);
    }
    template <bool Cut, class Run> void operator()(sharing::run<Cut>, const Run&) const {}
    template <int G, class Run> void operator()(sharing::batch<G>, const Run&) const {}
  };
};

static_assert(skeleton_worker<counts_empty_tiles::worker<int, no_slots, sharing::list<>>, csr_tile_set<int>>);
static_assert(!skeleton_worker<int, csr_tile_set<int>>);
// Workers depend on kinds of forms only, so that mappings with the same kinds share them.
template <class... Forms> using kinds = form_kinds<sharing::list<Forms...>>;
static_assert(std::same_as<kinds<sharing::team<1>, sharing::team<32>>, sharing::list<sharing::team<1>>>);
static_assert(std::same_as<kinds<sharing::batch<32>, sharing::team<8>, sharing::striped_run<4>>,
                           sharing::list<sharing::team<1>, sharing::batch<1>, sharing::run<true>>>);
static_assert(std::same_as<kinds<sharing::blocked_run<12>>, kinds<sharing::piece>>);
static_assert(std::same_as<kinds<sharing::run<false>>, sharing::list<>>);
static_assert(schedule<merge_path<>, cpu, csr_tile_set<int>> && !schedule<int, cpu, csr_tile_set<int>>);

template <class Executor> void expect_empty_tiles_once(const Executor& exec, int block_size) {
  for_each_kind_on<Executor>([&](const char* name, auto schedule) {
    schedule.block_size = block_size;
    for (const named_tiles& set : adversarial_tile_sets(items_of_a_block(schedule))) {
      const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
      std::vector<int> times(offsets.size());
      const auto plan = make_plan(exec, schedule, csr_tiles(offsets));
      launch_skeleton(exec, plan.launch(), counts_empty_tiles{times.data()});
      for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
        ASSERT_EQ(times[t], offsets[t] == offsets[t + 1] ? 1 : 0)
            << "tile " << t << " of \"" << set.name << "\" under " << name;
    }
  });
}

TEST(ThreeHandlers, GetEveryEmptyTileOnceIfTheyWantThem) {
  expect_empty_tiles_once(cpu(3), 128);
  expect_empty_tiles_once(simt({.warp_size = 32}), 33);
}

TEST(ThreeHandlers, RunUnderEveryScheduleOnCpu) {
  for (const int threads : {1, 3}) expect_first_matches(cpu(threads), 128);
}
TEST(ThreeHandlers, RunUnderEveryScheduleOnSimt) {
  expect_first_matches(simt({.warp_size = 32}), 33);
  expect_first_matches(simt({.warp_size = 4, .seed = 1}), 8);
}

} // namespace
} // namespace evenly::laws
