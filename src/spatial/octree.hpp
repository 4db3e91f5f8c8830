// SPDX-License-Identifier: Apache-2.0
// evenly octree: particles partitioned by tasks under each pool, and in bulk; each tree is checked, then timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"

namespace evenly::spatial {

using measure::bench_options, measure::executor_kind;

struct octree_settings {
  std::string input; ///< uniform:n=N, tube:n=N, or a file of points
  io::read_options reading;
  std::vector<std::string> pools;        ///< by name; none: all
  std::optional<executor_kind> executor; ///< none: cuda, or cpu without a GPU
  int max_per_leaf = 20;
  std::optional<int> cut; ///< as of octree_bench_options
  std::string json;       ///< a file's path, `-` for standard output, empty for none
  std::string output;     ///< likewise: a line for each leaf
  std::string picture;    ///< likewise: a slice, as SVG
  int repeat = 0;         ///< 0: as often as is needed
  bench_options bench;
};

/// Prints the tree's numbers and the table of times; writes what is asked for, JSON also of a part. Returns whether all
/// trees were right. Throws evenly::error.
bool time_octrees(const octree_settings& options);

std::string help_on_particles();

} // namespace evenly::spatial
