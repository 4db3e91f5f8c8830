// SPDX-License-Identifier: Apache-2.0
// The trials of a kernel of the GAP benchmark suite.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graphs/laws.hpp"
#include "measure/bench.hpp"

namespace evenly::graphs {

/// What a trial does: prepare() is not timed; wrong() checks the result. `trial` counts from 0.
struct gap_steps {
  std::function<void(int trial)> prepare = [](int) {};
  std::function<void()> run;
  std::function<complaint(int trial)> wrong;
};

struct gap_result {
  std::string kernel;
  std::vector<double> ms; ///< of each trial
  std::int64_t bytes = 0; ///< in addition to graph and result
  std::string name;       ///< of a number that describes the result; may be empty
  std::int64_t number = 0;
  complaint error;

  double mean() const {
    return ms.empty() ? 0 : std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
  }
};

/// Runs the trials until one is wrong. loads_kernels: run once more before the first.
inline void time_trials(gap_result& result, measure::timer& time, int trials, bool loads_kernels,
                        const gap_steps& steps) {
  for (int trial = 0; trial < trials && !result.error; ++trial) {
    steps.prepare(trial);
    if (trial == 0 && loads_kernels) steps.run();
    result.ms.push_back(time.time_once(steps.run));
    result.error = steps.wrong(trial);
  }
}

/// The wrong() of a kernel with one result, which must not change: the first is checked.
template <class Find, class Wrong> auto same_result(const Find& find, const Wrong& wrong) {
  return [first = std::make_shared<decltype(find())>(), find, wrong](int trial) -> complaint {
    auto found = find();
    if (trial == 0) {
      *first = std::move(found);
      return wrong(*first);
    }
    if (found != *first) return say("trial ", trial, " found another result than the first");
    return {};
  };
}

/// GAP's sources: random vertices with edges, from one sequence per kernel.
class gap_sources {
 public:
  /// has_edges(vertex): true for one vertex at least.
  gap_sources(std::int64_t vertices, std::function<bool(int)> has_edges)
      : vertices_(static_cast<std::uint32_t>(vertices)), has_edges_(std::move(has_edges)), random_(27491095) {
  }

  /// 32 bits of each draw; draws are repeated as in GAP, whose limit is rounded to 32 bits.
  int next() {
    const auto left = static_cast<std::uint32_t>(std::mt19937_64::max() % vertices_);
    const std::uint32_t limit = left == vertices_ - 1 ? 0 : 0xffffffff - left;
    for (;;) {
      const auto drawn = static_cast<std::uint32_t>(random_());
      if (limit != 0 && drawn >= limit) continue;
      const auto v = static_cast<int>(drawn % vertices_);
      if (has_edges_(v)) return v;
    }
  }

 private:
  std::uint32_t vertices_;
  std::function<bool(int)> has_edges_;
  std::mt19937_64 random_;
};

} // namespace evenly::graphs
