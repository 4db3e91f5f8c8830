// SPDX-License-Identifier: Apache-2.0
#include "measure/report.hpp"

#include <utility>

#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/machine.hpp"
#include "measure/text.hpp"

namespace evenly::measure {

json::value result_head(const std::string& gpu) {
  json::value machine{{"cpu", cpu_model()}, {"cores", cpu_cores()}};
  if (!gpu.empty()) machine["gpu"] = gpu;
  return {{"machine", machine}, {"date", utc_now()}, {"commit", commit()}};
}

json::value number_if(bool known, double number) {
  return known ? json::value(number) : json::value(nullptr);
}
void put_times(json::value& line, const timing& time, bool right) {
  line["ms"] = number_if(right, time.median);
  line["ms_min"] = number_if(right, time.min);
  line["ms_max"] = number_if(right, time.max);
}

report::report(const std::string& gpu, const json::value& more) : all_(result_head(gpu)) {
  for (const auto& [key, value] : more.items()) all_[key] = value;
  all_["results"] = json::array();
}

void report::add(json::value line, const measurement& m) {
  line["ok"] = !m.error;
  put_times(line, m.time, !m.error);
  if (!m.chosen.empty()) line["chosen"] = m.chosen;
  if (line.contains("bytes"))
    line["gbps"] = number_if(!m.error, line["bytes"].as_double() / m.time.median / 1e6);
  all_right_ = all_right_ && !m.error;
  all_["results"].push_back(std::move(line));
}

void report::write(const std::string& path) const {
  if (!path.empty()) io::write_output(path, json::dump(all_));
}

} // namespace evenly::measure
