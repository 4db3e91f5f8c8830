// SPDX-License-Identifier: Apache-2.0
#include "study/verdicts.hpp"

#include <utility>

#include <fmt/format.h>

namespace evenly::cli {

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
  if (executor == "cpu") return "the statement is about GPUs, and cpu is none";
  if (executor == "simt" && kind == about_what::times)
    return "times of the simulation say nothing about a GPU's";
  return "";
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

} // namespace evenly::cli
