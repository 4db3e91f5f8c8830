// SPDX-License-Identifier: Apache-2.0
// The results of one problem on one executor, as a table and as JSON. verdict.hpp interprets them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/reference.hpp"
#include "measure/statistics.hpp"

namespace evenly::measure {

/// Whether there is a timing.
bool is_timed(const measurement& m);

struct comparison {
  std::string workload;
  int rows = 0;
  int cols = 0;
  std::int64_t atoms = 0;
  std::string op;
  std::string format = {}; ///< of the matrix; may be empty if all candidates use compressed rows
  std::string type;
  executor_kind executor = executor_kind::cpu;
  std::string place;
  int threads = 0;
  bool cold = false; ///< the L2 cache of the GPU is cleared before each run
  std::int64_t bytes = 0;
  std::int64_t saved_bytes =
      0; ///< by the value type of the format; candidates in compressed rows move these bytes as well
  double copy_gbps = 0;
  std::optional<timing> copy_before = {};
  std::optional<timing> copy_after = {}; ///< after all results
  std::optional<double> fill_gbps = {};  ///< for candidates that only write
  std::optional<double> empty_ms = {};   ///< of an empty kernel
  std::optional<packing_cost> packing = {};
  std::vector<measurement> results = {};
  std::vector<measurement> repeats = {}; ///< second preparations and timings of candidates in `results`
  std::optional<double> delay = {};      ///< slowdown by other programs

  double gbps(const timing& time) const { return static_cast<double>(bytes) / time.median / 1e6; }
  double gbps(const measurement& m) const {
    return static_cast<double>(bytes + (m.what.in_rows ? saved_bytes : 0)) / m.time.median / 1e6;
  }
  int failures() const;
};

/// The rows of the table. Results of the same code are one row with the rounds of all.
std::vector<measurement> rows_of(const comparison& c);

/// The title of a row in tables.
std::string row_title(const measurement& m);

/// The first two lines of a heading: the sizes of the input and of its tiles.
std::string sizes_heading(const std::string& name, int rows, int cols, std::int64_t atoms,
                          const tile_statistics& s);

/// The third line: the operation and the executor.
std::string place_heading(const comparison& c);

/// The table, followed by the reasons for failed results.
/// emphasizes: print the row with the lowest median in bold.
std::string table(const comparison& c, bool emphasizes = false);

/// Lines that name the schedules of each row that combines several.
std::vector<std::string> notes_on_rows(const comparison& c);

/// The number of runs after which packing pays off; empty if it never does.
std::optional<double> runs_to_break_even(const comparison& c, const measurement& m);

/// Size and cost of packed columns, and after how many runs of each schedule they pay off; empty for other formats.
std::string packing(const comparison& c);

/// One object per result.
std::vector<json::value> as_json(const comparison& c);

// Measures the candidates of a comparison, and the noise during the run.

/// Minimum number of rows with the code of another row, to measure the noise (verdict.hpp).
inline constexpr int min_repeats = 6;

/// Sets results, repeats, copies and the delay by other programs. All run in turns (measure_in_turns). If fewer than
/// min_repeats candidates have `same_as`, additional preparations of schedules take part; so does a computation of a
/// few milliseconds without memory accesses. Both are omitted on simt and below min_rounds_to_compare rounds. Copies
/// are timed before and after. `right`: null if candidates check themselves.
void compare_candidates(comparison& c, bench& on, std::vector<candidate> all, const reference* right,
                        const repetition& times);

} // namespace evenly::measure
