// SPDX-License-Identifier: Apache-2.0
#include "cli/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text.hpp"

namespace evenly::cli {
namespace {

double best_median(const comparison& c) {
  double best = std::numeric_limits<double>::infinity();
  for (const measurement& m : c.results)
    if (!m.error) best = std::min(best, m.time.median);
  return best;
}

std::string table_row(const comparison& c, const measurement& m, double best) {
  if (m.error) return fmt::format("  {:<34}{:>10}\n", m.what.title, "FAILED");
  const std::string spread = fmt::format("{} .. {}", milliseconds(m.time.least), milliseconds(m.time.most));
  const double gbps = c.gbps(m.time);
  // What a simulation moves in a second says nothing about memory.
  const std::string speed = c.executor == executor_kind::simt
                                ? fmt::format("{:>10}{:>9}", "-", "-")
                                : fmt::format("{:>10.4g}{:>8.0f}%", gbps, 100 * gbps / c.copy_gbps);
  return fmt::format("  {:<34}{:>10}{:>22}{}{:>9.2f}\n", m.what.title, milliseconds(m.time.median), spread,
                     speed, m.time.median / best);
}

std::string footnote(const comparison& c) {
  if (c.executor == executor_kind::simt)
    return "  times are those of the simulation, and say nothing about a GPU's";
  const std::string fill = c.fill_gbps ? fmt::format("; a fill: {:.4g} GB/s", *c.fill_gbps) : "";
  const std::string empty =
      c.empty_ms ? fmt::format("; an empty kernel: {} ms", milliseconds(*c.empty_ms)) : "";
  return fmt::format("  a copy of as many bytes ({:.4g} MB): {:.4g} GB/s{}{}",
                     static_cast<double>(c.bytes) / 1e6, c.copy_gbps, fill, empty);
}

/// The fastest schedule that cuts tiles, or that does not; the first of those that are as fast within 2%, as several
/// may do the same on an executor. Null where none was timed.
const measurement* best_schedule(const comparison& c, bool splits_tiles) {
  constexpr double same = 1.02;
  double best = std::numeric_limits<double>::infinity();
  const auto counts = [&](const measurement& m) {
    return !m.error && m.what.is_schedule && m.what.splits_tiles == splits_tiles;
  };
  for (const measurement& m : c.results)
    if (counts(m)) best = std::min(best, m.time.median);
  for (const measurement& m : c.results)
    if (counts(m) && m.time.median <= same * best) return &m;
  return nullptr;
}

/// How evenly whole tiles can be dealt, in words that give the figure.
struct evenness {
  bool even;
  std::string why;
};

evenness on_threads(std::span<const int> offsets, int threads) {
  const int runs = 32 * threads; // as many as the cpu executor deals out of large work
  const double fullest = run_imbalance(offsets, runs) / runs;
  const bool even = fullest * threads < 1.1;
  return {even, even ? fmt::format("none of {} equal runs of tiles holds more than a thread's share (the "
                                   "fullest {:.1f}% of the atoms)",
                                   runs, 100 * fullest)
                     : fmt::format("the fullest of {} equal runs of tiles holds {:.0f}% of the atoms", runs,
                                   100 * fullest)};
}

evenness on_warps(const tile_statistics& s) {
  const std::string why =
      fmt::format("a warp with a tile a thread is busy {:.0f}% of the time and the longest tile "
                  "is {:.2g}% of the work",
                  100 * s.warp_balance, 100 * s.longest_share());
  return {s.warp_balance > 0.7 && s.longest_share() < 1e-3, why};
}

} // namespace

int comparison::failures() const {
  return static_cast<int>(std::ranges::count_if(results, [](const auto& m) { return m.error.has_value(); }));
}

std::string heading(const comparison& c, const tile_statistics& s) {
  return fmt::format("{}: {} x {}, {} atoms\n"
                     "tile sizes: average {:.3g}, sd {:.3g}, longest {}\n"
                     "{}{} on {} ({}{})\n",
                     one_line(c.workload), grouped(c.rows), grouped(c.cols), grouped(c.atoms), s.average,
                     s.deviation, grouped(s.longest), c.op, c.type == "int" ? "" : " in " + c.type,
                     name_of(c.executor), c.place, c.cold ? ", cold L2" : "");
}

std::string table(const comparison& c) {
  std::string text = fmt::format("  {:<34}{:>10}{:>22}{:>10}{:>9}{:>9}\n", "schedule", "median ms",
                                 "min .. max", "GB/s", "of copy", "x best");
  const double best = best_median(c);
  for (const measurement& m : c.results) text += table_row(c, m, best);
  text += footnote(c) + '\n';
  for (const measurement& m : c.results)
    if (m.error) text += wrapped(fmt::format("FAILED {}: {}", m.what.title, one_line(*m.error)), "  ");
  return text;
}

void add_json(const comparison& c, nlohmann::ordered_json& list) {
  for (const measurement& m : c.results) {
    auto parameters = nlohmann::ordered_json::object();
    for (const auto& [key, value] : m.what.parameters) parameters[key] = value;
    nlohmann::ordered_json result{{"workload", c.workload},
                                  {"rows", c.rows},
                                  {"cols", c.cols},
                                  {"atoms", c.atoms},
                                  {"op", c.op},
                                  {"executor", name_of(c.executor)},
                                  {"schedule", m.what.name},
                                  {"parameters", parameters},
                                  {"type", c.type},
                                  {"ok", !m.error}};
    const auto number_if = [](bool known, double number) {
      return known ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
    };
    result["ms"] = number_if(!m.error, m.time.median);
    result["ms_min"] = number_if(!m.error, m.time.least);
    result["ms_max"] = number_if(!m.error, m.time.most);
    result["gbps"] = number_if(!m.error, m.error ? 0 : c.gbps(m.time));
    result["copy_gbps"] = c.copy_gbps;
    if (c.fill_gbps) result["fill_gbps"] = *c.fill_gbps;
    if (c.empty_ms) result["empty_ms"] = *c.empty_ms;
    result["plan_ms"] = number_if(m.plan_ms.has_value(), m.plan_ms.value_or(0));
    list.push_back(std::move(result));
  }
}

std::string verdict(const comparison& c, const tile_statistics& s, std::span<const int> offsets) {
  const measurement* whole = best_schedule(c, false);
  const measurement* cut = best_schedule(c, true);
  if (whole == nullptr || cut == nullptr || c.atoms == 0) return {};
  const bool cut_wins = cut->time.median < whole->time.median;
  const measurement& first = cut_wins ? *cut : *whole;
  const measurement& second = cut_wins ? *whole : *cut;
  const double ratio = second.time.median / first.time.median;
  const auto [even, why] = c.threads > 0 ? on_threads(offsets, c.threads) : on_warps(s);
  constexpr double tie = 1.05;
  const bool expected = ratio < tie ? even : cut_wins != even;
  const std::string lead = ratio < tie
                               ? fmt::format("within 5% of the best that {} ({})",
                                             cut_wins ? "keeps them whole" : "cuts tiles", second.what.title)
                               : fmt::format("{:.2f} times as fast as the best that {} ({})", ratio,
                                             cut_wins ? "keeps them whole" : "cuts tiles", second.what.title);
  return fmt::format("{}: best is {} ({} ms), which {}, {}, {} {}.", name_of(c.executor), first.what.title,
                     milliseconds(first.time.median), cut_wins ? "cuts tiles" : "keeps tiles whole", lead,
                     expected ? "as" : "though", why);
}

} // namespace evenly::cli
