// SPDX-License-Identifier: Apache-2.0
// evenly neighbors: pairs of points below a cutoff; checked, then timed, or written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/spatial/neighbor_list.hpp"
#include "measure/bench.hpp"

namespace evenly::spatial {

using measure::bench_options, measure::executor_kind;

struct neighbors_settings {
  std::string input; ///< uniform:n=N, or a file with points
  io::read_options reading;
  std::string box;                       ///< 3 or 9 numbers, or none; empty: that of the input
  double cutoff = 0;                     ///< in the units of the points
  neighbor_options options;              ///< without a box
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string json;                      ///< path of a file, `-` for standard output, empty for none
  std::string report;                    ///< likewise, for an HTML page
  std::string output;                    ///< likewise, for one line per pair
  int repeat = 0;                        ///< 0: until the times settle
  bench_options bench;
};

/// A list on the host.
struct found_neighbors {
  std::vector<std::int64_t> offsets;
  std::vector<int> indices;
  std::vector<image_shift> shifts; ///< empty without periodic edges
};

/// What a list is made of.
struct neighbors_problem {
  io::point_set points;
  double cutoff;
  neighbor_options options;
};

/// A bench whose only candidate makes the list. `problem` and `found` must outlive it.
template <class Executor>
measure::bench neighbors_bench_on(const neighbors_problem& problem, const bench_options& bench,
                                  found_neighbors& found);

/// The error of a list, or nothing: the order of rows, every distance, and the completeness of a sample of rows.
std::optional<std::string> first_error(const found_neighbors& found, const neighbors_problem& problem);

/// Prints the size of the list and the time, and writes the requested files. Returns whether the list is correct.
/// Throws evenly::error.
bool time_neighbors(const neighbors_settings& settings);

std::string help_on_neighbor_points();

} // namespace evenly::spatial
