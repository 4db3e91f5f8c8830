// SPDX-License-Identifier: Apache-2.0
// What `evenly study tasks` measured: plain data, to and from JSON. The rest of the study is computed from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"

namespace evenly::study {

using measure::timing;

/// Particles, and the tree that they have whoever makes it.
struct task_study_input {
  std::string input; ///< as it was loaded
  std::string kind;  ///< the generator's name, or the input
  std::int64_t points = 0;
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  int depth = 0;
  std::vector<std::int64_t> tasks_by_depth = {}; ///< octants that are split

  std::int64_t tasks() const;
};

/// What a run is for: grid (figures 2 and 3), best and paper (figure 4: each pool at its best point, at the paper's),
/// bulk (the tree without tasks), workers (a search, with the number of workers as `blocks`).
struct task_study_run {
  std::string experiment;
  std::string input;
  std::string pool;
  int block_size = 0; ///< 1 on cpu; 0 where it is the body's own
  int blocks = 0;
  bool full = false; ///< as many blocks as run at the same time
  std::optional<std::string> error = {};
  timing time = {};
  std::int64_t tasks = 0;
  std::int64_t rounds = 0; ///< of lists; 0 where they are not counted
};

struct task_study_results {
  std::string cpu;
  int cores = 0;
  std::string gpu; ///< empty where none was used
  std::string date;
  std::string commit;
  std::string earlier_commit; ///< of what was measured before it was resumed, where that is another
  std::string executor;       ///< cpu, simt or cuda
  std::string place;
  bool quick = false;
  std::vector<task_study_input> inputs = {};
  std::vector<task_study_run> runs = {};

  const task_study_input* find(const std::string& input) const;
  /// A run of the same kind, without an error: of `blocks` blocks, of as many as run at the same time if it is 0.
  const task_study_run* find_run(const task_study_run& like) const;
};

json::value to_json(const task_study_run& run);
/// All but the runs.
json::value without_runs(const task_study_results& results);

/// As read_results (study/results.hpp).
task_study_results read_task_results(const std::vector<std::string>& paths);

} // namespace evenly::study
