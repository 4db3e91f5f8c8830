// SPDX-License-Identifier: Apache-2.0
#include "tasks/balance.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace evenly::tasks {

namespace {

/// Time of a group of workers in parts of the run of equal length.
class time_in_parts {
 public:
  time_in_parts(std::int64_t origin, std::int64_t length, std::size_t parts)
      : origin_(static_cast<double>(origin)), length_(static_cast<double>(length)), parts_(parts) {}

  /// Distributes `time` evenly over the clock values from `from` to `to`.
  void add(double from, double to, double time) {
    const double first = (from - origin_) / length_, last = (to - origin_) / length_;
    for (auto part = static_cast<std::size_t>(std::max(first, 0.0)); part < parts_.size(); ++part) {
      const auto begin = static_cast<double>(part);
      if (begin >= last) return;
      parts_[part] += time * (std::min(begin + 1, last) - std::max(begin, first)) / (last - first);
    }
  }
  std::vector<int> percent_of(std::int64_t workers) const {
    std::vector<int> made;
    for (const double time : parts_)
      made.push_back(static_cast<int>(
          std::lround(std::clamp(100 * time / (length_ * static_cast<double>(workers)), 0.0, 100.0))));
    return made;
  }

 private:
  double origin_;
  double length_;
  std::vector<double> parts_;
};

/// Launches of a static_list may have fewer workers than the run.
bool has_begun(const worker_timeline& worker) { return worker.end > 0; }

void add_timeline(const task_report& report, task_balance& made) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0, length = 1;
  for (const worker_timeline& each : report.timelines) {
    if (!has_begun(each)) continue;
    begin = std::min(begin, each.begin);
    end = std::max(end, each.end);
    length = std::max(length, each.part_length());
  }
  if (end == 0) return;
  const std::int64_t workers = std::ssize(report.timelines), parts = (end - begin + length - 1) / length,
                     rows = std::min<std::int64_t>(workers, task_balance::max_rows);
  made.ms_of_part = static_cast<double>(length) * 1e-6;
  std::int64_t idle = 0;
  for (const worker_timeline& each : report.timelines)
    idle += end - begin - (each.end - each.begin) +
            std::accumulate(std::begin(each.idle), std::end(each.idle), std::int64_t{0});
  const auto time = static_cast<double>(std::max<std::int64_t>((end - begin) * workers, 1));
  made.profiled = {report.spins, report.failed_cas, static_cast<double>(idle) / time};
  for (std::int64_t row = 0; row < rows; ++row) {
    time_in_parts busy(begin, length, static_cast<std::size_t>(parts));
    const std::int64_t first = row * workers / rows, last = (row + 1) * workers / rows;
    for (std::int64_t worker = first; worker < last; ++worker) {
      const worker_timeline& each = report.timelines[static_cast<std::size_t>(worker)];
      if (!has_begun(each)) continue;
      const auto from = static_cast<double>(each.begin), to = static_cast<double>(each.end);
      if (to > from) busy.add(from, to, to - from);
      const auto own = static_cast<double>(each.part_length());
      for (int part = 0; part < worker_timeline::parts; ++part)
        busy.add(from + part * own, from + (part + 1) * own, -static_cast<double>(each.idle[part]));
    }
    made.busy.push_back(busy.percent_of(last - first));
  }
}

} // namespace

task_balance balance_of(const task_report& report) {
  task_balance made{.workers = std::ssize(report.workers), .taken = report.taken, .failed = report.failed};
  if (report.workers.empty()) return made;
  const auto [min, max] = std::ranges::minmax(report.workers, {}, &worker_statistics::run);
  made.tasks_min = min.run;
  made.tasks_max = max.run;
  made.tasks_mean = static_cast<double>(report.run) / static_cast<double>(made.workers);
  add_timeline(report, made);
  return made;
}

void balance_table::add(std::string_view title, const std::optional<task_balance>& of) {
  if (!of) return;
  rows_ += fmt::format("  {:<24}{:>8}{:>9}{:>10.1f}{:>9}{:>10}{:>10}", title, of->workers, of->tasks_min,
                       of->tasks_mean, of->tasks_max, of->taken, of->failed);
  rows_ += of->profiled ? fmt::format("{:>6.1f}%{:>10}{:>11}\n", 100 * of->profiled->idle,
                                      of->profiled->spins, of->profiled->failed_cas)
                        : fmt::format("{:>7}{:>10}{:>11}\n", "-", "-", "-");
}

std::string balance_table::str() const {
  if (rows_.empty()) return {};
  return fmt::format("  {:<24}{:>8}{:>9}{:>10}{:>9}{:>10}{:>10}{:>7}{:>10}{:>11}\n", "tasks per worker",
                     "workers", "min", "mean", "max", "taken", "failed", "idle", "spins", "failed CAS") +
         rows_;
}

void add_balance(json::value& result, const std::optional<task_balance>& of, bool with_timeline) {
  if (!of) return;
  json::value numbers{{"workers", of->workers},       {"tasks_min", of->tasks_min},
                      {"tasks_mean", of->tasks_mean}, {"tasks_max", of->tasks_max},
                      {"taken", of->taken},           {"failed", of->failed}};
  if (of->profiled)
    numbers.update({{"idle", of->profiled->idle},
                    {"spins", of->profiled->spins},
                    {"failed_cas", of->profiled->failed_cas}});
  result["balance"] = std::move(numbers);
  if (!of->profiled || !with_timeline) return;
  auto rows = json::array();
  for (const std::vector<int>& row : of->busy) {
    auto parts = json::array();
    for (const int percent : row) parts.push_back(percent);
    rows.push_back(std::move(parts));
  }
  result["timeline"] = json::value{{"ms_of_part", of->ms_of_part}, {"busy", std::move(rows)}};
}

} // namespace evenly::tasks
