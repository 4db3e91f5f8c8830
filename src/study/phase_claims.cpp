// SPDX-License-Identifier: Apache-2.0
// The statements of the paper about the phases of multi-phase mapping and their parameters; claims.cpp has the
// techniques.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/detail/offset_window.hpp"
#include "measure/text.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using measure::milliseconds;

namespace {

/// Geometric means over the workloads of an experiment, by variant or by block size.
class phase_view {
 public:
  explicit phase_view(const study_results& results) : results_(results) {}

  const study_results& all() const { return results_; }

  const phase_run* find(std::string_view workload, std::string_view experiment, std::string_view variant,
                        int block_size = 0) const {
    for (const phase_run& run : results_.phases)
      if (!run.error && run.workload == workload && run.experiment == experiment && run.variant == variant &&
          (block_size == 0 || run.block_size == block_size))
        return &run;
    return nullptr;
  }

  /// The mean of value(run), an interval, over all workloads with the run; empty if there is none.
  template <class Value>
  std::optional<interval> mean(std::string_view experiment, std::string_view variant, int block_size,
                               const Value& value, bool (*wanted)(const study_workload&) = nullptr) const {
    interval sum{0, 0};
    int count = 0;
    for (const study_workload& w : results_.workloads)
      if (const phase_run* run = find(w.name, experiment, variant, block_size);
          run != nullptr && (wanted == nullptr || wanted(w))) {
        const interval its = value(*run);
        sum = sum + interval{std::log(its.low), std::log(its.high)};
        ++count;
      }
    if (count == 0) return {};
    return interval{std::exp(sum.low / count), std::exp(sum.high / count)};
  }
  std::optional<interval> mean_ms(std::string_view experiment, std::string_view variant, int block_size = 0,
                                  bool (*wanted)(const study_workload&) = nullptr) const {
    return mean(experiment, variant, block_size, time_of, wanted);
  }
  static interval time_of(const phase_run& run) { return spread_of(run.time, run.middle); }

  std::vector<int> block_sizes() const {
    std::vector<int> sizes;
    for (const phase_run& run : results_.phases)
      if (run.experiment == "block_size" && std::ranges::count(sizes, run.block_size) == 0)
        sizes.push_back(run.block_size);
    std::ranges::sort(sizes);
    return sizes;
  }

 private:
  const study_results& results_;
};

/// Times by a number, such as that of threads in a block.
using intervals = std::map<int, interval>;

double middle_of(interval of) { return std::sqrt(of.low * of.high); }
std::string words_of(const intervals& times) {
  curve middles;
  for (const auto& [x, its] : times) middles[x] = middle_of(its);
  return "mean ms: " + in_words(middles);
}
/// The lowest one of those with wanted(x).
template <class Wanted> interval lowest_of(const intervals& times, const Wanted& wanted) {
  std::vector<interval> found;
  for (const auto& [x, its] : times)
    if (wanted(x)) found.push_back(its);
  return min_of(found);
}

intervals by_block_size(const phase_view& view, std::string_view variant) {
  intervals times;
  for (const int size : view.block_sizes())
    if (const auto ms = view.mean_ms("block_size", variant, size)) times.emplace(size, *ms);
  return times;
}

/// Workloads of whose chunks with 8 searches the offsets fit into storage, on average: elsewhere the limit of stored
/// offsets is measured, not the number of searches.
bool is_below_the_limit(const study_workload& w) {
  constexpr double largest_chunk = 128. * 12 * 8;
  return largest_chunk / w.average < max_stored_offsets;
}
intervals by_searches(const phase_view& view) {
  intervals times;
  for (int searches = 1; searches <= 8; ++searches)
    if (const auto ms = view.mean_ms("searches", std::to_string(searches), 0, is_below_the_limit))
      times.emplace(searches, *ms);
  return times;
}
/// Times; the workloads that are left out; and the registers, spills and shared memory of the kernels.
std::string words_of_searches(const phase_view& view, const intervals& times) {
  std::string apart, kernels;
  for (const study_workload& w : view.all().workloads)
    if (!is_below_the_limit(w)) apart += (apart.empty() ? "; without " : ", ") + w.name;
  if (!apart.empty())
    apart += fmt::format(", whose chunks may have more than {} offsets", max_stored_offsets);
  for (const phase_run& run : view.all().phases)
    if (run.experiment == "searches" && run.registers > 0 &&
        run.workload == view.all().workloads.front().name)
      kernels += fmt::format("{} {}: {}/{}/{}",
                             kernels.empty() ? "; registers/spilled bytes/shared bytes of searches" : ",",
                             run.variant, run.registers, run.spilled, run.storage);
  return words_of(times) + apart + kernels;
}

/// examine() if the figure's block sizes are those of compiled kernels, which the partition always has.
template <class Examine> outcome of_compiled(const phase_view& view, const Examine& examine) {
  if (!view.all().sizes_compiled) return missing("only blocks of 128 threads have kernels of their own");
  return examine();
}

outcome partition_by_block(const phase_view& view) {
  const intervals times = by_block_size(view, "partition");
  if (times.size() < 2) return missing("fewer than two block sizes");
  const auto& [small, slow] = *times.begin();
  const auto& [large, quick] = *times.rbegin();
  std::vector<outcome> parts{judge(slow / quick, static_cast<double>(large) / small / about, no_limit, "")};
  for (auto at = std::next(times.begin()); at != times.end(); ++at)
    parts.push_back(judge(std::prev(at)->second / at->second, 1 / noise, no_limit, ""));
  return {all_of(parts).verdict, words_of(times)};
}

outcome expansion_by_block(const phase_view& view) {
  const intervals times = by_block_size(view, "expansion");
  if (times.size() < 2) return missing("fewer than two block sizes");
  const int largest = times.rbegin()->first;
  return judge(times.at(largest) / lowest_of(times, [&](int x) { return x != largest; }), 1, no_limit,
               words_of(times));
}

outcome both_by_block(const phase_view& view) {
  const intervals partition = by_block_size(view, "partition");
  intervals times = by_block_size(view, "expansion");
  if (times.size() < 3 || times.size() != partition.size()) return missing("fewer than three block sizes");
  for (auto& [size, ms] : times) ms = ms + partition.at(size);
  const auto is_best = [](int x) { return x == 128 || x == 256; };
  return judge(lowest_of(times, is_best) / lowest_of(times, [&](int x) { return !is_best(x); }), 0, 1,
               words_of(times));
}

/// Mean shares of the expansion: load, search and store, from runs that omit the later stages; and the largest gap
/// between the whole of the cut kernel and the schedule's own kernel, as a fraction.
struct shares {
  interval load{0, 0}, search{0, 0}, store{0, 0};
  interval store_over_load{0, 0};
  double max_gap = 0;
  std::string max_gap_on;
};
std::optional<shares> stage_shares(const phase_view& view) {
  shares sum;
  double count = 0;
  for (const study_workload& w : view.all().workloads) {
    const phase_run* const load = view.find(w.name, "stages", "load");
    const phase_run* const search = view.find(w.name, "stages", "load and search");
    const phase_run* const whole = view.find(w.name, "stages", "whole");
    if (load == nullptr || search == nullptr || whole == nullptr) continue;
    const interval a = view.time_of(*load), b = view.time_of(*search), c = view.time_of(*whole);
    // Of the whole: a part's lowest share is that with the longest rest.
    const auto share = [](interval part, interval rest) {
      return interval{std::max(part.low, 0.) / (std::max(part.low, 0.) + rest.high),
                      part.high / (part.high + std::max(rest.low, 0.))};
    };
    const interval searching = b - a, storing = c - b;
    sum.load = sum.load + share(a, c - a);
    sum.search = sum.search + share(searching, a + storing);
    sum.store = sum.store + share(storing, b);
    if (const phase_run* const own = view.find(w.name, "searches", "1"))
      if (const double gap = std::abs(whole->time.median / own->time.median - 1); gap > sum.max_gap) {
        sum.max_gap = gap;
        sum.max_gap_on = w.name;
      }
    ++count;
  }
  if (count == 0) return {};
  for (interval* each : {&sum.load, &sum.search, &sum.store}) *each = {each->low / count, each->high / count};
  sum.store_over_load = {sum.store.low / sum.load.high, sum.store.high / sum.load.low};
  return sum;
}

/// A gap above this between the cut kernel and the schedule's own is reported.
constexpr double max_stage_gap = 0.05;

template <class Judge> outcome of_stages(const phase_view& view, const Judge& of) {
  const auto found = stage_shares(view);
  if (!found) return missing("no stages of the expansion apart");
  const auto percent = [](interval share) { return 50 * (share.low + share.high); };
  std::string words = fmt::format("on average load {:.0f}%, search {:.0f}%, store {:.0f}%",
                                  percent(found->load), percent(found->search), percent(found->store));
  if (found->max_gap > max_stage_gap)
    words += fmt::format("; the kernel that can be cut differs from the schedule's by {:.0f}% on {}",
                         100 * found->max_gap, found->max_gap_on);
  return of(*found, words);
}

outcome best_searches(const phase_view& view) {
  const intervals times = by_searches(view);
  if (times.size() < 8) return missing("not all of 1 to 8 searches");
  const auto is_best = [](int x) { return x >= 2 && x <= 5; };
  return judge(lowest_of(times, is_best) / lowest_of(times, [&](int x) { return !is_best(x); }), 0, 1,
               words_of_searches(view, times));
}

outcome too_many_searches(const phase_view& view) {
  const intervals times = by_searches(view);
  if (times.size() < 8) return missing("not all of 1 to 8 searches");
  const interval best = lowest_of(times, [](int x) { return x < 7; });
  return judge(min_of({times.at(7), times.at(8)}) / best, about, no_limit, words_of_searches(view, times));
}

outcome threads_by_searches(const phase_view& view) {
  const auto threads = [&](const char* variant) {
    return view.mean("searches", variant, 0, [](const phase_run& run) {
      const auto count = static_cast<double>(run.threads);
      return interval{count, count};
    });
  };
  const auto one = threads("1");
  const auto eight = threads("8");
  if (!one || !eight) return missing("not both of 1 and 8 searches");
  const interval ratio = *one / *eight;
  return judge(ratio, 8 / about, 8 * about,
               fmt::format("1 search needs {} times the threads of 8", factor(middle_of(ratio))));
}

/// Where there are no more chunks than blocks, the shapes (a) and (c) are the same launch: only other workloads count.
outcome best_supply(const phase_view& view) {
  std::vector<outcome> parts;
  for (const study_workload& w : view.all().workloads) {
    const phase_run* const a = view.find(w.name, "supply", "per_chunk");
    const phase_run* const b = view.find(w.name, "supply", "resident");
    const phase_run* const c = view.find(w.name, "supply", "several_per_resident");
    if (a == nullptr || b == nullptr || c == nullptr || a->threads == c->threads || b->threads == c->threads)
      continue;
    parts.push_back(
        judge(view.time_of(*c) / min_of({view.time_of(*a), view.time_of(*b)}), 0, 1,
              fmt::format("{}, ms: (a) a block per chunk {}, (b) resident blocks {}, (c) 32 times as "
                          "many {}",
                          w.name, milliseconds(a->time.median), milliseconds(b->time.median),
                          milliseconds(c->time.median))));
  }
  return parts.empty() ? missing("no workload on which the three launch shapes differ") : all_of(parts);
}

/// Whether leaving out an optimization makes multi-phase mapping slower.
outcome worth(const phase_view& view, std::string_view omitted) {
  const auto with = view.mean_ms("without", "nothing");
  const auto without = view.mean_ms("without", omitted);
  if (!with || !without) return missing(fmt::format("no times without {}", omitted));
  return judge(
      *without / *with, 1, no_limit,
      fmt::format("without {} it takes {} times as long", omitted, factor(middle_of(*without / *with))));
}

/// Whether interpolation search partitions faster than binary search on workloads below the thresholds of the paper, or
/// not faster on workloads above them.
outcome interpolation(const phase_view& view, bool where_alike) {
  std::vector<outcome> parts;
  for (const study_workload& w : view.all().workloads) {
    const bool alike = w.deviation < interpolation_deviation && w.average < interpolation_average;
    const phase_run* const binary = view.find(w.name, "partition", "binary");
    const phase_run* const guessed = view.find(w.name, "partition", "interpolation");
    if (alike != where_alike || binary == nullptr || guessed == nullptr) continue;
    const interval ratio = view.time_of(*binary) / view.time_of(*guessed);
    parts.push_back(judge(ratio, where_alike ? 1 : 0, where_alike ? no_limit : 1,
                          fmt::format("{}: binary over interpolation {}", w.name,
                                      factor(binary->time.median / guessed->time.median))));
  }
  return parts.empty() ? missing("no partition of such workloads by both searches") : all_of(parts);
}

const std::vector<statement<phase_view>>& statements() {
  using view = const phase_view&;
  using enum about_what;
  static const std::vector<statement<phase_view>> all{
      {"section 3.1.2",
       "Interpolation search is faster than binary search where sizes deviate by less than 8 and average "
       "less than 9.",
       times, [](view v) { return interpolation(v, true); }},
      {"section 3.1.2", "Elsewhere it is not.", times, [](view v) { return interpolation(v, false); }},
      {"section 3.3.1", "Unrolled loops make it faster.", times,
       [](view v) { return worth(v, "unrolling"); }},
      {"section 3.3.2", "Hoisted data and pointers make it faster.", times,
       [](view) { return missing("compilers hoist them from all loops today"); }},
      {"section 3.3.3", "Data that go through registers make it faster.", times,
       [](view v) { return worth(v, "prefetching"); }},
      {"section 3.3.4", "Accesses of 16 bytes to shared memory make it faster.", times,
       [](view v) { return worth(v, "vectors"); }},
      {"section 3.3.5", "Barriers of warps instead of blocks make it faster.", times,
       [](view v) { return worth(v, "warp barriers"); }},
      {"section 3.3.7", "The read-only cache makes it faster.", times,
       [](view) { return missing("it is the L1 cache of today's devices"); }},
      {"section 3.2", "The number of threads decreases linearly with the number of searches.", memory,
       threads_by_searches},
      {"figure 11", "The best launch has 32 times as many blocks as are resident.", times, best_supply},
      {"figure 17", "The partition gets faster linearly with the block size.", times,
       [](view v) { return of_compiled(v, [&] { return partition_by_block(v); }); }},
      {"figure 17", "Large blocks make the expansion slower.", times,
       [](view v) { return of_compiled(v, [&] { return expansion_by_block(v); }); }},
      {"figure 17", "Together they are best with blocks of 128 or 256.", times,
       [](view v) { return of_compiled(v, [&] { return both_by_block(v); }); }},
      {"figure 18", "Searches take more than a third of the expansion.", times,
       [](view v) {
         return of_stages(
             v, [](const shares& s, const std::string& words) { return judge(s.search, 1.0 / 3, 1, words); });
       }},
      {"figure 18", "Storing takes two to three times as long as loading.", times,
       [](view v) {
         return of_stages(v, [](const shares& s, const std::string& words) {
           return judge(s.store_over_load, 2 / about, 3 * about, words);
         });
       }},
      {"figure 19", "2 to 5 searches a thread are best.", times, best_searches},
      {"figure 19", "From 7 searches on performance decreases drastically.", times, too_many_searches},
  };
  return all;
}

} // namespace

std::vector<finding> examine_phases(const study_results& results) {
  return examine_all(statements(), phase_view(results), results.executor);
}

} // namespace evenly::study
