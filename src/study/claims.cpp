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
constexpr std::string_view cta_warp_scan = "paper_cta_warp_scan";
constexpr std::string_view direct_search = "paper_direct_search";
constexpr std::string_view local_warp_search = "local_warp_search";
constexpr std::string_view block_search = "paper_block_search";
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
  interval ms;
  double median;
};

/// The techniques of the paper, in ascending order of time.
std::vector<place_in_ranking> ranking(const study_view& view, std::string_view workload) {
  std::vector<place_in_ranking> places;
  for (const family& each : view.families())
    if (const study_run* run = view.best(workload, each.name); run != nullptr && each.in_paper())
      places.push_back({each, view.time_of(*run), view.median_of(*run)});
  std::ranges::stable_sort(places, {}, &place_in_ranking::median);
  return places;
}

std::string in_words(const std::vector<place_in_ranking>& places) {
  std::string words;
  for (const auto& [technique, ms, median] : places)
    words += words.empty() ? fmt::format("{} {} ms", technique.title, milliseconds(median))
                           : fmt::format(", {} {}x", technique.title, factor(median / places.front().median));
  return words;
}

/// The first family that was not timed on the workload, if any.
std::optional<std::string_view> first_missing(const study_view& view, std::string_view workload,
                                              const names& families) {
  for (const std::string_view each : families)
    if (view.best(workload, each) == nullptr) return each;
  return {};
}

interval ms_of(const study_view& view, std::string_view workload, std::string_view family) {
  return view.time_of(*view.best(workload, family));
}
double median_of(const study_view& view, std::string_view workload, std::string_view family) {
  return view.median_of(*view.best(workload, family));
}

/// Whether the `count` fastest techniques are among `families`.
outcome fastest(const study_view& view, std::string_view workload, const names& families,
                std::size_t count = 1) {
  if (const auto none = first_missing(view, workload, families)) return missing_family(*none, workload);
  const auto places = ranking(view, workload);
  std::vector<interval> here, others;
  for (const place_in_ranking& each : places)
    (std::ranges::count(families, std::string_view(each.technique.name)) > 0 ? here : others)
        .push_back(each.ms);
  if (others.empty()) return missing(fmt::format("no other technique on {}", workload));
  std::ranges::sort(here, {}, &interval::low);
  const double low = here.at(count - 1).low;
  std::ranges::sort(here, {}, &interval::high);
  return judge(interval{low, here.at(count - 1).high} / min_of(others), 0, 1, in_words(places));
}

/// Whether exactly one technique is faster than `family`.
outcome second(const study_view& view, std::string_view workload, std::string_view family) {
  if (const auto none = first_missing(view, workload, {family})) return missing_family(*none, workload);
  const auto places = ranking(view, workload);
  if (places.size() < 3) return missing(fmt::format("too few techniques on {}", workload));
  const interval its = ms_of(view, workload, family);
  int certainly = 0, possibly = 0;
  for (const place_in_ranking& each : places) {
    if (each.technique.name == family) continue;
    certainly += each.ms.high < its.low ? 1 : 0;
    possibly += each.ms.low <= its.high ? 1 : 0;
  }
  return judge(interval{static_cast<double>(certainly), static_cast<double>(possibly)}, 1, 1,
               in_words(places));
}

/// The limits of a ratio.
struct limits {
  double min = 0;
  double max = no_limit;
};
constexpr limits about_times(double n) { return {n / about, n * about}; }

/// Whether the time of `slow` is `min` to `max` times that of `fast`.
outcome slower(const study_view& view, std::string_view workload, std::string_view slow,
               std::string_view fast, limits by) {
  if (const auto none = first_missing(view, workload, {slow, fast})) return missing_family(*none, workload);
  return judge(ms_of(view, workload, slow) / ms_of(view, workload, fast), by.min, by.max,
               fmt::format("{}: {} over {} {}", workload, family_of(slow).title, family_of(fast).title,
                           factor(median_of(view, workload, slow) / median_of(view, workload, fast))));
}

outcome similar(const study_view& view, std::string_view workload, std::string_view a, std::string_view b,
                double within) {
  return slower(view, workload, a, b, {1 / within, within});
}

/// Whether the time of `family` is `min` to `max` times that of the fastest other technique.
outcome behind_the_fastest(const study_view& view, std::string_view workload, std::string_view family,
                           limits by) {
  if (const auto none = first_missing(view, workload, {family})) return missing_family(*none, workload);
  auto places = ranking(view, workload);
  std::erase_if(places, [&](const place_in_ranking& each) { return each.technique.name == family; });
  if (places.empty()) return missing(fmt::format("only one technique on {}", workload));
  std::vector<interval> others;
  for (const place_in_ranking& each : places) others.push_back(each.ms);
  return judge(ms_of(view, workload, family) / min_of(others), by.min, by.max,
               fmt::format("{}: {}x the fastest other, {}", workload,
                           factor(median_of(view, workload, family) / places.front().median),
                           places.front().technique.title));
}

std::string_view best_static(const study_view& view, std::string_view workload) {
  const bool threads_win =
      median_of(view, workload, items_to_threads) < median_of(view, workload, virtual_warps);
  return threads_win ? items_to_threads : virtual_warps;
}

/// The time of `family` over that of the better static technique, or the inverse.
outcome over_best_static(const study_view& view, std::string_view workload, std::string_view family,
                         limits by, bool inverse = false) {
  if (const auto none = first_missing(view, workload, {family, items_to_threads, virtual_warps}))
    return missing_family(*none, workload);
  const std::string_view best = best_static(view, workload);
  const interval its = ms_of(view, workload, family);
  const interval of_best =
      min_of({ms_of(view, workload, items_to_threads), ms_of(view, workload, virtual_warps)});
  const double ratio = median_of(view, workload, family) / median_of(view, workload, best);
  return judge(inverse ? of_best / its : its / of_best, by.min, by.max,
               fmt::format("{}: {} over {} {}", workload, family_of(inverse ? best : family).title,
                           family_of(inverse ? family : best).title, factor(inverse ? 1 / ratio : ratio)));
}
outcome over_best_static(const study_view& view, std::string_view workload, const names& families, limits by,
                         bool inverse = false) {
  std::vector<outcome> parts;
  for (const std::string_view each : families)
    parts.push_back(over_best_static(view, workload, each, by, inverse));
  return all_of(parts);
}

// --- sizes of virtual warps

struct sized_time {
  int size;
  interval ms;
  double median;
};

std::vector<sized_time> virtual_warp_times(const study_view& view, std::string_view workload) {
  std::vector<sized_time> times;
  for (const int size : view.virtual_warp_sizes())
    if (const study_run* run = view.best_virtual_warp(workload, size))
      times.push_back({size, view.time_of(*run), view.median_of(*run)});
  return times;
}
std::vector<interval> intervals_of(const std::vector<sized_time>& times, int without = 0) {
  std::vector<interval> all;
  for (const sized_time& each : times)
    if (each.size != without) all.push_back(each.ms);
  return all;
}

outcome size_matters(const study_view& view, std::string_view workload) {
  const auto times = virtual_warp_times(view, workload);
  if (times.size() < 2) return missing(fmt::format("fewer than two virtual warp sizes on {}", workload));
  const auto [min, max] = std::ranges::minmax(times, {}, &sized_time::median);
  const std::vector<interval> all = intervals_of(times);
  return judge(max_of(all) / min_of(all), about, no_limit,
               fmt::format("{}: size {} takes {}x the time of size {}", workload, max.size,
                           factor(max.median / min.median), min.size));
}

outcome first_size_beats(const study_view& view, std::string_view workload, int first, int other) {
  const study_run* const a = view.best_virtual_warp(workload, first);
  const study_run* const b = view.best_virtual_warp(workload, other);
  if (a == nullptr || b == nullptr)
    return missing(fmt::format("no virtual warps of both sizes on {}", workload));
  return judge(view.time_of(*a) / view.time_of(*b), 0, 1,
               fmt::format("{}: {} threads {} ms, {} threads {} ms", workload, first,
                           milliseconds(view.median_of(*a)), other, milliseconds(view.median_of(*b))));
}

outcome best_size_is(const study_view& view, std::string_view workload, int size) {
  const auto times = virtual_warp_times(view, workload);
  const auto its = std::ranges::find(times, size, &sized_time::size);
  if (times.size() < 2 || its == times.end())
    return missing(fmt::format("fewer than two virtual warp sizes on {}", workload));
  return judge(its->ms / min_of(intervals_of(times, size)), 0, 1,
               fmt::format("{}: the best size is {}", workload,
                           std::ranges::min(times, {}, &sized_time::median).size));
}

/// Whether the best size grows with the average: Kendall's rank correlation over pairs of workloads is at least 0.5.
/// Sizes whose times overlap the best one may each be the best.
outcome size_follows_average(const study_view& view) {
  struct point {
    double average;
    int best, least, most;
  };
  std::vector<point> points;
  for (const study_workload& w : view.all().workloads) {
    const auto times = virtual_warp_times(view, w.name);
    if (times.size() < 2) continue;
    const double least = min_of(intervals_of(times)).high;
    point its{w.average, std::ranges::min(times, {}, &sized_time::median).size, 0, 0};
    for (const sized_time& each : times) // in ascending order
      if (each.ms.low <= least) {
        if (its.least == 0) its.least = each.size;
        its.most = each.size;
      }
    points.push_back(its);
  }
  if (points.size() < 3) return missing("fewer than three workloads with virtual warps of several sizes");
  std::ranges::sort(points, {}, &point::average);
  int low = 0, high = 0, pairs = 0;
  const auto sign = [](int a, int b) { return (a < b) - (a > b); };
  std::string words;
  for (std::size_t i = 0; i < points.size(); ++i) {
    words +=
        fmt::format("{}{:.3g}: {}", i > 0 ? ", " : "average: best size; ", points[i].average, points[i].best);
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      low += sign(points[j].most, points[i].least);
      high += sign(points[j].least, points[i].most);
    }
  }
  return judge(interval{static_cast<double>(2 * low) / pairs, static_cast<double>(2 * high) / pairs}, 1,
               no_limit, words);
}

// --- over all workloads

/// Mean time over the workloads that have been measured with all sizes, by block size.
std::map<int, interval> times_by_block(const study_view& view, std::string_view family) {
  std::map<int, interval> mean;
  const std::vector<int> sizes = view.block_sizes();
  for (const int size : sizes) {
    interval sum{0, 0};
    for (const study_workload& w : view.all().workloads) {
      const study_run* const run = view.best(w.name, family, size);
      if (run == nullptr) return {};
      const interval its = view.time_of(*run);
      sum = sum + interval{std::log(its.low), std::log(its.high)};
    }
    const auto count = static_cast<double>(view.all().workloads.size());
    mean[size] = {std::exp(sum.low / count), std::exp(sum.high / count)};
  }
  return mean;
}

outcome best_block_size(const study_view& view) {
  const std::vector<int> sizes = view.block_sizes();
  const auto has = [&](int size) { return std::ranges::count(sizes, size) > 0; };
  if (!has(128) || !has(256) || sizes.size() < 3) return missing("fewer than three block sizes");
  if (!view.all().sizes_compiled) return missing("only blocks of 128 threads have kernels of their own");
  std::vector<outcome> parts;
  for (const family& each : view.families()) {
    if (!each.in_paper()) continue;
    const std::map<int, interval> mean = times_by_block(view, each.name);
    if (mean.empty()) continue;
    std::vector<interval> others;
    for (const auto& [size, its] : mean)
      if (size != 128 && size != 256) others.push_back(its);
    const interval loss = min_of({mean.at(128), mean.at(256)}) / min_of(others);
    const auto best = std::ranges::min_element(mean, {}, [](const auto& p) { return p.second.low; });
    parts.push_back(judge(loss, 0, 1,
                          fmt::format("{} {} (128 or 256 over others: {}x)", each.title, best->first,
                                      factor(std::sqrt(loss.low * loss.high)))));
  }
  return parts.empty() ? missing("no technique with all block sizes") : all_of(parts);
}

/// Whether the mean time of `family` is at least `about` times that of each other technique, except those in `besides`.
outcome far_worse(const study_view& view, std::string_view family, const names& besides) {
  std::vector<interval> ratios;
  double least = no_limit;
  std::string nearest;
  for (const auto& each : view.families()) {
    if (!each.in_paper() || each.name == family ||
        std::ranges::count(besides, std::string_view(each.name)) > 0)
      continue;
    const auto ratio = view.mean_ratio(family, each.name);
    if (!ratio) continue;
    ratios.push_back(*ratio);
    if (const double middle = std::sqrt(ratio->low * ratio->high); middle < least) {
      least = middle;
      nearest = each.title;
    }
  }
  if (ratios.empty())
    return missing(fmt::format("no {}, or nothing to compare it with", family_of(family).title));
  return judge(min_of(ratios), about, no_limit,
               fmt::format("on average {}x the time of {}, the nearest", factor(least), nearest));
}

outcome best_overall(const study_view& view, std::string_view family) {
  std::vector<interval> ratios;
  std::string words;
  for (const auto& each : view.families()) {
    if (!each.in_paper() || each.name == family) continue;
    const auto ratio = view.mean_ratio(each.name, family);
    if (!ratio) continue;
    ratios.push_back(*ratio);
    words += fmt::format("{}{} {}x", words.empty() ? "on average " : ", ", each.title,
                         factor(std::sqrt(ratio->low * ratio->high)));
  }
  return words.empty() ? missing(fmt::format("no {}, or nothing to compare it with", family_of(family).title))
                       : judge(min_of(ratios), 1, no_limit, words);
}

/// Whether exactly the techniques `with` need memory. Dynamic virtual warps here list long tiles instead of starting
/// kernels for them, so their memory says nothing about the paper's.
outcome extra_memory(const study_view& view, const names& with) {
  bool agrees = true;
  std::string words;
  for (const std::string_view each : {items_to_threads, virtual_warps, cta_warp_scan, direct_search,
                                      local_warp_search, block_search, two_phase, multi_phase}) {
    const auto max = view.max_memory(each);
    if (!max) return missing(fmt::format("no {}", family_of(each).title));
    agrees &= (*max > 0) == (std::ranges::count(with, each) > 0);
    if (*max > 0)
      words += fmt::format("{}{} {} bytes", words.empty() ? "" : ", ", family_of(each).title, grouped(*max));
  }
  return judge(agrees, words.empty() ? "none needs any" : "at most: " + words + "; the others none");
}

/// Of the semi-dynamic technique, the only one that starts kernels from kernels.
outcome dynamic_parallelism(const study_view& view) {
  std::vector<outcome> parts;
  const auto time = [](double ms) { return spread_of({ms, ms, ms}, {}); };
  for (const dynamic_run& run : view.all().dynamic_parallelism)
    parts.push_back(judge(time(run.with_ms) / time(run.without_ms), 1, no_limit,
                          fmt::format("{}{}: with it {}x", parts.empty() ? run.where + "; " : "",
                                      run.workload, factor(run.with_ms / run.without_ms))));
  return parts.empty() ? missing("no results of decision 6 (dynamic-phase-h200.json) beside these")
                       : all_of(parts);
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
       [](view v) { return behind_the_fastest(v, road, dynamic_virtual_warps, {.max = about}); }},
      {"figure 13a", "great-britain_osm: virtual warps of a wrong size are clearly slower.", times,
       [](view v) { return size_matters(v, road); }},
      {"figure 13a",
       "great-britain_osm: local warp search and two-phase search are slower than the best static technique.",
       times, [](view v) { return over_best_static(v, road, {local_warp_search, two_phase}, {.min = 1}); }},
      {"figure 13a", "great-britain_osm: multi-phase mapping is among the most efficient.", times,
       [](view v) { return behind_the_fastest(v, road, multi_phase, {.max = slightly}); }},
      {"figure 13b", "cit-Patents: multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, patents, {multi_phase}); }},
      {"figure 13b",
       "cit-Patents: the best static technique is similar to dynamic virtual warps, CTA+warp+scan, local "
       "warp search and two-phase search.",
       times,
       [](view v) {
         return over_best_static(v, patents,
                                 {dynamic_virtual_warps, cta_warp_scan, local_warp_search, two_phase},
                                 about_times(1));
       }},
      {"figure 14a", "web-NotreDame: multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, web, {multi_phase}); }},
      {"figure 14a", "web-NotreDame: virtual warps are second.", times,
       [](view v) { return second(v, web, virtual_warps); }},
      {"figure 14a", "web-NotreDame: multi-phase mapping is almost twice as fast as virtual warps.", times,
       [](view v) { return slower(v, web, virtual_warps, multi_phase, about_times(2)); }},
      {"figure 14a",
       "web-NotreDame: multi-phase mapping is three times as fast as local warp search and two-phase search.",
       times,
       [](view v) {
         return all_of({slower(v, web, local_warp_search, multi_phase, about_times(3)),
                        slower(v, web, two_phase, multi_phase, about_times(3))});
       }},
      {"figure 14a", "web-NotreDame: the size of virtual warps matters much.", times,
       [](view v) { return size_matters(v, web); }},
      {"section 5", "The best size of virtual warps grows with the average size of tiles.", times,
       size_follows_average},
      {"figures 13, 14a", "CTA+warp+scan is clearly slower than the fastest on the first three workloads.",
       times,
       [](view v) {
         return on_each({road, patents, web}, [&](std::string_view workload) {
           return behind_the_fastest(v, workload, cta_warp_scan, {.min = about});
         });
       }},
      {"figure 14b", "circuit5M: multi-phase mapping is the fastest.", times,
       [](view v) { return fastest(v, circuit, {multi_phase}); }},
      {"figure 14b",
       "circuit5M: CTA+warp+scan, two-phase search and multi-phase mapping are an order of magnitude faster "
       "than the static techniques.",
       times,
       [](view v) {
         return over_best_static(v, circuit, {cta_warp_scan, two_phase, multi_phase}, {.min = 10 / about},
                                 true);
       }},
      {"figure 15a", "as-Skitter: multi-phase mapping and CTA+warp+scan are the two fastest.", times,
       [](view v) { return fastest(v, internet, {multi_phase, cta_warp_scan}, 2); }},
      {"figure 15b", "kron_g500-logn20: multi-phase mapping and CTA+warp+scan are the two fastest.", times,
       [](view v) { return fastest(v, kron, {multi_phase, cta_warp_scan}, 2); }},
      {"figure 15b", "kron_g500-logn20: CTA+warp+scan is slightly faster than multi-phase mapping.", times,
       [](view v) { return slower(v, kron, multi_phase, cta_warp_scan, {1, slightly}); }},
      {"figure 15", "as-Skitter, kron_g500-logn20: dynamic virtual warps and virtual warps perform alike.",
       times,
       [](view v) {
         return on_each({internet, kron}, [&](std::string_view workload) {
           return similar(v, workload, dynamic_virtual_warps, virtual_warps, slightly);
         });
       }},
      {"figure 15b", "kron_g500-logn20: virtual warps are very efficient, with 32 threads.", times,
       [](view v) {
         return all_of(
             {behind_the_fastest(v, kron, virtual_warps, {.max = about}), best_size_is(v, kron, 32)});
       }},
      {"figure 16", "regular8: virtual warps are the fastest.", times,
       [](view v) { return fastest(v, regular, {virtual_warps}); }},
      {"figure 16", "regular8: virtual warps of 4 threads are faster than those of 8.", times,
       [](view v) { return first_size_beats(v, regular, 4, 8); }},
      {"figure 16", "regular8: CTA+warp+scan and multi-phase mapping are slightly slower than virtual warps.",
       times,
       [](view v) {
         return all_of({slower(v, regular, cta_warp_scan, virtual_warps, {1, about}),
                        slower(v, regular, multi_phase, virtual_warps, {1, about})});
       }},
      {"section 5", "All techniques perform better without dynamic parallelism.", times, dynamic_parallelism},
  };
  return all;
}

} // namespace

std::vector<finding> examine_techniques(const study_results& results, std::string_view op, bool with_plan) {
  return examine_all(statements(), study_view(results, op, with_plan), results.executor);
}

} // namespace evenly::study
