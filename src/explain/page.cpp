// SPDX-License-Identifier: Apache-2.0
// An explanation as a page of text.
#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "explain/explanation.hpp"
#include "measure/text.hpp"

namespace evenly::cli {
namespace {

constexpr std::size_t most_sites = 12;
constexpr std::size_t most_scattered = 5;
constexpr std::size_t strip_width = 64;

std::string percent(double part) { return fmt::format("{:.0f}%", 100 * part); }

std::string each_of(std::int64_t all, std::int64_t number) {
  if (number == 0) return "";
  return fmt::format("{:.2f}", static_cast<double>(all) / static_cast<double>(number));
}

std::string shape_of(const launch_profile& launch) {
  return fmt::format("blocks: {} of {} threads; warps: {}; slots of a multiprocessor: {}",
                     grouped(launch.blocks), launch.block_size,
                     grouped(static_cast<long long>(launch.warps.size())), launch.slots);
}

std::string memory_row(std::string_view name, std::int64_t requests, std::int64_t sectors, std::int64_t least,
                       std::int64_t lines, std::int64_t wanted, std::int64_t of_block) {
  const double used = sectors > 0 ? static_cast<double>(wanted) / (32. * static_cast<double>(sectors)) : 1;
  return fmt::format("  {:<7}{:>10}{:>12}{:>8}{:>8}{:>8}{:>9}{:>7}{:>9}\n", name, grouped(requests),
                     grouped(sectors), each_of(sectors, requests), each_of(least, requests),
                     each_of(lines, requests), requests > 0 ? percent(used) : "", "",
                     each_of(sectors, of_block));
}

std::string memory_table(const trace_counts& c) {
  std::string text = fmt::format("  {:<7}{:>10}{:>12}{:>8}{:>8}{:>8}{:>9}{:>16}\n", "memory", "requests",
                                 "sectors", "each", "least", "lines", "used", "times asked");
  text += memory_row("loads", c.global_load_requests, c.global_load_sectors, c.global_load_least_sectors,
                     c.global_load_lines, c.global_load_bytes, c.global_load_block_sectors);
  text += memory_row("stores", c.global_store_requests, c.global_store_sectors, c.global_store_least_sectors,
                     c.global_store_lines, c.global_store_bytes, c.global_store_block_sectors);
  text += fmt::format("  {} bytes wanted, {} moved\n", grouped(c.bytes_wanted()), grouped(c.bytes_moved()));
  return text;
}

std::string other_tables(const trace_counts& c) {
  std::string text;
  const std::int64_t requests = c.storage_load_requests + c.storage_store_requests;
  if (requests > 0)
    text += fmt::format("  storage: {} requests, {} wavefronts, {} of them bank conflicts\n",
                        grouped(requests), grouped(c.storage_load_wavefronts + c.storage_store_wavefronts),
                        grouped(c.bank_conflicts()));
  if (c.atomic_requests > 0)
    text += fmt::format("  atomics: {} requests of {} operations, {} of them in conflict\n",
                        grouped(c.atomic_requests), grouped(c.atomics), grouped(c.atomic_conflicts));
  return text;
}

/// `32.0 of 32 lanes`.
std::string lanes_of(std::int64_t lanes, std::int64_t of, int warp_size) {
  return fmt::format("{:.1f} of {} lanes", of > 0 ? static_cast<double>(lanes) / static_cast<double>(of) : 0.,
                     warp_size);
}

std::string lanes_line(const launch_profile& launch) {
  const trace_counts& c = launch.totals;
  std::string text =
      fmt::format("  active: {} a request", lanes_of(c.request_lanes, c.requests(), launch.warp_size));
  if (c.warp_steps > 0)
    text += fmt::format(", {} a step", lanes_of(c.operations, c.warp_steps, launch.warp_size));
  return text + '\n';
}

std::string idle_line(const launch_profile& launch) {
  const idle_parts idle = idle_of(launch);
  return fmt::format("  idle: {} of the lanes, {} of the warps' time, {} of the slots'\n",
                     percent(idle.lanes), percent(idle.warps), percent(idle.slots));
}

std::string cost_of(const site_profile& site) {
  const trace_counts& c = site.counts;
  switch (site.kind) {
  case access_kind_of_site::load:
  case access_kind_of_site::store:
    return fmt::format("{} sectors each, {} used",
                       each_of(c.global_load_sectors + c.global_store_sectors, c.requests()),
                       percent(used_part(c)));
  case access_kind_of_site::storage_load:
  case access_kind_of_site::storage_store:
    return fmt::format("{} wavefronts each",
                       each_of(c.storage_load_wavefronts + c.storage_store_wavefronts, c.requests()));
  case access_kind_of_site::atomic:
    break;
  }
  return fmt::format("{} conflicts each", each_of(c.atomic_conflicts, c.requests()));
}

std::string site_line(const site_profile& site, std::int64_t all_turns) {
  return fmt::format("  {:>4}  {:<28}{:<14}{:>9} x {:<2} {}\n",
                     percent(static_cast<double>(site.counts.turns()) /
                             static_cast<double>(std::max<std::int64_t>(1, all_turns))),
                     place_of(site), kind_of(site), grouped(site.counts.requests()), site.bytes,
                     cost_of(site));
}

std::string sites_of(const launch_profile& launch) {
  if (launch.sites.empty()) return "";
  std::string text = "\n  where it goes, in turns: place, access, requests x bytes of a lane\n";
  const std::size_t shown = std::min(most_sites, launch.sites.size());
  for (std::size_t i = 0; i < shown; ++i) text += site_line(launch.sites[i], launch.totals.turns());
  std::int64_t rest = 0;
  for (std::size_t i = shown; i < launch.sites.size(); ++i) rest += launch.sites[i].counts.turns();
  if (shown < launch.sites.size())
    text += fmt::format("  {:>4}  and {} more\n",
                        percent(static_cast<double>(rest) /
                                static_cast<double>(std::max<std::int64_t>(1, launch.totals.turns()))),
                        launch.sites.size() - shown);
  return text;
}

std::string scattered_of(const launch_profile& launch) {
  const auto sites = scattered_sites(launch);
  if (sites.empty()) return "\n  not coalesced: nothing\n";
  std::string text = "\n  not coalesced: sectors beyond what the bytes wanted would fill\n";
  for (std::size_t i = 0; i < std::min(most_scattered, sites.size()); ++i) {
    const trace_counts& c = sites[i].counts;
    text += fmt::format("  {:>11}  {:<28}{:<14}{} of {} requests\n", grouped(sectors_too_many(c)),
                        place_of(sites[i]), kind_of(sites[i]),
                        grouped(c.global_load_scattered + c.global_store_scattered), grouped(c.requests()));
  }
  if (sites.size() > most_scattered)
    text += fmt::format("  {:>11}  and {} more\n", "", sites.size() - most_scattered);
  return text;
}

/// The warps in order, several to a letter, as many as the line has; each letter is that of the busiest.
std::string strip_of(const launch_profile& launch) {
  constexpr std::string_view heat = " .:-=+*#%@";
  std::int64_t most = 0;
  for (const warp_profile& warp : launch.warps) most = std::max(most, warp.turns);
  if (most == 0) return "";
  const std::size_t of_letter = (launch.warps.size() + strip_width - 1) / strip_width;
  std::string letters;
  for (std::size_t first = 0; first < launch.warps.size(); first += of_letter) {
    std::int64_t busiest = 0;
    for (std::size_t i = first; i < std::min(first + of_letter, launch.warps.size()); ++i)
      busiest = std::max(busiest, launch.warps[i].turns);
    letters += heat[static_cast<std::size_t>(
        (busiest * static_cast<std::int64_t>(heat.size() - 1) + most - 1) / most)];
  }
  return fmt::format("\n  warps in order, {} to a letter, from \" \" (no turn) to @ ({} turns)\n  [{}]\n",
                     of_letter, grouped(most), letters);
}

std::string launch_part(const launch_profile& launch) {
  return wrapped(shape_of(launch), "  ") + memory_table(launch.totals) + other_tables(launch.totals) +
         lanes_line(launch) + idle_line(launch) + sites_of(launch) + scattered_of(launch) + strip_of(launch);
}

} // namespace

std::string page_of(const explanation& all) {
  std::string text = wrapped(all.subject + ", counted on simt", "");
  if (!all.choice.empty()) text += wrapped("automatic chose " + all.choice, "");
  if (all.launches.empty()) return text + "  nothing was launched\n";
  for (std::size_t i = 0; i < all.launches.size(); ++i) {
    text += '\n';
    if (all.launches.size() > 1) text += fmt::format("launch {} of {}\n", i + 1, all.launches.size());
    text += launch_part(all.launches[i]);
  }
  return text;
}

} // namespace evenly::cli
