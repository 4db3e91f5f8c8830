// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of primitives leave: lines on the screen, and JSON that scripts/tables.py reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/machine.hpp"
#include "report.hpp"

namespace evenly::bench {

/// An operation on `n` elements of a type, which reads and writes `bytes` bytes at least.
struct primitive {
  std::string operation;
  std::string type;
  std::int64_t n;
  std::int64_t bytes;
};

class primitives_report {
 public:
  /// `gpu`: its name, for the executor cuda. `threads`: of the executor cpu.
  primitives_report(const std::string& executor, const std::string& gpu, int threads = 0) {
    nlohmann::ordered_json machine{{"cpu", cli::cpu_model()}, {"cores", cli::cpu_cores()}};
    if (!gpu.empty()) machine["gpu"] = gpu;
    all_ = {
        {"machine", machine}, {"date", cli::utc_now()}, {"commit", cli::commit()}, {"executor", executor}};
    if (threads > 0) all_["threads"] = threads;
    all_["results"] = nlohmann::ordered_json::array();
    std::printf("%-15s %-7s %10s %-5s %-22s %10s %10s %10s %8s\n", "operation", "type", "n", "cache",
                "candidate", "us", "least", "most", "GB/s");
  }

  /// `cache`: cold, or warm: whatever the run before has left. `t`: of one candidate.
  void add(const primitive& p, const std::string& cache, const times& t) {
    nlohmann::ordered_json line{
        {"operation", p.operation}, {"type", p.type},      {"n", p.n},       {"bytes", p.bytes},
        {"cache", cache},           {"candidate", t.name}, {"ok", t.ok},     {"ms", nullptr},
        {"ms_min", nullptr},        {"ms_max", nullptr},   {"gbps", nullptr}};
    std::printf("%-15s %-7s %10lld %-5s %-22s ", p.operation.c_str(), p.type.c_str(),
                static_cast<long long>(p.n), cache.c_str(), t.name.c_str());
    if (t.ok) {
      const double ms = median(t.ms), gbps = static_cast<double>(p.bytes) / ms / 1e6;
      line["ms"] = ms;
      line["ms_min"] = *std::min_element(t.ms.begin(), t.ms.end());
      line["ms_max"] = *std::max_element(t.ms.begin(), t.ms.end());
      line["gbps"] = gbps;
      std::printf("%10.1f %10.1f %10.1f %8.0f\n", 1000 * ms, 1000 * line["ms_min"].get<double>(),
                  1000 * line["ms_max"].get<double>(), gbps);
    } else {
      all_right_ = false;
      std::printf("%10s\n", "FAILED");
    }
    all_["results"].push_back(line);
  }

  bool all_right() const { return all_right_; }

  /// Nothing for an empty name. Throws std::runtime_error if the file cannot be written.
  void write(const std::string& file) const {
    if (file.empty()) return;
    std::ofstream out(file);
    out << all_.dump(1) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
  }

 private:
  nlohmann::ordered_json all_;
  bool all_right_ = true;
};

struct primitives_options {
  std::string json; ///< a file; may be empty
  int threads = 0;  ///< 0: as many as there are

  /// Of a program's arguments. Throws std::runtime_error for others than these.
  primitives_options(int argc, char** argv) {
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      if (i + 1 < argc && name == "--json")
        json = argv[i + 1];
      else if (i + 1 < argc && name == "--threads")
        threads = std::atoi(argv[i + 1]);
      else
        throw std::runtime_error(std::string("usage: ") + argv[0] + " [--threads N] [--json FILE]");
    }
  }
};

} // namespace evenly::bench
