// SPDX-License-Identifier: Apache-2.0
#include "measure/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::measure {

bool is_timed(const measurement& m) { return !m.error; }

namespace {

/// The timed row with the lowest median; null if there is none.
const measurement* fastest(const std::vector<measurement>& rows) {
  const measurement* best = nullptr;
  for (const measurement& m : rows)
    if (is_timed(m) && (best == nullptr || m.time.median < best->time.median)) best = &m;
  return best;
}

std::string table_row(const comparison& c, const measurement& m, const measurement* best) {
  if (m.error) return fmt::format("  {:<28}{:>10}\n", row_title(m), "FAILED");
  const std::string spread = fmt::format("{} .. {}", milliseconds(m.time.min), milliseconds(m.time.max));
  const std::string plan = m.what.is_schedule ? milliseconds(*m.plan_ms) : "-";
  // Simulated times say nothing about a GPU: no ranking, no bandwidth.
  const bool is_simulated = c.executor == executor_kind::simt;
  const double ratio = m.time.median / best->time.median;
  const std::string speed = is_simulated ? "-" : fmt::format("{:.0f}%", 100 * c.gbps(m) / c.copy_gbps);
  const std::string times_best = is_simulated ? "-" : fmt::format("{:.{}f}", ratio, ratio < 100 ? 2 : 0);
  // The chosen schedule is named above the table.
  const std::string name = m.chosen.empty() ? row_title(m) : m.what.title;
  const std::string numbers = fmt::format("{:>10} {:>16} {:>7} {:>7} {:>6}", milliseconds(m.time.median),
                                          spread, plan, speed, times_best);
  return fmt::format("  {:<{}}{}\n", name, std::max<std::size_t>(78 - numbers.size(), name.size()), numbers);
}

std::string footnote(const comparison& c, const std::vector<measurement>& rows, const measurement* best) {
  if (c.executor == executor_kind::simt) return "  times are simulated and say nothing about a GPU\n";
  const std::string moved =
      best == nullptr ? "" : fmt::format("; {} moves {:.4g} GB/s", best->what.title, c.gbps(*best));
  const std::string fill = c.fill_gbps ? fmt::format("; a fill: {:.4g} GB/s", *c.fill_gbps) : "";
  const std::string empty =
      c.empty_ms ? fmt::format("; an empty kernel takes {} ms", milliseconds(*c.empty_ms)) : "";
  const bool explains = std::ranges::any_of(rows, [&](const measurement& m) {
    return is_timed(m) && is_faster_than_copy(c.gbps(m) / c.copy_gbps);
  });
  return wrapped(fmt::format("a copy of the same number of bytes ({:.4g} MB): {:.4g} GB/s{}{}{}{}{}",
                             static_cast<double>(c.bytes) / 1e6, c.copy_gbps, fill, moved, empty,
                             explains ? "; " : "", explains ? faster_than_copy : ""),
                 "  ");
}

/// The same schedule with unpacked columns; null if it was not timed.
const measurement* unpacked(const comparison& c, const measurement& m) {
  for (const measurement& other : c.results)
    if (other.what.in_rows && other.what.name == m.what.name && is_timed(other)) return &other;
  return nullptr;
}

} // namespace

int comparison::failures() const {
  return static_cast<int>(std::ranges::count_if(results, [](const auto& m) { return m.error.has_value(); }));
}

std::optional<double> runs_to_break_even(const comparison& c, const measurement& m) {
  const measurement* const other = unpacked(c, m);
  if (other == nullptr || !is_timed(m) || m.time.median >= other->time.median) return {};
  return std::ceil(c.packing->build_ms / (other->time.median - m.time.median));
}

std::vector<measurement> rows_of(const comparison& c) {
  std::vector<measurement> rows;
  for (const measurement& m : c.results) {
    const auto first = std::ranges::find_if(rows, [&](const measurement& row) {
      return is_timed(row) && is_timed(m) && !m.what.same_as.empty() && row.what.name == m.what.same_as;
    });
    if (first == rows.end()) {
      rows.push_back(m);
      continue;
    }
    first->time.rounds.insert(first->time.rounds.end(), m.time.rounds.begin(), m.time.rounds.end());
    first->time = {median_of(first->time.rounds), std::min(first->time.min, m.time.min),
                   std::max(first->time.max, m.time.max), first->time.rounds};
  }
  return rows;
}

std::string row_title(const measurement& m) {
  if (!m.chosen.empty()) return fmt::format("{} ({})", m.what.title, m.chosen);
  if (m.what.in_rows && m.what.is_schedule) return m.what.title + ", unpacked";
  return m.what.also.empty() ? m.what.title : fmt::format("{} +{}", m.what.title, m.what.also.size());
}

std::string sizes_heading(const std::string& name, int rows, int cols, std::int64_t atoms,
                          const tile_statistics& s) {
  return fmt::format("{}: {} x {}, {}\n"
                     "tile sizes: average {:.3g}, sd {:.3g}, longest {}\n",
                     one_line(name), grouped(rows), grouped(cols), with_noun(atoms, "atom"), s.average,
                     s.deviation, grouped(s.longest));
}

std::string place_heading(const comparison& c) {
  return fmt::format("{}{}{} on {} ({}{})\n", c.op, c.format.empty() ? "" : " by " + c.format,
                     c.type == "int" ? "" : " in " + c.type, name_of(c.executor), c.place,
                     c.cold ? ", cold L2" : "");
}

std::string table(const comparison& c, bool emphasizes) {
  std::string text;
  for (const measurement& m : c.results) // chosen schedules come first
    if (!m.why.empty()) text += wrapped(fmt::format("{} chose {}", m.what.title, m.why), "  ");
  text += fmt::format("  {:<28}{:>10}{:>17}{:>8}{:>8}{:>7}\n", "schedule", "median ms", "min .. max",
                      "plan ms", "of copy", "x best");
  const std::vector<measurement> rows = rows_of(c);
  const measurement* const best = fastest(rows);
  emphasizes = emphasizes && c.executor != executor_kind::simt;
  for (const bool is_chosen : {true, false})
    for (const measurement& m : rows)
      if (m.chosen.empty() != is_chosen)
        text += emphasizes && &m == best ? emphasized(table_row(c, m, best)) : table_row(c, m, best);
  text += footnote(c, rows, best);
  for (const measurement& m : c.results)
    if (m.error) text += wrapped(fmt::format("FAILED {}: {}", m.what.title, one_line(*m.error)), "  ");
  return text;
}

std::vector<std::string> notes_on_rows(const comparison& c) {
  std::vector<std::string> notes;
  for (const measurement& m : rows_of(c))
    if (!m.what.also.empty())
      notes.push_back(wrapped(fmt::format("{}: {} run the same code on {}", row_title(m), joined(m.what.also),
                                          name_of(c.executor)),
                              "  "));
  return notes;
}

std::string packing(const comparison& c) {
  if (!c.packing) return {};
  std::string text = wrapped(
      fmt::format("packed columns take {} bytes, {:.0f}% of the {} bytes unpacked; packing took {} ms",
                  grouped(c.packing->bytes),
                  100.0 * static_cast<double>(c.packing->bytes) /
                      static_cast<double>(c.packing->unpacked_bytes),
                  grouped(c.packing->unpacked_bytes), milliseconds(c.packing->build_ms)),
      "  ");
  for (const measurement& m : c.results) {
    const measurement* const other = unpacked(c, m);
    if (m.what.in_rows || !is_timed(m) || other == nullptr) continue;
    const auto runs = runs_to_break_even(c, m);
    text += fmt::format("  {}: {:.2f} times as long with packed columns; {}\n", row_title(m),
                        m.time.median / other->time.median,
                        runs ? "packing pays off after " + with_noun(static_cast<std::int64_t>(*runs), "run")
                             : std::string("packing never pays off"));
  }
  return text;
}

namespace {

/// Processor time per thread of the computation that detects other programs, in milliseconds.
constexpr double probe_ms = 2;

/// Average slowdown compared with an idle machine.
std::optional<double> delay_of(const measurement& probe) {
  if (probe.error) return {};
  const std::vector<double>& rounds = probe.time.rounds;
  return std::accumulate(rounds.begin(), rounds.end(), 0.0) / static_cast<double>(rounds.size()) / probe_ms;
}

/// Adds second preparations of schedules, round-robin.
void add_repeats(std::vector<candidate>& all) {
  std::vector<candidate> once;
  std::ranges::copy_if(all, std::back_inserter(once),
                       [](const candidate& each) { return each.is_schedule && each.same_as.empty(); });
  const auto there = std::ranges::count_if(all, [](const candidate& each) { return !each.same_as.empty(); });
  for (auto i = static_cast<std::size_t>(there); i < min_repeats && !once.empty(); ++i) {
    candidate repeat = once[i % once.size()];
    repeat.is_repeat = true;
    repeat.also.clear();
    all.push_back(std::move(repeat));
  }
}

} // namespace

void compare_candidates(comparison& c, bench& on, std::vector<candidate> all, const reference* right,
                        const repetition& times) {
  const auto copy = on.time->copy(c.bytes);
  c.copy_before = time_runs(on, copy, times);
  c.copy_gbps = c.gbps(*c.copy_before);
  const bool compares =
      c.executor != executor_kind::simt && (times.exactly == 0 || times.exactly >= min_rounds_to_compare);
  if (compares) add_repeats(all);
  const auto probe = on.time->compute(probe_ms);
  const bool probes = compares && probe;
  if (probes) all.push_back(plain_candidate("other programs", probe, [] { return true; }));
  std::vector<measurement> measured =
      right != nullptr ? measure_in_turns(on, all, *right, times) : measure_in_turns(on, all, times);
  if (probes) {
    c.delay = delay_of(measured.back());
    measured.pop_back();
  }
  for (measurement& m : measured) (m.what.is_repeat ? c.repeats : c.results).push_back(std::move(m));
  if (compares) c.copy_after = time_runs(on, copy, times);
}

} // namespace evenly::measure
