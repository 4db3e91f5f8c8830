// SPDX-License-Identifier: Apache-2.0
// Reports of the study of task pools: tables, the agreement of the paper's statements with our numbers, and a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"
#include "study/study_file.hpp"
#include "study/verdicts.hpp"
#include "tasks/balance.hpp"

namespace evenly::study {

// The measurements of `evenly study tasks` as plain data, and their JSON. The rest of the study is derived from them.

using measure::timing;

/// Particles and their tree, which does not depend on the method.
struct task_study_input {
  std::string input; ///< the text of the input
  std::string kind;  ///< the name of the generator, or the input
  std::int64_t points = 0;
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  int depth = 0;
  std::vector<std::int64_t> tasks_by_depth = {}; ///< number of split octants

  std::int64_t tasks() const;
};

/// The experiments on trees, in which a warp runs a task, or a block, as in the paper.
struct tree_experiments {
  const char* grid;  ///< figures 2 and 3
  const char* best;  ///< figure 4: each pool at its best point
  const char* paper; ///< figure 4: each pool at the paper's point
  bool by_block;
  const char* locked_queue; ///< the pool of statements about the blocking queue
};
inline constexpr tree_experiments by_warp{"grid", "best", "paper", false, "blocking_queue"};
inline constexpr tree_experiments by_block{"block_grid", "block_best", "block_paper", true,
                                           "bare_lock_queue"};

/// experiment: one of tree_experiments, lazy (the lock-free queue with values of x), bulk (the tree without tasks),
/// workers (a search, with the number of workers as `blocks`).
struct task_study_run {
  std::string experiment;
  std::string input;
  std::string pool;
  int block_size = 0; ///< 1 on cpu; 0: the default of the body
  int blocks = 0;
  bool full = false; ///< as many blocks as run at the same time
  std::optional<std::string> error = {};
  timing time = {};
  std::int64_t tasks = 0;
  std::int64_t rounds = 0; ///< of lists; 0 if they are not counted
  std::optional<tasks::task_balance> balance = {};
};

struct task_study_results : study_head {
  std::vector<task_study_input> inputs = {};
  std::vector<task_study_run> runs = {};

  const task_study_input* find(const std::string& input) const;
  /// A run of the same kind without an error: with `blocks` blocks, or for 0 with as many as run at the same time.
  const task_study_run* find_run(const task_study_run& like) const;
};

/// Whether the run has a timeline of its workers. The many runs of the other experiments have only the numbers.
bool has_timeline(const task_study_run& run);
std::string identity(const task_study_input& of);
std::string identity(const task_study_run& run);
void fields(record& io, task_study_input& of);
void fields(record& io, task_study_run& run);
void fields(record& io, task_study_results& all); ///< writes everything except the runs
void merge(const study_file& file, task_study_results& all, task_study_results more);

/// The correct run with the lowest time among the selected ones; null if there is none.
const task_study_run* best_of(const task_study_results& results, const std::string& experiment,
                              const std::string& input, const std::string& pool);
/// Distinct names of inputs and of pools in an experiment, in the order of runs.
std::vector<std::string> inputs_of(const task_study_results& results, const std::string& experiment);
std::vector<std::string> pools_of(const task_study_results& results, const std::string& experiment);

/// The runs of an experiment on one input: the best run of each pool.
std::string task_table(const task_study_results& results, const std::string& experiment,
                       const std::string& input);

/// The statements of the paper, judged by the runs in which a warp or a block runs a task.
std::vector<finding> examine_tasks(const task_study_results& results, const tree_experiments& of);
/// Whether trees were built by blocks.
bool has_runs_by_block(const task_study_results& results);
std::string agreement(const task_study_results& results);

/// Everything except the runs, and values derived from them.
json::value head_of(const task_study_results& results);

/// The whole study with charts, as well-formed XML without references to other files.
std::string page_of(const task_study_results& results);

} // namespace evenly::study
