// SPDX-License-Identifier: Apache-2.0
#include "study/task_report.hpp"

#include <algorithm>

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

json::value best_points(const task_study_results& results, const tree_experiments& of) {
  auto best = json::array();
  for (const std::string& input : inputs_of(results, of.grid))
    for (const std::string& pool : pools_of(results, of.grid))
      if (const task_study_run* run = best_of(results, of.grid, input, pool))
        best.push_back({{"input", input},
                        {"pool", pool},
                        {"block_size", run->block_size},
                        {"blocks", run->blocks},
                        {"ms", run->time.median}});
  return best;
}

} // namespace

const task_study_run* best_of(const task_study_results& results, const std::string& experiment,
                              const std::string& input, const std::string& pool) {
  return lowest(
      results.runs,
      [&](const task_study_run& run) {
        return run.experiment == experiment && !run.error && run.input == input && run.pool == pool;
      },
      median_ms);
}

std::vector<std::string> inputs_of(const task_study_results& results, const std::string& experiment) {
  return names_of(results, experiment, &task_study_run::input);
}
std::vector<std::string> pools_of(const task_study_results& results, const std::string& experiment) {
  return names_of(results, experiment, &task_study_run::pool);
}
bool has_runs_by_block(const task_study_results& results) {
  return !pools_of(results, by_block.grid).empty();
}

std::string task_table(const task_study_results& results, const std::string& experiment,
                       const std::string& input) {
  tasks::balance_table balances;
  table made({experiment, "pool", "median ms", "threads", experiment == "workers" ? "workers" : "blocks",
              "rounds", "M tasks/s"},
             {-12, -26, 10, 9, 9, 8, 14});
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
    if (run != nullptr) balances.add(one_line(pool), run->balance);
  }
  return (made.empty() ? "" : made.text()) + balances.str();
}

std::string agreement(const task_study_results& results) {
  const auto part = [&](const tree_experiments& of, const char* how) {
    const auto findings = examine_tasks(results, of);
    return fmt::format("Where this agrees with Cederman & Tsigas (2008){}:\n{}\n  {} statements: {}\n", how,
                       as_text(findings), findings.size(), counted(findings));
  };
  if (!has_runs_by_block(results)) return part(by_warp, "");
  return part(by_block, ", if a block runs a task, and the lock is as printed") + '\n' +
         part(by_warp, ", if a warp runs a task");
}

json::value head_of(const task_study_results& results) {
  json::value all = to_json(results);
  all["best"] = best_points(results, by_warp);
  add_json(all["agreement"] = json::array(), examine_tasks(results, by_warp));
  if (!has_runs_by_block(results)) return all;
  all["best_by_block"] = best_points(results, by_block);
  add_json(all["agreement_by_block"] = json::array(), examine_tasks(results, by_block));
  return all;
}

} // namespace evenly::study
