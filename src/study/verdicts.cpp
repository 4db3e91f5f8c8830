// SPDX-License-Identifier: Apache-2.0
#include "study/verdicts.hpp"

#include <algorithm>
#include <array>
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
  constexpr std::array kinds{"agrees", "disagrees", "open"};
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
