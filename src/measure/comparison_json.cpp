// SPDX-License-Identifier: Apache-2.0
// The JSON of comparison.hpp, verdict.hpp and lane_counts.hpp.
#include <cstddef>

#include "json/value.hpp"
#include "measure/comparison.hpp"
#include "measure/lane_counts.hpp"
#include "measure/report.hpp"
#include "measure/verdict.hpp"

namespace evenly::measure {

std::vector<json::value> as_json(const comparison& c) {
  std::vector<json::value> list;
  for (const measurement& m : c.results) {
    auto parameters = json::object();
    for (const auto& [key, value] : m.what.parameters) parameters[key] = value;
    json::value result{{"workload", c.workload},
                       {"rows", c.rows},
                       {"cols", c.cols},
                       {"atoms", c.atoms},
                       {"op", c.op},
                       {"format", m.what.in_rows ? "csr" : c.format},
                       {"executor", name_of(c.executor)},
                       {"schedule", m.what.name},
                       {"same_code_as", m.what.same_as},
                       {"chosen", m.chosen},
                       {"why", m.why},
                       {"parameters", parameters},
                       {"type", c.type},
                       {"ok", !m.error}};
    put_times(result, m.time, !m.error);
    result["rounds"] = m.time.rounds.size();
    result["gbps"] = number_if(!m.error, m.error ? 0 : c.gbps(m));
    result["copy_gbps"] = c.copy_gbps;
    if (c.fill_gbps) result["fill_gbps"] = *c.fill_gbps;
    if (c.empty_ms) result["empty_ms"] = *c.empty_ms;
    result["plan_ms"] = number_if(m.plan_ms.has_value(), m.plan_ms.value_or(0));
    if (c.packing && m.what.is_schedule && !m.what.in_rows) {
      result["columns_bytes"] = c.packing->bytes;
      result["unpacked_columns_bytes"] = c.packing->unpacked_bytes;
      result["pack_ms"] = c.packing->build_ms;
      const auto runs = runs_to_break_even(c, m);
      result["break_even_runs"] = number_if(runs.has_value(), runs.value_or(0));
    }
    if (m.error) result["error"] = *m.error;
    if (c.format.empty()) result.erase("format");
    if (m.what.same_as.empty()) result.erase("same_code_as");
    if (m.chosen.empty()) {
      result.erase("chosen");
      result.erase("why");
    }
    list.push_back(std::move(result));
  }
  return list;
}

json::value json_of_verdict(const comparison& c) {
  static constexpr const char* names[]{"unknown", "faster", "slower", "within noise"};
  const judgement found = judge(c);
  return {{"workload", c.workload},
          {"op", c.op},
          {"executor", name_of(c.executor)},
          {"noise", found.within.level()},
          {"noise_of_same_code", found.within.same_code},
          {"noise_of_copy", found.within.copy},
          {"noise_of_other_programs", found.within.other_programs},
          {"fastest", found.names},
          {"cutting", names[static_cast<std::size_t>(found.cut)]}};
}

std::vector<json::value> as_json(const std::string& workload, const lane_counts& counts) {
  std::vector<json::value> list;
  for (const counted_schedule& each : counts.schedules) {
    json::value found{{"workload", workload},  {"op", counts.op},
                      {"executor", "simt"},    {"schedule", each.name},
                      {"ok", !each.error},     {"tiles", counts.tiles},
                      {"atoms", counts.atoms}, {"is_sample", counts.is_sample}};
    if (each.error) {
      found["error"] = *each.error;
    } else {
      found["lanes_busy"] = each.lanes_busy();
      found["bytes_used"] = each.bytes_used();
      found["requests"] = each.seen.requests();
      found["request_lanes"] = each.seen.request_lanes;
      found["bytes_wanted"] = each.seen.bytes_wanted();
      found["bytes_moved"] = each.seen.bytes_moved();
    }
    list.push_back(std::move(found));
  }
  return list;
}

} // namespace evenly::measure
