// SPDX-License-Identifier: Apache-2.0
#include "ladder/ladder.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/numbers.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "ladder/ladder_bench.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/results_page.hpp"

namespace evenly::ladder {

using evenly::report::report_results;
using measure::find_cuda, measure::grouped, measure::measure, measure::measurement, measure::milliseconds,
    measure::one_line, measure::print, measure::repetition, measure::require_executor, measure::result_file,
    measure::result_head, measure::time_runs, measure::timing, measure::usage_error, measure::usual_executor,
    measure::with_noun, measure::wrapped;

namespace {

/// Large enough for each executor: 1 GiB of memory on a GPU, more than the caches on a CPU, a second of simulation.
std::int64_t usual_length(executor_kind kind) {
  switch (kind) {
  case executor_kind::cpu:
    return std::int64_t{1} << 25;
  case executor_kind::simt:
    return std::int64_t{1} << 16;
  case executor_kind::cuda:
    break;
  }
  return std::int64_t{1} << 28;
}

bench make_ladder(executor_kind kind, const any_ladder_problem& p, const bench_options& options) {
  require_executor(kind);
  if (kind == executor_kind::cpu) return make_cpu_ladder(p, options);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return make_cuda_ladder(p, options);
#endif
  return make_simt_ladder(p, options);
}

struct timed_ladder {
  ladder_kind kind;
  executor_kind executor;
  std::string what; ///< for example `inclusive scan`
  std::string type;
  std::string place;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t bytes;
  std::atomic<double> copy_gbps = 0; ///< read by the thread that writes the results
  std::vector<measurement> results = {};

  double n() const { return static_cast<double>(rows) * static_cast<double>(cols); }
  double gbps(const timing& time) const { return static_cast<double>(bytes) / time.median / 1e6; }
};

std::string size_of(const timed_ladder& all) {
  return all.rows == 1 ? with_noun(all.cols, "element")
                       : fmt::format("a matrix of {} x {} elements", grouped(all.rows), grouped(all.cols));
}

std::string row_of(const timed_ladder& all, const measurement& m) {
  if (m.error) return fmt::format("  {:<24}{:>10}\n", m.what.title, "FAILED");
  const std::string spread = fmt::format("{} .. {}", milliseconds(m.time.min), milliseconds(m.time.max));
  std::string line = fmt::format("  {:<24}{:>10}{:>22}", m.what.title, milliseconds(m.time.median), spread);
  if (all.executor != executor_kind::simt) {
    const double gbps = all.gbps(m.time);
    line += fmt::format("{:>12.4g}{:>10.4g}{:>8.0f}%", all.n() / m.time.median / 1e6, gbps,
                        100 * gbps / all.copy_gbps);
  }
  return line + '\n';
}

template <class Visit> void for_each_version(ladder_kind kind, const Visit& visit) {
  if (kind == ladder_kind::reduce) ladder::for_each_reduction(visit);
  if (kind == ladder_kind::scan) ladder::for_each_scan(visit);
  if (kind == ladder_kind::rotate) ladder::for_each_rotation(visit);
}

/// The lesson of each timed version.
std::string lessons(const timed_ladder& all) {
  std::string text;
  for_each_version(all.kind, [&](const auto& version) {
    for (const measurement& m : all.results)
      if (m.what.name == version.name) text += fmt::format("  {:<24}{}\n", version.name, version.teaches);
  });
  return text;
}

std::string table_of(const timed_ladder& all) {
  std::string text = fmt::format("{} of {} of type {} on {} ({})\n", all.what, size_of(all), all.type,
                                 name_of(all.executor), all.place);
  text += lessons(all) + '\n';
  text += fmt::format("  {:<24}{:>10}{:>22}", "version", "median ms", "min .. max");
  if (all.executor != executor_kind::simt)
    text += fmt::format("{:>12}{:>10}{:>9}", "G elem/s", "GB/s", "of copy");
  text += '\n';
  for (const measurement& m : all.results) text += row_of(all, m);
  text += all.executor == executor_kind::simt
              ? "  times are simulated and say nothing about a GPU\n"
              : fmt::format("  a copy of the same number of bytes ({:.4g} MB): {:.4g} GB/s\n",
                            static_cast<double>(all.bytes) / 1e6, all.copy_gbps.load());
  for (const measurement& m : all.results)
    if (m.error) text += wrapped(fmt::format("FAILED {}: {}", m.what.title, one_line(*m.error)), "  ");
  return text;
}

json::value json_of(const timed_ladder& all, const measurement& m) {
  json::value result{{"rung", m.what.name}, {"is_rung", m.what.is_schedule}, {"ok", !m.error}};
  const auto number = [&](double value) { return m.error ? json::value(nullptr) : json::value(value); };
  result["ms"] = number(m.time.median);
  result["ms_min"] = number(m.time.min);
  result["ms_max"] = number(m.time.max);
  result["gbps"] = number(all.gbps(m.time));
  return result;
}

json::value head_of(const timed_ladder& all, const ladder_options& options) {
  auto head = result_head(all.executor == executor_kind::cuda ? find_cuda().text : "");
  head.update({{"ladder", name_of(options.kind)},
               {"operation", all.what},
               {"executor", name_of(all.executor)},
               {"type", all.type},
               {"rows", all.rows},
               {"cols", all.cols},
               {"bytes", all.bytes},
               {"copy_gbps", all.copy_gbps.load()}});
  return head;
}

bool wanted(const ladder_options& options, const candidate& each) {
  return options.versions.empty() || std::ranges::count(options.versions, each.name) > 0;
}

timed_ladder without_results(const ladder_options& options, executor_kind kind, const any_ladder_problem& p) {
  return std::visit(
      [&](const auto& each) -> timed_ladder {
        return {options.kind, kind,      operation_of(options), name_of(options.type), "",
                each.rows,    each.cols, each.bytes_moved()};
      },
      p);
}

void measure_all(timed_ladder& all, const ladder_options& options, const any_ladder_problem& p,
                 result_file& file) {
  bench on = make_ladder(all.executor, p, options.bench);
  const bool simulated = all.executor == executor_kind::simt;
  all.place = on.time->place();
  const repetition times{.exactly = options.repeat,
                         .min_rounds = simulated ? 1 : 5,
                         .max_rounds = simulated ? 1 : 20,
                         .allow_single_run = simulated};
  all.copy_gbps = all.gbps(time_runs(on, on.time->copy(all.bytes), times));
  for (const candidate& each : on.candidates(options.block_size))
    if (wanted(options, each)) {
      all.results.push_back(measure(on, each, times));
      file.add(json_of(all, all.results.back()));
    }
}

/// `digits` as a number in [0, 2^53]; nothing if it is not a number.
std::optional<double> whole_number(std::string_view digits) {
  double found = 0;
  const auto [end, status] = io::parse_real(digits.data(), digits.data() + digits.size(), found);
  if (status != std::errc() || end != digits.data() + digits.size()) return {};
  if (!(found >= 0 && found <= 0x1p53) || found != std::floor(found)) return {};
  return found;
}

} // namespace

std::vector<std::string> version_names(ladder_kind kind) {
  std::vector<std::string> names;
  for_each_version(kind, [&](const auto& version) { names.push_back(version.name); });
  return names;
}

bool takes_block_size(ladder_kind kind, const std::vector<std::string>& versions) {
  bool takes = false;
  for_each_version(kind, [&](const auto& version) {
    if constexpr (requires { version.block_size; })
      takes |= versions.empty() || std::ranges::count(versions, version.name) > 0;
  });
  return takes;
}

std::string operation_of(const ladder_options& options) {
  if (options.kind != ladder_kind::scan) return name_of(options.kind);
  return options.exclusive ? "exclusive scan" : "inclusive scan";
}

std::int64_t parse_length(const std::string& text) {
  std::optional<double> found = whole_number(text);
  if (!found && text.starts_with("2^"))
    if (const auto power = whole_number(text.substr(2)); power && *power <= 53) found = std::exp2(*power);
  if (!found)
    throw usage_error(fmt::format("--n {}: must be a whole number from 0 to 2^53, such as 1000, 1e6 or 2^28",
                                  host::in_quotes(text)));
  return static_cast<std::int64_t>(*found);
}

bool time_ladder(const ladder_options& options) {
  const executor_kind kind = options.executor.value_or(usual_executor());
  require_executor(kind);
  if (!options.json.empty()) io::check_output(options.json);
  constexpr int arrays =
      8; // input, output, work, what a version needs, the accepted output, the one that is checked, a copy
  const any_ladder_problem p = make_ladder_problem(
      options.kind, options.type, options.n.value_or(usual_length(kind)), options.exclusive, arrays);
  timed_ladder all = without_results(options, kind, p);
  result_file file(options.json, [&] { return head_of(all, options); });
  report_results(file, options.report);
  file.measure(all.what, [&] { measure_all(all, options, p, file); });
  if (!all.results.empty())
    print(options.json == "-" || options.report == "-" ? stderr : stdout, table_of(all));
  file.finish();
  return std::ranges::none_of(all.results, [](const measurement& m) { return m.error.has_value(); });
}

} // namespace evenly::ladder
