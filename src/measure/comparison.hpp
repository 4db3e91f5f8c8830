// SPDX-License-Identifier: Apache-2.0
// The results of one problem on one executor, as a table, as JSON and in a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/measure.hpp"
#include "measure/statistics.hpp"

namespace evenly::cli {

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
  std::optional<double> fill_gbps = {}; ///< for what only writes
  std::optional<double> empty_ms = {};  ///< of a kernel that does nothing
  std::optional<packing_cost> packing = {};
  std::vector<measurement> results = {};

  double gbps(const timing& time) const { return static_cast<double>(bytes) / time.median / 1e6; }
  double gbps(const measurement& m) const {
    return static_cast<double>(bytes + (m.what.in_rows ? saved_bytes : 0)) / m.time.median / 1e6;
  }
  int failures() const;
};

/// What is known before anything is measured, in three lines.
std::string heading(const comparison& c, const tile_statistics& s);

/// The table, the reasons for failed results below it.
std::string table(const comparison& c);

/// For each row of the table that stands for several schedules, a line that names them.
std::vector<std::string> notes_on_rows(const comparison& c);

/// What packed columns took, and after how many runs of each schedule that is paid for; empty for other formats.
std::string packing(const comparison& c);

/// An object for each result.
std::vector<nlohmann::ordered_json> as_json(const comparison& c);

/// Whether it was worth while to cut tiles, and what in their sizes explains it or would make one expect the
/// contrary, in one sentence. Empty where the results do not have schedules that cut tiles and schedules that keep
/// them whole, or not enough rounds of them.
std::string meaning(const comparison& c, const tile_statistics& s, std::span<const int> offsets);

/// What the figures say, in a few sentences: who is fastest, with its spread; who ties with it (measure.hpp); and what
/// it means. Empty where no schedule was timed.
std::string verdict(const comparison& c, const tile_statistics& s, std::span<const int> offsets);

} // namespace evenly::cli
