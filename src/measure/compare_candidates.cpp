// SPDX-License-Identifier: Apache-2.0
#include "measure/compare_candidates.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace evenly::measure {
namespace {

/// Processor time per thread of the computation that detects other programs, in milliseconds.
constexpr double probe_ms = 2;

/// Average slowdown compared with an idle machine.
std::optional<double> delay_of(const measurement& probe) {
  if (probe.error) return {};
  const std::vector<double>& rounds = probe.time.rounds;
  return std::accumulate(rounds.begin(), rounds.end(), 0.0) / static_cast<double>(rounds.size()) / probe_ms;
}

/// Adds second preparations of schedules, round-robin.
void add_repeats(std::vector<candidate>& all) {
  std::vector<candidate> once;
  std::ranges::copy_if(all, std::back_inserter(once),
                       [](const candidate& each) { return each.is_schedule && each.same_as.empty(); });
  const auto there = std::ranges::count_if(all, [](const candidate& each) { return !each.same_as.empty(); });
  for (auto i = static_cast<std::size_t>(there); i < min_repeats && !once.empty(); ++i) {
    candidate repeat = once[i % once.size()];
    repeat.is_repeat = true;
    repeat.also.clear();
    all.push_back(std::move(repeat));
  }
}

} // namespace

void compare_candidates(comparison& c, bench& on, std::vector<candidate> all, const reference* right,
                        const repetition& times) {
  const auto copy = on.time->copy(c.bytes);
  c.copy_before = time_runs(on, copy, times);
  c.copy_gbps = c.gbps(*c.copy_before);
  const bool compares =
      c.executor != executor_kind::simt && (times.exactly == 0 || times.exactly >= min_rounds_to_compare);
  if (compares) add_repeats(all);
  const auto probe = on.time->compute(probe_ms);
  const bool probes = compares && probe;
  if (probes) all.push_back(plain_candidate("other programs", probe, [] { return true; }));
  std::vector<measurement> measured =
      right != nullptr ? measure_in_turns(on, all, *right, times) : measure_in_turns(on, all, times);
  if (probes) {
    c.delay = delay_of(measured.back());
    measured.pop_back();
  }
  for (measurement& m : measured) (m.what.is_repeat ? c.repeats : c.results).push_back(std::move(m));
  if (compares) c.copy_after = time_runs(on, copy, times);
}

} // namespace evenly::measure
