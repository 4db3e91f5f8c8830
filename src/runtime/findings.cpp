// SPDX-License-Identifier: Apache-2.0
// Rules that derive findings from a profile. Each rule checks one site of a launch, or the launch as a whole.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <tuple>

#include "evenly/core/index.hpp"
#include "evenly/trace/explain.hpp"
#include "runtime/sites.hpp"
#include "runtime/words.hpp"

namespace evenly {
namespace {

constexpr double min_cost = 0.02;      ///< for accesses
constexpr double min_idle_part = 0.25; ///< for lanes, warps and slots

/// With this stride or more, each lane accesses a separate line.
constexpr std::int64_t transposed_bytes = 128;

double ratio(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.;
}

/// "a request takes 32.00 sectors, where 4.00 are enough"
std::string excess(const char* of, std::int64_t taken, std::int64_t min, std::int64_t requests) {
  return detail::printed("a request takes %.2f %s, where %.2f are enough", ratio(taken, requests), of,
                         ratio(min, requests));
}

bool is_load(const site_profile& site) {
  return site.kind == access_kind_of_site::load || site.kind == access_kind_of_site::storage_load;
}
bool is_strided(const site_profile& site) { return 2 * site.strided_requests > site.counts.requests(); }

/// "lane i reads 2,400 bytes from lane i + 1"
std::string distance_of(const site_profile& site) {
  return std::string("lane i ") + (is_load(site) ? "reads " : "writes ") +
         detail::grouped(std::abs(site.lane_stride)) + " bytes from lane i + 1";
}

struct rule_result {
  finding_kind kind;
  std::int64_t saved; ///< turns
  std::string observation;
  std::string advice;
};

rule_result of_memory(const site_profile& site) {
  const trace_counts& c = site.counts;
  const std::int64_t sectors = c.global_load_sectors + c.global_store_sectors,
                     too_many = detail::sectors_too_many(c), min = sectors - too_many;
  const auto saved = static_cast<std::int64_t>(static_cast<double>(c.turns()) * ratio(too_many, sectors));
  const std::string cost = excess("sectors", sectors, min, c.requests());
  const std::int64_t stride = std::abs(site.lane_stride);
  if (is_strided(site) && stride == site.bytes)
    return {finding_kind::misaligned_access, saved,
            "neighboring lanes access neighboring elements, but the first is not aligned to a sector: " +
                cost,
            "Align the first element of each warp to 128 bytes, or pad rows to a multiple of 128 bytes."};
  if (is_strided(site) && stride >= transposed_bytes)
    return {finding_kind::strided_access, saved, distance_of(site) + ": transposed access; " + cost,
            "Let neighboring lanes access neighboring elements, or stage a tile in shared memory."};
  if (is_strided(site) && stride > site.bytes)
    return {finding_kind::strided_access, saved, distance_of(site) + ": strided access; " + cost,
            "Store each member in a separate array, so that lanes access neighboring elements."};
  return {finding_kind::scattered_access, saved, "lanes have no common stride: " + cost,
          "Reorder data or threads so that the lanes of a warp access neighboring elements."};
}

rule_result of_repeated_loads(const site_profile& site) {
  const trace_counts& c = site.counts;
  const double times = ratio(c.global_load_sectors, c.global_load_block_sectors);
  const std::int64_t saved =
      times >= 2 ? static_cast<std::int64_t>(static_cast<double>(c.turns()) * (1 - 1 / times)) : 0;
  return {finding_kind::repeated_load, saved, detail::printed("a block loads each sector %.1f times", times),
          "Keep the values in registers or in shared memory."};
}

rule_result of_storage(const site_profile& site) {
  const trace_counts& c = site.counts;
  const std::int64_t wavefronts = c.storage_load_wavefronts + c.storage_store_wavefronts;
  const std::string cost = excess("wavefronts", wavefronts, wavefronts - c.bank_conflicts(), c.requests());
  const std::string lanes =
      is_strided(site) ? distance_of(site) + " in shared memory" : "lanes access different words of a bank";
  return {finding_kind::bank_conflict, c.bank_conflicts(), lanes + ": bank conflicts; " + cost,
          "Pad the rows of the array by one element, so that the lanes use different banks."};
}

rule_result of_atomics(const site_profile& site) {
  const trace_counts& c = site.counts;
  return {finding_kind::atomic_conflict, c.atomic_conflicts,
          detail::printed("%.1f of %.1f lanes wait for another lane's operation on the same object",
                          ratio(c.atomic_conflicts, c.requests()), ratio(c.request_lanes, c.requests())),
          "Combine the values of a warp or block first, and update the object once."};
}

rule_result of_site(const site_profile& site) {
  switch (site.kind) {
  case access_kind_of_site::storage_load:
  case access_kind_of_site::storage_store:
    return of_storage(site);
  case access_kind_of_site::atomic:
    return of_atomics(site);
  case access_kind_of_site::load:
    if (detail::sectors_too_many(site.counts) == 0) return of_repeated_loads(site);
    break;
  case access_kind_of_site::store:
    break;
  }
  return of_memory(site);
}

/// The source line without surrounding blanks; empty if it cannot be read.
std::string text_of_line(const std::string& file, std::uint32_t line) {
  std::ifstream in(file);
  std::string text;
  for (std::uint32_t i = 0; i < line; ++i)
    if (!std::getline(in, text)) return "";
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

void put_place(finding& at, const site_profile& site) {
  at.file = site.file;
  at.function = site.function;
  at.line = site.line;
  at.column = site.column;
  at.source = text_of_line(site.file, site.line);
}

/// Idle lanes are reported at the site with the fewest active lanes.
const site_profile* emptiest_site(const launch_profile& launch) {
  const auto missing = [&](const site_profile& site) {
    return site.counts.requests() * launch.warp_size - site.counts.request_lanes;
  };
  const auto found = std::ranges::max_element(launch.sites, {}, missing);
  return found == launch.sites.end() ? nullptr : &*found;
}

void add_idle_parts(std::vector<finding>& to, std::size_t number, const launch_profile& launch) {
  const idle_parts idle = idle_of(launch);
  const trace_counts& c = launch.totals;
  const auto add = [&](finding_kind kind, double part, std::string observation, const char* advice,
                       const site_profile* site) {
    if (part < min_idle_part) return;
    finding made{.kind = kind,
                 .launch = number,
                 .cost = part,
                 .file = "",
                 .function = "",
                 .source = "",
                 .observation = std::move(observation),
                 .advice = advice};
    if (site != nullptr) put_place(made, *site);
    to.push_back(std::move(made));
  };
  add(finding_kind::idle_lanes, idle.lanes,
      detail::printed("%.1f of %d lanes take part in a request of the launch, the fewest here",
                      ratio(c.request_lanes, c.requests()), launch.warp_size),
      "Give the lanes of a warp equal work: use a schedule that splits long tiles, such as merge_path.",
      emptiest_site(launch));
  add(finding_kind::idle_warps, idle.warps,
      detail::printed("warps wait %.0f%% of the time for a busier warp of their block", 100 * idle.warps),
      "Give the warps of a block equal work, or use smaller blocks.", nullptr);
  add(finding_kind::idle_slots, idle.slots,
      detail::printed("slots of a multiprocessor are empty %.0f%% of the time until the last block ends",
                      100 * idle.slots),
      "Use more blocks with less work each, and split the longest ones.", nullptr);
}

} // namespace

std::vector<finding> findings_of(const explanation& all) {
  std::vector<finding> found;
  for (std::size_t i = 0; i < all.launches.size(); ++i) {
    const launch_profile& launch = all.launches[i];
    for (const site_profile& site : launch.sites) {
      rule_result seen = of_site(site);
      const double cost = ratio(seen.saved, launch.totals.turns());
      if (cost < min_cost) continue;
      finding made{.kind = seen.kind,
                   .launch = i,
                   .cost = cost,
                   .file = "",
                   .function = "",
                   .source = "",
                   .observation = detail::kind_of(site) + ": " + seen.observation,
                   .advice = std::move(seen.advice)};
      put_place(made, site);
      found.push_back(std::move(made));
    }
    add_idle_parts(found, i, launch);
  }
  std::ranges::sort(found, {}, [](const finding& each) {
    return std::make_tuple(-each.cost, each.launch, each.file, each.line, each.column, each.function,
                           each.kind);
  });
  return found;
}

std::string to_text(const finding& each) {
  std::string text;
  if (!each.file.empty())
    text = each.file.substr(each.file.find_last_of('/') + 1) + ':' + std::to_string(each.line) + ':' +
           std::to_string(each.column) + ": ";
  text = detail::wrapped(text + each.observation, "", 80);
  if (!each.source.empty()) text += "    | " + each.source.substr(0, 74) + '\n';
  return text + detail::wrapped(each.advice, "    ", 80);
}

} // namespace evenly
