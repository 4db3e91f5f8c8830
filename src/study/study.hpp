// SPDX-License-Identifier: Apache-2.0
// evenly study mapping: repeats section 5 of Busato & Bombieri, "A dynamic approach for workload partitioning on GPU
// architectures" (TPDS 2017), with the schedules of this library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench_options, measure::executor_kind;

struct study_options {
  std::vector<std::string> inputs; ///< files or generators that replace the seven workloads of the paper
  io::read_options reading;
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  bool quick = false;                    ///< scaled-down workloads, few runs
  std::string report;                    ///< path of an HTML file, `-` for standard output, empty for none
  std::string json;                      ///< likewise
  std::vector<std::string> from;         ///< files with earlier results: nothing is measured
  bool resume = false;                   ///< continue the study in the file `json`; not for study_mapping
  bench_options bench;
};

/// Prints tables and the agreement with the ranking of the paper. Writes the requested files with all finished
/// measurements, even if the study is interrupted. Returns whether all results are correct. Throws usage_error,
/// inputs_failed, file_error, device_error.
bool study_mapping(const study_options& options);

} // namespace evenly::study
