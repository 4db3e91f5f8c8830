// SPDX-License-Identifier: Apache-2.0
#include "tasks/tasks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evenly/tasks/registry.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "report/measured_run.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::tasks {

using measure::measurement, measure::name_of, measure::require_executor, measure::result_file;

namespace {

bench make_task_bench(executor_kind kind, const tasks_options& options, task_findings& findings) {
  require_executor(kind);
  task_bench_options given{options.bench, options.blocks, options.settings};
  given.settings.profile = true;
  if (kind == executor_kind::cpu) return make_cpu_task_bench(options.workload, given, findings);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return make_cuda_task_bench(options.workload, given, findings);
#endif
  return make_simt_task_bench(options.workload, given, findings);
}

json::value json_of(const measurement& m, const task_finding& found) {
  json::value made{{"pool", m.what.name},           {"is_pool", m.what.is_schedule}, {"ok", !m.error},
                   {"tasks", found.found.tasks},    {"value", found.found.value},    {"bytes", found.bytes},
                   {"high_water", found.high_water}};
  put_times(made, m.time, !m.error);
  add_balance(made, found.balance);
  return made;
}

bool wanted(const tasks_options& options, const candidate& each) {
  return options.pools.empty() || std::ranges::count(options.pools, each.name) > 0;
}

} // namespace

std::vector<std::string> pool_names() {
  std::vector<std::string> names;
  for_each_pool([&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

bool time_tasks(const tasks_options& options) {
  const executor_kind kind = report::executor_of(options.executor);
  const auto time_all = [&](result_file& file, std::string& text) {
    task_findings findings;
    bench on = make_task_bench(kind, options, findings);
    text = fmt::format("{} on {} ({})\n", options.workload.text, name_of(kind), on.time->place());
    report::timed_table table("pool", {{"M tasks/s", 14}});
    balance_table balances;
    for (const candidate& each : on.candidates(0)) {
      if (!wanted(options, each)) continue;
      const measurement m =
          measure::measure(on, each, report::few_rounds(options.repeat, kind, true)); // some pools are slow
      const task_finding& found = findings[each.name];
      table.row(m, {fmt::format("{:.4g}", static_cast<double>(found.found.tasks) / m.time.median / 1e3)});
      if (!m.error) balances.add(each.title, found.balance);
      file.add(json_of(m, found));
    }
    text += table.rows() + balances.str() + table.errors();
    return table.errors().empty();
  };
  return report::measure_input({.executor = kind,
                                .input = options.workload.text,
                                .outputs = {options.json, options.report},
                                .head = [&] { return json::value{{"workload", options.workload.text}}; },
                                .work = time_all});
}

} // namespace evenly::tasks
