// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.hpp"

#include <array>

#include "json/value.hpp"
#include "measure/counts_json.hpp"
#include "runtime/sites.hpp"

namespace evenly::explaining {

using measure::json_of_counts;

namespace {

/// The path from evenly/ on, or the file name, without folders of the build machine.
std::string short_file(const std::string& file) {
  const auto header = file.rfind("include/evenly/");
  if (header != std::string::npos) return file.substr(header + 8);
  return file.substr(file.find_last_of('/') + 1);
}

json::value json_of(const trace_counts& counts) {
  json::value all = json_of_counts(counts);
  all["requests"] = counts.requests();
  all["bytes_wanted"] = counts.bytes_wanted();
  all["bytes_moved"] = counts.bytes_moved();
  all["turns"] = counts.turns();
  return all;
}

json::value json_of(const site_profile& site) {
  return {{"file", short_file(site.file)},   {"line", site.line},
          {"column", site.column},           {"function", site.function},
          {"kind", detail::kind_of(site)},   {"bytes", site.bytes},
          {"lane_stride", site.lane_stride}, {"strided_requests", site.strided_requests},
          {"counts", json_of(site.counts)}};
}

json::value json_of(const finding& each) {
  constexpr std::array kinds{"strided_access", "scattered_access", "misaligned_access",
                             "repeated_load",  "bank_conflict",    "atomic_conflict",
                             "idle_lanes",     "idle_warps",       "idle_slots"};
  json::value made{{"kind", kinds[static_cast<std::size_t>(each.kind)]}, {"cost", each.cost}};
  if (!each.file.empty())
    made.update({{"file", short_file(each.file)}, {"line", each.line}, {"column", each.column}});
  made.update({{"observation", each.observation}, {"advice", each.advice}});
  return made;
}

json::value json_of(const launch_profile& launch, const json::value& findings) {
  const idle_parts idle = idle_of(launch);
  json::value warps, blocks, slots, sites = json::array();
  for (const char* list : {"turns", "requests", "lanes", "sectors"}) warps[list] = json::array();
  for (const warp_profile& warp : launch.warps) {
    warps["turns"].push_back(warp.turns);
    warps["requests"].push_back(warp.requests);
    warps["lanes"].push_back(warp.lanes);
    warps["sectors"].push_back(warp.sectors);
  }
  blocks["turns"] = launch.block_turns;
  for (const char* list : {"turns", "blocks"}) slots[list] = json::array();
  for (const slot_profile& slot : launch.distribute_to_slots()) {
    slots["blocks"].push_back(slot.blocks);
    slots["turns"].push_back(slot.turns);
  }
  for (const site_profile& site : launch.sites) sites.push_back(json_of(site));
  return {{"blocks", launch.blocks},
          {"block_size", launch.block_size},
          {"warp_size", launch.warp_size},
          {"slots_of_multiprocessor", launch.slots},
          {"counts", json_of(launch.totals)},
          {"idle", {{"lanes", idle.lanes}, {"warps", idle.warps}, {"slots", idle.slots}}},
          {"findings", findings},
          {"sites", sites},
          {"by_warp", warps},
          {"by_block", blocks},
          {"by_slot", slots}};
}

} // namespace

json::value json_of(const explanation& all) {
  std::vector<json::value> findings(all.launches.size(), json::array());
  for (const finding& each : findings_of(all)) findings[each.launch].push_back(json_of(each));
  json::value launches = json::array();
  for (std::size_t i = 0; i < all.launches.size(); ++i)
    launches.push_back(json_of(all.launches[i], findings[i]));
  return launches;
}

} // namespace evenly::explaining
