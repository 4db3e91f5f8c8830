// SPDX-License-Identifier: Apache-2.0
#include "measure/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <span>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::measure {

namespace {

/// A machine with more noise than this is called noisy.
constexpr double noisy = 0.1;

bool is_schedule(const measurement& m) { return m.what.is_schedule; }

/// The timed row with the lowest median among those for which counts(m) holds; null if there is none.
template <class Counts>
const measurement* fastest(const std::vector<measurement>& rows, const Counts& counts) {
  const measurement* best = nullptr;
  for (const measurement& m : rows)
    if (is_timed(m) && counts(m) && (best == nullptr || m.time.median < best->time.median)) best = &m;
  return best;
}

/// The minimum number of rounds over all rows.
std::size_t rounds_of(const comparison& c) {
  std::size_t rounds = 0;
  bool first = true;
  for (const measurement& m : c.results)
    if (is_timed(m)) {
      rounds = first ? m.time.rounds.size() : std::min(rounds, m.time.rounds.size());
      first = false;
    }
  return rounds;
}

/// The same for results that run the same code: the name of the first such schedule.
std::string code_of(const comparison& c, const measurement& m) {
  std::string name = m.chosen.empty() ? m.what.name : m.chosen;
  for (const measurement& other : c.results)
    if (other.what.name == name && !other.what.same_as.empty()) name = other.what.same_as;
  return m.what.in_rows && m.what.is_schedule ? name + " in rows" : name;
}

/// The schedules that the verdict on cutting tiles compares.
struct both_kinds {
  const measurement* cut;
  const measurement* whole;

  explicit both_kinds(const std::vector<measurement>& rows)
      : cut(fastest(rows, [](const measurement& m) { return is_schedule(m) && m.cuts_tiles(); })),
        whole(fastest(rows, [](const measurement& m) { return is_schedule(m) && !m.cuts_tiles(); })) {}

  bool are_there() const { return cut != nullptr && whole != nullptr; }
  cutting compare(double level) const {
    if (differ(cut->time, whole->time, level)) return cutting::faster;
    if (differ(whole->time, cut->time, level)) return cutting::slower;
    return cutting::within_noise;
  }
};

std::string percent(double part) { return fmt::format("{:.{}f}%", 100 * part, part < noisy ? 1 : 0); }

std::string noise_sentence(const noise& within) {
  const double level = within.level();
  return level < noisy ? fmt::format("Differences below {} are within the noise.", percent(level))
                       : fmt::format("This machine is noisy (±{}): no difference below that is reported.",
                                     percent(level));
}

/// Whether whole tiles can be distributed evenly, with the figures in words.
struct evenness {
  bool even;
  std::string why;
};

evenness on_threads(std::span<const int> offsets, int threads) {
  const int runs = 32 * threads; // as many ranges as the cpu executor makes from large work
  const double fullest = run_imbalance(offsets, runs) / runs;
  return {
      fullest * threads < 1.1,
      fmt::format("the largest of {} ranges of equal tile count, distributed to {}, has {:.1f}% of the atoms",
                  runs, with_noun(threads, "thread"), 100 * fullest)};
}

evenness on_warps(const tile_statistics& s) {
  const std::string why = fmt::format("warps with one tile per thread are busy {:.0f}% of the time and the "
                                      "longest tile is {:.2g}% of the work",
                                      100 * s.warp_balance, 100 * s.longest_share());
  return {s.warp_balance > 0.7 && s.longest_share() < 1e-3, why};
}

std::string on_cutting(const comparison& c, const both_kinds& kinds, double level, const tile_statistics& s,
                       std::span<const int> offsets) {
  const cutting found = kinds.compare(level);
  if (found == cutting::within_noise && level >= noisy)
    return "Whether cutting tiles pays off is within the noise.";
  const bool cut_wins = kinds.cut->time.median < kinds.whole->time.median;
  const measurement& first = cut_wins ? *kinds.cut : *kinds.whole;
  const measurement& second = cut_wins ? *kinds.whole : *kinds.cut;
  const auto [even, why] = c.threads > 0 ? on_threads(offsets, c.threads) : on_warps(s);
  const bool expected = found == cutting::within_noise ? even : cut_wins != even;
  const std::string lead = found == cutting::within_noise
                               ? "Cutting tiles makes no difference beyond the noise"
                           : cut_wins ? "Cutting tiles pays off"
                                      : "Keeping tiles whole pays off";
  return fmt::format(
      "{}: {} takes {} ms; {}, the fastest schedule that {}, takes {:.2f} times as long, {} {}.", lead,
      row_title(first), milliseconds(first.time.median), row_title(second),
      cut_wins ? "keeps them whole" : "cuts them", second.time.median / first.time.median,
      expected ? "as" : "though", why);
}

/// Whether a plain loop is faster than all schedules; empty if none is.
std::string on_loops(const std::vector<measurement>& rows, double level) {
  const measurement* const loop = fastest(rows, [](const measurement& m) { return !is_schedule(m); });
  const measurement* const schedule = fastest(rows, is_schedule);
  if (loop == nullptr || loop->time.median > schedule->time.median) return {};
  if (!differ(loop->time, schedule->time, level))
    return level < noisy ? fmt::format(" {} is as fast, within the noise.", row_title(*loop)) : "";
  return fmt::format(" No schedule is fastest here: {} takes {} ms, and the fastest schedule, {}, takes "
                     "{:.2f} times as long.",
                     row_title(*loop), milliseconds(loop->time.median), row_title(*schedule),
                     schedule->time.median / loop->time.median);
}

std::string on_fastest(const comparison& c, const measurement& first, const judgement& found) {
  const std::size_t rounds = rounds_of(c);
  if (rounds < min_rounds_to_compare)
    return fmt::format("{}: {} was fastest, {} ms; {} {} too few to tell it from the others.",
                       name_of(c.executor), row_title(first), milliseconds(first.time.median),
                       rounds == 1 ? "1 run" : with_noun(static_cast<std::int64_t>(rounds), "round"),
                       rounds == 1 ? "is" : "are");
  const auto [from, to] = middle_of(first.time);
  const std::string time = fmt::format("{} ms (half of {} rounds: {} .. {})", milliseconds(first.time.median),
                                       first.time.rounds.size(), milliseconds(from), milliseconds(to));
  if (found.fastest.size() == 1)
    return fmt::format("{}: {} is fastest, {}; all other rows are slower by more than the noise.",
                       name_of(c.executor), row_title(first), time);
  std::string others; // separated by semicolons, because titles have commas
  for (const std::string& each : std::span(found.fastest).subspan(1))
    others += (others.empty() ? "" : "; ") + each;
  return fmt::format("{}: {} is fastest, {}; equally fast within the noise: {}.", name_of(c.executor),
                     row_title(first), time, others);
}

} // namespace

noise noise_of(const comparison& c) {
  std::map<std::string, std::vector<double>> medians;
  for (const std::vector<measurement>* list : {&c.results, &c.repeats})
    for (const measurement& m : *list)
      if (is_timed(m)) medians[code_of(c, m)].push_back(m.time.median);
  std::vector<std::vector<double>> groups;
  for (auto& [code, group] : medians) groups.push_back(std::move(group));
  noise within{.same_code = same_code_noise(groups)};
  if (c.copy_before && c.copy_after)
    within.copy = std::expm1(std::abs(std::log(c.copy_after->median / c.copy_before->median)));
  if (c.delay) within.other_programs = std::max(*c.delay - 1, 0.0);
  return within;
}

judgement judge(const comparison& c) {
  judgement found{.within = noise_of(c), .fastest = {}, .names = {}};
  if (rounds_of(c) < min_rounds_to_compare) return found;
  std::vector<measurement> rows = rows_of(c);
  std::erase_if(rows, [](const measurement& m) { return !is_timed(m); });
  std::ranges::stable_sort(rows, {}, [](const measurement& m) { return m.time.median; });
  for (const measurement& m : rows)
    if (&m == rows.data() || !differ(rows.front().time, m.time, found.within.level())) {
      found.fastest.push_back(row_title(m));
      found.names.push_back(m.what.name);
      found.names.insert(found.names.end(), m.what.also.begin(), m.what.also.end());
    }
  const both_kinds kinds(rows);
  if (kinds.are_there() && c.atoms > 0) found.cut = kinds.compare(found.within.level());
  return found;
}

std::string meaning(const comparison& c, const tile_statistics& s, std::span<const int> offsets) {
  const std::vector<measurement> rows = rows_of(c);
  const both_kinds kinds(rows);
  if (!kinds.are_there() || c.atoms == 0 || rounds_of(c) < min_rounds_to_compare) return {};
  const noise within = noise_of(c);
  return noise_sentence(within) + ' ' + on_cutting(c, kinds, within.level(), s, offsets) +
         on_loops(rows, within.level());
}

std::string verdict(const comparison& c, const tile_statistics& s, std::span<const int> offsets) {
  const std::vector<measurement> rows = rows_of(c);
  const measurement* const first = fastest(rows, [](const measurement&) { return true; });
  if (c.atoms == 0 || fastest(rows, is_schedule) == nullptr) return {};
  const judgement found = judge(c);
  std::string text = on_fastest(c, *first, found);
  if (const std::string more = meaning(c, s, offsets); !more.empty())
    text += ' ' + more;
  else if (!found.fastest.empty())
    text += ' ' + noise_sentence(found.within);
  return text;
}

namespace {

/// Lower bound of the noise: the placement in memory alone causes this difference between two runs of the program.
constexpr double min_level = 0.01;

/// The 99.5% quantile of Student's t, within 1% for 4 or more degrees of freedom; too large below.
double student_t(double degrees) { return 2.576 + 4.9 / degrees + 13 / (degrees * degrees); }

} // namespace

double noise::level() const { return std::max({min_level, same_code, copy, other_programs}); }

double same_code_noise(std::span<const std::vector<double>> groups) {
  double squares = 0;
  std::size_t degrees = 0;
  for (const std::vector<double>& medians : groups) {
    if (medians.empty()) continue;
    double mean = 0;
    for (const double each : medians) mean += std::log(each) / static_cast<double>(medians.size());
    for (const double each : medians) squares += (std::log(each) - mean) * (std::log(each) - mean);
    degrees += medians.size() - 1;
  }
  if (degrees == 0) return 0;
  const auto n = static_cast<double>(degrees);
  return std::expm1(student_t(n) * std::numbers::sqrt2 * std::sqrt(squares / n));
}

bool differ(const timing& faster, const timing& slower, double level) {
  const auto few = static_cast<std::size_t>(min_rounds_to_compare);
  if (faster.rounds.size() < few || slower.rounds.size() < few) return false;
  return slower.median > (1 + level) * faster.median && middle_of(slower).from > middle_of(faster).to;
}

} // namespace evenly::measure
