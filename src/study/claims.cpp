// SPDX-License-Identifier: Apache-2.0
// The statements of the paper about techniques. A statement is a line of the table at the end: its section, its words,
// the required measurements, and a predicate.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "study/families.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using measure::grouped, measure::milliseconds;

namespace {

constexpr std::string_view items_to_threads = "thread_mapped";
constexpr std::string_view virtual_warps = "group_per_tile";
constexpr std::string_view dynamic_virtual_warps = "dynamic_group_per_tile";
constexpr std::string_view cta_warp_scan = "cta_warp_scan";
constexpr std::string_view direct_search = "direct_search";
constexpr std::string_view local_warp_search = "local_warp_search";
constexpr std::string_view block_search = "block_search";
constexpr std::string_view two_phase = "two_phase";
constexpr std::string_view multi_phase = "multi_phase";

constexpr std::string_view road = "great-britain_osm";
constexpr std::string_view patents = "cit-Patents";
constexpr std::string_view web = "web-NotreDame";
constexpr std::string_view regular = "regular8";
constexpr std::string_view circuit = "circuit5M";
constexpr std::string_view internet = "as-Skitter";
constexpr std::string_view kron = "kron_g500-logn20";

using names = std::initializer_list<std::string_view>;

outcome missing_family(std::string_view family, std::string_view workload) {
  return missing(fmt::format("no {} on {}", family_of(family).title, workload));
}

// --- the techniques, on one workload

struct place_in_ranking {
  family technique;
  double ms;
};

/// The techniques of the paper, in ascending order of time.
std::vector<place_in_ranking> ranking(const study_view& view, std::string_view workload) {
  std::vector<place_in_ranking> places;
  for (const family& each : view.families())
    if (const study_run* run = view.best(workload, each.name); run != nullptr && each.in_paper())
      places.push_back({each, run->time.median});
  std::ranges::stable_sort(places, {}, &place_in_ranking::ms);
  return places;
}

std::string in_words(const std::vector<place_in_ranking>& places) {
  std::string words;
  for (const auto& [technique, ms] : places)
    words += words.empty() ? fmt::format("{} {} ms", technique.title, milliseconds(ms))
                           : fmt::format(", {} {}x", technique.title, factor(ms / places.front().ms));
  return words;
}

/// The first family that was not timed on the workload, if any.
std::optional<std::string_view> first_missing(const study_view& view, std::string_view workload,
                                              const names& families) {
  for (const std::string_view each : families)
    if (view.best(workload, each) == nullptr) return each;
  return {};
}

double ms_of(const study_view& view, std::string_view workload, std::string_view family) {
  return view.best(workload, family)->time.median;
}

/// Whether the `count` fastest techniques are among `families`.
outcome fastest(const study_view& view, std::string_view workload, const names& families,
                std::size_t count = 1) {
  if (const auto none = first_missing(view, workload, families)) return missing_family(*none, workload);
  const auto places = ranking(view, workload);
  if (places.size() < 2) return missing(fmt::format("only one technique on {}", workload));
  bool agrees = true;
  for (std::size_t i = 0; i < std::min(count, places.size()); ++i)
    agrees &= std::ranges::count(families, std::string_view(places[i].technique.name)) > 0;
  return judge(agrees, in_words(places));
}

/// Whether `family` has this rank.
outcome placed_at(const study_view& view, std::string_view workload, std::string_view family,
                  std::size_t place) {
  if (const auto none = first_missing(view, workload, {family})) return missing_family(*none, workload);
  const auto places = ranking(view, workload);
  if (places.size() <= place) return missing(fmt::format("too few techniques on {}", workload));
  return judge(places[place].technique.name == family, in_words(places));
}

/// Whether the time of `slow` is `min` to `max` times that of `fast`.
outcome slower(const study_view& view, std::string_view workload, std::string_view slow,
               std::string_view fast, double min, double max) {
  if (const auto none = first_missing(view, workload, {slow, fast})) return missing_family(*none, workload);
  const double ratio = ms_of(view, workload, slow) / ms_of(view, workload, fast);
  return judge(ratio >= min && ratio <= max, fmt::format("{}: {} over {} {}", workload, family_of(slow).title,
                                                         family_of(fast).title, factor(ratio)));
}
constexpr double no_limit = 1e300;

outcome similar(const study_view& view, std::string_view workload, std::string_view a, std::string_view b,
                double within) {
  return slower(view, workload, a, b, 1 / within, within);
}

/// Whether the time of `family` is `min` to `max` times that of the fastest technique.
outcome behind_the_fastest(const study_view& view, std::string_view workload, std::string_view family,
                           double min, double max) {
  if (const auto none = first_missing(view, workload, {family})) return missing_family(*none, workload);
  const auto places = ranking(view, workload);
  if (places.size() < 2) return missing(fmt::format("only one technique on {}", workload));
  const double ratio = ms_of(view, workload, family) / places.front().ms;
  return judge(ratio >= min && ratio <= max, fmt::format("{}: {}x the fastest, {}", workload, factor(ratio),
                                                         places.front().technique.title));
}

std::string_view best_static(const study_view& view, std::string_view workload) {
  const bool threads_win = ms_of(view, workload, items_to_threads) < ms_of(view, workload, virtual_warps);
  return threads_win ? items_to_threads : virtual_warps;
}

/// `each(family)` for the better one of the static techniques.
template <class Each>
outcome with_best_static(const study_view& view, std::string_view workload, const Each& each) {
  if (const auto none = first_missing(view, workload, {items_to_threads, virtual_warps}))
    return missing_family(*none, workload);
  return each(best_static(view, workload));
}

// --- sizes of virtual warps

struct sized_time {
  int size;
  double ms;
};

std::vector<sized_time> virtual_warp_times(const study_view& view, std::string_view workload) {
  std::vector<sized_time> times;
  for (const int size : view.virtual_warp_sizes())
    if (const study_run* run = view.best_virtual_warp(workload, size))
      times.push_back({size, run->time.median});
  return times;
}

outcome size_matters(const study_view& view, std::string_view workload) {
  const auto times = virtual_warp_times(view, workload);
  if (times.size() < 2) return missing(fmt::format("fewer than two virtual warp sizes on {}", workload));
  const auto [min, max] = std::ranges::minmax(times, {}, &sized_time::ms);
  return judge(max.ms >= about * min.ms, fmt::format("{}: size {} takes {}x the time of size {}", workload,
                                                     max.size, factor(max.ms / min.ms), min.size));
}

outcome first_size_beats(const study_view& view, std::string_view workload, int first, int second) {
  const study_run* const a = view.best_virtual_warp(workload, first);
  const study_run* const b = view.best_virtual_warp(workload, second);
  if (a == nullptr || b == nullptr)
    return missing(fmt::format("no virtual warps of both sizes on {}", workload));
  return judge(a->time.median < b->time.median,
               fmt::format("{}: {} threads {} ms, {} threads {} ms", workload, first,
                           milliseconds(a->time.median), second, milliseconds(b->time.median)));
}

outcome best_size_is(const study_view& view, std::string_view workload, int size) {
  const auto times = virtual_warp_times(view, workload);
  if (times.size() < 2) return missing(fmt::format("fewer than two virtual warp sizes on {}", workload));
  const sized_time best = std::ranges::min(times, {}, &sized_time::ms);
  return judge(best.size == size, fmt::format("{}: the best size is {}", workload, best.size));
}

/// Whether the best size grows with the average: Kendall's rank correlation over pairs of workloads is at least 0.5.
outcome size_follows_average(const study_view& view) {
  std::vector<std::pair<double, int>> points;
  for (const study_workload& w : view.all().workloads)
    if (const auto times = virtual_warp_times(view, w.name); times.size() >= 2)
      points.emplace_back(w.average, std::ranges::min(times, {}, &sized_time::ms).size);
  if (points.size() < 3) return missing("fewer than three workloads with virtual warps of several sizes");
  std::ranges::sort(points);
  int in_order = 0;
  int pairs = 0;
  std::string words;
  for (std::size_t i = 0; i < points.size(); ++i) {
    words +=
        fmt::format("{}{:.3g}: {}", i > 0 ? ", " : "average: best size; ", points[i].first, points[i].second);
    for (std::size_t j = 0; j < i; ++j, ++pairs)
      in_order += (points[j].second < points[i].second) - (points[j].second > points[i].second);
  }
  return judge(2 * in_order >= pairs, words);
}

// --- over all workloads

outcome best_block_size(const study_view& view) {
  const std::vector<int> sizes = view.block_sizes();
  const auto has = [&](int size) { return std::ranges::count(sizes, size) > 0; };
  if (!has(128) || !has(256) || sizes.size() < 3) return missing("fewer than three block sizes");
  bool agrees = true;
  std::string words;
  for (const family& each : view.families()) {
    if (!each.in_paper()) continue;
    std::map<int, double> log_time;
    for (const study_workload& w : view.all().workloads)
      for (const int size : sizes)
        if (const study_run* run = view.best(w.name, each.name, size))
          log_time[size] += std::log(run->time.median);
    if (log_time.size() < sizes.size()) continue;
    const auto best = std::ranges::min_element(log_time, {}, [](const auto& p) { return p.second; });
    const double workloads = static_cast<double>(view.all().workloads.size());
    const double loss = std::exp((std::min(log_time[128], log_time[256]) - best->second) / workloads);
    agrees &= loss < noise;
    words += fmt::format("{}{} {}", words.empty() ? "best on average: " : ", ", each.title, best->first);
    if (loss > 1) words += fmt::format(" (128 or 256: {}x)", factor(loss));
  }
  return words.empty() ? missing("no technique with all block sizes") : judge(agrees, words);
}

/// Whether the mean time of `family` is at least `about` times that of each other technique, except those in `besides`.
outcome far_worse(const study_view& view, std::string_view family, const names& besides) {
  std::optional<double> min;
  std::string nearest;
  for (const auto& each : view.families()) {
    if (!each.in_paper() || each.name == family ||
        std::ranges::count(besides, std::string_view(each.name)) > 0)
      continue;
    const auto ratio = view.mean_ratio(family, each.name);
    if (!ratio || (min && *min <= *ratio)) continue;
    min = ratio;
    nearest = each.title;
  }
  if (!min) return missing(fmt::format("no {}, or nothing to compare it with", family_of(family).title));
  return judge(*min >= about,
               fmt::format("on average {}x the time of {}, the nearest", factor(*min), nearest));
}

outcome best_overall(const study_view& view, std::string_view family) {
  bool agrees = true;
  std::string words;
  for (const auto& each : view.families()) {
    if (!each.in_paper() || each.name == family) continue;
    const auto ratio = view.mean_ratio(each.name, family);
    if (!ratio) continue;
    agrees &= *ratio >= 1;
    words += fmt::format("{}{} {}x", words.empty() ? "on average " : ", ", each.title, factor(*ratio));
  }
  return words.empty() ? missing(fmt::format("no {}, or nothing to compare it with", family_of(family).title))
                       : judge(agrees, words);
}

outcome extra_memory(const study_view& view, const names& with) {
  bool agrees = true;
  std::string words;
  for (const std::string_view each : with)
    if (!view.max_memory(each)) return missing(fmt::format("no {}", family_of(each).title));
  for (const family& each : view.families()) {
    const auto max = view.max_memory(each.name);
    if (!each.in_paper() || !max) continue;
    agrees &= (*max > 0) == (std::ranges::count(with, std::string_view(each.name)) > 0);
    if (*max > 0) words += fmt::format("{}{} {} bytes", words.empty() ? "" : ", ", each.title, grouped(*max));
  }
  return judge(agrees, words.empty() ? "none needs any" : "at most: " + words + "; the others none");
}

// --- the table of statements about techniques

/// f(workload) for each of several workloads.
template <class Each> outcome on_each(const names& workloads, const Each& each) {
  std::vector<outcome> parts;
  for (const std::string_view workload : workloads) parts.push_back(each(workload));
  return all_of(parts);
}

const std::vector<statement<study_view>>& statements() {
  using view = const study_view&;
  using enum about_what;
  static const std::vector<statement<study_view>> all{
      {"section 4", "Multi-phase mapping has the best performance over all kinds of data.", times,
       [](view v) { return best_overall(v, multi_phase); }},
      {"section 4", "Two-phase search and multi-phase mapping need extra memory, the others none.", memory,
       [](view v) { return extra_memory(v, {two_phase, multi_phase}); }},
      {"section 5", "All techniques are best with 128 to 256 threads per block.", times, best_block_size},
      {"section 5", "Direct search is far worse than the other techniques.", times,
       [](view v) { return far_worse(v, direct_search, {block_search}); }},
      {"section 5", "Block search is far worse than the other techniques.", times,
       [](view v) { return far_worse(v, block_search, {direct_search}); }},
      {"figure 13a", "great-britain_osm: a static technique or multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, road, {items_to_threads, virtual_warps, multi_phase}); }},
      {"figure 13a", "great-britain_osm: dynamic virtual warps perform well.", times,
       [](view v) { return behind_the_fastest(v, road, dynamic_virtual_warps, 1, about); }},
      {"figure 13a", "great-britain_osm: virtual warps of a wrong size are clearly slower.", times,
       [](view v) { return size_matters(v, road); }},
      {"figure 13a",
       "great-britain_osm: local warp search and two-phase search are slower than the best static technique.",
       times,
       [](view v) {
         return with_best_static(v, road, [&](std::string_view best) {
           return all_of({slower(v, road, local_warp_search, best, 1, no_limit),
                          slower(v, road, two_phase, best, 1, no_limit)});
         });
       }},
      {"figure 13a", "great-britain_osm: multi-phase mapping is among the most efficient.", times,
       [](view v) { return behind_the_fastest(v, road, multi_phase, 1, slightly); }},
      {"figure 13b", "cit-Patents: multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, patents, {multi_phase}); }},
      {"figure 13b",
       "cit-Patents: the best static technique is similar to dynamic virtual warps, CTA+warp+scan, local "
       "warp search and "
       "two-phase search.",
       times,
       [](view v) {
         return with_best_static(v, patents, [&](std::string_view best) {
           std::vector<outcome> parts;
           for (const auto each : {dynamic_virtual_warps, cta_warp_scan, local_warp_search, two_phase})
             parts.push_back(similar(v, patents, each, best, about));
           return all_of(parts);
         });
       }},
      {"figure 14a", "web-NotreDame: multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, web, {multi_phase}); }},
      {"figure 14a", "web-NotreDame: virtual warps are second.", times,
       [](view v) { return placed_at(v, web, virtual_warps, 1); }},
      {"figure 14a", "web-NotreDame: multi-phase mapping is almost twice as fast as virtual warps.", times,
       [](view v) { return slower(v, web, virtual_warps, multi_phase, 2 / about, 2 * about); }},
      {"figure 14a",
       "web-NotreDame: multi-phase mapping is three times as fast as local warp search and two-phase search.",
       times,
       [](view v) {
         return all_of({slower(v, web, local_warp_search, multi_phase, 3 / about, 3 * about),
                        slower(v, web, two_phase, multi_phase, 3 / about, 3 * about)});
       }},
      {"figure 14a", "web-NotreDame: the size of virtual warps matters much.", times,
       [](view v) { return size_matters(v, web); }},
      {"section 5", "The best size of virtual warps grows with the average size of tiles.", times,
       size_follows_average},
      {"figures 13, 14a", "CTA+warp+scan is clearly slower than the fastest on the first three workloads.",
       times,
       [](view v) {
         return on_each({road, patents, web}, [&](std::string_view workload) {
           return behind_the_fastest(v, workload, cta_warp_scan, about, no_limit);
         });
       }},
      {"figure 14b", "circuit5M: multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, circuit, {multi_phase}); }},
      {"figure 14b",
       "circuit5M: CTA+warp+scan, two-phase search and multi-phase mapping are an order of magnitude faster "
       "than the "
       "static techniques.",
       times,
       [](view v) {
         return with_best_static(v, circuit, [&](std::string_view best) {
           std::vector<outcome> parts;
           for (const auto each : {cta_warp_scan, two_phase, multi_phase})
             parts.push_back(slower(v, circuit, best, each, 10 / about, no_limit));
           return all_of(parts);
         });
       }},
      {"figure 15a", "as-Skitter: multi-phase mapping and CTA+warp+scan are the two fastest.", times,
       [](view v) { return fastest(v, internet, {multi_phase, cta_warp_scan}, 2); }},
      {"figure 15b", "kron_g500-logn20: multi-phase mapping and CTA+warp+scan are the two fastest.", times,
       [](view v) { return fastest(v, kron, {multi_phase, cta_warp_scan}, 2); }},
      {"figure 15b", "kron_g500-logn20: CTA+warp+scan is slightly faster than multi-phase mapping.", times,
       [](view v) { return slower(v, kron, multi_phase, cta_warp_scan, 1, slightly); }},
      {"figure 15", "as-Skitter, kron_g500-logn20: dynamic virtual warps and virtual warps perform alike.",
       times,
       [](view v) {
         return on_each({internet, kron}, [&](std::string_view workload) {
           return similar(v, workload, dynamic_virtual_warps, virtual_warps, slightly);
         });
       }},
      {"figure 15b", "kron_g500-logn20: virtual warps are very efficient, with 32 threads.", times,
       [](view v) {
         return all_of({behind_the_fastest(v, kron, virtual_warps, 1, about), best_size_is(v, kron, 32)});
       }},
      {"figure 16", "regular8: virtual warps are the fastest.", times,
       [](view v) { return fastest(v, regular, {virtual_warps}); }},
      {"figure 16", "regular8: virtual warps of 4 threads are faster than those of 8.", times,
       [](view v) { return first_size_beats(v, regular, 4, 8); }},
      {"figure 16", "regular8: CTA+warp+scan and multi-phase mapping are slightly slower than virtual warps.",
       times,
       [](view v) {
         return all_of({slower(v, regular, cta_warp_scan, virtual_warps, 1, about),
                        slower(v, regular, multi_phase, virtual_warps, 1, about)});
       }},
      {"section 5", "All techniques perform better without dynamic parallelism.", times,
       [](view) { return missing("not part of the study: decision 6 has measurements"); }},
  };
  return all;
}

} // namespace

std::vector<finding> examine_techniques(const study_results& results, std::string_view op) {
  return examine_all(statements(), study_view(results, op), results.executor);
}

} // namespace evenly::study
