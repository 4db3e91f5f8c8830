// SPDX-License-Identifier: Apache-2.0
#include "report/measured_run.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "io/output_file.hpp"
#include "measure/comparison.hpp"
#include "measure/report.hpp"
#include "measure/text.hpp"
#include "report/results_page.hpp"

namespace evenly::report {

namespace {

table empty_table(std::string head, const std::vector<timed_table::column>& more, int name_width) {
  table::cells heads{std::move(head), "median ms", "min .. max"};
  std::vector<int> widths{-name_width, 10, 22};
  for (const auto& [name, width] : more) {
    heads.push_back(name);
    widths.push_back(width);
  }
  return table(std::move(heads), std::move(widths));
}

} // namespace

executor_kind executor_of(std::optional<executor_kind> chosen) {
  const executor_kind kind = chosen.value_or(measure::usual_executor());
  measure::require_executor(kind);
  return kind;
}

bool run_outputs::uses_standard_output() const {
  return json == "-" || page == "-" || std::ranges::count(others, "-") > 0;
}

bool measure_input(const measured_run& run) {
  for (const std::string& path : run.outputs.others)
    if (!path.empty()) io::check_output(path);
  result_file file(run.outputs.json, [&] {
    auto head = measure::result_head(run.executor == executor_kind::cuda ? measure::find_cuda().text : "");
    head["executor"] = name_of(run.executor);
    head.update(run.head());
    return head;
  });
  report_results(file, run.outputs.page, run.of_page);
  bool is_right = true;
  std::string text;
  file.measure(run.input, [&] {
    is_right = run.work(file, text);
    if (run.has_times && run.executor == executor_kind::simt)
      text += "  times are simulated and say nothing about a GPU\n";
  });
  measure::print(run.outputs.uses_standard_output() ? stderr : stdout, text);
  file.finish();
  return is_right;
}

measure::repetition few_rounds(int exactly, executor_kind kind, bool single) {
  const bool simulated = kind == executor_kind::simt;
  return {.exactly = exactly,
          .min_rounds = simulated ? 1 : 3,
          .max_rounds = simulated ? 1 : 20,
          .allow_single_run = single || simulated};
}

timed_table::timed_table(std::string head, std::vector<column> more, int name_width)
    : table_(empty_table(std::move(head), more, name_width)) {}

void timed_table::row(const std::string& title, const measure::timing& time, table::cells more) {
  table::cells words{
      title, measure::milliseconds(time.median),
      fmt::format("{} .. {}", measure::milliseconds(time.min), measure::milliseconds(time.max))};
  std::ranges::move(more, std::back_inserter(words));
  table_.row(std::move(words));
}

void timed_table::row(const measure::measurement& m, table::cells more) {
  if (m.error)
    failed(m.what.title, *m.error);
  else
    row(row_title(m), m.time, std::move(more));
}

void timed_table::failed(const std::string& title, const std::string& error) {
  table_.row({title, "FAILED"});
  errors_ += measure::wrapped(fmt::format("FAILED {}: {}", title, measure::one_line(error)), "  ");
}

} // namespace evenly::report
