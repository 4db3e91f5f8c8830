// SPDX-License-Identifier: Apache-2.0
// Methods of building an octree on an executor, each a candidate of a bench (measure/bench.hpp) that checks itself.
// Each executor has its own file, because a kernel per pool takes seconds to compile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/spatial/particles.hpp"
#include "measure/bench.hpp"
#include "tasks/balance.hpp"
#include "tasks/pool_settings.hpp"

namespace evenly::spatial {

using measure::bench, measure::bench_options, measure::executor_kind;

/// A tree on the host.
struct found_octree {
  std::string pool;
  int cut = 0; ///< octants with more points are divided among workers; 0: none were
  octree_summary summary;
  std::vector<octree_node> nodes;
  std::vector<int> order;
  std::vector<int> levels;
  std::int64_t tasks = 0;
  std::int64_t rounds = 0;                      ///< of a static_list
  int blocks = 0;                               ///< of the task kernel
  std::optional<tasks::task_balance> balance{}; ///< of a profiled run
};
/// Results of the candidates' last checks; one of them is kept with its nodes.
struct octree_findings {
  std::map<std::string, found_octree> of;
};

struct octree_bench_options {
  bench_options bench;
  int max_per_leaf = 20;
  /// Octants with more points are divided among workers; 0: none. Default: both as in the paper and, for larger inputs,
  /// a number that suits the executor.
  std::optional<int> cut{};
  int blocks = 0;        ///< of tasks; 0: as many as run at the same time
  int block_size = 0;    ///< of tasks; 0: the default of the body
  bool by_block = false; ///< whether a block runs a task, as in the paper, rather than a warp; in the study
  tasks::pool_settings settings{}; ///< without block_size
};

/// Particles from a generator or a file (help_on_particles). Throws usage_error and evenly::error.
particle_cells load_particles(const std::string& input, const io::read_options& how = {});

/// Cells and findings must outlive the bench.
template <class Executor>
bench octree_bench_on(const particle_cells& cells, const octree_bench_options& options,
                      octree_findings& findings);
bench make_octree_bench(executor_kind kind, const particle_cells& cells, const octree_bench_options& options,
                        octree_findings& findings);

/// The error of a tree, or nothing: exactly one tree is correct.
std::optional<std::string> first_error(const found_octree& tree, const particle_cells& cells,
                                       int max_per_leaf);

} // namespace evenly::spatial
