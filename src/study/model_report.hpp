// SPDX-License-Identifier: Apache-2.0
// The measurements of `evenly study model` as plain data, their JSON, and what is derived from them: section 6 of Osama
// et al. (PPoPP 2023).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/study_file.hpp"

namespace evenly::study {

/// One kernel on one data set: a line of the paper's CSV.
struct model_run {
  std::string kernel; ///< a schedule, or a baseline
  std::string dataset;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnzs = 0;
  std::optional<std::string> error = {};
  measure::timing time = {};
};

struct model_results : study_head {
  std::vector<model_run> runs = {};

  bool has(const std::string& kernel, const std::string& dataset) const;
};

std::string identity(const model_run& run);
void fields(record& io, model_run& run);
void fields(record& io, model_results& all); ///< writes everything except the runs
void merge(const study_file& file, model_results& all, model_results more);
/// A data set of which a kernel failed is measured again as a whole.
void forget_failed(model_results& all);

/// Whether a schedule is one of the three that the paper compares with a library.
bool is_in_paper(const std::string& schedule);

/// The baseline that speed-ups refer to: cuSPARSE on cuda, OpenMP's static loop on cpu.
std::string baseline_of(const std::string& executor);

/// The times of one data set in ms, by kernel. Two more entries choose among schedules: `heuristic`, the rule of the
/// paper (schedules/combined_heuristic.hpp), and `oracle`, the fastest schedule.
struct model_dataset {
  std::string name;
  std::int64_t nnzs = 0;
  std::map<std::string, double> ms;
};
std::vector<model_dataset> datasets_of(const model_results& results);

/// How often and how much one kernel is faster than another, over the data sets with both.
struct speed_up {
  std::size_t sets = 0;
  double mean = 0;       ///< geometric
  double peak = 0;       ///< maximum
  double near_share = 0; ///< share of the sets on which it has at least 90% of the other's speed
};
/// Over data sets with `from` to `end` - 1 nonzeros. Empty if there are none with both kernels.
std::optional<speed_up> speed_up_over(const std::vector<model_dataset>& all, const std::string& kernel,
                                      const std::string& other, std::int64_t from = 0,
                                      std::int64_t end = std::int64_t{1} << 62);

json::value head_of(const model_results& results);

/// Speed-ups over the baseline by size, beside the paper's.
std::string model_tables(const model_results& results);
/// The same, as the text after all measurements.
std::string agreement(const model_results& results);
/// The columns of the paper's artifact: kernel,dataset,rows,cols,nnzs,elapsed (ms). Runs without a time are left out.
std::string csv_of(const model_results& results);
std::string page_of(const model_results& results);

} // namespace evenly::study
