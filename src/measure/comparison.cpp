// SPDX-License-Identifier: Apache-2.0
#include "measure/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "measure/report.hpp"
#include "measure/text.hpp"

namespace evenly::cli {
namespace {

bool is_timed(const measurement& m) { return !m.error; }

/// The one of the lowest median among those for which counts(m); null where there is none.
template <class Counts> const measurement* fastest(const comparison& c, const Counts& counts) {
  const measurement* best = nullptr;
  for (const measurement& m : c.results)
    if (is_timed(m) && counts(m) && (best == nullptr || m.time.median < best->time.median)) best = &m;
  return best;
}
const measurement* fastest(const comparison& c) {
  return fastest(c, [](const measurement&) { return true; });
}

/// The same schedule with columns as they are; null where it was not timed.
const measurement* unpacked(const comparison& c, const measurement& m) {
  for (const measurement& other : c.results)
    if (other.what.in_rows && other.what.name == m.what.name && is_timed(other)) return &other;
  return nullptr;
}

/// The runs after which packing is paid for; nothing where it never is.
std::optional<double> runs_to_break_even(const comparison& c, const measurement& m) {
  const measurement* const other = unpacked(c, m);
  if (other == nullptr || !is_timed(m) || m.time.median >= other->time.median) return {};
  return std::ceil(c.packing->build_ms / (other->time.median - m.time.median));
}

/// As tables call it.
std::string title(const measurement& m) {
  if (!m.chosen.empty()) return fmt::format("{} ({})", m.what.title, m.chosen);
  if (m.what.in_rows && m.what.is_schedule) return m.what.title + ", unpacked";
  return m.what.also.empty() ? m.what.title : fmt::format("{} +{}", m.what.title, m.what.also.size());
}

std::string table_row(const comparison& c, const measurement& m, const measurement* best) {
  if (m.error) return fmt::format("  {:<28}{:>10}\n", title(m), "FAILED");
  const std::string spread = fmt::format("{} .. {}", milliseconds(m.time.least), milliseconds(m.time.most));
  const std::string plan = m.what.is_schedule ? milliseconds(*m.plan_ms) : "-";
  const double ratio = m.time.median / best->time.median;
  // What a simulation moves in a second says nothing about memory.
  const std::string speed =
      c.executor == executor_kind::simt ? "-" : fmt::format("{:.0f}%", 100 * c.gbps(m) / c.copy_gbps);
  // What was chosen is said above the table.
  const std::string name = m.chosen.empty() ? title(m) : m.what.title;
  return fmt::format("  {:<28}{:>10}{:>17}{:>8}{:>8}{:>7}\n", name, milliseconds(m.time.median), spread, plan,
                     speed, fmt::format("{:.{}f}", ratio, ratio < 100 ? 2 : 0));
}

std::string footnote(const comparison& c) {
  if (c.executor == executor_kind::simt)
    return "  times are those of the simulation, and say nothing about a GPU's\n";
  const measurement* const best = fastest(c);
  const std::string moved =
      best == nullptr ? "" : fmt::format("; {} moves {:.4g} GB/s", best->what.title, c.gbps(*best));
  const std::string fill = c.fill_gbps ? fmt::format("; a fill: {:.4g} GB/s", *c.fill_gbps) : "";
  const std::string empty =
      c.empty_ms ? fmt::format("; an empty kernel takes {} ms", milliseconds(*c.empty_ms)) : "";
  return wrapped(fmt::format("a copy of as many bytes ({:.4g} MB): {:.4g} GB/s{}{}{}",
                             static_cast<double>(c.bytes) / 1e6, c.copy_gbps, fill, moved, empty),
                 "  ");
}

/// How evenly whole tiles can be dealt, in words that give the figure.
struct evenness {
  bool even;
  std::string why;
};

evenness on_threads(std::span<const int> offsets, int threads) {
  const int runs = 32 * threads; // as many as the cpu executor deals out of large work
  const double fullest = run_imbalance(offsets, runs) / runs;
  return {fullest * threads < 1.1,
          fmt::format("of {} runs of as many tiles each, dealt to {}, the fullest has {:.1f}% of the atoms",
                      runs, threads == 1 ? "1 thread" : fmt::format("{} threads", threads), 100 * fullest)};
}

evenness on_warps(const tile_statistics& s) {
  const std::string why =
      fmt::format("a warp with a tile a thread is busy {:.0f}% of the time and the longest tile "
                  "is {:.2g}% of the work",
                  100 * s.warp_balance, 100 * s.longest_share());
  return {s.warp_balance > 0.7 && s.longest_share() < 1e-3, why};
}

/// One by itself: what was chosen is among the others, or has nothing beside it.
bool is_schedule(const measurement& m) { return m.what.is_schedule && m.chosen.empty(); }

/// `other` in relation to the fastest of its table or kind, as what a sentence says of the former.
std::string beside(const measurement& fastest, const measurement& other) {
  const double ratio = other.time.median / fastest.time.median;
  return tie(fastest.time, other.time) ? fmt::format("ties with it ({:.2f} times as long)", ratio)
                                       : fmt::format("takes {:.2f} times as long", ratio);
}

/// The first row of the table by its median, how sure that is, and who ties with it.
std::string who_is_fastest(const comparison& c, const measurement& first) {
  const std::size_t rounds = first.time.rounds.size();
  if (rounds < rounds_to_tell)
    return fmt::format("{} has the least time, {} ms; {} {} cannot tell it from others.", title(first),
                       milliseconds(first.time.median), rounds, rounds == 1 ? "run" : "rounds");
  std::vector<std::string> ties;
  for (const measurement& m : c.results)
    if (is_timed(m) && &m != &first && tie(first.time, m.time)) ties.push_back(title(m));
  const auto [from, to] = middle_of(first.time);
  return fmt::format("{} is fastest, {} ms (half of {} rounds: {} .. {}); {}", title(first),
                     milliseconds(first.time.median), rounds, milliseconds(from), milliseconds(to),
                     ties.empty() ? "nothing ties with it." : "ties with it: " + joined(ties) + ".");
}

} // namespace

int comparison::failures() const {
  return static_cast<int>(std::ranges::count_if(results, [](const auto& m) { return m.error.has_value(); }));
}

std::string heading(const comparison& c, const tile_statistics& s) {
  return fmt::format("{}: {} x {}, {} atoms\n"
                     "tile sizes: average {:.3g}, sd {:.3g}, longest {}\n"
                     "{}{}{} on {} ({}{})\n",
                     one_line(c.workload), grouped(c.rows), grouped(c.cols), grouped(c.atoms), s.average,
                     s.deviation, grouped(s.longest), c.op, c.format.empty() ? "" : " by " + c.format,
                     c.type == "int" ? "" : " in " + c.type, name_of(c.executor), c.place,
                     c.cold ? ", cold L2" : "");
}

std::string table(const comparison& c) {
  std::string text;
  for (const measurement& m : c.results) // what is chosen comes first
    if (!m.why.empty()) text += wrapped(fmt::format("{} chose {}", m.what.title, m.why), "  ");
  text += fmt::format("  {:<28}{:>10}{:>17}{:>8}{:>8}{:>7}\n", "schedule", "median ms", "min .. max",
                      "plan ms", "of copy", "x best");
  const measurement* const best = fastest(c);
  for (const bool is_chosen : {true, false})
    for (const measurement& m : c.results)
      if (m.chosen.empty() != is_chosen) text += table_row(c, m, best);
  text += footnote(c);
  for (const measurement& m : c.results)
    if (m.error) text += wrapped(fmt::format("FAILED {}: {}", m.what.title, one_line(*m.error)), "  ");
  return text;
}

std::vector<std::string> notes_on_rows(const comparison& c) {
  std::vector<std::string> notes;
  for (const measurement& m : c.results)
    if (!m.what.also.empty())
      notes.push_back(wrapped(fmt::format("{}: {} are one and the same on {}", title(m), joined(m.what.also),
                                          name_of(c.executor)),
                              "  "));
  return notes;
}

std::string packing(const comparison& c) {
  if (!c.packing) return {};
  std::string text =
      wrapped(fmt::format("packed columns take {} bytes, {:.0f}% of the {} that they take as they are, and "
                          "were made in {} ms",
                          grouped(c.packing->bytes),
                          100.0 * static_cast<double>(c.packing->bytes) /
                              static_cast<double>(c.packing->unpacked_bytes),
                          grouped(c.packing->unpacked_bytes), milliseconds(c.packing->build_ms)),
              "  ");
  for (const measurement& m : c.results) {
    const measurement* const other = unpacked(c, m);
    if (m.what.in_rows || !is_timed(m) || other == nullptr) continue;
    const auto runs = runs_to_break_even(c, m);
    text += fmt::format(
        "  {}: {:.2f} times as long with them; {}\n", title(m), m.time.median / other->time.median,
        runs ? fmt::format("they are paid for after {} runs", grouped(static_cast<long long>(*runs)))
             : "they are never paid for");
  }
  return text;
}

std::vector<nlohmann::ordered_json> as_json(const comparison& c) {
  std::vector<nlohmann::ordered_json> list;
  for (const measurement& m : c.results) {
    auto parameters = nlohmann::ordered_json::object();
    for (const auto& [key, value] : m.what.parameters) parameters[key] = value;
    nlohmann::ordered_json result{{"workload", c.workload},
                                  {"rows", c.rows},
                                  {"cols", c.cols},
                                  {"atoms", c.atoms},
                                  {"op", c.op},
                                  {"format", m.what.in_rows ? "csr" : c.format},
                                  {"executor", name_of(c.executor)},
                                  {"schedule", m.what.name},
                                  {"chosen", m.chosen},
                                  {"why", m.why},
                                  {"parameters", parameters},
                                  {"type", c.type},
                                  {"ok", !m.error}};
    put_times(result, m.time, !m.error);
    result["rounds"] = m.time.rounds.size();
    result["gbps"] = number_if(!m.error, m.error ? 0 : c.gbps(m));
    result["copy_gbps"] = c.copy_gbps;
    if (c.fill_gbps) result["fill_gbps"] = *c.fill_gbps;
    if (c.empty_ms) result["empty_ms"] = *c.empty_ms;
    result["plan_ms"] = number_if(m.plan_ms.has_value(), m.plan_ms.value_or(0));
    if (c.packing && m.what.is_schedule && !m.what.in_rows) {
      result["columns_bytes"] = c.packing->bytes;
      result["unpacked_columns_bytes"] = c.packing->unpacked_bytes;
      result["pack_ms"] = c.packing->build_ms;
      const auto runs = runs_to_break_even(c, m);
      result["break_even_runs"] = number_if(runs.has_value(), runs.value_or(0));
    }
    if (m.error) result["error"] = *m.error;
    if (c.format.empty()) result.erase("format");
    if (m.chosen.empty()) {
      result.erase("chosen");
      result.erase("why");
    }
    list.push_back(std::move(result));
  }
  return list;
}

std::string meaning(const comparison& c, const tile_statistics& s, std::span<const int> offsets) {
  const measurement* const cut = fastest(c, [](const auto& m) { return is_schedule(m) && m.cuts_tiles(); });
  const measurement* const whole =
      fastest(c, [](const auto& m) { return is_schedule(m) && !m.cuts_tiles(); });
  if (cut == nullptr || whole == nullptr || c.atoms == 0) return {};
  const bool cut_wins = cut->time.median < whole->time.median;
  const measurement& first = cut_wins ? *cut : *whole;
  const measurement& second = cut_wins ? *whole : *cut;
  if (first.time.rounds.size() < rounds_to_tell) return {};
  const auto [even, why] = c.threads > 0 ? on_threads(offsets, c.threads) : on_warps(s);
  const bool same = tie(first.time, second.time);
  const bool expected = same ? even : cut_wins != even;
  const std::string lead = same       ? "Cutting tiles makes no difference that shows"
                           : cut_wins ? "It pays to cut tiles"
                                      : "It pays to keep tiles whole";
  const std::string schedules =
      fmt::format("{}: {} takes {} ms; {}, the best that {}, {}, {} {}.", lead, title(first),
                  milliseconds(first.time.median), title(second), cut_wins ? "keeps them whole" : "cuts them",
                  beside(first, second), expected ? "as" : "though", why);
  const measurement& best = *fastest(c);
  if (is_schedule(best)) return schedules;
  if (tie(best.time, first.time))
    return schedules + fmt::format(" No schedule is faster than {}.", title(best));
  return fmt::format(
      "No schedule is fastest here: {} takes {} ms, and the best schedule, {}, {:.2f} times as long.",
      title(best), milliseconds(best.time.median), title(first), first.time.median / best.time.median);
}

std::string verdict(const comparison& c, const tile_statistics& s, std::span<const int> offsets) {
  const measurement* const first = fastest(c);
  const measurement* const best = fastest(c, is_schedule);
  if (best == nullptr || c.atoms == 0) return {};
  std::string text = fmt::format("{}: {}", name_of(c.executor), who_is_fastest(c, *first));
  const std::string cutting = meaning(c, s, offsets);
  return cutting.empty() ? text : text + ' ' + cutting;
}

} // namespace evenly::cli
