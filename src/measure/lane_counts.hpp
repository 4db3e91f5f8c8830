// SPDX-License-Identifier: Apache-2.0
// How busy schedules keep the lanes of a GPU's warps, counted on the simulated one in a few seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/trace/counts.hpp"
#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"

namespace evenly::measure {

/// What one run of a schedule counted, without its plan.
struct counted_schedule {
  std::string name;
  trace_counts seen = {};
  std::optional<std::string> error = {}; ///< why it is not counted, or what is wrong with its result

  /// The part of a warp's lanes that take part in its requests to memory and shared memory, on average.
  double lanes_busy() const;
  /// Bytes that lanes ask for over bytes that move; 1 if none move.
  double bytes_used() const;
};

struct lane_counts {
  std::string op;
  std::int64_t tiles = 0; ///< that were counted
  std::int64_t atoms = 0;
  bool is_sample = false;
  std::vector<counted_schedule> schedules;
  std::vector<std::string> left_out; ///< schedules that would have taken too long

  int failures() const;
};

/// Those that are counted where none are named: tiles whole in threads, in groups of threads, and cut.
std::vector<any_schedule> schedules_to_count();

/// At most so many tiles and atoms are simulated.
inline constexpr std::int64_t max_counted_items = 250'000;
/// No schedule begins that is expected to end later, in seconds.
inline constexpr double max_counting_time = 3;

/// Every k-th run of 1,024 tiles of a matrix, so that about `max_items` tiles and atoms remain; of a tile longer than a
/// sixteenth of that a k-th, wherever it is. The matrix itself if it is small enough.
csr_matrix<double> sample_of(const csr_matrix<double>& matrix, std::int64_t max_items);

/// Makes a bench on simt, which has candidate_of.
using simt_bench_maker = std::function<bench(const problem&, const bench_options&)>;

/// Runs each schedule once on a sample of the matrix, on a bench that `make` makes, and checks the result.
/// How long simt takes at least for a run whose launches are known.
double simulation_seconds(const prepared_run& made, std::int64_t atoms);

/// `max_seconds`: for all of them.
lane_counts count_lanes(const csr_matrix<double>& matrix, operation op, number_type type,
                        std::span<const any_schedule> schedules, const bench_options& options,
                        const simt_bench_maker& make, double max_seconds = max_counting_time);

/// A line and a bar for each schedule, the one with most lanes busy last.
std::string table_of(const lane_counts& counts);

/// An object for each schedule.
std::vector<json::value> as_json(const std::string& workload, const lane_counts& counts);

} // namespace evenly::measure
