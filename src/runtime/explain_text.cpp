// SPDX-License-Identifier: Apache-2.0
// An explanation as a page of text.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/trace/explain.hpp"
#include "runtime/sites.hpp"
#include "runtime/words.hpp"

namespace evenly {
namespace {

using detail::grouped;
using detail::kind_of;
using detail::place_of;
using detail::printed;
using detail::scattered_sites;
using detail::sectors_too_many;
using detail::used_part;
using detail::with_noun;

constexpr std::size_t max_sites = 12;
constexpr std::size_t max_scattered = 5;
constexpr std::size_t max_findings = 5;
constexpr std::size_t strip_width = 64;

std::string percent(double part) { return printed("%.0f%%", 100 * part); }

std::string each_of(std::int64_t all, std::int64_t number) {
  if (number == 0) return "";
  return printed("%.2f", static_cast<double>(all) / static_cast<double>(number));
}

std::string shape_of(const launch_profile& launch) {
  return printed("blocks: %s of %d threads; warps: %s; slots of a multiprocessor: %d",
                 grouped(launch.blocks).c_str(), launch.block_size,
                 grouped(static_cast<long long>(launch.warps.size())).c_str(), launch.slots);
}

std::string memory_row(const char* name, std::int64_t requests, std::int64_t sectors, std::int64_t min,
                       std::int64_t lines, std::int64_t wanted, std::int64_t of_block) {
  const double used = sectors > 0 ? static_cast<double>(wanted) / (32. * static_cast<double>(sectors)) : 1;
  return printed("  %-7s%10s%12s%8s%8s%8s%9s%16s\n", name, grouped(requests).c_str(),
                 grouped(sectors).c_str(), each_of(sectors, requests).c_str(), each_of(min, requests).c_str(),
                 each_of(lines, requests).c_str(), requests > 0 ? percent(used).c_str() : "",
                 each_of(sectors, of_block).c_str());
}

std::string memory_table(const trace_counts& c) {
  std::string text = printed("  %-7s%10s%12s%8s%8s%8s%9s%16s\n", "memory", "requests", "sectors", "each",
                             "min", "lines", "used", "times requested");
  text += memory_row("loads", c.global_load_requests, c.global_load_sectors, c.global_load_min_sectors,
                     c.global_load_lines, c.global_load_bytes, c.global_load_block_sectors);
  text += memory_row("stores", c.global_store_requests, c.global_store_sectors, c.global_store_min_sectors,
                     c.global_store_lines, c.global_store_bytes, c.global_store_block_sectors);
  return text + "  " + with_noun(c.bytes_wanted(), "byte") + " requested, " + grouped(c.bytes_moved()) +
         " moved\n";
}

std::string other_tables(const trace_counts& c) {
  std::string text;
  const std::int64_t requests = c.storage_load_requests + c.storage_store_requests;
  if (requests > 0)
    text += "  shared memory: " + with_noun(requests, "request") + ", " +
            with_noun(c.storage_load_wavefronts + c.storage_store_wavefronts, "wavefront") + ", " +
            grouped(c.bank_conflicts()) + " of them bank conflicts\n";
  if (c.atomic_requests > 0)
    text += "  atomics: " + with_noun(c.atomic_requests, "request") + " of " +
            with_noun(c.atomics, "operation") + ", " + grouped(c.atomic_conflicts) + " of them in conflict\n";
  return text;
}

/// `32.0 of 32 lanes`.
std::string lanes_of(std::int64_t lanes, std::int64_t of, int warp_size) {
  return printed("%.1f of %d lanes", of > 0 ? static_cast<double>(lanes) / static_cast<double>(of) : 0.,
                 warp_size);
}

std::string lanes_line(const launch_profile& launch) {
  const trace_counts& c = launch.totals;
  std::string text =
      "  active: " + lanes_of(c.request_lanes, c.requests(), launch.warp_size) + " per request";
  if (c.warp_steps > 0) text += ", " + lanes_of(c.operations, c.warp_steps, launch.warp_size) + " per step";
  return text + '\n';
}

std::string idle_line(const launch_profile& launch) {
  const idle_parts idle = idle_of(launch);
  return "  idle: " + percent(idle.lanes) + " of the lanes, " + percent(idle.warps) +
         " of the warps' time, " + percent(idle.slots) + " of the slots' time\n";
}

std::string cost_of(const site_profile& site) {
  const trace_counts& c = site.counts;
  switch (site.kind) {
  case access_kind_of_site::load:
  case access_kind_of_site::store:
    return each_of(c.global_load_sectors + c.global_store_sectors, c.requests()) + " sectors each, " +
           percent(used_part(c)) + " used";
  case access_kind_of_site::storage_load:
  case access_kind_of_site::storage_store:
    return each_of(c.storage_load_wavefronts + c.storage_store_wavefronts, c.requests()) + " wavefronts each";
  case access_kind_of_site::atomic:
    break;
  }
  return each_of(c.atomic_conflicts, c.requests()) + " conflicts each";
}

std::string part_of_turns(std::int64_t turns, const launch_profile& launch) {
  return percent(static_cast<double>(turns) /
                 static_cast<double>(std::max<std::int64_t>(1, launch.totals.turns())));
}

std::string sites_of(const launch_profile& launch) {
  if (launch.sites.empty()) return "";
  std::string text = "\n  turns by place: place, access, requests x bytes per lane\n";
  const std::size_t shown = std::min(max_sites, launch.sites.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const site_profile& site = launch.sites[i];
    text += printed("  %4s  %-28s%-14s%9s x %-2u %s\n", part_of_turns(site.counts.turns(), launch).c_str(),
                    place_of(site).c_str(), kind_of(site).c_str(), grouped(site.counts.requests()).c_str(),
                    site.bytes, cost_of(site).c_str());
  }
  std::int64_t rest = 0;
  for (std::size_t i = shown; i < launch.sites.size(); ++i) rest += launch.sites[i].counts.turns();
  if (shown < launch.sites.size())
    text +=
        printed("  %4s  and %zu more\n", part_of_turns(rest, launch).c_str(), launch.sites.size() - shown);
  return text;
}

std::string scattered_of(const launch_profile& launch) {
  const auto sites = scattered_sites(launch);
  if (sites.empty()) return "\n  not coalesced: nothing\n";
  std::string text = "\n  not coalesced: sectors in addition to the minimum for the requested bytes\n";
  for (std::size_t i = 0; i < std::min(max_scattered, sites.size()); ++i) {
    const trace_counts& c = sites[i].counts;
    text += printed("  %11s  %-28s%-14s%s of %s\n", grouped(sectors_too_many(c)).c_str(),
                    place_of(sites[i]).c_str(), kind_of(sites[i]).c_str(),
                    grouped(c.global_load_scattered + c.global_store_scattered).c_str(),
                    with_noun(c.requests(), "request").c_str());
  }
  if (sites.size() > max_scattered)
    text += printed("  %11s  and %zu more\n", "", sites.size() - max_scattered);
  return text;
}

/// The findings of one launch.
std::string findings_text(const std::vector<finding>& all, std::size_t launch) {
  std::string text;
  std::size_t count = 0;
  for (const finding& each : all) {
    if (each.launch != launch || ++count > max_findings) continue;
    const std::string lines = to_text(each);
    text += printed("  %4s  ", percent(each.cost).c_str());
    for (std::size_t from = 0, end; (end = lines.find('\n', from)) != std::string::npos; from = end + 1)
      text += (from == 0 ? "" : "        ") + lines.substr(from, end + 1 - from);
  }
  if (count == 0) return "\n  findings: none\n";
  if (count > max_findings) text += printed("  %4s  and %zu more\n", "", count - max_findings);
  return "\n  findings: share of the turns, or idle share\n" + text;
}

/// The warps in order, several per letter to fit the line; a letter shows the maximum of its warps.
std::string strip_of(const launch_profile& launch) {
  constexpr std::string_view heat = " .:-=+*#%@";
  std::int64_t max = 0;
  for (const warp_profile& warp : launch.warps) max = std::max(max, warp.turns);
  if (max == 0) return "";
  const std::size_t of_letter = (launch.warps.size() + strip_width - 1) / strip_width;
  std::string letters;
  for (std::size_t first = 0; first < launch.warps.size(); first += of_letter) {
    std::int64_t busiest = 0;
    for (std::size_t i = first; i < std::min(first + of_letter, launch.warps.size()); ++i)
      busiest = std::max(busiest, launch.warps[i].turns);
    letters += heat[static_cast<std::size_t>(
        (busiest * static_cast<std::int64_t>(heat.size() - 1) + max - 1) / max)];
  }
  return printed("\n  warps in order, %zu to a letter, from \" \" (no turn) to @ (%s)\n  [%s]\n", of_letter,
                 with_noun(max, "turn").c_str(), letters.c_str());
}

} // namespace

std::string to_text(const explanation& all) {
  constexpr std::size_t width = 80;
  std::string text = detail::wrapped(all.subject + ", counted on simt", "", width);
  if (!all.choice.empty()) text += detail::wrapped("automatic chose " + all.choice, "", width);
  if (all.launches.empty()) return text + "  nothing was launched\n";
  const std::vector<finding> findings = findings_of(all);
  for (std::size_t i = 0; i < all.launches.size(); ++i) {
    const launch_profile& launch = all.launches[i];
    text += '\n';
    if (all.launches.size() > 1) text += printed("launch %zu of %zu\n", i + 1, all.launches.size());
    text += detail::wrapped(shape_of(launch), "  ", width) + memory_table(launch.totals) +
            other_tables(launch.totals) + lanes_line(launch) + idle_line(launch) +
            findings_text(findings, i) + sites_of(launch) + scattered_of(launch) + strip_of(launch);
  }
  return text;
}

} // namespace evenly
