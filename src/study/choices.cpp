// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <functional>
#include <string>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "measure/bench.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/usage_error.hpp"
#include "study/choices_session.hpp"

namespace evenly::study {

using measure::bench, measure::candidate, measure::make_bench, measure::make_problem,
    measure::measure_in_turns, measure::number_type, measure::operation, measure::problem, measure::reference,
    measure::require_executor, measure::usage_error, measure::usual_executor;

namespace {

choice_operation operation_of(operation op, const char* name, executor_kind kind,
                              const bench_options& options) {
  choice_operation made{.name = name, .threads = 0, .measure = {}};
  if (kind != executor_kind::cuda) made.threads = options.threads > 0 ? options.threads : cpu().threads();
  made.measure = [=](const csr_matrix<double>& matrix, const std::function<bool(const std::string&)>& wants) {
    const problem p = make_problem(op, number_type::single_precision, matrix, 0);
    bench on = make_bench(kind, p, options);
    std::vector<candidate> schedules = on.candidates(0);
    std::erase_if(schedules, [&](const candidate& each) { return !each.is_schedule || !wants(each.name); });
    return measure_in_turns(on, schedules, reference(p), times_of_choices);
  };
  return made;
}

} // namespace

bool study_choices(const study_options& options) {
  if (!options.from.empty()) throw usage_error("--from applies to the studies mapping and tasks only");
  if (!options.report.empty()) throw usage_error("--report applies to the studies mapping and tasks only");
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  std::vector<choice_operation> all;
  for (const auto& [name, op] : {std::pair{"spmv", operation::spmv}, std::pair{"expand", operation::expand},
                                 std::pair{"segmented_reduce", operation::segmented_reduce},
                                 std::pair{"segmented_scan", operation::segmented_scan}})
    all.push_back(operation_of(op, name, kind, options.bench));
  return measure_choices(options, kind, all);
}

} // namespace evenly::study
