// SPDX-License-Identifier: Apache-2.0
// Names of releases before still compile, and do the same.
#include <gtest/gtest.h>

#include <span>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/side_stream.hpp"
#include "evenly/execution/timing_event.hpp"
#include "evenly/graph/names_in_evenly.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/kernels/for_each_share.hpp"
#include "evenly/layouts/names_in_evenly.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/spatial/names_in_evenly.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/names_in_evenly.hpp"
#include "evenly/work/csr.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace evenly {
namespace {

struct old_body {
  static constexpr int most_children = 3;
};
struct new_body {
  static constexpr int max_children = 4;
};
static_assert(detail::max_children<old_body> == 3 && detail::says_max_children<old_body>());
static_assert(detail::max_children<new_body> == 4 && detail::says_max_children<new_body>());
static_assert(!detail::says_max_children<int>());

static_assert(is_kernel_part<int> && !is_kernel_part<std::vector<int>>);
static_assert(std::is_same_v<arm_trials, layout_trials> && std::is_same_v<arm_estimate, layout_estimate>);
static_assert(std::is_same_v<beside<cpu>, side_stream<cpu>> && std::is_same_v<joining, carry_fix_up>);
static_assert(task_pool<stealing> && std::is_same_v<each_warp, tasks::each_warp>);
static_assert(coordinate<float> && std::is_same_v<octree_node, spatial::octree_node>);
static_assert(std::is_same_v<workspace::room, workspace::sizes>);
static_assert(edge_weight<int> && std::is_same_v<search_rule, graphs::search_rule>);

TEST(deprecated_names, do_the_same) {
  const std::vector<int> offsets{0, 2, 5};
  const auto tiles = csr_tiles(offsets);
  EXPECT_EQ(trusted(tiles, 5).all->atoms, assume_valid(tiles, 5).all->atoms);
  EXPECT_EQ(make_plan(cpu(1), merge_path{}, tiles).most(), (capacity{2, 5}));
  EXPECT_EQ(read_passing(offsets.data() + 2), 5);
  EXPECT_TRUE(index_list<int>(offsets).vouched_for().assumed_valid);
  const auto from = mark(cpu(1));
  EXPECT_GE(ms_between(from, mark(cpu(1))).value_or(-1), 0);
}

TEST(deprecated_names, search_as_before) {
  const csr_matrix<int> a{3, 3, {0, 1, 2, 2}, {1, 2}, {1, 1}};
  const auto view = graph_view_of(a);
  std::vector<int> levels(3), parents(3);
  int reports = 0;
  const auto count = [&](const frontier_report&) { ++reports; };
  EXPECT_EQ(bfs(cpu(1), view, 0, levels, parents, count), 3);
  EXPECT_EQ(parents, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(bfs(cpu(1), merge_path{}, view, 0, levels, {}, count), 3);
  EXPECT_EQ(levels, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(reports, 6);
  sssp_buckets by_buckets(cpu(1), view);
  sssp_loop by_rounds(cpu(1), merge_path{}, view);
  const auto expect_distances = [&](const auto& search) {
    std::vector<int> distances(3);
    search(std::span(distances));
    EXPECT_EQ(distances, (std::vector<int>{0, 1, 2}));
  };
  expect_distances([&](auto to) { sssp(cpu(1), view, 0, to, parents, {.delta = 1}, count); });
  expect_distances([&](auto to) { sssp(cpu(1), by_buckets, 0, to, parents, count); });
  expect_distances([&](auto to) { sssp(cpu(1), merge_path{}, view, 0, to, parents, count); });
  expect_distances([&](auto to) { sssp(cpu(1), by_rounds, 0, to, parents, count); });
  EXPECT_GT(reports, 6);
}

} // namespace
} // namespace evenly
