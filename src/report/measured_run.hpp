// SPDX-License-Identifier: Apache-2.0
// The common part of commands that measure one input on one executor: the table of times, the result file, the page.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/measure.hpp"
#include "measure/result_file.hpp"
#include "report/table.hpp"

namespace evenly::report {

using measure::executor_kind, measure::result_file;

/// The chosen or the default executor. Throws device_error if it is not available.
executor_kind executor_of(std::optional<executor_kind> chosen);

/// Paths of files, `-` for standard output, empty for none.
struct run_outputs {
  std::string json;
  std::string page = {};
  std::vector<std::string> others = {};

  bool uses_standard_output() const;
};

struct measured_run {
  executor_kind executor;
  std::string input;
  run_outputs outputs;
  /// Members of the result file in addition to machine, date, commit and executor. Called when the file is written.
  result_file::object_maker head;
  /// Measures the input. Returns whether all results are correct. Prints by appending to `table`.
  std::function<bool(result_file& file, std::string& table)> work;
  result_file::object_maker of_page = {}; ///< additional members of the page
  bool has_times = true;                  ///< those of simt are remarked on
};

/// Checks the outputs, calls work, prints the table to standard output, or to standard error if an output is there, and
/// writes the result file and the page. Returns whether all results are correct. Throws evenly::error.
bool measure_input(const measured_run& run);

/// Rounds for candidates that may be slow: at most 20, and one on simt. `single`: the checked run may be the only one.
measure::repetition few_rounds(int exactly, executor_kind kind, bool single);

/// A table of candidates: name, median, spread, and more columns.
class timed_table {
 public:
  struct column {
    std::string head;
    int width;
  };
  explicit timed_table(std::string head, std::vector<column> more = {}, int name_width = 24);

  /// The row of a candidate with its other cells; FAILED after an error.
  void row(const std::string& title, const measure::timing& time, table::cells more);
  void row(const measure::measurement& m, table::cells more);
  void failed(const std::string& title, const std::string& error);
  /// A line below the last row.
  void note(const std::string& line) { table_.note("  " + line); }

  std::string rows() const { return table_.text(); }
  /// Why candidates failed.
  const std::string& errors() const { return errors_; }
  std::string text() const { return rows() + errors(); }

 private:
  table table_;
  std::string errors_;
};

} // namespace evenly::report
