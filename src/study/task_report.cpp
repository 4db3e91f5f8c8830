// SPDX-License-Identifier: Apache-2.0
#include "study/task_report.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "json/value.hpp"
#include "measure/text.hpp"
#include "report/table.hpp"

namespace evenly::study {

using evenly::report::table;
using measure::milliseconds, measure::one_line;

namespace {

template <class Member>
std::vector<std::string> names_of(const task_study_results& results, const std::string& experiment,
                                  Member member) {
  std::vector<std::string> names;
  for (const task_study_run& run : results.runs)
    if (run.experiment == experiment && std::ranges::count(names, run.*member) == 0)
      names.push_back(run.*member);
  return names;
}

const task_study_run* best_of(const task_study_results& results, const std::string& experiment,
                              const std::string& input, const std::string& pool) {
  return lowest(
      results.runs,
      [&](const task_study_run& run) {
        return run.experiment == experiment && !run.error && run.input == input && run.pool == pool;
      },
      median_ms);
}

} // namespace

const task_study_run* best_of_grid(const task_study_results& results, const std::string& input,
                                   const std::string& pool) {
  return best_of(results, "grid", input, pool);
}
std::vector<std::string> inputs_of(const task_study_results& results, const std::string& experiment) {
  return names_of(results, experiment, &task_study_run::input);
}
std::vector<std::string> pools_of(const task_study_results& results, const std::string& experiment) {
  return names_of(results, experiment, &task_study_run::pool);
}

std::string task_table(const task_study_results& results, const std::string& experiment,
                       const std::string& input) {
  std::string balances;
  table made({experiment, "pool", "median ms", "threads", experiment == "workers" ? "workers" : "blocks",
              "rounds", "M tasks/s"},
             {-9, -22, 10, 9, 9, 8, 14});
  const auto number = [](std::int64_t n) { return n == 0 ? std::string("-") : std::to_string(n); };
  for (const std::string& pool : pools_of(results, experiment)) {
    const bool there = std::ranges::any_of(results.runs, [&](const task_study_run& run) {
      return run.experiment == experiment && run.input == input && run.pool == pool;
    });
    if (!there) continue;
    const task_study_run* const run = best_of(results, experiment, input, pool);
    if (run == nullptr)
      made.row({"", pool, "FAILED"});
    else
      made.row({"", pool, milliseconds(run->time.median), number(run->block_size), number(run->blocks),
                number(run->rounds),
                fmt::format("{:.4g}", static_cast<double>(run->tasks) / run->time.median / 1e3)});
    if (run != nullptr && run->balance) balances += tasks::balance_row(one_line(pool), *run->balance);
  }
  const std::string text = made.empty() ? "" : made.text();
  return balances.empty() ? text : text + tasks::balance_head() + balances;
}

std::string agreement(const task_study_results& results) {
  const auto findings = examine_tasks(results);
  return "Where this agrees with Cederman & Tsigas (2008):\n" + as_text(findings) +
         fmt::format("\n  {} statements: {}\n", findings.size(), counted(findings));
}

json::value head_of(const task_study_results& results) {
  json::value all = to_json(results);
  auto best = json::array(), agreeing = json::array();
  for (const std::string& input : inputs_of(results, "grid"))
    for (const std::string& pool : pools_of(results, "grid"))
      if (const task_study_run* run = best_of_grid(results, input, pool))
        best.push_back({{"input", input},
                        {"pool", pool},
                        {"block_size", run->block_size},
                        {"blocks", run->blocks},
                        {"ms", run->time.median}});
  add_json(agreeing, examine_tasks(results));
  all["best"] = std::move(best);
  all["agreement"] = std::move(agreeing);
  return all;
}

} // namespace evenly::study
