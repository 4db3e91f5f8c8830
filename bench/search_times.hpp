// SPDX-License-Identifier: Apache-2.0
// What bench_graph and bench_paths have in common: the schedules that are asked for, times of a search from several
// vertices, and the inputs in turn.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "graphs/place.hpp"
#include "graphs/search.hpp"
#include "measure/bench.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {

/// Those that `--schedules none|all|NAME` says. Throws invalid_argument for a name that is none of them.
inline std::vector<any_schedule> schedules_of(const arguments& args) {
  const std::string& said = args.options.at("--schedules");
  if (said == "none") return {};
  std::vector<any_schedule> known = graphs::search_schedules();
  if (said == "all") return known;
  const std::string name = said.substr(0, said.find(':'));
  if (std::ranges::find(known, name, &any_schedule::name) == known.end())
    throw invalid_argument("--schedules " + said + ": it takes none, all or one that goes through frontiers");
  return {any_schedule(said)};
}

/// Milliseconds: the median of some runs.
inline double median_time(int source, graphs::device_search& search, measure::timer& time) {
  constexpr int min = 3, max = 9;
  constexpr double long_enough = 100; // ms
  std::vector<double> ms;
  double sum = 0;
  while (static_cast<int>(ms.size()) < min || (static_cast<int>(ms.size()) < max && sum < long_enough)) {
    ms.push_back(time.time_once([&] { search.run(source, {}); }));
    sum += ms.back();
  }
  return measure::median_of(ms);
}

/// The median over the sources of the medians; or what first_error(source) says, which runs the search and looks.
template <class FirstError>
measure::measurement measure_from(const std::vector<int>& sources, graphs::device_search& search,
                                  measure::timer& time, const FirstError& first_error) {
  measure::measurement all;
  for (const int source : sources) {
    all.error = first_error(source);
    if (all.error) return all;
    all.time.rounds.push_back(median_time(source, search, time));
  }
  all.time = measure::timing_of(all.time.rounds);
  return all;
}

/// `rest`: what stands behind the time.
inline void print_time(const std::string& name, const measure::measurement& m, const std::string& rest = {}) {
  if (m.error)
    std::printf("  %-28s FAILED: %s\n", name.c_str(), m.error->c_str());
  else
    std::printf("  %-28s %10.4f ms%s\n", name.c_str(), m.time.median, rest.c_str());
  std::fflush(stdout);
}

/// What main() does: makes an Input(name, args) of each word, or of the usual ones, and has it
/// measure_on(executor, report): on those that --on names; without it on the CPU, and on a GPU if there is one.
template <class Input> int measure_inputs(const arguments& args, const std::vector<std::string>& usual) {
  const measure::cuda_status gpu = measure::find_cuda();
  const std::string& on = args.options.at("--on");
  measure::report lines(gpu.text);
  for (const std::string& name : args.words.empty() ? usual : args.words) {
    Input input(name, args);
    if (on.empty() ? gpu.usable : on.find("cuda") != std::string::npos)
      input.measure_on(measure::executor_kind::cuda, lines);
    if (on.empty() || on.find("cpu") != std::string::npos)
      input.measure_on(measure::executor_kind::cpu, lines);
  }
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace evenly::bench
