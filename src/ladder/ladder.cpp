// SPDX-License-Identifier: Apache-2.0
#include "ladder/ladder.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "host/errors.hpp"
#include "io/numbers.hpp"
#include "json/value.hpp"
#include "ladder/ladder_bench.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/measured_run.hpp"

namespace evenly::ladder {

using measure::faster_than_copy, measure::grouped, measure::is_faster_than_copy, measure::measure,
    measure::measurement, measure::repetition, measure::require_executor, measure::result_file,
    measure::time_runs, measure::timing, measure::usage_error, measure::with_noun, measure::wrapped;

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
  int threads = 1;                   ///< of the cpu
  std::atomic<double> copy_gbps = 0; ///< read by the thread that writes the results
  std::map<std::string, double> serial_ms =
      {};                                   ///< of each version with one thread of the cpu, if it has more
  std::map<std::string, double> lanes = {}; ///< active lanes on simt
  std::vector<measurement> results = {};

  double n() const { return static_cast<double>(rows) * static_cast<double>(cols); }
  /// T(n, 1) / T(n, p); empty if it was not measured.
  std::optional<double> speed_up(const measurement& m) const {
    const auto serial = serial_ms.find(m.what.name);
    if (m.error || serial == serial_ms.end()) return {};
    return serial->second / m.time.median;
  }
  double gbps(const timing& time) const { return static_cast<double>(bytes) / time.median / 1e6; }
};

std::string size_of(const timed_ladder& all) {
  return all.rows == 1 ? with_noun(all.cols, "element")
                       : fmt::format("a matrix of {} x {} elements", grouped(all.rows), grouped(all.cols));
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

constexpr std::string_view on_cores =
    "on cpu a block has one thread, so there are no warps, banks or barriers: versions that differ only in "
    "these take equally long; --count counts what they do on a simulated GPU";

std::string table_of(const timed_ladder& all) {
  std::string text = fmt::format("{} of {} of type {} on {} ({})\n", all.what, size_of(all), all.type,
                                 name_of(all.executor), all.place);
  if (all.executor == executor_kind::cpu) text += wrapped(on_cores, "  ");
  text += lessons(all) + '\n';
  const bool simulated = all.executor == executor_kind::simt;
  std::vector<report::timed_table::column> columns;
  if (!simulated) columns = {{"G elem/s", 12}, {"GB/s", 10}, {"of copy", 9}};
  if (!all.serial_ms.empty()) columns.insert(columns.end(), {{"speed-up", 9}, {"efficiency", 11}});
  if (!all.lanes.empty()) columns.push_back({"lanes", 6});
  report::timed_table table("version", std::move(columns));
  bool explains = false;
  for (const measurement& m : all.results) {
    const double gbps = all.gbps(m.time), of_copy = gbps / all.copy_gbps;
    explains |= !simulated && !m.error && is_faster_than_copy(of_copy);
    report::table::cells cells;
    if (!simulated)
      cells = {fmt::format("{:.4g}", all.n() / m.time.median / 1e6), fmt::format("{:.4g}", gbps),
               fmt::format("{:.0f}%", 100 * of_copy)};
    if (!all.serial_ms.empty()) {
      const auto faster = all.speed_up(m);
      cells.push_back(faster ? fmt::format("{:.2f}", *faster) : "-");
      cells.push_back(faster ? fmt::format("{:.0f}%", 100 * *faster / all.threads) : "-");
    }
    if (!all.lanes.empty()) {
      const auto active = all.lanes.find(m.what.name);
      cells.push_back(active == all.lanes.end() ? "-" : fmt::format("{:.1f}", active->second));
    }
    table.row(m, cells);
  }
  text += table.rows();
  if (!simulated)
    text += fmt::format("  a copy of the same number of bytes ({:.4g} MB): {:.4g} GB/s\n",
                        static_cast<double>(all.bytes) / 1e6, all.copy_gbps.load());
  if (!all.serial_ms.empty())
    text += wrapped(
        fmt::format("speed-up: T(n, 1) / T(n, p), the time of the version with 1 thread over that with {}; "
                    "efficiency: speed-up / {}",
                    all.threads, all.threads),
        "  ");
  if (!all.lanes.empty())
    text +=
        wrapped("lanes: active lanes of 32 in the requests of a warp, counted on simt with 4,096 elements; "
                "fewer lanes are divergence",
                "  ");
  if (explains) text += fmt::format("  {}\n", faster_than_copy);
  return text + table.errors();
}

json::value json_of(const timed_ladder& all, const measurement& m) {
  json::value result{{"rung", m.what.name}, {"is_rung", m.what.is_schedule}, {"ok", !m.error}};
  put_times(result, m.time, !m.error);
  result["gbps"] = measure::number_if(!m.error, all.gbps(m.time));
  if (!all.serial_ms.empty()) {
    const auto faster = all.speed_up(m);
    result["serial_ms"] = measure::number_if(faster.has_value(), faster ? all.serial_ms.at(m.what.name) : 0);
    result["speed_up"] = measure::number_if(faster.has_value(), faster.value_or(0));
    result["efficiency"] = measure::number_if(faster.has_value(), faster.value_or(0) / all.threads);
  }
  if (const auto active = all.lanes.find(m.what.name); active != all.lanes.end())
    result["active_lanes"] = active->second;
  return result;
}

json::value head_of(const timed_ladder& all, const ladder_options& options) {
  return {{"ladder", name_of(options.kind)},
          {"operation", all.what},
          {"operator", name_of(options.operation)},
          {"type", all.type},
          {"rows", all.rows},
          {"cols", all.cols},
          {"bytes", all.bytes},
          {"copy_gbps", all.copy_gbps.load()}};
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

/// Times the versions with one thread of the cpu, for their speed-up.
void measure_serial(timed_ladder& all, const ladder_options& options, const any_ladder_problem& p,
                    const repetition& times) {
  bench_options alone = options.bench;
  alone.threads = 1;
  bench on = make_ladder(executor_kind::cpu, p, alone);
  for (const candidate& each : on.candidates(options.block_size))
    if (wanted(options, each))
      if (const measurement m = measure(on, each, times); !m.error) all.serial_ms[each.name] = m.time.median;
}

void measure_all(timed_ladder& all, const ladder_options& options, const any_ladder_problem& p,
                 result_file& file) {
  repetition times = report::few_rounds(options.repeat, all.executor, false);
  if (all.executor != executor_kind::simt) {
    times.min_rounds = measure::min_rounds_to_compare;
    all.lanes = active_lanes_of(options);
  }
  if (all.executor == executor_kind::cpu) all.threads = cpu(options.bench.threads).threads();
  if (all.threads > 1) measure_serial(all, options, p, times);
  bench on = make_ladder(all.executor, p, options.bench);
  all.place = on.time->place();
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
  std::string name = name_of(options.kind);
  if (options.kind == ladder_kind::scan) name = options.exclusive ? "exclusive scan" : "inclusive scan";
  return options.operation == ladder_operation::sum
             ? name
             : fmt::format("{} ({})", name, name_of(options.operation));
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
  const executor_kind kind = report::executor_of(options.executor);
  constexpr int arrays =
      8; // input, output, work, what a version needs, the accepted output, the one that is checked, a copy
  const any_ladder_problem p =
      make_ladder_problem(options.kind, options.type, options.n.value_or(usual_length(kind)),
                          options.exclusive, arrays, options.operation);
  timed_ladder all = without_results(options, kind, p);
  return report::measure_input({.executor = kind,
                                .input = all.what,
                                .outputs = {options.json, options.report},
                                .head = [&] { return head_of(all, options); },
                                .work =
                                    [&](result_file& file, std::string& table) {
                                      measure_all(all, options, p, file);
                                      table = table_of(all);
                                      return std::ranges::none_of(all.results, [](const measurement& m) {
                                        return m.error.has_value();
                                      });
                                    }});
}

} // namespace evenly::ladder
