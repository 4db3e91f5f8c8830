// SPDX-License-Identifier: Apache-2.0
#include "measure/report.hpp"

#include <utility>

#include "io/output_file.hpp"
#include "measure/machine.hpp"
#include "measure/text.hpp"

namespace evenly::cli {

nlohmann::ordered_json result_head(const std::string& gpu) {
  nlohmann::ordered_json machine{{"cpu", cpu_model()}, {"cores", cpu_cores()}};
  if (!gpu.empty()) machine["gpu"] = gpu;
  return {{"machine", machine}, {"date", utc_now()}, {"commit", commit()}};
}

report::report(const std::string& gpu, const nlohmann::ordered_json& more) : all_(result_head(gpu)) {
  for (const auto& [key, value] : more.items()) all_[key] = value;
  all_["results"] = nlohmann::ordered_json::array();
}

void report::add(nlohmann::ordered_json line, const measurement& m) {
  const auto set = [&](const char* key, double value) {
    line[key] = m.error ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  line["ok"] = !m.error;
  set("ms", m.time.median);
  set("ms_min", m.time.least);
  set("ms_max", m.time.most);
  if (line.contains("bytes")) set("gbps", line["bytes"].get<double>() / m.time.median / 1e6);
  all_right_ = all_right_ && !m.error;
  all_["results"].push_back(std::move(line));
}

void report::write(const std::string& path) const {
  if (!path.empty()) io::write_output(path, dump(all_));
}

} // namespace evenly::cli
