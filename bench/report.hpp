// SPDX-License-Identifier: Apache-2.0
// What a benchmark leaves: the JSON of `evenly compare --json`, as far as it knows the fields, so that
// scripts/tables.py reads it; and the check that comes before a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evenly/sparse/csr_matrix.hpp"
#include "measure/machine.hpp"

namespace evenly::bench {

/// Times of one candidate on one workload, in milliseconds; none if its result was wrong.
struct times {
  std::string name;
  bool ok = false;
  std::vector<double> ms = {};
};

/// The median; of an even number of times the greater one in the middle. Requires at least one.
inline double median(std::vector<double> ms) {
  const auto middle = ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2);
  std::nth_element(ms.begin(), middle, ms.end());
  return *middle;
}

/// Whether every row of y = A x is within its rounding bound of a double-precision sum.
inline bool right(const csr_matrix<float>& a, const std::vector<float>& x, const std::vector<float>& y) {
  for (int r = 0; r < a.rows; ++r) {
    double sum = 0, size = 0;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
      const double term = static_cast<double>(a.values[k]) * x[a.columns[k]];
      sum += term;
      size += std::abs(term);
    }
    const double n = a.offsets[r + 1] - a.offsets[r];
    if (!(std::abs(y[r] - sum) <= 4 * (n > 256 ? std::sqrt(n) : n) * 0x1p-24 * size)) return false;
  }
  return true;
}

class report {
 public:
  explicit report(const std::string& executor, const std::string& gpu = {}) : executor_(executor) {
    nlohmann::ordered_json machine{{"cpu", cli::cpu_model()}, {"cores", cli::cpu_cores()}};
    if (!gpu.empty()) machine["gpu"] = gpu;
    all_ = {{"machine", machine}, {"date", cli::utc_now()}, {"commit", cli::commit()}};
    all_["results"] = nlohmann::ordered_json::array();
  }

  template <class Value> void add(const std::string& workload, const csr_matrix<Value>& a, const times& t) {
    nlohmann::ordered_json line{{"workload", workload}, {"rows", a.rows},
                                {"cols", a.cols},       {"atoms", a.atoms()},
                                {"op", "spmv"},         {"executor", executor_},
                                {"schedule", t.name},   {"type", sizeof(Value) == 4 ? "float" : "double"},
                                {"ok", t.ok},           {"ms", nullptr},
                                {"ms_min", nullptr},    {"ms_max", nullptr}};
    if (t.ok) {
      line["ms"] = median(t.ms);
      line["ms_min"] = *std::min_element(t.ms.begin(), t.ms.end());
      line["ms_max"] = *std::max_element(t.ms.begin(), t.ms.end());
    }
    all_["results"].push_back(line);
  }

  /// Whether it could be written.
  bool write(const std::string& file) const {
    std::ofstream out(file);
    out << all_.dump(1) << '\n';
    return static_cast<bool>(out.flush());
  }

 private:
  std::string executor_;
  nlohmann::ordered_json all_;
};

} // namespace evenly::bench
