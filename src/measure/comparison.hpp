// SPDX-License-Identifier: Apache-2.0
// The results of one problem on one executor, as a table and as JSON. verdict.hpp says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"
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
  std::string format = {}; ///< of the matrix; may be empty if all are compressed rows
  std::string type;
  executor_kind executor = executor_kind::cpu;
  std::string place;
  int threads = 0;
  bool cold = false; ///< whether each run finds the GPU's L2 cache cold
  std::int64_t bytes = 0;
  std::int64_t saved_bytes = 0; ///< by the format's values: what goes by compressed rows moves them as well
  double copy_gbps = 0;
  std::optional<timing> copy_before = {};
  std::optional<timing> copy_after = {}; ///< all results
  std::optional<double> fill_gbps = {};  ///< for what only writes
  std::optional<double> empty_ms = {};   ///< of a kernel that does nothing
  std::optional<packing_cost> packing = {};
  std::vector<measurement> results = {};
  std::vector<measurement> repeats = {}; ///< of candidates that have a result, prepared and timed once more
  std::optional<double> delay = {};      ///< by other programs: how many times as long as alone

  double gbps(const timing& time) const { return static_cast<double>(bytes) / time.median / 1e6; }
  double gbps(const measurement& m) const {
    return static_cast<double>(bytes + (m.what.in_rows ? saved_bytes : 0)) / m.time.median / 1e6;
  }
  int failures() const;
};

/// The rows of the table: results of the same code are one, which has the rounds of all.
std::vector<measurement> rows_of(const comparison& c);

/// As tables call a row.
std::string row_title(const measurement& m);

/// The first two lines of a heading: the input's size, and that of its tiles.
std::string sizes_heading(const std::string& name, int rows, int cols, std::int64_t atoms,
                          const tile_statistics& s);

/// The third: what is run, and where.
std::string place_heading(const comparison& c);

/// The table, the reasons for failed results below it.
/// emphasizes: the row with the least median is bold.
std::string table(const comparison& c, bool emphasizes = false);

/// For each row of the table that stands for several schedules, lines that name them.
std::vector<std::string> notes_on_rows(const comparison& c);

/// The runs after which packing is paid for; nothing where it never is.
std::optional<double> runs_to_break_even(const comparison& c, const measurement& m);

/// What packed columns took, and after how many runs of each schedule that is paid for; empty for other formats.
std::string packing(const comparison& c);

/// An object for each result.
std::vector<json::value> as_json(const comparison& c);

} // namespace evenly::measure
