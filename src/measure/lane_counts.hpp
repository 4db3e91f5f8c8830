// SPDX-License-Identifier: Apache-2.0
// Lane utilization of schedules, counted on the simulated GPU in a few seconds.
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

/// Counts of one run of a schedule, without its plan.
struct counted_schedule {
  std::string name;
  trace_counts seen = {};
  std::optional<std::string> error = {}; ///< why it is not counted, or the error of its result

  /// Average share of a warp's lanes that take part in a request to memory or shared memory.
  double lanes_busy() const;
  /// Requested bytes over moved bytes; 1 if none move.
  double bytes_used() const;
};

struct lane_counts {
  std::string op;
  std::int64_t tiles = 0; ///< counted tiles
  std::int64_t atoms = 0;
  bool is_sample = false;
  std::vector<counted_schedule> schedules;
  std::vector<std::string> left_out; ///< schedules that would have taken too long

  int failures() const;
};

/// The default schedules: whole tiles per thread, whole tiles per group of threads, and cut tiles.
std::vector<any_schedule> schedules_to_count();

/// Upper bound of simulated tiles and atoms.
inline constexpr std::int64_t max_counted_items = 250'000;
/// Upper bound of the expected counting time in seconds.
inline constexpr double max_counting_time = 3;

/// A sample of about `max_items` tiles and atoms: every k-th run of 1,024 tiles, and a k-th of each tile longer than a
/// sixteenth of `max_items`. The matrix itself if it is small enough.
csr_matrix<double> sample_of(const csr_matrix<double>& matrix, std::int64_t max_items);

/// Makes a bench on simt with candidate_of.
using simt_bench_maker = std::function<bench(const problem&, const bench_options&)>;

/// Lower bound of the simulation time for known launches, in seconds.
double simulation_seconds(const prepared_run& made, std::int64_t atoms);

/// Runs each schedule once on a sample of the matrix, on a bench that `make` makes, and checks the result.
/// `max_seconds` limits all schedules together.
lane_counts count_lanes(const csr_matrix<double>& matrix, operation op, number_type type,
                        std::span<const any_schedule> schedules, const bench_options& options,
                        const simt_bench_maker& make, double max_seconds = max_counting_time);

/// One line with a bar per schedule, in ascending order of lane utilization.
std::string table_of(const lane_counts& counts);

/// One object per schedule.
std::vector<json::value> as_json(const std::string& workload, const lane_counts& counts);

} // namespace evenly::measure
