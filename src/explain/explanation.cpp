// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "json/value.hpp"
#include "measure/counts_json.hpp"
#include "measure/text.hpp"
#include "report/charts.hpp"
#include "report/page.hpp"
#include "report/table.hpp"
#include "runtime/sites.hpp"

namespace evenly::explaining {

using detail::kind_of, detail::place_of, detail::scattered_sites, detail::sectors_too_many, detail::used_part;
using evenly::report::bar, evenly::report::bar_chart, evenly::report::heat_chart, evenly::report::html_figure,
    evenly::report::html_page, evenly::report::table;
using measure::grouped, measure::json_of_counts, measure::with_noun, measure::xml_escaped;

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

// An explanation as an HTML page: for each launch the turns by place, a heat strip of its warps, the work of its slots,
// and the accesses that are not coalesced.

namespace colours = evenly::report::colours;

namespace {

std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

std::string ratio(std::int64_t all, std::int64_t number) {
  return number == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(all) / static_cast<double>(number));
}

double part_of(std::int64_t some, std::int64_t all) {
  return all == 0 ? 0. : static_cast<double>(some) / static_cast<double>(all);
}

std::string sites_chart(const launch_profile& launch) {
  constexpr std::size_t max_bars = 20;
  const std::int64_t all = launch.totals.turns();
  std::vector<bar> bars;
  for (const site_profile& site : launch.sites) {
    if (bars.size() == max_bars) break;
    bars.push_back({fmt::format("{} {}", place_of(site), kind_of(site)),
                    static_cast<double>(site.counts.turns()), percent(part_of(site.counts.turns(), all)),
                    sectors_too_many(site.counts) > 0 ? colours::red : colours::blue});
  }
  return bar_chart(bars, std::numeric_limits<double>::infinity());
}

/// A cell per warp, or per group of consecutive warps to limit the cells to a few thousand, with the maximum of the
/// group.
std::string warp_strip(const launch_profile& launch) {
  constexpr std::size_t max_cells = 4000;
  constexpr int columns = 125;
  std::int64_t max = 1;
  for (const warp_profile& warp : launch.warps) max = std::max(max, warp.turns);
  const std::size_t of_cell = std::max<std::size_t>(1, (launch.warps.size() + max_cells - 1) / max_cells);
  std::vector<double> parts;
  for (std::size_t from = 0; from < launch.warps.size(); from += of_cell) {
    std::int64_t busiest = 0;
    for (std::size_t i = from; i < std::min(from + of_cell, launch.warps.size()); ++i)
      busiest = std::max(busiest, launch.warps[i].turns);
    parts.push_back(part_of(busiest, max));
  }
  return heat_chart(parts, columns);
}

std::string slots_chart(const launch_profile& launch) {
  std::vector<bar> bars;
  for (const slot_profile& each : launch.distribute_to_slots())
    bars.push_back({fmt::format("slot {}", bars.size()), static_cast<double>(each.turns),
                    with_noun(each.turns, "turn") + ", " + with_noun(each.blocks, "block")});
  return bar_chart(bars, std::numeric_limits<double>::infinity());
}

std::string counts_table(const launch_profile& launch) {
  const trace_counts& c = launch.totals;
  table memory({"memory", "requests", "sectors", "sectors per request", "minimum", "lines", "bytes requested",
                "bytes moved", "used", "distinct sectors of its blocks"});
  const auto add = [&](const char* name, std::int64_t requests, std::int64_t sectors, std::int64_t min,
                       std::int64_t lines, std::int64_t wanted, std::int64_t of_block) {
    memory.row({name, grouped(requests), grouped(sectors), ratio(sectors, requests), ratio(min, requests),
                grouped(lines), grouped(wanted), grouped(32 * sectors),
                sectors > 0 ? percent(part_of(wanted, 32 * sectors)) : "", grouped(of_block)});
  };
  add("loads", c.global_load_requests, c.global_load_sectors, c.global_load_min_sectors, c.global_load_lines,
      c.global_load_bytes, c.global_load_block_sectors);
  add("stores", c.global_store_requests, c.global_store_sectors, c.global_store_min_sectors,
      c.global_store_lines, c.global_store_bytes, c.global_store_block_sectors);
  table others({"shared memory and atomics", "requests", "wavefronts or operations", "conflicts"});
  others.row({"shared memory", grouped(c.storage_load_requests + c.storage_store_requests),
              grouped(c.storage_load_wavefronts + c.storage_store_wavefronts), grouped(c.bank_conflicts())});
  others.row({"atomics", grouped(c.atomic_requests), grouped(c.atomics), grouped(c.atomic_conflicts)});
  return memory.html() + others.html();
}

std::string scattered_table(const launch_profile& launch) {
  const auto sites = scattered_sites(launch);
  if (sites.empty()) return "<p>Every request is coalesced.</p>\n";
  table made({"place", "access", "bytes per lane", "requests", "not coalesced", "sectors per request",
              "minimum", "sectors too many", "used"});
  for (const site_profile& site : sites) {
    const trace_counts& c = site.counts;
    made.row({place_of(site), kind_of(site), std::to_string(site.bytes), grouped(c.requests()),
              grouped(c.global_load_scattered + c.global_store_scattered),
              ratio(c.global_load_sectors + c.global_store_sectors, c.requests()),
              ratio(c.global_load_min_sectors + c.global_store_min_sectors, c.requests()),
              grouped(sectors_too_many(c)), percent(used_part(c))});
  }
  return made.html();
}

std::string findings_list(const std::vector<finding>& all, std::size_t launch) {
  std::string items;
  for (const finding& each : all) {
    if (each.launch != launch) continue;
    std::string place;
    if (!each.file.empty())
      place = fmt::format("<code>{}:{}</code> ",
                          xml_escaped(each.file.substr(each.file.find_last_of('/') + 1)), each.line);
    items += fmt::format("<li>{}<b>{}</b> {}{} {}</li>\n", place, percent(each.cost),
                         xml_escaped(each.observation),
                         each.source.empty() ? "." : ": <code>" + xml_escaped(each.source) + "</code>.",
                         xml_escaped(each.advice));
  }
  if (items.empty()) return "<p>No findings.</p>\n";
  return "<h3>Findings</h3>\n<p>The percentage is the share of the launch's turns that coalesced accesses "
         "would save, or the idle share.</p>\n<ul>\n" +
         items + "</ul>\n";
}

std::string launch_part(const launch_profile& launch, const std::vector<finding>& findings,
                        std::size_t index) {
  const idle_parts idle = idle_of(launch);
  std::string text =
      fmt::format("<h2>Launch {}</h2>\n<p>{} of {}, in warps of {}. Idle: {} of the lanes, {} of the warp "
                  "time, {} of the slot time.</p>\n",
                  index + 1, with_noun(launch.blocks, "block"), with_noun(launch.block_size, "thread"),
                  launch.warp_size, percent(idle.lanes), percent(idle.warps), percent(idle.slots));
  text += findings_list(findings, index) + counts_table(launch);
  text +=
      html_figure(fmt::format("The {} turns by place; red: not coalesced", grouped(launch.totals.turns())),
                  sites_chart(launch));
  text += html_figure("Warps in order; darker warps take more turns", warp_strip(launch));
  text += html_figure("The slots of one multiprocessor, if each block takes the first free slot",
                      slots_chart(launch));
  return text + "<h3>Not coalesced</h3>\n" + scattered_table(launch);
}

} // namespace

std::string html_of(const explanation& all) {
  std::string text =
      "<p>Counted on simt, the simulated GPU. A turn is one 128-byte line of a memory request, one wavefront "
      "of a shared-memory request, or one round of atomic operations on different objects.</p>\n";
  if (!all.choice.empty()) text += "<p>automatic chose " + xml_escaped(all.choice) + "</p>\n";
  const std::vector<finding> findings = findings_of(all);
  for (std::size_t i = 0; i < all.launches.size(); ++i) text += launch_part(all.launches[i], findings, i);
  if (all.launches.empty()) text += "<p>Nothing was launched.</p>\n";
  return html_page(all.subject, text);
}

} // namespace evenly::explaining
