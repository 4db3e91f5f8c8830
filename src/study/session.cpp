// SPDX-License-Identifier: Apache-2.0
#include "study/session.hpp"

#include <filesystem>

#include "host/errors.hpp"
#include "measure/usage_error.hpp"
#include "report/charts.hpp"

namespace evenly::study {

using host::in_quotes;
using measure::usage_error;

void check_options(const study_options& options) {
  if (!options.from.empty() && !options.inputs.empty())
    throw usage_error(
        fmt::format("{}: --from measures nothing and takes no inputs", in_quotes(options.inputs.front())));
  if (!options.report.empty()) report::require_plotter();
  if (options.resume && (options.json.empty() || options.json == "-" || !options.from.empty()))
    throw usage_error("--resume needs --json FILE, which names the results to continue, and excludes --from");
}

std::vector<std::string> known_files(const study_options& options) {
  if (options.resume && std::filesystem::exists(options.json)) return {options.json};
  return options.from;
}

void require_same(const study_options& options, const char* what, const std::string& then,
                  const std::string& now) {
  if (then != now)
    throw usage_error(fmt::format("--resume {}: its {} is {}, but here it is {}", in_quotes(options.json),
                                  what, in_quotes(then), in_quotes(now)));
}

void require_same(const study_options& options, const study_head& before, executor_kind kind) {
  study_head here;
  describe(here, options, kind);
  require_same(options, "executor", before.executor, here.executor);
  require_same(options, "processor", before.cpu, here.cpu);
  require_same(options, "GPU", before.gpu, here.gpu);
  if (before.quick != here.quick)
    throw usage_error(fmt::format("--resume {}: it was {}measured with --quick; {} the option",
                                  in_quotes(options.json), before.quick ? "" : "not ",
                                  before.quick ? "add" : "omit"));
}

void describe(study_head& head, const study_options& options, executor_kind kind) {
  const std::string before = head.commit;
  head.cpu = measure::cpu_model();
  head.cores = measure::cpu_cores();
  if (kind == executor_kind::cuda) head.gpu = measure::find_cuda().text;
  head.date = measure::utc_now();
  head.commit = measure::commit();
  if (!before.empty() && head.earlier_commit.empty() && before != head.commit) head.earlier_commit = before;
  head.executor = name_of(kind);
  head.quick = options.quick;
}

void print_failed(std::FILE* tables, std::string_view what, const std::string& error) {
  measure::print(tables, measure::wrapped(fmt::format("FAILED {}: {}", what, measure::one_line(error)), ""));
}

} // namespace evenly::study
