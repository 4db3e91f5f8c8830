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
  const study_view view(results, op);
  const double min = fastest_ms(view, workload);
  table made({"technique", "best configuration", "median ms", "x best", "threads", "memory"},
             {-22, -40, 10, 8, 13, 12});
  for (const family& each : view.families()) {
    if (const study_run* const run = view.best(workload, each.name))
      made.row({each.title, configuration(*run), milliseconds(run->time.median),
                factor(run->time.median / min), grouped(run->threads),
                grouped(static_cast<long long>(run->memory))});
    else
      made.row({each.title, "FAILED"});
  }
  return made.text();
}

std::string phase_table(const study_results& results, std::string_view workload) {
  table made({"multi-phase", "variant", "block", "median ms"}, {-14, -24, 8, 12});
  for (const phase_run& run : results.phases)
    if (run.workload == workload)
      made.row({run.experiment, run.variant, std::to_string(run.block_size),
                run.error ? "FAILED" : milliseconds(run.time.median)});
  return made.empty() ? "" : made.text();
}

std::string agreement(const study_results& results) {
  std::string text = "Where this agrees with Busato & Bombieri (TPDS 2017), whose operation is update:\n";
  const auto techniques = examine_techniques(results, paper_operation);
  const auto phases = examine_phases(results);
  text += as_text(techniques) + as_text(phases);
  text += fmt::format("\n  {} statements on techniques: {}\n", techniques.size(), counted(techniques));
  text += fmt::format("  {} statements on multi-phase mapping: {}\n", phases.size(), counted(phases));
  for (const std::string& op : results.operations)
    if (op != paper_operation)
      text += fmt::format("  the statements on techniques, for {}: {}\n", one_line(op),
                          counted(examine_techniques(results, op)));
  return text;
}

json::value head_of(const study_results& results) {
  auto best = json::array();
  auto agreeing = json::array();
  for (const std::string& op : results.operations) {
    const study_view view(results, op);
    for (const study_workload& w : results.workloads)
      for (const family& each : view.families())
        if (const study_run* run = view.best(w.name, each.name))
          best.push_back({{"op", op},
                          {"workload", w.name},
                          {"technique", each.title},
                          {"in_paper", each.in_paper()},
                          {"schedule", run->schedule},
                          {"block_size", run->block_size},
                          {"ms", run->time.median},
                          {"of_fastest", run->time.median / fastest_ms(view, w.name)}});
    add_json(agreeing, examine_techniques(results, op), op);
  }
  add_json(agreeing, examine_phases(results), "multi-phase mapping");
  json::value all = to_json(results);
  all["best"] = std::move(best);
  all["agreement"] = std::move(agreeing);
  return all;
}

} // namespace evenly::study
