// SPDX-License-Identifier: Apache-2.0
#include "evenly/trace/explain.hpp"

#include <algorithm>
#include <tuple>

#include "evenly/core/errors.hpp"
#include "runtime/sites.hpp"

namespace evenly {

trace_counts explanation::totals() const {
  trace_counts all;
  for (const launch_profile& each : launches) all += each.totals;
  return all;
}

explanation explain(const std::string& subject, trace& counts, const std::function<void()>& run) {
  require(counts.keeps_profiles(),
          [] { return "explain: the trace has no profiles: construct it as trace counts(keep_profiles{})"; });
  counts.take_profiles();
  run();
  return {subject, counts.take_profiles()};
}

namespace detail {

std::string place_of(const site_profile& site) {
  return site.file.substr(site.file.find_last_of('/') + 1) + ':' + std::to_string(site.line) + ':' +
         std::to_string(site.column);
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
  return counts.global_load_sectors - counts.global_load_min_sectors + counts.global_store_sectors -
         counts.global_store_min_sectors;
}

std::vector<site_profile> scattered_sites(const launch_profile& launch) {
  std::vector<site_profile> found;
  for (const site_profile& site : launch.sites) {
    const bool is_of_memory =
        site.kind == access_kind_of_site::load || site.kind == access_kind_of_site::store;
    if (is_of_memory && sectors_too_many(site.counts) > 0) found.push_back(site);
  }
  std::ranges::sort(found, {}, [](const site_profile& site) {
    return std::make_tuple(-sectors_too_many(site.counts), -site.counts.turns(), site.file, site.line,
                           site.column, site.function);
  });
  return found;
}

} // namespace detail

} // namespace evenly
