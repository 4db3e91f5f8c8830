// SPDX-License-Identifier: Apache-2.0
// Tasks on the CPU, under every pool, on one thread and on several, beside oneTBB's task_group and the serial program.
//
//   bench_tasks_cpu [--threads N] [--json FILE] [SEARCH ...]
//
// SEARCH: fib:n=25, fib:n=35, nqueens:n=12, nqueens:n=14, uts:T1, quadrature:65, quadrature:641; without: those, but
// nqueens:n=12. A task of quadrature:N halves an interval or is a leaf, by N values of a sine. On N threads
// `serial` is N serial programs side by side, and its tasks are those of all. All candidates take turns, and their
// results are checked; times are medians over the turns. Of more than a million tasks only pools take part that do not
// have one queue for all.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "json/value.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "searches.hpp"
#include "tasks/bounds.hpp"
#include "tasks/pools.hpp"
#include "tasks/task_bench.hpp"

namespace evenly::bench {
namespace {

using namespace measure;
using namespace tasks;

// --- quadrature

struct interval {
  int level;
  std::int32_t place; ///< of 2^level
};

/// The integral of sin(c / x) from 0.1 to 1.1, by Simpson's rule on equal parts of an interval; what a leaf finds is
/// stored by its place.
struct quadrature {
  static constexpr int max_children = 2;
  static constexpr int deepest = 19;

  int parts;      ///< a multiple of 4
  double* leaves; ///< [2^deepest]

  /// Whether the interval is a leaf, which it then stores.
  EVENLY_FN bool settles(interval at) const {
    const double width = std::ldexp(1.0, -at.level), from = 0.1 + at.place * width, step = width / parts;
    double sums[4] = {};
    for (int i = 0; i < parts; i += 4)
      for (int k = 0; k < 4; ++k) sums[k] += value(from + (i + k) * step);
    const double ends = value(from + width) - value(from), odd = sums[1] + sums[3];
    const double fine = step / 3 * (2 * sums[0] + ends + 4 * odd + 2 * sums[2]);
    const double coarse = 2 * step / 3 * (2 * sums[0] + ends + 4 * sums[2]);
    if (at.level < deepest && !(std::abs(fine - coarse) < 1e-6 * width)) return false;
    leaves[std::int64_t{at.place} << (deepest - at.level)] = fine;
    return true;
  }
  /// More parts, more waves: so the number of intervals hardly depends on the number of parts.
  EVENLY_FN double value(double x) const { return std::sin(100 * parts / x); }
  EVENLY_FN static interval half(interval of, int which) { return {of.level + 1, 2 * of.place + which}; }

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, interval task, Sink& sink) const {
    if (settles(task)) return sink.add(1);
    sink.push(half(task, 0));
    sink.push(half(task, 1));
  }
};

/// Each returns the number of leaves.
std::int64_t serially(const quadrature& rule, interval at) {
  if (rule.settles(at)) return 1;
  return serially(rule, quadrature::half(at, 0)) + serially(rule, quadrature::half(at, 1));
}
std::int64_t by_groups(const quadrature& rule, interval at) {
  if (rule.settles(at)) return 1;
  std::int64_t first = 0;
  tbb::task_group group;
  group.run([&] { first = by_groups(rule, quadrature::half(at, 0)); });
  const std::int64_t second = by_groups(rule, quadrature::half(at, 1));
  group.wait();
  return first + second;
}

// --- candidates

/// Candidates on one search, and what they need. Stays where it is.
struct contest {
  struct entry {
    int threads;
    std::int64_t tasks;                  ///< of all that run at the same time
    const task_finding* found = nullptr; ///< of a pool
  };

  std::string name;
  task_answer right;
  std::optional<task_bounds> bounds = {};
  std::function<void()> spoil = [] {}; ///< the place of results
  std::list<task_findings> findings = {};
  std::vector<candidate> all = {};
  std::vector<entry> entries = {}; ///< of each of `all`

  void add(const candidate& what, int threads, std::int64_t programs = 1) {
    all.push_back(what);
    entries.push_back(
        {threads, programs * right.tasks, what.is_schedule ? &findings.back()[what.name] : nullptr});
  }
  /// `program`, which returns whether its result is right, on so many threads at the same time.
  void add_serial(int threads, const std::function<bool()>& program) {
    const auto failures = std::make_shared<std::atomic<int>>(0);
    const auto run_once = [=] { *failures += !program(); };
    const auto run = [=] {
      std::vector<std::jthread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back(run_once);
      run_once();
    };
    add(plain_candidate("serial", run, [=] { return *failures == 0; }), threads, threads);
  }
};

bool takes_part(const std::string& pool, std::int64_t tasks) {
  return tasks <= 1'000'000 || pool == "static_list" || pool == "stealing" || pool == "batched_stealing" ||
         pool.starts_with("tbb");
}

void add_search(contest& to, const task_workload& workload, int threads) {
  to.add_serial(threads, [workload, right = to.right] { return run_serially(workload) == right; });
  task_bench_options options;
  options.bench.threads = threads;
  for (const candidate& each : make_cpu_task_bench(workload, options, to.findings.back()).candidates(0))
    if (each.name != "serial" && takes_part(each.name, to.right.tasks)) to.add(each, threads);
}

void add_quadrature(contest& to, const quadrature& rule, int threads) {
  const auto right = static_cast<std::int64_t>(to.right.value);
  to.add_serial(threads, [=] { return serially(rule, {0, 0}) == right; });
  const cpu exec(threads);
  const auto first = std::make_shared<std::vector<interval>>(1);
  tasks::for_each_pool([&](const char* name, const auto& pool) {
    to.add(task_candidate(exec, name, pool, first, rule, false, {}, to.right, to.findings.back()), threads);
  });
  const auto arena = std::make_shared<tbb::task_arena>(threads);
  const auto leaves = std::make_shared<std::int64_t>();
  to.add(plain_candidate(
             "tbb::task_group", [=] { *leaves = arena->execute([&] { return by_groups(rule, {0, 0}); }); },
             [=] { return *leaves == right; }),
         threads);
}

// --- results

void add_memory(json::value& line, const std::string& pool, const std::optional<task_bounds>& bounds,
                const task_finding& found) {
  const auto in_paper = bounds ? bytes_in_paper(pool, *bounds, found) : std::nullopt;
  line["reserved_bytes"] = found.bytes;
  line["bytes_by_the_text"] = in_paper ? json::value(*in_paper) : json::value();
  line["high_water"] = found.high_water;
}

/// Times all, prints their lines and adds them to the report.
void measure(const contest& what, report& lines) {
  measure::bench on{std::make_unique<host_timer>(1), std::make_shared<unchecked_output>(what.spoil), {}};
  const auto measured =
      measure_in_turns(on, what.all, {.min_rounds = 7, .max_rounds = 15, .time_budget_ms = 1000});
  std::printf("%s: %lld tasks\n", what.name.c_str(), static_cast<long long>(what.right.tasks));
  std::map<int, double> serial; // by threads
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const measurement& m = measured[i];
    const contest::entry& entry = what.entries[i];
    const double rate = static_cast<double>(entry.tasks) / (1e3 * m.time.median);
    if (m.what.name == "serial") serial[entry.threads] = rate;
    json::value line{{"workload", what.name},
                     {"op", "tasks"},
                     {"executor", "cpu"},
                     {"threads", entry.threads},
                     {"pool", m.what.name},
                     {"tasks", what.right.tasks},
                     {"value", what.right.value},
                     {"mtasks", rate},
                     {"of_serial", rate / serial[entry.threads]},
                     {"type", "task"}};
    if (entry.found) add_memory(line, m.what.name, what.bounds, *entry.found);
    lines.add(line, m);
    if (m.error)
      std::printf("  %-20s %d threads  FAILED: %s\n", m.what.name.c_str(), entry.threads, m.error->c_str());
    else
      std::printf("  %-20s %d threads %10.3f ms, %9.3f M tasks/s, %5.2f of serial\n", m.what.name.c_str(),
                  entry.threads, m.time.median, rate, rate / serial[entry.threads]);
  }
  std::fflush(stdout);
}

void measure_search(const std::string& name, const std::vector<int>& numbers_of_threads, report& lines) {
  const task_workload workload = parse_workload(find_search(name).workload);
  contest what{.name = name, .right = answer_of(workload)};
  if (what.right.tasks < 50'000'000) what.bounds = bounds_of(workload);
  for (const int threads : numbers_of_threads) {
    what.findings.emplace_back();
    add_search(what, workload, threads);
  }
  measure(what, lines);
}

void measure_quadrature(const std::string& name, int values, const std::vector<int>& numbers_of_threads,
                        report& lines) {
  std::vector<double> leaves(std::size_t{1} << quadrature::deepest), right;
  const quadrature rule{values - 1, leaves.data()};
  const std::int64_t found = serially(rule, {0, 0});
  right = leaves;
  contest what{.name = name, .right = {static_cast<std::uint64_t>(found), 2 * found - 1}, .spoil = [&] {
                 std::fill(leaves.begin(), leaves.end(), 0.0);
               }};
  for (const int threads : numbers_of_threads) {
    what.findings.emplace_back();
    add_quadrature(what, rule, threads);
  }
  for (candidate& each : what.all)
    each.first_error = [&, count = each.first_error]() -> std::optional<std::string> {
      if (auto error = count()) return error;
      if (leaves != right) return "leaves differ from those of the serial program";
      return {};
    };
  measure(what, lines);
}

int run(const arguments& args) {
  const int max = args.number("--threads");
  const std::vector<int> numbers_of_threads = max > 1 ? std::vector{1, max} : std::vector{1};
  const std::string quadrature_word = "quadrature:";
  const std::vector<std::string> usual{"fib:n=25", "fib:n=35",      "nqueens:n=14",
                                       "uts:T1",   "quadrature:65", "quadrature:641"};
  report lines;
  for (const std::string& name : args.words.empty() ? usual : args.words)
    if (name.starts_with(quadrature_word))
      measure_quadrature(name, std::stoi(name.substr(quadrature_word.size())), numbers_of_threads, lines);
    else
      measure_search(name, numbers_of_threads, lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_tasks_cpu", argc, argv, evenly::bench::run, {{"--threads", "2"}});
}
