// SPDX-License-Identifier: Apache-2.0
#include "study/verdicts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "report/page.hpp"

namespace evenly::study {

using measure::one_line, measure::wrapped, measure::xml_escaped;

outcome judge(bool agrees, std::string numbers) {
  return {agrees ? verdict_word::agrees : verdict_word::disagrees, std::move(numbers)};
}
outcome missing(std::string why) { return {verdict_word::not_measured, std::move(why)}; }
outcome judge(interval value, double min, double max, std::string numbers) {
  const bool inside = value.low >= min && value.high <= max;
  const bool outside = value.high < min || value.low > max;
  return {inside    ? verdict_word::agrees
          : outside ? verdict_word::disagrees
                    : verdict_word::too_close,
          std::move(numbers)};
}

interval min_of(const std::vector<interval>& all) {
  interval found = all.front();
  for (const interval& each : all) found = {std::min(found.low, each.low), std::min(found.high, each.high)};
  return found;
}
interval max_of(const std::vector<interval>& all) {
  interval found = all.front();
  for (const interval& each : all) found = {std::max(found.low, each.low), std::max(found.high, each.high)};
  return found;
}

interval spread_of(const measure::timing& time, const measure::middle_half& middle) {
  const double half = std::sqrt(noise);
  const interval of_noise{time.median / half, time.median * half};
  if (middle.from <= 0) return of_noise; // a time of a single round, or of an earlier program
  return {std::min(of_noise.low, middle.from), std::max(of_noise.high, middle.to)};
}

outcome all_of(const std::vector<outcome>& parts) {
  constexpr std::array severity{0, 3, 1, 2}; // by verdict_word
  const auto rank = [&](verdict_word verdict) { return severity.at(static_cast<std::size_t>(verdict)); };
  outcome all{verdict_word::agrees, ""};
  for (const outcome& part : parts) {
    if (rank(part.verdict) > rank(all.verdict)) all.verdict = part.verdict;
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
std::array<int, 4> count(const std::vector<finding>& findings) {
  std::array<int, 4> counts{};
  for (const finding& each : findings) ++counts[static_cast<std::size_t>(each.verdict)];
  return counts;
}
} // namespace

std::string counted(const std::vector<finding>& findings) {
  const auto [agrees, disagrees, close, open] = count(findings);
  return fmt::format("{} agree, {} disagree, {} too close, {} not measured", agrees, disagrees, close, open);
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
  case verdict_word::too_close:
    return "too close";
  case verdict_word::not_measured:
    break;
  }
  return "not measured";
}

void add_json(json::value& list, const std::vector<finding>& findings, std::string_view subject) {
  for (const finding& each : findings) {
    json::value made;
    if (!subject.empty()) made["about"] = subject;
    made.update({{"source", each.source},
                 {"claim", each.claim},
                 {"verdict", name_of(each.verdict)},
                 {"numbers", each.numbers}});
    list.push_back(std::move(made));
  }
}

const std::string_view colours_of_verdicts = R"(
td.agrees { background: #57a05c44; } td.disagrees { background: #c4463a44; } td.open { background: #88888833; }
)";

std::string verdict_table(const std::vector<std::string>& heads,
                          const std::vector<std::vector<finding>>& findings, bool numbers_of_all) {
  constexpr std::array kinds{"agrees", "disagrees", "open", "open"};
  const auto has_numbers = [&](std::size_t column) { return column == 0 || numbers_of_all; };
  std::string text = "<table><tr><th>where</th><th>the paper says</th>";
  for (std::size_t i = 0; i < heads.size(); ++i)
    text += fmt::format("<th>{}</th>{}", xml_escaped(heads[i]), has_numbers(i) ? "<th>our numbers</th>" : "");
  text += "</tr>\n";
  for (std::size_t row = 0; row < findings.front().size(); ++row) {
    const finding& first = findings.front()[row];
    text += fmt::format("<tr><td>{}</td><td class=\"words\">{}</td>", xml_escaped(first.source),
                        xml_escaped(first.claim));
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const finding& each = findings[i][row];
      text += fmt::format("<td class=\"{}\">{}</td>", kinds.at(static_cast<std::size_t>(each.verdict)),
                          name_of(each.verdict));
      if (has_numbers(i)) text += fmt::format("<td class=\"words\">{}</td>", xml_escaped(each.numbers));
    }
    text += "</tr>\n";
  }
  return report::scrolling(text + "</table>");
}

int best_of(const curve& times) {
  return std::ranges::min_element(times, {}, [](const auto& point) { return point.second; })->first;
}
std::string in_words(const curve& times) {
  std::vector<std::string> parts;
  for (const auto& [x, ms] : times) parts.push_back(fmt::format("{}: {}", x, measure::milliseconds(ms)));
  return measure::joined(parts);
}

} // namespace evenly::study
