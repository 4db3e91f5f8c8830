// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "evenly/core/errors.hpp"
#include "explain/explanation.hpp"
#include "host/errors.hpp"
#include "host/guarded.hpp"
#include "io/input.hpp"
#include "json/value.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/layout_bench.hpp"
#include "measure/machine.hpp"
#include "measure/reference.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/charts.hpp"
#include "report/results_page.hpp"

namespace evenly::explaining {

using evenly::report::require_plotter;
using layouts::access_workload, layouts::layout_result, layouts::layouts_options, layouts::make_workload,
    layouts::run_layouts_on_simt;
using measure::bench, measure::commit, measure::executor_kind, measure::make_bench, measure::make_problem,
    measure::number_name, measure::operation_name, measure::prepared_run, measure::print, measure::problem,
    measure::reference, measure::result_file, measure::usage_error, measure::utc_now, measure::with_noun;

namespace {

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

} // namespace

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

} // namespace evenly::explaining
