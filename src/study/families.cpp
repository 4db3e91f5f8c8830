// SPDX-License-Identifier: Apache-2.0
#include "study/families.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace evenly::study {
namespace {

const std::vector<family>& known_families() {
  static const std::vector<family> all{
      {"thread_mapped", "work-items to threads", mapping_class::fixed},
      {"group_per_tile", "virtual warps", mapping_class::fixed},
      {"dynamic_group_per_tile", "dynamic virtual warps", mapping_class::semi_dynamic},
      {"paper_cta_warp_scan", "CTA+warp+scan", mapping_class::semi_dynamic},
      {"paper_direct_search", "direct search", mapping_class::dynamic},
      {"local_warp_search", "local warp search", mapping_class::dynamic},
      {"paper_block_search", "block search", mapping_class::dynamic},
      {"two_phase", "two-phase search", mapping_class::dynamic},
      {"multi_phase", "multi-phase mapping", mapping_class::dynamic},
      // Improved here, so the statements of the paper are not about them.
      {"cta_warp_scan", "CTA+warp+scan, here", mapping_class::later},
      {"direct_search", "direct search, here", mapping_class::later},
      {"block_search", "block search, here", mapping_class::later},
  };
  return all;
}

std::string_view without_arguments(std::string_view schedule) {
  return schedule.substr(0, schedule.find('<'));
}

/// The argument in angle brackets if it is a number.
std::optional<int> argument_of(std::string_view schedule) {
  const std::size_t at = schedule.find('<');
  if (at == std::string_view::npos) return {};
  int value = 0;
  const char* const end = schedule.data() + schedule.size();
  const auto [last, status] = std::from_chars(schedule.data() + at + 1, end, value);
  if (status != std::errc() || last == end || *last != '>') return {};
  return value;
}

} // namespace

const std::string_view technique_with_phases = "multi_phase";

family family_of(std::string_view schedule) {
  // One warp per tile is a virtual warp of 32 threads; one block per tile is not a virtual warp.
  const std::string_view name = schedule == "warp_mapped" ? "group_per_tile" : without_arguments(schedule);
  for (const family& each : known_families())
    if (each.name == name) return each;
  return {std::string(name), std::string(name), mapping_class::later};
}

std::optional<int> virtual_warp_size(std::string_view schedule) {
  if (schedule == "warp_mapped") return 32;
  return family_of(schedule).name == "group_per_tile" ? argument_of(schedule) : std::nullopt;
}

study_view::study_view(const study_results& results, std::string_view op, bool with_plan)
    : results_(&results), with_plan_(with_plan) {
  std::vector<family> later;
  std::set<std::string> seen;
  for (const study_run& run : results.runs) {
    if (run.op != op || (with_plan && !run.with_plan)) continue;
    runs_.push_back(&run);
    const family its = family_of(run.schedule);
    const bool is_known = std::ranges::count(known_families(), its.name, &family::name) > 0;
    if (seen.insert(its.name).second && !is_known) later.push_back(its);
  }
  for (const family& each : known_families())
    if (seen.contains(each.name)) families_.push_back(each);
  families_.insert(families_.end(), later.begin(), later.end());
}

const study_workload* study_view::workload(std::string_view name) const {
  const auto at = std::ranges::find(results_->workloads, name, &study_workload::name);
  return at == results_->workloads.end() ? nullptr : &*at;
}

interval study_view::time_of(const study_run& run) const {
  return with_plan_ ? spread_of(*run.with_plan, run.with_plan_middle) : spread_of(run.time, run.middle);
}
double study_view::median_of(const study_run& run) const {
  return with_plan_ ? run.with_plan->median : run.time.median;
}

const study_run* study_view::best(std::string_view workload, std::string_view family, int block_size) const {
  return lowest(
      runs_,
      [&](const study_run& run) {
        return !run.error && run.workload == workload && family_of(run.schedule).name == family &&
               (block_size == 0 || run.block_size == block_size);
      },
      [this](const study_run& run) { return median_of(run); });
}

const study_run* study_view::best_virtual_warp(std::string_view workload, int size) const {
  return lowest(
      runs_,
      [&](const study_run& run) {
        return !run.error && run.workload == workload && virtual_warp_size(run.schedule) == size;
      },
      [this](const study_run& run) { return median_of(run); });
}

std::optional<std::size_t> study_view::max_memory(std::string_view family) const {
  std::optional<std::size_t> max;
  for (const study_run* run : runs_)
    if (!run->error && family_of(run->schedule).name == family) max = std::max(max.value_or(0), run->memory);
  return max;
}

std::optional<interval> study_view::mean_ratio(std::string_view family_a, std::string_view family_b) const {
  interval sum{0, 0};
  int count = 0;
  for (const study_workload& w : results_->workloads) {
    const study_run* const a = best(w.name, family_a);
    const study_run* const b = best(w.name, family_b);
    if (a == nullptr || b == nullptr) continue;
    const interval ratio = time_of(*a) / time_of(*b);
    sum = sum + interval{std::log(ratio.low), std::log(ratio.high)};
    ++count;
  }
  if (count == 0) return {};
  return interval{std::exp(sum.low / count), std::exp(sum.high / count)};
}

std::vector<int> study_view::block_sizes() const {
  std::set<int> sizes;
  for (const study_run* run : runs_) sizes.insert(run->block_size);
  return {sizes.begin(), sizes.end()};
}

std::vector<int> study_view::virtual_warp_sizes() const {
  std::set<int> sizes;
  for (const study_run* run : runs_)
    if (const auto size = virtual_warp_size(run->schedule)) sizes.insert(*size);
  return {sizes.begin(), sizes.end()};
}

std::string configuration(const study_run& run) {
  return run.block_size > 1 ? fmt::format("{}, blocks of {}", run.schedule, run.block_size) : run.schedule;
}

} // namespace evenly::study
