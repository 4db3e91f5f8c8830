// SPDX-License-Identifier: Apache-2.0
#include "cli/effects.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/errors.hpp"
#include "io/input.hpp"
#include "io/output_format.hpp"
#include "measure/bench.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::find_cuda, measure::joined, measure::name_of, measure::output, measure::usage_error,
    measure::usual_executor;

namespace {

namespace fs = std::filesystem;

/// Whether two paths name the same file, existing or not. Devices such as /dev/null accept any number of outputs.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (a == "-" || b == "-") return a == b;
  const fs::file_status there = fs::status(a, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) return false;
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
             fs::weakly_canonical(fs::absolute(b, ignored), ignored) ||
         fs::equivalent(a, b, ignored);
}

void check_ending(const command::given_value& output) {
  try {
    io::output_format_of(output.value, *output.formats);
  } catch (const host::output_error& e) {
    throw usage_error(output.name + ' ' + e.what());
  }
}

std::string in_words(executor_set set) {
  std::vector<std::string> kinds;
  for (const executor_kind kind : {executor_kind::cpu, executor_kind::simt, executor_kind::cuda})
    if (set & only(kind)) kinds.push_back(name_of(kind));
  return joined(kinds);
}

std::string rule(executor_set where, executor_set running, std::string_view doing, bool chosen) {
  if (where == nowhere) return "has no effect in " + std::string(doing);
  std::string words =
      "has no effect on " + in_words(running) + " in " + std::string(doing) + ", only on " + in_words(where);
  if (!chosen && (where & on_cuda)) words += "; cuda cannot be used: " + find_cuda().text;
  return words;
}

} // namespace

void check_outputs(const command& of) {
  std::vector<command::given_value> outputs = of.given();
  std::erase_if(outputs, [](const auto& each) { return each.formats == nullptr; });
  std::ranges::for_each(outputs, check_ending);
  for (auto each = outputs.begin(); each != outputs.end(); ++each)
    for (auto before = outputs.begin(); before != each; ++before)
      if (same_file(before->value, each->value))
        throw usage_error(before->name + " and " + each->name + " both write " +
                          (each->value == "-" ? "standard output" : host::in_quotes(each->value)) +
                          ": one would overwrite the other");
}

void refuse_without_effect(const command& of, std::string_view doing,
                           const std::vector<executor_kind>& executors, bool chosen) {
  executor_set running = nowhere;
  for (const executor_kind kind : executors) running |= only(kind);
  for (const command::given_value& each : of.given()) {
    if (each.where & running) continue;
    const std::string value = each.value.empty() ? "" : ' ' + host::printable(each.value);
    throw usage_error(each.name + value + ' ' + rule(each.where, running, doing, chosen));
  }
}

void refuse_without_effect(const command& of, std::string_view doing, std::optional<executor_kind> chosen) {
  refuse_without_effect(of, doing, {chosen ? *chosen : usual_executor()}, chosen.has_value());
}

void require_files(const command& of, const std::vector<std::string>& inputs,
                   std::initializer_list<std::string_view> options) {
  const auto given = std::ranges::find_if(options, [&](std::string_view each) { return of.is_given(each); });
  if (given == options.end() || inputs.empty() || std::ranges::any_of(inputs, io::names_file)) return;
  throw usage_error(std::string(*given) + " has no effect: it applies to files, and " +
                    host::in_quotes(inputs.front()) + " is not a file");
}

void refuse_second_standard_input(const std::vector<std::string>& inputs) {
  if (std::ranges::count(inputs, "-") > 1)
    throw usage_error("- is named twice: standard input can be read only once");
}

void refuse_outputs_over(const command& of, const std::vector<std::string>& inputs) {
  for (const command::given_value& each : of.given())
    for (const std::string& input : inputs) {
      std::error_code ignored;
      if (each.formats != nullptr && each.value != "-" && fs::is_regular_file(each.value, ignored) &&
          fs::equivalent(each.value, input, ignored))
        throw usage_error(host::in_quotes(each.value) + " is the input " + host::in_quotes(input) +
                          ": write to another file");
    }
}

} // namespace evenly::cli
