// SPDX-License-Identifier: Apache-2.0
#include "study/verdicts.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::study {

using measure::one_line, measure::wrapped;

outcome judge(bool agrees, std::string numbers) {
  return {agrees ? verdict_word::agrees : verdict_word::disagrees, std::move(numbers)};
}
outcome missing(std::string why) { return {verdict_word::not_measured, std::move(why)}; }
outcome all_of(const std::vector<outcome>& parts) {
  outcome all{verdict_word::agrees, ""};
  for (const outcome& part : parts) {
    if (part.verdict == verdict_word::disagrees ||
        (part.verdict == verdict_word::not_measured && all.verdict == verdict_word::agrees))
      all.verdict = part.verdict;
    all.numbers += (all.numbers.empty() ? "" : "; ") + part.numbers;
  }
  return all;
}

std::string factor(double ratio) { return fmt::format("{:.2f}", ratio); }

std::string no_meaning(about_what kind, std::string_view executor) {
  if (kind == about_what::counts) return "";
  if (executor == "cpu") return "the statement is about GPUs, and cpu is not a GPU";
  if (executor == "simt" && kind == about_what::times) return "simulated times say nothing about a GPU";
  return "";
}

namespace {
std::array<int, 3> count(const std::vector<finding>& findings) {
  std::array<int, 3> counts{};
  for (const finding& each : findings) ++counts[static_cast<std::size_t>(each.verdict)];
  return counts;
}
} // namespace

std::string counted(const std::vector<finding>& findings) {
  const auto [agrees, disagrees, open] = count(findings);
  return fmt::format("{} agree, {} disagree, {} not measured", agrees, disagrees, open);
}

std::string as_text(const std::vector<finding>& findings) {
  const std::string indent(17, ' ');
  std::string text;
  const auto add = [&](const finding& about, const std::string& words, const std::string& numbers) {
    std::string lines = wrapped(words, indent);
    const std::string verdict = name_of(about.verdict);
    lines.replace(2, verdict.size(), verdict);
    text += lines + wrapped(one_line(numbers), indent + "  ");
  };
  std::map<std::string, int> silent;
  for (const finding& each : findings)
    if (each.verdict == verdict_word::not_measured) ++silent[each.numbers];
  for (const finding& each : findings) {
    const int together =
        each.verdict == verdict_word::not_measured ? std::exchange(silent[each.numbers], 0) : 1;
    if (together == 1) add(each, fmt::format("{} ({})", each.claim, each.source), each.numbers);
    if (together > 1) add(each, fmt::format("{} statements", together), each.numbers);
  }
  return text;
}

std::string name_of(verdict_word verdict) {
  switch (verdict) {
  case verdict_word::agrees:
    return "agrees";
  case verdict_word::disagrees:
    return "disagrees";
  case verdict_word::not_measured:
    break;
  }
  return "not measured";
}

std::string verdict_cell(verdict_word verdict) {
  const char* const kind = verdict == verdict_word::agrees      ? "agrees"
                           : verdict == verdict_word::disagrees ? "disagrees"
                                                                : "open";
  return fmt::format("<td class=\"{}\">{}</td>", kind, name_of(verdict));
}

} // namespace evenly::study
