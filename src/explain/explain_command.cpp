// SPDX-License-Identifier: Apache-2.0
// evenly explain: the memory accesses of an operation under a schedule, or of references under a layout, counted on the
// simulated GPU.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/schedule_names.hpp"
#include "cli/shared_options.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "explain/explanation.hpp"
#include "explain/patterns.hpp"
#include "host/errors.hpp"
#include "host/guarded.hpp"
#include "io/input.hpp"
#include "json/value.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/layout_bench.hpp"
#include "layouts/reorganize.hpp"
#include "measure/bench.hpp"
#include "measure/machine.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/charts.hpp"
#include "report/results_page.hpp"

namespace evenly::explaining {

using cli::add_block, cli::add_input, cli::add_json, cli::add_reading, cli::add_report, cli::add_schedule,
    cli::add_seed, cli::add_threads, cli::add_type, cli::command, cli::default_schedule,
    cli::help_on_generators, cli::help_on_schedules, cli::nowhere, cli::on_simt, cli::operations,
    cli::place_of, cli::refuse_outputs_over, cli::refuse_without_effect, cli::registered, cli::require_files,
    cli::with_block_size;
using evenly::report::require_plotter;
using layouts::access_workload, layouts::layout_names, layouts::layout_result, layouts::layouts_options,
    layouts::make_workload, layouts::names_access_workload, layouts::run_layouts_on_simt;
using measure::bench, measure::bench_options, measure::commit, measure::executor_kind, measure::make_bench,
    measure::make_problem, measure::number_name, measure::number_type, measure::operation,
    measure::operation_name, measure::prepared_run, measure::print, measure::problem, measure::reference,
    measure::result_file, measure::usage_error, measure::utc_now, measure::with_noun, measure::wrapped;

namespace {

struct explain_options {
  std::string input;
  io::read_options reading;
  std::string
      layout; ///< the input is a workload of references (layouts/access_workload.hpp) under this one; empty: it is not
  int block_size = 256; ///< for layouts
  operation op{};
  number_type type = number_type::single_precision; ///< for products
  any_schedule schedule = cli::example_schedule();
  std::string json;   ///< path of a file, `-` for standard output, empty for none
  std::string report; ///< likewise, for the HTML page
  bench_options bench;
};

json::value head_of(const explain_options& options, const io::input& in, const problem& p) {
  return {{"date", utc_now()},       {"commit", commit()},     {"input", in.name},
          {"rows", in.matrix.rows},  {"cols", in.matrix.cols}, {"atoms", in.matrix.atoms()},
          {"op", operation_name(p)}, {"type", number_name(p)}, {"schedule", options.schedule.text()},
          {"executor", "simt"}};
}

/// `chosen`: the choice of automatic.
std::string subject_of(const explain_options& options, const io::input& in, const problem& p,
                       const std::string& chosen) {
  return fmt::format("{} ({}) of {}, {} with {}, under {}", operation_name(p), number_name(p),
                     host::printable(in.name), with_noun(in.matrix.rows, "tile"),
                     with_noun(in.matrix.atoms(), "atom"), chosen.empty() ? options.schedule.text() : chosen);
}

json::value head_of(const explain_options& options, const access_workload& of) {
  return {{"date", utc_now()},
          {"commit", commit()},
          {"workload", of.text},
          {"threads", of.shape.threads},
          {"references", of.shape.references},
          {"elements", of.shape.elements},
          {"block", of.shape.block},
          {"layout", options.layout},
          {"arm", options.layout},
          {"executor", "simt"}};
}

/// Throws device_error if the result is wrong, and invalid_argument if the layout is not available.
explanation explain_layout(const explain_options& options, const access_workload& of) {
  const std::string subject = fmt::format(
      "{}: {} with {} each to {}, under {}", host::printable(of.text), with_noun(of.shape.threads, "thread"),
      with_noun(of.shape.references, "reference"), with_noun(of.shape.elements, "element"), options.layout);
  std::optional<layout_result> seen;
  const layouts_options how{.bench = options.bench,
                            .wants = [&](const std::string& name) { return name == options.layout; },
                            .count = true,
                            .profiles = true};
  run_layouts_on_simt(of, how, [&](const layout_result& each) { seen = each; });
  if (!seen)
    throw usage_error(fmt::format("{} does not support {}", host::in_quotes(of.text), options.layout));
  if (seen->refusal) throw invalid_argument(*seen->refusal);
  if (seen->error) throw device_error(fmt::format("{}: {}", subject, *seen->error));
  return {subject, std::move(seen->launches)};
}

/// Throws device_error if the result is wrong.
explanation explain_problem(const explain_options& options, const io::input& in, const problem& p) {
  trace counts{keep_profiles{}};
  bench_options with_trace = options.bench;
  with_trace.trace = &counts;
  bench on = make_bench(executor_kind::simt, p, with_trace);
  const prepared_run once = on.candidate_of(options.schedule).prepare();
  const std::string subject = subject_of(options, in, p, once.chosen);
  on.out->poison();
  if (once.before) once.before();
  explanation found = explain(subject, counts, once.run);
  found.choice = once.why;
  if (const auto error = reference(p).first_error(on.out->result()))
    throw device_error(fmt::format("{}: {}", subject, *error));
  return found;
}

/// Prints the explanation of one run without its plan, and writes JSON and HTML if requested. Throws evenly::error,
/// also if the result is wrong.
void explain_input(const explain_options& options) {
  std::optional<io::input_source> source;
  if (options.layout.empty()) source.emplace(options.input, options.reading);
  if (!options.report.empty()) require_plotter();
  host::guarded<json::value> head;
  host::guarded<std::optional<explanation>> explained;
  result_file file(options.json, [&] { return head.copy(); }, "launches");
  if (!options.report.empty())
    file.accompany(options.report, [&] { return html_of(explained.copy().value_or(explanation{})); });
  file.measure(options.input, [&] {
    explanation found;
    if (!options.layout.empty()) {
      const access_workload of = make_workload(options.input, options.block_size, options.reading);
      head.set(head_of(options, of));
      found = explain_layout(options, of);
    } else {
      const io::input in = options.op == operation::spmv ? source->load() : source->load_structure();
      const problem p = make_problem(options.op, options.type, in.matrix, options.bench.seed);
      head.set(head_of(options, in, p));
      found = explain_problem(options, in, p);
      if (!found.choice.empty()) head.change([&](json::value& all) { all["choice"] = found.choice; });
    }
    for (const auto& each : json_of(found)) file.add(each);
    explained.set(std::move(found));
  });
  if (explained.here())
    print(options.json == "-" || options.report == "-" ? stderr : stdout, to_text(*explained.here()));
  file.finish();
}

class explain_command : public command {
 public:
  explain_command() : command("explain") {
    options_.schedule = default_schedule();
    options_.op = operation::spmv;
    options_.bench.threads = 1; // with more, the last block would vary
    add_input(*this, "input FILE|GENERATOR", options_.input,
              "a file, plain or compressed, - for standard input, or a generator; with --layout a workload "
              "of evenly reorganize; not with --patterns");
    add("--patterns", patterns_,
        "instead of an input, explain access patterns of a warp: strides, offsets, permutations, broadcasts");
    add_reading(*this, options_.reading);
    add_schedule(*this, options_.schedule);
    add(
        "--arm,--layout NAME",
        [this](const std::string& name) {
          place_of(layout_names(), "a layout", name);
          options_.layout = name;
        },
        "explain references under a layout of evenly reorganize instead of tiles under a schedule (default "
        "for its workloads: none)")
        .completes(layout_names());
    add("--op OP", options_.op, operations, "an operation",
        "operation: spmv: y = A x; expand: write the tile of each atom; update: add it to the atom's element "
        "(default: spmv)");
    add_type(*this, options_.type, "type of the values, for spmv: float or double (default: float)")
        .effective([this] { return has_floats() ? on_simt : nowhere; });
    add_json(*this, options_.json, "also write all counts to a JSON file");
    add_report(*this, options_.report);
    add_seed(*this, options_.bench,
             {"seed of x and of the thread interleaving (default: 0, in order)", [] { return on_simt; }});
    add_threads(*this, options_.bench.threads);
    add_block(*this, block_size_);
    add_example("evenly explain matrix.mtx --schedule thread_mapped",
                "explain the memory accesses of one thread per row");
    add_example("evenly explain grid:x=20,y=20 --report explained.html --json explained.json",
                "also write a page with charts, and all counts as JSON");
    add_example("evenly explain --patterns", "compare access patterns of a warp");
    add_to_footer(wrapped("The command explains one run on the simulated GPU, without the preparation of its "
                          "plan. A million atoms take two to ten seconds.",
                          "") +
                  '\n' + help_on_schedules() + '\n' + help_on_generators());
  }

  bool run() override {
    if (patterns_) return run_patterns();
    if (options_.input.empty())
      throw usage_error(
          "explain needs an input: a file or a generator, as in evenly explain grid:x=20,y=20; or "
          "--patterns");
    require_files(*this, {options_.input});
    if (options_.layout.empty() && names_access_workload(options_.input)) options_.layout = "none";
    if (!options_.layout.empty() && (is_given("--schedule") || is_given("--op")))
      throw usage_error("--layout " + options_.layout +
                        ": --schedule and --op apply to tiles, not to references");
    options_.schedule = with_block_size(options_.schedule, block_size_);
    if (block_size_ > 0) options_.block_size = block_size_;
    refuse_outputs_over(*this, {options_.input});
    refuse_without_effect(*this,
                          !options_.layout.empty() ? "explain --layout"
                          : has_floats()           ? "explain --op spmv"
                                                   : "explain --op expand or update",
                          std::vector{executor_kind::simt});
    explain_input(options_);
    return true;
  }

 private:
  /// Patterns are fixed: only --json has an effect.
  bool run_patterns() {
    for (const char* option :
         {"--schedule", "--layout", "--op", "--type", "--report", "--seed", "--threads", "--block"})
      if (is_given(option)) throw usage_error(std::string(option) + ": has no effect with --patterns");
    if (!options_.input.empty())
      throw usage_error("--patterns explains fixed patterns: it takes no input, but has " +
                        host::in_quotes(options_.input));
    explain_patterns(options_.json);
    return true;
  }

  bool has_floats() const { return options_.layout.empty() && options_.op == operation::spmv; }

  explain_options options_;
  bool patterns_ = false;
  int block_size_ = 0; ///< 0: the default of the schedule
};
const registered<explain_command> explaining;

} // namespace

} // namespace evenly::explaining
