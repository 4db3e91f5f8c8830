// SPDX-License-Identifier: Apache-2.0
// The statements of the paper about the phases of multi-phase mapping and their parameters; claims.cpp has the
// techniques.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "evenly/schedules/chunks.hpp"
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

  /// The mean of value(run) over all workloads with the run; empty if there is none.
  template <class Value>
  std::optional<double> mean(std::string_view experiment, std::string_view variant, int block_size,
                             const Value& value) const {
    double sum = 0;
    int count = 0;
    for (const study_workload& w : results_.workloads)
      if (const phase_run* run = find(w.name, experiment, variant, block_size)) {
        sum += std::log(value(*run));
        ++count;
      }
    if (count == 0) return {};
    return std::exp(sum / count);
  }
  std::optional<double> mean_ms(std::string_view experiment, std::string_view variant,
                                int block_size = 0) const {
    return mean(experiment, variant, block_size, [](const phase_run& run) { return run.time.median; });
  }

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

curve by_block_size(const phase_view& view, std::string_view variant) {
  curve times;
  for (const int size : view.block_sizes())
    if (const auto ms = view.mean_ms("block_size", variant, size)) times[size] = *ms;
  return times;
}

curve by_searches(const phase_view& view) {
  curve times;
  for (int searches = 1; searches <= 8; ++searches)
    if (const auto ms = view.mean_ms("searches", std::to_string(searches))) times[searches] = *ms;
  return times;
}

outcome partition_by_block(const phase_view& view) {
  const curve times = by_block_size(view, "partition");
  if (times.size() < 2) return missing("fewer than two block sizes");
  bool agrees = true;
  for (auto at = std::next(times.begin()); at != times.end(); ++at)
    agrees &= at->second <= noise * std::prev(at)->second;
  const auto& [small, slow] = *times.begin();
  const auto& [large, quick] = *times.rbegin();
  return judge(agrees && slow / quick >= static_cast<double>(large) / small / about,
               "mean ms: " + in_words(times));
}

outcome expansion_by_block(const phase_view& view) {
  const curve times = by_block_size(view, "expansion");
  if (times.size() < 2) return missing("fewer than two block sizes");
  return judge(times.rbegin()->second >= noise * times.at(best_of(times)), "mean ms: " + in_words(times));
}

outcome both_by_block(const phase_view& view) {
  const curve partition = by_block_size(view, "partition");
  curve times = by_block_size(view, "expansion");
  if (times.size() < 3 || times.size() != partition.size()) return missing("fewer than three block sizes");
  for (auto& [size, ms] : times) ms += partition.at(size);
  const int best = best_of(times);
  return judge(best == 128 || best == 256, "mean ms: " + in_words(times));
}

/// Mean shares of the expansion: load, search and store, from runs that omit the later stages.
std::optional<std::array<double, 3>> stage_shares(const phase_view& view) {
  std::array<double, 3> sum{};
  int count = 0;
  for (const study_workload& w : view.all().workloads) {
    const phase_run* const load = view.find(w.name, "stages", "load");
    const phase_run* const search = view.find(w.name, "stages", "load and search");
    const phase_run* const whole = view.find(w.name, "stages", "whole");
    if (load == nullptr || search == nullptr || whole == nullptr) continue;
    const double all = whole->time.median;
    sum[0] += load->time.median / all;
    sum[1] += (search->time.median - load->time.median) / all;
    sum[2] += (all - search->time.median) / all;
    ++count;
  }
  if (count == 0) return {};
  for (double& share : sum) share /= count;
  return sum;
}

template <class Predicate> outcome of_stages(const phase_view& view, const Predicate& agrees) {
  const auto shares = stage_shares(view);
  if (!shares) return missing("no stages of the expansion apart");
  const auto& [load, search, store] = *shares;
  return judge(agrees(load, search, store),
               fmt::format("on average load {:.0f}%, search {:.0f}%, store {:.0f}%", 100 * load, 100 * search,
                           100 * store));
}

outcome best_searches(const phase_view& view) {
  const curve times = by_searches(view);
  if (times.size() < 8) return missing("not all of 1 to 8 searches");
  const int best = best_of(times);
  return judge(best >= 2 && best <= 5, "mean ms: " + in_words(times));
}

outcome too_many_searches(const phase_view& view) {
  const curve times = by_searches(view);
  if (times.size() < 8) return missing("not all of 1 to 8 searches");
  const double best = times.at(best_of(times));
  return judge(times.at(7) >= about * best && times.at(8) >= about * best, "mean ms: " + in_words(times));
}

outcome threads_by_searches(const phase_view& view) {
  const auto threads = [&](const char* variant) {
    return view.mean("searches", variant, 0,
                     [](const phase_run& run) { return static_cast<double>(run.threads); });
  };
  const auto one = threads("1");
  const auto eight = threads("8");
  if (!one || !eight) return missing("not both of 1 and 8 searches");
  const double ratio = *one / *eight;
  return judge(ratio >= 8 / about && ratio <= 8 * about,
               fmt::format("1 search needs {} times the threads of 8", factor(ratio)));
}

outcome best_supply(const phase_view& view) {
  const auto each = view.mean_ms("supply", "per_chunk");
  const auto resident = view.mean_ms("supply", "resident");
  const auto several = view.mean_ms("supply", "several_per_resident");
  if (!each || !resident || !several) return missing("not all launch shapes");
  return judge(
      *several <= std::min(*each, *resident),
      fmt::format("mean ms: (a) a block per chunk {}, (b) resident blocks {}, (c) 32 times as many {}",
                  milliseconds(*each), milliseconds(*resident), milliseconds(*several)));
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
    const double ratio = binary->time.median / guessed->time.median;
    parts.push_back(judge(where_alike ? ratio > 1 : ratio <= 1,
                          fmt::format("{}: binary over interpolation {}", w.name, factor(ratio))));
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
      {"section 3.2", "The number of threads decreases linearly with the number of searches.", memory,
       threads_by_searches},
      {"figure 11", "The best launch has 32 times as many blocks as are resident.", times, best_supply},
      {"figure 17", "The partition gets faster linearly with the block size.", times, partition_by_block},
      {"figure 17", "Large blocks make the expansion slower.", times, expansion_by_block},
      {"figure 17", "Together they are best with blocks of 128 or 256.", times, both_by_block},
      {"figure 18", "Searches take more than a third of the expansion.", times,
       [](view v) { return of_stages(v, [](double, double search, double) { return search > 1.0 / 3; }); }},
      {"figure 18", "Storing takes two to three times as long as loading.", times,
       [](view v) {
         return of_stages(v, [](double load, double, double store) {
           return store >= 2 / about * load && store <= 3 * about * load;
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
