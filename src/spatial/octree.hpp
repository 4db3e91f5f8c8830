// SPDX-License-Identifier: Apache-2.0
// evenly octree: octrees of particles, built by tasks under each pool and in bulk; checked, then timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"
#include "tasks/pool_settings.hpp"

namespace evenly::spatial {

using measure::bench_options, measure::executor_kind;

struct octree_settings {
  std::string input; ///< uniform:n=N, tube:n=N, or a file with points
  io::read_options reading;
  std::vector<std::string> pools;        ///< names; empty: all
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  int max_per_leaf = 20;
  std::optional<int> cut; ///< as in octree_bench_options
  std::string json;       ///< path of a file, `-` for standard output, empty for none
  std::string report;     ///< likewise, for an HTML page
  std::string output;     ///< likewise, for one line per leaf
  std::string picture;    ///< likewise, for a slice as SVG
  int repeat = 0;         ///< 0: until the times settle
  int blocks = 0;         ///< of tasks; 0: as many as run at the same time
  tasks::pool_settings settings;
  bench_options bench;
};

/// Prints the size of the tree and the table of times, and writes the requested files, JSON even of partial results.
/// Returns whether all trees are correct. Throws evenly::error.
bool time_octrees(const octree_settings& options);

std::string help_on_particles();

} // namespace evenly::spatial
