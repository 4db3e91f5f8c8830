// SPDX-License-Identifier: Apache-2.0
// The printed lines and the report of the benchmarks of primitives.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {

/// An operation on `n` elements of a type, which reads and writes `bytes` bytes at least.
struct primitive {
  std::string operation;
  std::string type;
  std::int64_t n;
  std::int64_t bytes;
};

inline void print_heading() {
  std::printf("%-15s %-7s %10s %-5s %-22s %10s %10s %10s %8s\n", "operation", "type", "n", "cache",
              "candidate", "us", "least", "most", "GB/s");
}

/// `cache`: cold, or warm (as the previous run left it).
inline void add_lines(measure::report& report, const primitive& p, const std::string& cache,
                      std::span<const measure::measurement> all) {
  for (const measure::measurement& m : all) {
    report.add({{"operation", p.operation},
                {"type", p.type},
                {"n", p.n},
                {"bytes", p.bytes},
                {"cache", cache},
                {"candidate", m.what.name}},
               m);
    std::printf("%-15s %-7s %10lld %-5s %-22s ", p.operation.c_str(), p.type.c_str(),
                static_cast<long long>(p.n), cache.c_str(), m.what.name.c_str());
    if (m.error)
      std::printf("%10s\n", "FAILED");
    else
      std::printf("%10.1f %10.1f %10.1f %8.0f\n", 1000 * m.time.median, 1000 * m.time.min, 1000 * m.time.max,
                  static_cast<double>(p.bytes) / m.time.median / 1e6);
  }
}

} // namespace evenly::bench
