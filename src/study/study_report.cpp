// SPDX-License-Identifier: Apache-2.0
#include "study/study_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "json/value.hpp"
#include "measure/text.hpp"
#include "report/table.hpp"
#include "study/families.hpp"

namespace evenly::study {

using evenly::report::table;
using measure::grouped, measure::milliseconds, measure::one_line;

namespace {

double fastest_ms(const study_view& view, std::string_view workload) {
  double min = 0;
  for (const family& each : view.families())
    if (const study_run* run = view.best(workload, each.name))
      min = min == 0 ? run->time.median : std::min(min, run->time.median);
  return min;
}

} // namespace

std::string technique_table(const study_results& results, std::string_view op, std::string_view workload) {
  const study_view view(results, op), planned(results, op, true);
  const double min = fastest_ms(view, workload);
  const bool times_mean = results.executor != "simt"; // there the counts do
  std::vector<std::string> heads{"technique", "best configuration"};
  std::vector<int> widths{-22, -40};
  if (times_mean) {
    heads.insert(heads.end(), {"median ms", "x best", "with plan"});
    widths.insert(widths.end(), {10, 8, 10});
  }
  heads.insert(heads.end(), {"threads", "memory"});
  widths.insert(widths.end(), {13, 12});
  table made(heads, widths);
  for (const family& each : view.families()) {
    const study_run* const run = view.best(workload, each.name);
    if (run == nullptr) {
      made.row({each.title, "FAILED"});
      continue;
    }
    std::vector<std::string> cells{each.title, times_mean ? configuration(*run) : run->schedule};
    if (times_mean) {
      const study_run* const anew = planned.best(workload, each.name);
      cells.insert(cells.end(), {milliseconds(run->time.median), factor(run->time.median / min),
                                 anew == nullptr ? "-" : milliseconds(anew->with_plan->median)});
    }
    cells.insert(cells.end(), {grouped(run->threads), grouped(static_cast<long long>(run->memory))});
    made.row(cells);
  }
  return made.text();
}

bool has_times_with_plan(const study_results& results, std::string_view op) {
  return !study_view(results, op, true).families().empty();
}

std::string phase_table(const study_results& results, std::string_view workload) {
  const bool times_mean = results.executor != "simt";
  table made({"multi-phase", "variant", "block", times_mean ? "median ms" : "threads"}, {-14, -24, 8, 13});
  for (const phase_run& run : results.phases)
    if (run.workload == workload)
      made.row({run.experiment, run.variant, std::to_string(run.block_size),
                run.error    ? "FAILED"
                : times_mean ? milliseconds(run.time.median)
                             : grouped(run.threads)});
  return made.empty() ? "" : made.text();
}

namespace {

constexpr std::string_view with_plans = "techniques, plans included";

/// The findings on the paper's operation, by subject. Those with plans are second, if there are any.
std::vector<std::pair<std::string, std::vector<finding>>> findings_of(const study_results& results) {
  std::vector<std::pair<std::string, std::vector<finding>>> all{
      {"techniques", examine_techniques(results, paper_operation)}};
  if (has_times_with_plan(results, paper_operation))
    all.emplace_back(with_plans, examine_techniques(results, paper_operation, true));
  all.emplace_back("multi-phase mapping", examine_phases(results));
  all.emplace_back("workloads", examine_workloads(results));
  if (!results.counted.empty()) all.emplace_back("counts", examine_counts(results));
  return all;
}

} // namespace

std::string agreement(const study_results& results) {
  std::string text = count_table(results);
  if (!text.empty()) text += '\n';
  text += "Where this agrees with Busato & Bombieri (TPDS 2017), whose operation is update:\n";
  const auto all = findings_of(results);
  std::vector<finding> together;
  for (const auto& [subject, findings] : all) {
    if (subject != with_plans) text += as_text(findings);
    together.insert(together.end(), findings.begin(), findings.end());
  }
  if (has_times_with_plan(results, paper_operation)) {
    std::vector<finding> other; // with plans
    for (std::size_t i = 0; i < all.front().second.size(); ++i)
      if (all.at(1).second[i].verdict != all.front().second[i].verdict) other.push_back(all.at(1).second[i]);
    if (!other.empty()) text += "\n  With plans included, other verdicts:\n" + as_text(other);
  }
  text += '\n';
  for (const auto& [subject, findings] : all)
    text += fmt::format("  {} statements on {}: {}\n", findings.size(), subject, counted(findings));
  for (const std::string& op : results.operations)
    if (op != paper_operation)
      text += fmt::format("  the statements on techniques, for {}: {}\n", one_line(op),
                          counted(examine_techniques(results, op)));
  return text + counted(together) + '\n';
}

json::value head_of(const study_results& results) {
  auto best = json::array();
  auto agreeing = json::array();
  for (const std::string& op : results.operations) {
    const study_view view(results, op), planned(results, op, true);
    for (const study_workload& w : results.workloads)
      for (const family& each : view.families())
        if (const study_run* run = view.best(w.name, each.name)) {
          json::value made;
          made.update({{"op", op},
                       {"workload", w.name},
                       {"technique", each.title},
                       {"in_paper", each.in_paper()},
                       {"schedule", run->schedule},
                       {"block_size", run->block_size},
                       {"ms", run->time.median},
                       {"of_fastest", run->time.median / fastest_ms(view, w.name)}});
          if (const study_run* const anew = planned.best(w.name, each.name))
            made["ms_with_plan"] = anew->with_plan->median;
          best.push_back(std::move(made));
        }
    add_json(agreeing, examine_techniques(results, op), op);
    if (has_times_with_plan(results, op))
      add_json(agreeing, examine_techniques(results, op, true), fmt::format("{}, plan included", op));
  }
  add_json(agreeing, examine_phases(results), "multi-phase mapping");
  add_json(agreeing, examine_workloads(results), "workloads");
  if (!results.counted.empty()) add_json(agreeing, examine_counts(results), "counts");
  json::value all = to_json(results);
  all["best"] = std::move(best);
  all["agreement"] = std::move(agreeing);
  return all;
}

} // namespace evenly::study
