// SPDX-License-Identifier: Apache-2.0
#include "cli/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <new>

#include "evenly/core/errors.hpp"

namespace evenly::cli {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

timing summary(std::vector<double> times) {
  std::ranges::sort(times);
  const std::size_t half = times.size() / 2;
  const double median = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
  return {median, times.front(), times.back()};
}

/// Whether `runs` runs that took `ms` together are enough.
bool enough(const repetition& times, int runs, double ms) {
  if (times.exactly > 0) return runs >= times.exactly;
  constexpr double long_enough = 500;
  constexpr double least_time = 20; // a few microseconds, twenty times, say nothing
  return runs >= times.least && (ms >= long_enough || (runs >= times.enough && ms >= least_time));
}

/// Caches, frequencies and threads of other runtimes come to rest in this time, or so many runs.
void warm_up(bench& on, const std::function<void()>& run, int most_runs) {
  constexpr double at_rest = 20;
  double ms = 0;
  for (int runs = 0; ms < at_rest && runs != most_runs; ++runs) ms += on.time_once(run);
}

/// What is wrong with the bench's output. One that is right is kept, and others with the same bits are not brought to
/// the host.
std::optional<std::string> first_error(bench& on, const reference& right) {
  if (on.as_accepted()) return {};
  auto found = right.first_error(on.result());
  if (!found) on.accept();
  return found;
}

} // namespace

timing time_runs(bench& on, const std::function<void()>& run, const repetition& times) {
  if (!times.may_be_one) warm_up(on, run, times.exactly > 0 ? times.exactly : -1);
  std::vector<double> samples;
  for (double total = 0; !enough(times, static_cast<int>(samples.size()), total); total += samples.back())
    samples.push_back(on.time_once(run));
  return summary(std::move(samples));
}

measurement measure(bench& on, const candidate& each, const reference& right, const repetition& times) {
  measurement m{.what = each};
  try {
    const std::size_t memory_before = on.memory_in_use();
    const auto start = std::chrono::steady_clock::now();
    const prepared_run made = each.prepare();
    m.plan_ms = milliseconds_since(start);
    on.poison();
    if (on.as_accepted()) throw device_error("an output that was overwritten still looks right");
    const double first = on.time_once(made.run);
    m.memory = on.memory_in_use() - memory_before;
    m.launches = made.launches;
    m.error = each.first_error ? each.first_error() : first_error(on, right);
    if (m.error) return m;
    constexpr double too_long_to_repeat = 300;
    const bool once = times.may_be_one && times.exactly == 0 && first > too_long_to_repeat;
    m.time = once ? timing{first, first, first} : time_runs(on, made.run, times);
  } catch (const error& e) {
    m.error = e.what();
  } catch (const std::bad_alloc&) {
    m.error = "out of memory";
  }
  return m;
}

} // namespace evenly::cli
