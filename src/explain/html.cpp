// SPDX-License-Identifier: Apache-2.0
// An explanation as a page of HTML: for each launch where the turns go, a heat strip of its warps, what its slots had
// to do, and the places that are not coalesced.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "draw/svg.hpp"
#include "explain/explanation.hpp"
#include "measure/text.hpp"

namespace evenly::cli {
namespace {

constexpr std::string_view style = R"(
body { font: 15px/1.45 Helvetica, Arial, sans-serif; max-width: 1120px; margin: 2em auto; padding: 0 1em;
       color: #222; background: #fff; }
h2 { margin-top: 2em; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: .6em 0; font-size: 13px; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid #e4e4e4; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 1em 0; } figcaption { font-weight: bold; }
)";

std::string row(std::string_view tag, const std::vector<std::string>& cells) {
  std::string text = "<tr>";
  for (const std::string& each : cells) text += fmt::format("<{0}>{1}</{0}>", tag, xml_escaped(each));
  return text + "</tr>\n";
}

std::string figure(std::string_view caption, const std::string& picture) {
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n", xml_escaped(caption), picture);
}

std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

std::string ratio(std::int64_t all, std::int64_t number) {
  return number == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(all) / static_cast<double>(number));
}

double part_of(std::int64_t some, std::int64_t all) {
  return all == 0 ? 0. : static_cast<double>(some) / static_cast<double>(all);
}

/// White to dark red.
std::string heat(double part) {
  const double clamped = std::clamp(part, 0., 1.);
  const auto channel = [&](double cold, double hot) {
    return static_cast<int>(std::lround(cold + (hot - cold) * clamped));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(255, 165), channel(247, 15), channel(236, 21));
}

std::string sites_chart(const launch_profile& launch) {
  constexpr double label = 330, most_length = 520, height = 20;
  constexpr std::size_t most_bars = 20;
  const std::size_t shown = std::min(most_bars, launch.sites.size());
  const std::int64_t all = launch.totals.turns();
  const std::int64_t longest = shown > 0 ? launch.sites.front().counts.turns() : 0;
  svg picture(label + most_length + 80, height * static_cast<double>(shown) + 4);
  for (std::size_t i = 0; i < shown; ++i) {
    const site_profile& site = launch.sites[i];
    const double y = height * static_cast<double>(i) + 2;
    const double length = std::max(1., most_length * part_of(site.counts.turns(), longest));
    picture.begin_group(fmt::format("{} in {}: {} turns, {} requests", kind_of(site), site.function,
                                    grouped(site.counts.turns()), grouped(site.counts.requests())),
                        {{"data-turns", std::to_string(site.counts.turns())}});
    picture.text(label - 6, y + 14, fmt::format("{} {}", place_of(site), kind_of(site)), 12, "end");
    picture.rect(label, y + 2, length, height - 5, sectors_too_many(site.counts) > 0 ? "#c4463a" : "#4878a8");
    picture.text(label + length + 5, y + 14, percent(part_of(site.counts.turns(), all)));
    picture.end_group();
  }
  return picture.str();
}

/// A cell for each warp, or for as many neighbours as bring the cells down to a few thousand: then of the busiest.
std::string warp_strip(const launch_profile& launch) {
  constexpr std::size_t most_cells = 4000, columns = 125;
  constexpr double size = 8;
  std::int64_t most = 1;
  for (const warp_profile& warp : launch.warps) most = std::max(most, warp.turns);
  const std::size_t of_cell = std::max<std::size_t>(1, (launch.warps.size() + most_cells - 1) / most_cells);
  const std::size_t cells = (launch.warps.size() + of_cell - 1) / of_cell;
  svg picture(size * columns, size * static_cast<double>((cells + columns - 1) / columns));
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto begin = launch.warps.begin() + static_cast<std::ptrdiff_t>(cell * of_cell);
    const auto end = launch.warps.begin() +
                     static_cast<std::ptrdiff_t>(std::min((cell + 1) * of_cell, launch.warps.size()));
    const auto busiest = std::max_element(
        begin, end, [](const warp_profile& a, const warp_profile& b) { return a.turns < b.turns; });
    const auto number = static_cast<int>(busiest - launch.warps.begin());
    const int of_block = launch.warps_of_block();
    picture.begin_group(
        fmt::format("block {}, warp {}: {} turns, {} requests, {} sectors, {} lanes a request",
                    number / of_block, number % of_block, grouped(busiest->turns), grouped(busiest->requests),
                    grouped(busiest->sectors), ratio(busiest->lanes, busiest->requests)),
        {{"data-turns", std::to_string(busiest->turns)}});
    picture.rect(size * static_cast<double>(cell % columns), size * static_cast<double>(cell / columns),
                 size - 1, size - 1, heat(part_of(busiest->turns, most)));
    picture.end_group();
  }
  return picture.str();
}

std::string slots_chart(const launch_profile& launch) {
  constexpr double label = 90, length = 700, height = 16;
  const auto slots = launch.deal_to_slots();
  std::int64_t most = 1;
  for (const slot_profile& each : slots) most = std::max(most, each.turns);
  svg picture(label + length + 140, height * static_cast<double>(slots.size()) + 4);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double y = height * static_cast<double>(i) + 2;
    const double busy = length * part_of(slots[i].turns, most);
    picture.text(label - 6, y + 11, fmt::format("slot {}", i), 11, "end");
    picture.rect(label, y + 1, length, height - 4, "#eee");
    picture.rect(label, y + 1, busy, height - 4, "#4878a8");
    picture.text(label + length + 5, y + 11,
                 fmt::format("{} turns, {} blocks", grouped(slots[i].turns), grouped(slots[i].blocks)), 11);
  }
  return picture.str();
}

std::string counts_table(const launch_profile& launch) {
  const trace_counts& c = launch.totals;
  std::string text = "<table>" + row("th", {"memory", "requests", "sectors", "a request", "least", "lines",
                                            "bytes wanted", "bytes moved", "used", "sectors of its blocks"});
  const auto add = [&](const char* name, std::int64_t requests, std::int64_t sectors, std::int64_t least,
                       std::int64_t lines, std::int64_t wanted, std::int64_t of_block) {
    text += row("td", {name, grouped(requests), grouped(sectors), ratio(sectors, requests),
                       ratio(least, requests), grouped(lines), grouped(wanted), grouped(32 * sectors),
                       sectors > 0 ? percent(part_of(wanted, 32 * sectors)) : "", grouped(of_block)});
  };
  add("loads", c.global_load_requests, c.global_load_sectors, c.global_load_least_sectors,
      c.global_load_lines, c.global_load_bytes, c.global_load_block_sectors);
  add("stores", c.global_store_requests, c.global_store_sectors, c.global_store_least_sectors,
      c.global_store_lines, c.global_store_bytes, c.global_store_block_sectors);
  text += "</table>\n<table>" +
          row("th", {"storage and atomics", "requests", "wavefronts or operations", "conflicts"});
  text += row("td",
              {"storage", grouped(c.storage_load_requests + c.storage_store_requests),
               grouped(c.storage_load_wavefronts + c.storage_store_wavefronts), grouped(c.bank_conflicts())});
  text += row("td", {"atomics", grouped(c.atomic_requests), grouped(c.atomics), grouped(c.atomic_conflicts)});
  return text + "</table>\n";
}

std::string scattered_table(const launch_profile& launch) {
  const auto sites = scattered_sites(launch);
  if (sites.empty()) return "<p>Every request is coalesced.</p>\n";
  std::string text = "<table>" + row("th", {"place", "access", "bytes of a lane", "requests", "not coalesced",
                                            "sectors a request", "least", "sectors too many", "used"});
  for (const site_profile& site : sites) {
    const trace_counts& c = site.counts;
    text += row("td", {place_of(site), kind_of(site), std::to_string(site.bytes), grouped(c.requests()),
                       grouped(c.global_load_scattered + c.global_store_scattered),
                       ratio(c.global_load_sectors + c.global_store_sectors, c.requests()),
                       ratio(c.global_load_least_sectors + c.global_store_least_sectors, c.requests()),
                       grouped(sectors_too_many(c)), percent(used_part(c))});
  }
  return text + "</table>\n";
}

std::string launch_part(const launch_profile& launch, std::size_t number) {
  const idle_parts idle = idle_of(launch);
  std::string text =
      fmt::format("<h2>Launch {}</h2>\n<p>{} blocks of {} threads, in warps of {}. Idle: {} of the "
                  "lanes, {} of the warps' time, {} of the slots' time.</p>\n",
                  number, grouped(launch.blocks), launch.block_size, launch.warp_size, percent(idle.lanes),
                  percent(idle.warps), percent(idle.slots));
  text += counts_table(launch);
  text += figure(fmt::format("Where the {} turns go; red: not coalesced", grouped(launch.totals.turns())),
                 sites_chart(launch));
  text += figure("Warps, in order; the darker, the more turns", warp_strip(launch));
  text += figure("The slots of one multiprocessor, if blocks went to the first that is free",
                 slots_chart(launch));
  return text + "<h3>Not coalesced</h3>\n" + scattered_table(launch);
}

} // namespace

std::string html_of(const explanation& all) {
  std::string text =
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
                  "<style>{1}</style></head><body>\n<h1>{0}</h1>\n<p>Counted on simt, the simulated "
                  "GPU. A turn is a line of 128 bytes of a request to memory, a wavefront of one to "
                  "storage, or an atomic operation that waits for no other.</p>\n",
                  xml_escaped(all.subject), style);
  for (std::size_t i = 0; i < all.launches.size(); ++i) text += launch_part(all.launches[i], i + 1);
  if (all.launches.empty()) text += "<p>Nothing was launched.</p>\n";
  return text + "</body></html>\n";
}

} // namespace evenly::cli
