// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "host/errors.hpp"
#include "ladder/hazards.hpp"
#include "ladder/ladder.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::ladder {

using cli::add_block, cli::add_executor, cli::add_json, cli::add_report, cli::add_run_options, cli::choices,
    cli::command, cli::everywhere, cli::help_on_results, cli::names, cli::nowhere, cli::parse_names,
    cli::pick, cli::place_of, cli::refuse_without_effect, cli::registered;
using measure::joined, measure::usage_error, measure::usual_executor, measure::wrapped;

namespace {

const choices<ladder_kind> ladders{
    {"reduce", ladder_kind::reduce}, {"scan", ladder_kind::scan}, {"rotate", ladder_kind::rotate}};

std::vector<std::string> all_versions() {
  std::vector<std::string> list;
  for (const auto& [name, kind] : ladders)
    for (const std::string& version : version_names(kind))
      if (std::ranges::count(list, version) == 0) list.push_back(version);
  return list;
}

class ladder_command : public command {
 public:
  ladder_command() : command("ladder") {
    const auto timed = [this] { return !count_; };
    const auto if_timed = [timed] { return timed() ? everywhere : nowhere; };
    add(
        "ladder LADDER",
        [this](const std::string& name) {
          options_.kind = pick(ladders, "a ladder", name);
          ladder_ = name;
        },
        "operation: reduce, scan or rotate")
        .required()
        .completes(names(ladders));
    add("--count", count_,
        "count parallel steps, operations, barriers, sectors and bank conflicts on simt instead of timing");
    add_executor(*this, options_.executor);
    add(
        "--n N", [this](const std::string& text) { options_.n = parse_length(text); },
        "number of elements, such as 1000, 1e6 or 2^28 (default: 2^28 on cuda, 2^25 on cpu, 2^16 on simt)");
    add(
        "--rung,--versions NAME,...",
        [this](const std::string& list) { options_.versions = parse_names("--rung", list); },
        "names of versions (default: all, and the baselines)")
        .completes(all_versions());
    add("--exclusive", options_.exclusive, "for scan: each sum excludes its own element");
    add("--operation NAME", options_.operation,
        choices<ladder_operation>{{"sum", ladder_operation::sum},
                                  {"product", ladder_operation::product},
                                  {"min", ladder_operation::minimum},
                                  {"max", ladder_operation::maximum}},
        "an operation",
        "for reduce and scan: sum, product (of ints modulo 2^32), min or max; baselines compute sums only "
        "(default: "
        "sum)")
        .effective(if_timed);
    add("--without PART", without_,
        "leave out a part of a version, and show what the simulated GPU reports: barrier or ping-pong for "
        "reduce, "
        "ping-pong or padding for scan")
        .completes({"barrier", "ping-pong", "padding"});
    add("--type TYPE", options_.type,
        choices<ladder_type>{{"int", ladder_type::int32}, {"float", ladder_type::float32}}, "a type",
        "type of the elements: int or float (default: int)")
        .effective(if_timed); // counts do not depend on the type
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_run_options(*this, options_.repeat, options_.bench, {}, timed);
    add_block(*this, options_.block_size);
    add_example("evenly ladder scan --n 1e5 --on cpu --repeat 5", "time prefix sums from naive to fast");
    add_example("evenly ladder reduce --without barrier", "see the hazard that a barrier prevents");
    add_example("evenly ladder reduce --n 4096 --count",
                "count the steps, operations and barriers of reductions");
    std::string versions = "rotate turns a matrix of n = rows x columns elements, rows <= columns <= 2 "
                           "rows.\n\nVersions (--versions):\n";
    for (const auto& [name, kind] : ladders)
      versions += wrapped(name + ": " + joined(version_names(kind)), "  ");
    add_to_footer(help_on_results() + versions);
  }

  bool run() override {
    if (!without_.empty()) return run_without_part();
    const std::vector<std::string> known = version_names(options_.kind);
    for (const std::string& name : options_.versions) place_of(known, "a version of " + ladder_, name);
    if (options_.exclusive && options_.kind != ladder_kind::scan)
      throw usage_error("--exclusive applies to scan only; a " + ladder_ + " has no prefixes");
    if (options_.operation != ladder_operation::sum && options_.kind == ladder_kind::rotate)
      throw usage_error("--operation applies to reduce and scan only; rotate combines nothing");
    check_block();
    const executor_kind on = options_.executor.value_or(count_ ? executor_kind::simt : usual_executor());
    if (count_ && on != executor_kind::simt)
      throw usage_error("--count runs on simt; without it, versions are timed on " + name_of(on));
    refuse_without_effect(*this, count_ ? "ladder --count" : "ladder", {on}, options_.executor.has_value());
    if (!count_) return time_ladder(options_);
    if (!count_ladder(options_)) throw error("counts differ from the formulas: see above");
    return true;
  }

 private:
  /// The runs are fixed: only --json has an effect.
  bool run_without_part() const {
    const std::vector<std::string> parts = parts_to_leave_out(options_.kind);
    if (std::ranges::count(parts, without_) == 0)
      throw usage_error(
          "--without " + host::in_quotes(without_) + ": " + ladder_ +
          (parts.empty() ? " has no part to leave out" : " can be run without " + joined(parts)));
    for (const char* option : {"--count", "--on", "--n", "--versions", "--exclusive", "--operation", "--type",
                               "--report", "--repeat", "--block", "--threads", "--seed"})
      if (is_given(option)) throw usage_error(std::string(option) + ": has no effect with --without");
    return show_without(options_.kind, without_, options_.json);
  }

  void check_block() const {
    if (options_.block_size == 0) return;
    const std::string block = "--block " + std::to_string(options_.block_size);
    if (!std::has_single_bit(static_cast<unsigned>(options_.block_size)))
      throw usage_error(block + ": versions need a power of two");
    if (!takes_block_size(options_.kind, options_.versions))
      throw usage_error(block + ": has no effect for " + joined(options_.versions) +
                        ", which has a fixed block size");
  }

  ladder_options options_;
  std::string ladder_;
  std::string without_;
  bool count_ = false;
};
const registered<ladder_command> climbing;

} // namespace
} // namespace evenly::ladder
