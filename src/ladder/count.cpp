// SPDX-License-Identifier: Apache-2.0
// Counts of each version on simt, compared with its formulas; and whether work and cost grow linearly in the number of
// elements, as those of a serial algorithm.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/ladder/versions.hpp"
#include "evenly/trace/counted.hpp"
#include "evenly/trace/trace.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "ladder/ladder.hpp"
#include "measure/counts_json.hpp"
#include "measure/machine.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "report/results_page.hpp"
#include "report/table.hpp"

namespace evenly::ladder {

using evenly::report::report_results, evenly::report::table;
using measure::commit, measure::grouped, measure::joined, measure::json_of_counts, measure::number_if,
    measure::print, measure::result_file, measure::utc_now, measure::version, measure::with_noun,
    measure::wrapped;

namespace {

using sum = counted<plus<int>>;

/// Operations and cost per element, of a run on fewer elements and of one on more.
struct growth {
  std::int64_t fewer = 0;
  std::int64_t more = 0;
  std::array<double, 2> work{};
  std::array<double, 2> cost{};

  /// A logarithm grows by a third from 2^12 to 2^16 elements; the lower-order terms of a tree shrink.
  static bool stays(const std::array<double, 2>& of) { return of[1] <= 1.15 * of[0]; }
  bool work_optimal() const { return stays(work); }
  bool cost_optimal() const { return stays(cost); }
};

struct counted_version {
  std::string name;
  std::string teaches;
  std::string formula_steps;
  std::string formula_operations;
  trace_counts seen;
  bool draws_chunks = false; ///< T, C and idle depend on the interleaving
  std::optional<ladder::prediction> predicted = {};
  std::optional<growth> grown = {};

  ladder::prediction as_counted() const {
    return {seen.launches, seen.threads, seen.barriers, seen.steps, seen.operations};
  }
  bool agrees() const { return !predicted || *predicted == as_counted(); }

  /// Average number of active lanes in a request of a warp; empty without requests.
  std::optional<double> active_lanes() const {
    if (seen.requests() == 0) return {};
    return static_cast<double>(seen.request_lanes) / static_cast<double>(seen.requests());
  }
  /// Requested bytes as a share of the moved bytes; empty if none move.
  std::optional<double> used_bytes() const {
    if (seen.bytes_moved() == 0) return {};
    return static_cast<double>(seen.bytes_wanted()) / static_cast<double>(seen.bytes_moved());
  }
};

/// Runs `version` on a simulated GPU with counters. Throws device_error if the result is wrong.
template <class Version>
trace_counts count(const ladder_options& options, const ladder_problem<int>& p, const Version& version) {
  trace counts;
  const simt exec({.seed = options.bench.seed, .threads = options.bench.threads, .trace = &counts});
  const auto in = to_executor(exec, p.in);
  const auto out = make_buffer<int>(exec, static_cast<std::size_t>(p.outputs()));
  if constexpr (requires { version(exec, in.data(), p.rows, p.cols, out.data()); }) {
    version(exec, in.data(), p.rows, p.cols, out.data());
  } else {
    auto memory = version.template prepare<int>(exec, p.n());
    if constexpr (requires { Version::destroys_input; })
      version(exec, in.data(), p.n(), sum{}, out.data(), memory);
    else
      version(exec, p.prefix, in.data(), p.n(), sum{}, out.data(), memory);
  }
  if (const auto error = first_error(p, to_host(exec, out)))
    throw device_error(fmt::format("{}: {}", version.name, *error));
  return counts.totals();
}

template <class Version>
std::optional<ladder::prediction> predict(const ladder_problem<int>& p, const Version& version) {
  if constexpr (!requires { &Version::predict; })
    return {};
  else if constexpr (requires { Version::destroys_input; })
    return version.predict(p.n());
  else if constexpr (requires { version.predict(p.prefix, p.n()); })
    return version.predict(p.prefix, p.n());
  else
    return version.predict(p.rows, p.cols);
}

ladder_problem<int> problem_of(const ladder_options& options, std::int64_t n) {
  constexpr int arrays =
      5; // input, output, what a version needs, the one that is checked, and what is remembered of blocks
  return std::get<ladder_problem<int>>(
      make_ladder_problem(options.kind, ladder_type::int32, n, options.exclusive, arrays));
}

template <class Version> growth grow(const ladder_options& options, std::int64_t n, const Version& version) {
  growth found{.fewer = n / 16, .more = n};
  for (int k = 0; k < 2; ++k) {
    const std::int64_t size = k == 0 ? found.fewer : found.more;
    const trace_counts seen = count(options, problem_of(options, size), version);
    found.work[k] = static_cast<double>(seen.operations) / static_cast<double>(size);
    found.cost[k] = static_cast<double>(seen.cost()) / static_cast<double>(size);
  }
  return found;
}

json::value json_of(const counted_version& each) {
  json::value counts = json_of_counts(each.seen);
  counts["cost"] = each.seen.cost();
  counts["idle"] = each.seen.idle();
  counts["bank_conflicts"] = each.seen.bank_conflicts();
  counts["active_lanes"] = number_if(each.active_lanes().has_value(), each.active_lanes().value_or(0));
  counts["used_bytes"] = number_if(each.used_bytes().has_value(), each.used_bytes().value_or(0));
  json::value result{{"rung", each.name},
                     {"teaches", each.teaches},
                     {"draws_chunks", each.draws_chunks},
                     {"counts", counts},
                     {"formulas", {{"steps", each.formula_steps}, {"operations", each.formula_operations}}}};
  if (each.predicted)
    result["predicted"] = {{"launches", each.predicted->launches},     {"threads", each.predicted->threads},
                           {"barriers", each.predicted->barriers},     {"steps", each.predicted->steps},
                           {"operations", each.predicted->operations}, {"cost", each.predicted->cost()}};
  if (each.grown)
    result["growth"] = {{"n", {each.grown->fewer, each.grown->more}},
                        {"operations_each", each.grown->work},
                        {"cost_each", each.grown->cost},
                        {"work_optimal", each.grown->work_optimal()},
                        {"cost_optimal", each.grown->cost_optimal()}}; // meaningless for dynamic chunks
  return result;
}

/// Appends each result to `all` and `file`.
void count_all(const ladder_options& options, const ladder_problem<int>& p, std::vector<counted_version>& all,
               result_file& file) {
  const std::int64_t large =
      std::clamp<std::int64_t>(p.n(), 1 << 16, 1 << 22); // below, there are too few blocks for a comparison
  const auto add = [&](auto version) {
    if (!options.versions.empty() && std::ranges::count(options.versions, version.name) == 0) return;
    if constexpr (requires { version.block_size; })
      if (options.block_size > 0) version.block_size = options.block_size;
    counted_version found{version.name, version.teaches, version.formula_steps, version.formula_operations,
                          count(options, p, version)};
    if constexpr (requires { version.draws_chunks; }) found.draws_chunks = true;
    found.predicted = predict(p, version);
    if (options.kind != ladder_kind::rotate) found.grown = grow(options, large, version);
    all.push_back(std::move(found));
    file.add(json_of(all.back()));
  };
  if (options.kind == ladder_kind::reduce) ladder::for_each_reduction(add);
  if (options.kind == ladder_kind::scan) ladder::for_each_scan(add);
  if (options.kind == ladder_kind::rotate) ladder::for_each_rotation(add);
}

std::string work_table(const std::vector<counted_version>& all) {
  table made({"version", "launches", "barriers", "threads p", "steps T", "operations W", "cost C = p T",
              "idle = C - W", ""},
             {-24, 9, 9, 11, 9, 14, 14, 14, -1});
  for (const counted_version& each : all) {
    const auto lasting = [&](std::int64_t number) { return each.draws_chunks ? "-" : grouped(number); };
    made.row({each.name, grouped(each.seen.launches), grouped(each.seen.barriers), grouped(each.seen.threads),
              lasting(each.seen.steps), grouped(each.seen.operations), lasting(each.seen.cost()),
              lasting(each.seen.idle()), each.agrees() ? "" : "  DIFFERS from its formulas"});
  }
  return made.text();
}

std::string each_request(std::int64_t amount, std::int64_t requests) {
  return requests == 0 ? "-"
                       : fmt::format("{:.2f}", static_cast<double>(amount) / static_cast<double>(requests));
}

std::string memory_table(const std::vector<counted_version>& all) {
  table made({"version", "loads", "sectors", "stores", "sectors", "used", "shared", "wavefronts", "conflicts",
              "lanes"},
             {-24, 9, 9, 9, 9, 6, 12, 12, 11, 7});
  for (const counted_version& each : all) {
    const trace_counts& c = each.seen;
    const auto used = each.used_bytes();
    const auto lanes = each.active_lanes();
    made.row({each.name, grouped(c.global_load_requests),
              each_request(c.global_load_sectors, c.global_load_requests), grouped(c.global_store_requests),
              each_request(c.global_store_sectors, c.global_store_requests),
              used ? fmt::format("{:.0f}%", 100 * *used) : "-",
              grouped(c.storage_load_requests + c.storage_store_requests),
              grouped(c.storage_load_wavefronts + c.storage_store_wavefronts), grouped(c.bank_conflicts()),
              lanes ? fmt::format("{:.1f}", *lanes) : "-"});
  }
  return made.text() + "  loads, stores: requests of warps to memory; sectors: 32-byte sectors per request; "
                       "used: % of the bytes "
                       "of\n  these sectors that lanes request; shared: requests to shared memory; "
                       "wavefronts: passes that these "
                       "take;\n  conflicts: passes because lanes request different words of one bank; lanes: "
                       "active lanes of 32 "
                       "per request\n";
}

/// The lesson of each version.
std::string lessons(const std::vector<counted_version>& all) {
  std::string text;
  for (const counted_version& each : all) text += fmt::format("  {:<24}{}\n", each.name, each.teaches);
  return text;
}

bool have_same_formulas(const counted_version& a, const counted_version& b) {
  const auto cost = [](const counted_version& each) { return each.predicted ? each.predicted->cost() : -1; };
  return a.formula_steps == b.formula_steps && a.formula_operations == b.formula_operations &&
         cost(a) == cost(b);
}

/// The formulas of `versions`, which have the same ones; with values if there are closed forms.
std::string formulas_of(const std::vector<const counted_version*>& versions) {
  const counted_version& each = *versions.front();
  const auto line = [](const char* symbol, const std::string& formula,
                       const std::optional<std::int64_t>& value) {
    return fmt::format("    {}(n, p) = {}{}\n", symbol, formula, value ? " = " + grouped(*value) : "");
  };
  const auto value = [&](auto of) {
    return each.predicted ? std::optional(of(*each.predicted)) : std::nullopt;
  };
  std::vector<std::string> names;
  for (const counted_version* version : versions) names.push_back(version->name);
  return wrapped(joined(names), "  ") +
         line("T", each.formula_steps, value([](const ladder::prediction& p) { return p.steps; })) +
         line("W", each.formula_operations, value([](const ladder::prediction& p) { return p.operations; })) +
         line("C", "p T(n, p)", value([](const ladder::prediction& p) { return p.cost(); }));
}

/// Each distinct set of formulas.
std::string formulas(const std::vector<counted_version>& all) {
  std::vector<std::vector<const counted_version*>> groups;
  for (const counted_version& each : all) {
    const auto known = std::ranges::find_if(
        groups, [&](const auto& group) { return have_same_formulas(*group.front(), each); });
    if (known == groups.end())
      groups.push_back({&each});
    else
      known->push_back(&each);
  }
  std::string text;
  for (const auto& group : groups) text += formulas_of(group);
  return text;
}

std::string verdict_of(const counted_version& each) {
  if (!each.grown) return {};
  const growth& g = *each.grown;
  const auto part = [](const char* what, const char* symbol, const std::array<double, 2>& of, bool optimal) {
    return fmt::format("{} / n from {:.2f} to {:.2f}: {}{}-optimal", symbol, of[0], of[1],
                       optimal ? "" : "not ", what);
  };
  return fmt::format("  {:<24}{}; {}\n", each.name, part("work", "W", g.work, g.work_optimal()),
                     each.draws_chunks ? "C holds for this run only, because blocks take chunks dynamically"
                                       : part("cost", "C", g.cost, g.cost_optimal()));
}

std::string table_of(const ladder_options& options, const ladder_problem<int>& p,
                     const std::vector<counted_version>& all) {
  const std::string what = p.kind == ladder_kind::rotate
                               ? fmt::format("a matrix of {} x {} elements", grouped(p.rows), grouped(p.cols))
                               : with_noun(p.n(), "element");
  std::string text =
      fmt::format("{} of {} of 4 bytes, counted on simt (warps of 32)\n", operation_of(options), what);
  text += lessons(all) + '\n';
  text += work_table(all) + '\n' + memory_table(all);
  if (options.kind == ladder_kind::rotate) return text;
  text += '\n' + formulas(all);
  if (!all.empty() && all.front().grown)
    text += fmt::format("\n  from n = {} to {}:\n", grouped(all.front().grown->fewer),
                        grouped(all.front().grown->more));
  for (const counted_version& each : all) text += verdict_of(each);
  return text;
}

json::value head_of(const ladder_options& options, const ladder_problem<int>& p) {
  return {{"date", utc_now()},
          {"commit", commit()},
          {"ladder", name_of(options.kind)},
          {"operation", operation_of(options)},
          {"executor", "simt"},
          {"rows", p.rows},
          {"cols", p.cols}};
}

} // namespace

std::map<std::string, double> active_lanes_of(const ladder_options& options) {
  constexpr std::int64_t n = 1 << 12; // 64 x 64 for rotate
  std::map<std::string, double> found;
  const ladder_problem<int> p = problem_of(options, n);
  const auto add = [&](const auto& version) {
    if (!options.versions.empty() && std::ranges::count(options.versions, version.name) == 0) return;
    const trace_counts seen = count(options, p, version);
    if (seen.requests() > 0)
      found[version.name] = static_cast<double>(seen.request_lanes) / static_cast<double>(seen.requests());
  };
  if (options.kind == ladder_kind::reduce) ladder::for_each_reduction(add);
  if (options.kind == ladder_kind::scan) ladder::for_each_scan(add);
  if (options.kind == ladder_kind::rotate) ladder::for_each_rotation(add);
  return found;
}

bool count_ladder(const ladder_options& options) {
  if (!options.json.empty()) io::check_output(options.json);
  const ladder_problem<int> p = problem_of(options, options.n.value_or(std::int64_t{1} << 16));
  std::vector<counted_version> all;
  result_file file(options.json, [&] { return head_of(options, p); }, "counted");
  report_results(file, options.report);
  file.measure(operation_of(options), [&] { count_all(options, p, all, file); });
  if (!all.empty())
    print(options.json == "-" || options.report == "-" ? stderr : stdout, table_of(options, p, all));
  file.finish();
  return std::ranges::all_of(all, [](const counted_version& each) { return each.agrees(); });
}

} // namespace evenly::ladder
