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
#include "measure/executor_timer.hpp"
#include "spatial/octree_bench.hpp"
#include "tasks/compiled_pools.hpp"
#include "tasks/limited_memory.hpp"
#include "tasks/profiled_run.hpp"

namespace evenly::spatial {

using measure::candidate, measure::prepared_run, measure::timer, measure::unchecked_output;

template <class Executor> struct device_particles {
  buffer<std::uint32_t> x, y, z;
  point_view<std::uint32_t> view() const { return points_of(x, y, z); }
};

/// Reports of task runs.
struct octree_report {
  std::string pool;
  int cut = 0;
  std::int64_t tasks = 0, rounds = 0;
  int blocks = 0;
};

/// make() builds a tree and returns the report of the task run.
template <class Executor, class Make>
candidate octree_candidate(const Executor& exec, const std::string& name, bool by_tasks, const Make& make,
                           const particle_cells& cells, int max_per_leaf, octree_findings& findings) {
  struct made {
    std::optional<octree> tree;
    octree_report report;
  };
  const auto last = std::make_shared<made>();
  candidate way{.name = name, .title = name, .is_schedule = by_tasks};
  way.prepare = [=]() -> prepared_run {
    return {[=] {
      last->tree.reset(); // its memory is there for the next
      auto [tree, report] = make();
      last->tree.emplace(std::move(tree));
      last->report = report;
    }};
  };
  way.first_error = [=, &cells, &findings] {
    found_octree& found = findings.of[name];
    const octree& tree = *last->tree;
    found = {
        last->report.pool,           last->report.cut, summary_of(exec, tree), to_host(exec, tree.nodes()),
        to_host(exec, tree.order()), tree.levels(),    last->report.tasks,     last->report.rounds,
        last->report.blocks};
    return first_error(found, cells, max_per_leaf);
  };
  way.afterwards = [last] { last->tree.reset(); };
  return way;
}

/// Form: a warp or a block runs a task. each_pool(visit): for_each_pool, or other pools.
template <int BlockSize = 256, class Form = tasks::each_warp, class Executor, class EachPool>
bench octree_bench(const Executor& on, std::unique_ptr<timer> time, const particle_cells& cells,
                   const octree_bench_options& given, octree_findings& findings, const EachPool& each_pool) {
  const tasks::limited_executor limited(on, given.blocks, given.block_size);
  const Executor& exec = limited.exec;
  const auto placed = std::make_shared<device_particles<Executor>>(device_particles<Executor>{
      to_executor(exec, cells.x), to_executor(exec, cells.y), to_executor(exec, cells.z)});
  octree_options options;
  options.max_per_leaf = given.max_per_leaf;
  options.tasks = given.settings.options(given.blocks);
  options.tasks.block_size = given.block_size;
  const int max_per_leaf = given.max_per_leaf;
  std::vector<candidate> all;
  all.push_back(octree_candidate(
      exec, "bulk", false,
      [=] { return std::pair(octree_in_bulk(exec, placed->view(), max_per_leaf), octree_report{"bulk"}); },
      cells, max_per_leaf, findings));
  const int suits = default_octree_cut<Executor>();
  std::vector<int> cuts{given.cut.value_or(0)};
  if (!given.cut && cells.x.size() > static_cast<std::size_t>(suits)) cuts.push_back(suits);
  each_pool([&](const std::string& name, const auto& pool) {
    for (const int cut : cuts) {
      options.cut = cut;
      const auto build = [=, of = options](const auto& from) {
        return build_octree<BlockSize, Form>(exec, from, placed->view(), of);
      };
      const std::string title = name + (cut > 0 ? ", cut" : "");
      all.push_back(octree_candidate(
          exec, title, true,
          [=, from = given.settings.apply(pool)] {
            octree_by_tasks made = build(from);
            octree_report report{name, cut, made.report.run, made.report.rounds, made.report.blocks};
            return std::pair(std::move(made.tree), std::move(report));
          },
          cells, max_per_leaf, findings));
      tasks::add_profiled_run(
          all.back(), given.settings, pool, [=](const auto& from) { return build(from).report; },
          [title, &findings](tasks::task_balance balance) {
            findings.of[title].balance = std::move(balance);
          });
    }
  });
  return {std::move(time), std::make_shared<unchecked_output>(),
          [limit = limited.limit, all](int) { return all; }};
}

/// For every pool. Instantiated in separate translation units.
template <class Executor>
bench octree_bench_on(const particle_cells& cells, const octree_bench_options& given,
                      octree_findings& findings) {
  const auto exec = measure::make_executor<Executor>(given.bench);
  return octree_bench(exec, measure::make_timer(exec, given.bench), cells, given, findings,
                      [](const auto& visit) { tasks::for_each_compiled_pool<particle_cells>(visit); });
}

} // namespace evenly::spatial
