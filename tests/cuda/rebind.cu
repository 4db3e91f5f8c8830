// SPDX-License-Identifier: Apache-2.0
// Plans that are bound to other tiles on a GPU, also within a graph that is captured once: schedules/planning_laws.hpp.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/captured.hpp"
#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "schedules/planning_laws.hpp"
#include "support/messages.hpp"

namespace evenly::laws {
namespace {

struct Graphs : testing::Test {
  void SetUp() override { EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  void TearDown() override { cudaStreamDestroy(stream); }

  cudaStream_t stream = nullptr;
};

/// rebind and all skeletons, captured once, for sizes that change from run to run.
template <class Schedule>
void expect_replays(cudaStream_t stream, const Schedule& schedule, const std::vector<named_tiles>& sets,
                    const std::string& name) {
  const cuda_of_tuned_size exec{cuda(stream)};
  const capacity max_size = max_of_sets(sets);
  const auto offsets = to_executor(exec, std::vector<int>(static_cast<std::size_t>(max_size.tiles) + 1));
  const auto count = to_executor(exec, std::vector<int>{0});
  auto plan = make_plan(exec, schedule, csr_tiles_on_device(offsets.data(), count.data(), max_size));
  plan.reserve(reduces<planned_value>{}, scans<planned_value>{});
  const planned_outputs<cuda_of_tuned_size> out(exec, max_size);
  const captured graph(stream, [&] {
    plan.rebind(plan.tiles());
    out.run(plan, 0, max_size.atoms);
  });
  planned_results want = expected_results({0}, max_size);
  for (const named_tiles& set : sets) {
    if (set.offsets.front() != 0) continue; // what was captured writes prefixes from atom 0 on
    const auto values = offsets_as<int>(set);
    const auto tiles = static_cast<int>(values.size() - 1);
    exec.copy_from_host(offsets.data(), values.data(), values.size() * sizeof(int));
    exec.copy_from_host(count.data(), &tiles, sizeof(tiles));
    graph.run();
    const planned_results now = expected_results(set.offsets, max_size);
    const capacity here = sizes_of_set(set); // behind it earlier runs have written
    std::copy_n(now.sums.begin(), here.tiles, want.sums.begin());
    std::copy_n(now.prefixes.begin(), here.atoms, want.prefixes.begin());
    std::copy_n(now.tile_of.begin(), here.atoms, want.tile_of.begin());
    expect_results(out.read(), want, name + ", \"" + set.name + "\"");
  }
}

TEST_F(Graphs, OfPlansAreReplayedWithOtherSizes) {
  expect_replays(stream, merge_path{}, sets_to_bind(merge_path{}), "merge_path");
  expect_replays(stream, streamed{}, sets_to_bind(streamed{}), "streamed");
  expect_replays(stream, group_mapped<32>{}, sets_to_bind(group_mapped<32>{}), "group_mapped");
}

TEST_F(Graphs, RebindTilesWhoseAtomsAreKnown) {
  const cuda_of_tuned_size exec{cuda(stream)};
  const auto sets = sets_to_bind(merge_path{});
  const capacity max_size = max_of_sets(sets);
  const auto first = to_executor(exec, offsets_as<int>(sets.front()));
  auto plan = make_plan(exec, merge_path{}, csr_tiles(first.span()), max_size);
  plan.reserve(reduces<planned_value>{}, scans<planned_value>{});
  for (const named_tiles& set : sets) {
    const auto offsets = to_executor(exec, offsets_as<int>(set));
    const planned_outputs<cuda_of_tuned_size> out(exec, max_size);
    const captured graph(stream, [&] {
      plan.rebind(assume_valid(csr_tiles(offsets.span()), sizes_of_set(set).atoms,
                               static_cast<int>(set.offsets.front())));
      out.run(plan, set.offsets.front(), plan.atoms());
    });
    graph.run();
    expect_results(out.read(), expected_results(set.offsets, max_size), set.name);
  }
}

TEST_F(Graphs, AreNotForPlansThatHaveToAllocate) {
  const cuda_of_tuned_size exec{cuda(stream)};
  const auto offsets = to_executor(exec, std::vector<int>{0, 100'000, 200'000});
  auto plan = make_plan(exec, merge_path{}, csr_tiles(offsets.span()));
  const planned_outputs<cuda_of_tuned_size> out(exec, {2, 200'000});
  cudaGraph_t graph = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(message_of<device_error>([&] { out.run(plan, 0, 200'000); }),
            "memory is requested during the capture of a graph: allocate it before the capture, for example "
            "with plan.reserve");
  EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  EVENLY_CUDA_CHECK(cudaGraphDestroy(graph));
}

/// Small enough for compute-sanitizer.
TEST(ReducedRebinding, GivesOtherTilesToAPlan) {
  const auto schedule = merge_path{};
  std::vector<named_tiles> sets = {random_runs(60, 128 * 13, 1), tile_sizes().named("no tiles"),
                                   tile_sizes().add(0).named("one empty tile"), random_runs(50, 128 * 13, 2)};
  expect_rebinding<cuda_of_tuned_size, int>({cuda()}, schedule, sets, "merge_path");
  expect_sizes_on_device<cuda_of_tuned_size, int>({cuda()}, schedule, sets, "merge_path");
}

} // namespace
} // namespace evenly::laws
