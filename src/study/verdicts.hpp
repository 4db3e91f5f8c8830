// SPDX-License-Identifier: Apache-2.0
// The comparison of a statement with our numbers: the meaning of "similar" or "about three times", which is the same
// for all statements, and the results of predicates.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"

namespace evenly::study {

/// Times within this factor are equal, if their rounds are no further apart.
inline constexpr double noise = 1.05;
/// "Slightly", "comparable", "among the best": within this factor.
inline constexpr double slightly = 1.25;
/// "About n times": from n / about to n * about. "Similar": within it. "Clearly", "drastically": at least it.
inline constexpr double about = 1.5;

enum class verdict_word { agrees, disagrees, too_close, not_measured };
std::string name_of(verdict_word verdict); ///< agrees, disagrees, too close, not measured

struct finding {
  std::string source; ///< section of the paper
  std::string claim;
  verdict_word verdict;
  std::string numbers; ///< our numbers, or why there are none
};

struct outcome {
  verdict_word verdict;
  std::string numbers;
};

outcome judge(bool agrees, std::string numbers);
outcome missing(std::string why);

/// A number derived from times: it is anywhere in [low, high], as far as the spread of the times tells. Arithmetic
/// keeps that property. So if one measurement leads to `agrees`, no measurement within the spread leads to `disagrees`.
struct interval {
  double low;
  double high;

  friend interval operator+(interval a, interval b) { return {a.low + b.low, a.high + b.high}; }
  friend interval operator-(interval a, interval b) { return {a.low - b.high, a.high - b.low}; }
  friend interval operator/(interval a, interval b) {
    return {a.low / b.high, a.high / b.low};
  } ///< of positive ones
};
interval min_of(const std::vector<interval>& all); ///< of at least one
interval max_of(const std::vector<interval>& all); ///< likewise

/// The median of a time, widened to the middle half of its rounds, and at least by half of the factor `noise`.
interval spread_of(const measure::timing& time, const measure::middle_half& middle);

/// Whether `value` is in [min, max]: too close if the interval reaches across a limit.
outcome judge(interval value, double min, double max, std::string numbers);
inline constexpr double no_limit = 1e300;

/// The parts must all agree: the worst of disagrees, not measured, too close.
outcome all_of(const std::vector<outcome>& parts);

/// `3 agree, 2 disagree, 1 too close, 4 not measured`.
std::string counted(const std::vector<finding>& findings);
/// One line per statement; statements not measured for the same reason share a line.
std::string as_text(const std::vector<finding>& findings);
/// Appends to a list of JSON objects. `subject`: the member `about`, if there are several lists.
void add_json(json::value& list, const std::vector<finding>& findings, std::string_view subject = "");

/// The head of a table on a page, and its colours.
extern const std::string_view colours_of_verdicts;
/// Findings on the same statements, one column of verdicts each; `heads` are above them. The numbers are those of the
/// first, or of all.
std::string verdict_table(const std::vector<std::string>& heads,
                          const std::vector<std::vector<finding>>& findings, bool numbers_of_all = false);

/// Milliseconds by a number, such as that of blocks.
using curve = std::map<int, double>;
int best_of(const curve& times); ///< the number with the lowest time
/// `1: 0.25, 2: 0.125`.
std::string in_words(const curve& times);

/// A ratio for display.
std::string factor(double ratio);

/// The subject of a statement. Times and memory are those of a GPU; on the simulated GPU times mean nothing, and the
/// memory of a plan is the same. Counts of work are the same everywhere.
enum class about_what { times, memory, counts };

/// A statement about the measurements in View.
template <class View> struct statement {
  std::string source;
  std::string claim;
  about_what kind;
  std::function<outcome(const View&)> examine;
};

/// Why measurements on an executor do not apply to a statement of this kind; empty if they do.
std::string no_meaning(about_what kind, std::string_view executor);

template <class View>
std::vector<finding> examine_all(const std::vector<statement<View>>& all, const View& view,
                                 std::string_view executor) {
  std::vector<finding> findings;
  for (const statement<View>& each : all) {
    const std::string silence = no_meaning(each.kind, executor);
    outcome found = silence.empty() ? each.examine(view) : missing(silence);
    findings.push_back({each.source, each.claim, found.verdict, std::move(found.numbers)});
  }
  return findings;
}

} // namespace evenly::study
