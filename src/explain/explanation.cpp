// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "measure/counts_json.hpp"

namespace evenly::cli {
namespace {

bool is_of_memory(const site_profile& site) {
  return site.kind == access_kind_of_site::load || site.kind == access_kind_of_site::store;
}

/// Without the folders of whoever compiled it: from evenly/ on, or the name alone.
std::string file_of(const site_profile& site) {
  const auto header = site.file.rfind("include/evenly/");
  if (header != std::string::npos) return site.file.substr(header + 8);
  return site.file.substr(site.file.find_last_of('/') + 1);
}

nlohmann::ordered_json json_of(const trace_counts& counts) {
  nlohmann::ordered_json all = json_of_counts(counts);
  all["requests"] = counts.requests();
  all["bytes_wanted"] = counts.bytes_wanted();
  all["bytes_moved"] = counts.bytes_moved();
  all["turns"] = counts.turns();
  return all;
}

nlohmann::ordered_json json_of(const site_profile& site) {
  return {{"file", file_of(site)},         {"line", site.line},     {"column", site.column},
          {"function", site.function},     {"kind", kind_of(site)}, {"bytes", site.bytes},
          {"counts", json_of(site.counts)}};
}

} // namespace

trace_counts explanation::totals() const {
  trace_counts all;
  for (const launch_profile& each : launches) all += each.totals;
  return all;
}

explanation explain(const std::string& subject, trace& counts, const std::function<void()>& run) {
  counts.take_profiles();
  run();
  return {subject, counts.take_profiles()};
}

std::string place_of(const site_profile& site) {
  return fmt::format("{}:{}:{}", site.file.substr(site.file.find_last_of('/') + 1), site.line, site.column);
}

std::string kind_of(const site_profile& site) {
  switch (site.kind) {
  case access_kind_of_site::load:
    return "load";
  case access_kind_of_site::store:
    return "store";
  case access_kind_of_site::storage_load:
    return "storage load";
  case access_kind_of_site::storage_store:
    return "storage store";
  case access_kind_of_site::atomic:
    break;
  }
  return "atomic";
}

double used_part(const trace_counts& counts) {
  if (counts.bytes_moved() == 0) return 1;
  return static_cast<double>(counts.bytes_wanted()) / static_cast<double>(counts.bytes_moved());
}

std::int64_t sectors_too_many(const trace_counts& counts) {
  return counts.global_load_sectors - counts.global_load_least_sectors + counts.global_store_sectors -
         counts.global_store_least_sectors;
}

std::vector<site_profile> scattered_sites(const launch_profile& launch) {
  std::vector<site_profile> found;
  for (const site_profile& site : launch.sites)
    if (is_of_memory(site) && sectors_too_many(site.counts) > 0) found.push_back(site);
  std::ranges::sort(found, {}, [](const site_profile& site) {
    return std::make_tuple(-sectors_too_many(site.counts), -site.counts.turns(), site.file, site.line,
                           site.column, site.function);
  });
  return found;
}

double active_part(const trace_counts& counts, int warp_size) {
  if (counts.requests() == 0) return 1;
  return static_cast<double>(counts.request_lanes) / static_cast<double>(counts.requests()) / warp_size;
}

nlohmann::ordered_json json_of(const launch_profile& launch) {
  const idle_parts idle = idle_of(launch);
  nlohmann::ordered_json warps, blocks, slots, sites = nlohmann::ordered_json::array();
  for (const char* list : {"turns", "requests", "lanes", "sectors"})
    warps[list] = nlohmann::ordered_json::array();
  for (const warp_profile& warp : launch.warps) {
    warps["turns"].push_back(warp.turns);
    warps["requests"].push_back(warp.requests);
    warps["lanes"].push_back(warp.lanes);
    warps["sectors"].push_back(warp.sectors);
  }
  blocks["turns"] = launch.block_turns;
  slots["blocks"] = slots["turns"] = nlohmann::ordered_json::array();
  for (const slot_profile& slot : launch.deal_to_slots()) {
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
          {"sites", sites},
          {"by_warp", warps},
          {"by_block", blocks},
          {"by_slot", slots}};
}

} // namespace evenly::cli
