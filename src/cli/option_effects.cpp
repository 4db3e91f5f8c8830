// SPDX-License-Identifier: Apache-2.0
#include "cli/option_effects.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "io/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {
namespace {

/// A bit for each executor.
using executor_set = unsigned;
constexpr executor_set only(executor_kind kind) { return 1U << static_cast<int>(kind); }
constexpr executor_set cpu = only(executor_kind::cpu);
constexpr executor_set simt = only(executor_kind::simt);
constexpr executor_set cuda = only(executor_kind::cuda);
constexpr executor_set all = cpu | simt | cuda;
constexpr executor_set none = 0; // also where the command does not have the option

/// As activity has them.
constexpr std::array activities{"compare --op spmv",
                                "compare --op expand or update",
                                "spmv",
                                "study",
                                "study --from",
                                "ladder",
                                "ladder --count",
                                "tasks",
                                "explain --op spmv",
                                "explain --op expand or update"};

struct effects {
  std::string_view option;
  std::array<executor_set, activities.size()> where;
};

/// A column for each activity, in that order: on which executors the option changes something.
/// Those that always do are not here.
constexpr effects table[] = {
    // option   compare_spmv  compare_others  spmv  study  study_from  ladder  ladder_count  tasks  explain_spmv
    // explain_others
    {"--threads",
     {cpu | simt, cpu | simt, cpu | simt, cpu | simt, none, cpu | simt, simt, cpu | simt, simt, simt}},
    {"--block", {simt | cuda, simt | cuda, simt | cuda, none, none, simt | cuda, simt, none, simt, simt}},
    {"--warm", {cuda, cuda, none, none, none, cuda, none, cuda, none, none}},
    {"--seed",
     {all, simt, none, none, none, simt, simt, simt, simt,
      simt}}, // x is random; the tiles of other work are as they are
    {"--type",
     {all, none, none, none, none, all, none, none, simt,
      none}}, // others work on int; counts are of any 4 bytes
    {"--repeat", {all, all, none, none, none, all, none, all, none, none}},
    {"--on", {all, all, all, all, none, all, simt, all, none, none}},
    {"--quick", {none, none, none, all, none, none, none, none, none, none}},
};

std::string in_words(executor_set set) {
  std::vector<std::string> kinds;
  for (const executor_kind kind : {executor_kind::cpu, executor_kind::simt, executor_kind::cuda})
    if (set & only(kind)) kinds.push_back(name_of(kind));
  return joined(kinds);
}

std::string rule(executor_set where, executor_set running, activity doing, bool chosen) {
  const std::string_view doing_what = activities[static_cast<std::size_t>(doing)];
  if (where == none) return fmt::format("changes nothing in {}", doing_what);
  std::string words =
      fmt::format("changes nothing on {} in {}, only on {}", in_words(running), doing_what, in_words(where));
  if (!chosen && (where & cuda)) words += ", which cannot be used: " + find_cuda().text;
  return words;
}

} // namespace

void refuse_without_effect(const std::vector<given_option>& given, activity doing,
                           const std::vector<executor_kind>& executors, bool chosen) {
  executor_set running = none;
  for (const executor_kind kind : executors) running |= only(kind);
  for (const given_option& each : given) {
    const auto* const row = std::ranges::find(table, each.name, &effects::option);
    if (row == std::end(table)) continue;
    const executor_set where = row->where[static_cast<std::size_t>(doing)];
    if (where & running) continue;
    const std::string value = each.value.empty() ? "" : ' ' + io::printable(each.value);
    throw usage_error(fmt::format("{}{} {}", each.name, value, rule(where, running, doing, chosen)));
  }
}

} // namespace evenly::cli
