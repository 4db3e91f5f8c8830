// SPDX-License-Identifier: Apache-2.0
// How a statement of the paper is held against our numbers: what "similar" or "about three times" means, fixed for all
// statements alike, and what a predicate answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/claims.hpp"

namespace evenly::study {

/// Times that differ by less are the same.
inline constexpr double noise = 1.05;
/// "Slightly", "comparable", "among the best": within this factor.
inline constexpr double slightly = 1.25;
/// "About n times": from n / about to n * about. "Similar": within it. "Clearly", "drastically": at least it.
inline constexpr double about = 1.5;

struct outcome {
  verdict_word verdict;
  std::string numbers;
};

outcome judge(bool agrees, std::string numbers);
outcome missing(std::string why);

/// All must agree; what was not measured leaves it open.
outcome all_of(const std::vector<outcome>& parts);

/// How many agree, disagree and are not measured.
std::string counted(const std::vector<finding>& findings);
/// Lines for people: a statement each, but those that are not measured for one reason together.
std::string as_text(const std::vector<finding>& findings);

/// Of a table on a page.
std::string verdict_cell(verdict_word verdict);

/// A ratio for people.
std::string factor(double ratio);

/// What a statement is about. Times and memory are a GPU's; on a simulated one times say nothing, and what a plan needs
/// is the same. Counts of what there is to do are the same everywhere.
enum class about_what { times, memory, counts };

/// A statement on View, which holds measurements.
template <class View> struct statement {
  std::string_view source;
  std::string_view claim;
  about_what kind;
  std::function<outcome(const View&)> examine;
};

/// Why measurements on an executor say nothing about a statement of this kind; empty if they do.
std::string no_meaning(about_what kind, std::string_view executor);

template <class View>
std::vector<finding> examine_all(const std::vector<statement<View>>& all, const View& view,
                                 std::string_view executor) {
  std::vector<finding> findings;
  for (const statement<View>& each : all) {
    const std::string silence = no_meaning(each.kind, executor);
    outcome found = silence.empty() ? each.examine(view) : missing(silence);
    findings.push_back(
        {std::string(each.source), std::string(each.claim), found.verdict, std::move(found.numbers)});
  }
  return findings;
}

} // namespace evenly::study
