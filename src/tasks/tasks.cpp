// SPDX-License-Identifier: Apache-2.0
#include "tasks/tasks.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>

#include <fmt/format.h>

#include "evenly/tasks/registry.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/results_page.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::tasks {

using evenly::report::report_results;
using measure::find_cuda, measure::measure, measure::measurement, measure::milliseconds, measure::name_of,
    measure::one_line, measure::print, measure::repetition, measure::require_executor, measure::result_file,
    measure::result_head, measure::usual_executor, measure::wrapped;

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

std::string row_of(const measurement& m, const task_finding& found) {
  if (m.error) return fmt::format("  {:<24}{:>10}\n", m.what.title, "FAILED");
  const std::string spread = fmt::format("{} .. {}", milliseconds(m.time.min), milliseconds(m.time.max));
  return fmt::format("  {:<24}{:>10}{:>22}{:>14.4g}\n", m.what.title, milliseconds(m.time.median), spread,
                     static_cast<double>(found.found.tasks) / m.time.median / 1e3);
}

json::value json_of(const measurement& m, const task_finding& found) {
  const auto if_right = [&](double value) { return m.error ? json::value(nullptr) : json::value(value); };
  json::value made{{"pool", m.what.name},
                   {"is_pool", m.what.is_schedule},
                   {"ok", !m.error},
                   {"tasks", found.found.tasks},
                   {"value", found.found.value},
                   {"ms", if_right(m.time.median)},
                   {"ms_min", if_right(m.time.min)},
                   {"ms_max", if_right(m.time.max)},
                   {"bytes", found.bytes},
                   {"high_water", found.high_water}};
  add_balance(made, found.balance);
  return made;
}

json::value head_of(executor_kind kind, const tasks_options& options) {
  auto head = result_head(kind == executor_kind::cuda ? find_cuda().text : "");
  head.update({{"workload", options.workload.text}, {"executor", name_of(kind)}});
  return head;
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
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  if (!options.json.empty()) io::check_output(options.json);
  result_file file(options.json, [&] { return head_of(kind, options); });
  report_results(file, options.report);
  task_findings findings;
  bool all_right = true;
  std::string table;
  file.measure(options.workload.text, [&] {
    bench on = make_task_bench(kind, options, findings);
    const bool simulated = kind == executor_kind::simt;
    const repetition times{.exactly = options.repeat,
                           .min_rounds = simulated ? 1 : 3,
                           .max_rounds = simulated ? 1 : 20,
                           .allow_single_run = true}; // some pools are slow
    table = fmt::format("{} on {} ({})\n  {:<24}{:>10}{:>22}{:>14}\n", options.workload.text, name_of(kind),
                        on.time->place(), "pool", "median ms", "min .. max", "M tasks/s");
    std::string errors;
    balance_table balances;
    for (const candidate& each : on.candidates(0)) {
      if (!wanted(options, each)) continue;
      const measurement m = measure(on, each, times);
      const task_finding& found = findings[each.name];
      all_right &= !m.error;
      table += row_of(m, found);
      if (m.error) errors += wrapped(fmt::format("FAILED {}: {}", each.title, one_line(*m.error)), "  ");
      if (!m.error) balances.add(each.title, found.balance);
      file.add(json_of(m, found));
    }
    table += balances.str() + errors;
    if (simulated) table += "  times are simulated and say nothing about a GPU\n";
  });
  print(options.json == "-" || options.report == "-" ? stderr : stdout, table);
  file.finish();
  return all_right;
}

} // namespace evenly::tasks
