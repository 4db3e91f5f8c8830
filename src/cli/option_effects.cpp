// SPDX-License-Identifier: Apache-2.0
#include "cli/option_effects.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

struct effect {
  std::string_view option;
  executor_set where; ///< on which executors it changes something
};
struct effects {
  std::string_view doing;
  std::vector<effect> options;
};

/// In the order of activity: the options that change something on some executors only. Those that always do are not
/// here; one that is here, but not for what is done, changes nothing then.
const std::vector<effects>& table() {
  static const std::vector<effects> all_effects{
      {"compare --op spmv",
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--warm", cuda},
        {"--seed", all}, // x is random
        {"--type", all},
        {"--repeat", all},
        {"--on", all}}},
      {"compare --op spmm",
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--warm", cuda},
        {"--seed", all}, // B is random
        {"--type", all},
        {"--repeat", all},
        {"--on", all}}},
      {"compare --op expand or update", // tiles are as they are, and they work on int
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--warm", cuda},
        {"--seed", simt},
        {"--repeat", all},
        {"--on", all}}},
      {"spmv", {{"--threads", cpu | simt}, {"--block", simt | cuda}, {"--on", all}}},
      {"study", {{"--threads", cpu | simt}, {"--on", all}, {"--quick", all}, {"--resume", all}}},
      {"study --from", {}},
      {"ladder",
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--warm", cuda},
        {"--seed", simt},
        {"--type", all},
        {"--repeat", all},
        {"--on", all}}},
      {"ladder --count", // counts are of any 4 bytes
       {{"--threads", simt}, {"--block", simt}, {"--seed", simt}, {"--on", simt}}},
      {"tasks",
       {{"--threads", cpu | simt}, {"--warm", cuda}, {"--seed", simt}, {"--repeat", all}, {"--on", all}}},
      {"explain --op spmv", {{"--threads", simt}, {"--block", simt}, {"--seed", simt}, {"--type", simt}}},
      {"explain --op expand or update", {{"--threads", simt}, {"--block", simt}, {"--seed", simt}}},
      {"explain --arm", {{"--threads", simt}, {"--block", simt}, {"--seed", simt}}},
      {"reorganize",
       {{"--threads", cpu | simt},
        {"--block", all},
        {"--warm", cuda},
        {"--seed", all}, // P changes at random
        {"--repeat", all},
        {"--on", all},
        {"--iterations", all},
        {"--change-every", all}}},
      {"reorganize --count", {{"--threads", simt}, {"--block", simt}, {"--seed", simt}, {"--on", simt}}},
      {"bfs and sssp",
       {{"--threads", cpu | simt}, {"--warm", cuda}, {"--seed", simt}, {"--repeat", all}, {"--on", all}}},
      {"spgemm",
       {{"--threads", cpu | simt},
        {"--warm", cuda},
        {"--seed", simt},
        {"--type", all},
        {"--repeat", all},
        {"--on", all}}},
      {"spgemm -o", // one product
       {{"--threads", cpu | simt}, {"--seed", simt}, {"--type", all}, {"--on", all}}},
      {"spmm",
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--warm", cuda},
        {"--seed", all}, // B is random
        {"--type", all},
        {"--repeat", all},
        {"--on", all}}},
      {"spmm --b",
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--warm", cuda},
        {"--seed", simt},
        {"--type", all},
        {"--repeat", all},
        {"--on", all}}},
      {"spmm -o", // one product
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--seed", all},
        {"--type", all},
        {"--on", all}}},
      {"spmm --b -o",
       {{"--threads", cpu | simt},
        {"--block", simt | cuda},
        {"--seed", simt},
        {"--type", all},
        {"--on", all}}},
      {"transpose", {{"--threads", cpu}}},
      {"octree",
       {{"--threads", cpu | simt}, {"--warm", cuda}, {"--seed", simt}, {"--repeat", all}, {"--on", all}}},
  };
  return all_effects;
}

const effects& effects_of(activity doing) { return table()[static_cast<std::size_t>(doing)]; }

bool is_known(const std::string& option) {
  return std::ranges::any_of(table(), [&](const effects& each) {
    return std::ranges::count(each.options, option, &effect::option) > 0;
  });
}

std::string in_words(executor_set set) {
  std::vector<std::string> kinds;
  for (const executor_kind kind : {executor_kind::cpu, executor_kind::simt, executor_kind::cuda})
    if (set & only(kind)) kinds.push_back(name_of(kind));
  return joined(kinds);
}

std::string rule(executor_set where, executor_set running, activity doing, bool chosen) {
  const std::string_view doing_what = effects_of(doing).doing;
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
    if (!is_known(each.name)) continue;
    const std::vector<effect>& options = effects_of(doing).options;
    const auto found = std::ranges::find(options, each.name, &effect::option);
    const executor_set where = found == options.end() ? none : found->where;
    if (where & running) continue;
    const std::string value = each.value.empty() ? "" : ' ' + io::printable(each.value);
    throw usage_error(fmt::format("{}{} {}", each.name, value, rule(where, running, doing, chosen)));
  }
}

} // namespace evenly::cli
