// SPDX-License-Identifier: Apache-2.0
// Lists, pieces and frontiers on a GPU: algorithms/frontier_laws.hpp.

#include <vector>

#include <gtest/gtest.h>

#include "algorithms/frontier_laws.hpp"
#include "cuda/captured.hpp"
#include "cuda/one_size.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedFrontiersOnCuda, KeepTheLaws) {
  expect_laws_on_sources(cuda_of_any_size(), "merge_path", merge_path<>{});
}

TEST(ReducedFrontiersOnCuda, FindVerticesAtTheirLevels) {
  const cuda_of_any_size exec;
  expect_search_on_device(exec, "merge_path, in any order", merge_path<>{}, in_any_order);
  expect_search_on_device(exec, "group_mapped<32>, in any order", group_mapped<32>{}, in_any_order);
  expect_search_on_device(exec, "nonzero_split, in order", nonzero_split<>{});
  expect_search_by_plans(exec, "dynamic_group_per_tile", dynamic_group_per_tile{});
}

/// Two levels of a search, from one list to the other and back, are captured once and replayed for frontiers of all
/// sizes.
TEST(FrontiersOnCuda, AreFoundByGraphsThatAreReplayed) {
  cudaStream_t stream = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const cuda_of_any_size exec{cuda(stream)};
    const test_graph g = uneven_graph(6000);
    frontier_search<cuda_of_any_size> search(exec, g);
    auto plan = make_plan(exec, merge_path<>{}, search.counted_on_device());
    plan.reserve(collects<int>{});
    const int reached = 1;
    const auto level = [&] {
      plan.rebind(search.counted_on_device());
      search.start_step(plan, reached, in_any_order);
      search.go_on();
      plan.rebind(search.counted_on_device());
      search.start_step(plan, reached);
      search.go_on();
    };
    const captured levels(stream, level);
    while (search.is_left()) levels.run();
    std::vector<int> want = g.levels(0);
    for (int& each : want) each = smaller(each, reached);
    EXPECT_EQ(search.levels(), want);
  }
  EVENLY_CUDA_CHECK(cudaStreamDestroy(stream));
}

} // namespace
} // namespace evenly::laws
