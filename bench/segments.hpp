// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of segmented operations have in common: their values and the lines of their report.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {

/// Every value is -1, 0 or 1, as if by chance: sums are exact in any order.
inline float nth_value(std::uint64_t a) {
  return static_cast<float>((a * 0x9E3779B97F4A7C15u >> 40) % 3) - 1.0f;
}

/// What a line of the report says of an operation on a workload's segments.
struct segmented {
  std::string workload;
  int segments;
  int atoms;
  std::string op;
  std::string executor;
};

/// Adds a line for each. Calls print(measurement) for those that are right.
template <class Print>
void add_lines(measure::report& report, const segmented& what, std::span<const measure::measurement> all,
               const Print& print) {
  for (const measure::measurement& m : all) {
    report.add({{"workload", what.workload},
                {"rows", what.segments},
                {"atoms", what.atoms},
                {"op", what.op},
                {"executor", what.executor},
                {"schedule", m.what.name},
                {"type", "float"}},
               m);
    if (m.error)
      std::printf("  %-28s     FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      print(m);
  }
  std::fflush(stdout);
}

} // namespace evenly::bench
