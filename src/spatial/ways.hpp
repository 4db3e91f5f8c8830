// SPDX-License-Identifier: Apache-2.0
// The bench of an executor: the tree in bulk, and by tasks under every pool.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/spatial/build_octree.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "evenly/tasks/registry.hpp"
#include "spatial/bench.hpp"

namespace evenly::cli {

template <class Executor> struct placed_particles {
  buffer<std::uint32_t> x, y, z;
  point_view<std::uint32_t> view() const { return points_of(x, y, z); }
};

/// make() makes a tree, and says how many tasks that took.
template <class Executor, class Make>
candidate octree_candidate(const Executor& exec, const std::string& name, bool by_tasks, const Make& make,
                           const particle_cells& cells, int most, octree_findings& findings) {
  struct made {
    std::optional<octree> tree;
    std::int64_t tasks = 0;
  };
  const auto last = std::make_shared<made>();
  candidate way{.name = name, .title = name, .is_schedule = by_tasks};
  way.prepare = [=]() -> prepared_run {
    return {[=] {
      last->tree.reset(); // its memory is there for the next
      auto [tree, tasks] = make();
      last->tree.emplace(std::move(tree));
      last->tasks = tasks;
    }};
  };
  way.first_error = [=, &cells, &findings] {
    found_octree& found = findings.of[name];
    const octree& tree = *last->tree;
    found = {summary_of(exec, tree), to_host(exec, tree.nodes()), to_host(exec, tree.order()), tree.levels(),
             last->tasks};
    return first_error(found, cells, most);
  };
  way.afterwards = [last] { last->tree.reset(); };
  return way;
}

template <class Executor>
bench octree_bench(const Executor& exec, std::unique_ptr<timer> time, const particle_cells& cells,
                   const octree_bench_options& given, octree_findings& findings) {
  const auto placed = std::make_shared<placed_particles<Executor>>(placed_particles<Executor>{
      to_executor(exec, cells.x), to_executor(exec, cells.y), to_executor(exec, cells.z)});
  octree_options options;
  options.most = given.most;
  options.tasks.blocks = given.blocks;
  options.tasks.block_size = given.block_size;
  const int most = given.most;
  std::vector<candidate> all;
  all.push_back(octree_candidate(
      exec, "bulk", false,
      [=] { return std::pair(octree_in_bulk(exec, placed->view(), most), std::int64_t{0}); }, cells, most,
      findings));
  for_each_pool([&](const std::string& name, const auto& pool) {
    all.push_back(octree_candidate(
        exec, name, true,
        [=] {
          octree_by_tasks made = build_octree(exec, pool, placed->view(), options);
          return std::pair(std::move(made.tree), made.report.run);
        },
        cells, most, findings));
  });
  return {std::move(time), std::make_shared<unchecked_output>(), [all](int) { return all; }};
}

} // namespace evenly::cli
