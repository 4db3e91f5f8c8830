// SPDX-License-Identifier: Apache-2.0
#include "layouts/reorganize.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/guarded.hpp"
#include "json/value.hpp"
#include "layouts/layout_bench.hpp"
#include "layouts/layout_list.hpp"
#include "measure/counts_json.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/measured_run.hpp"

namespace evenly::layouts {

using measure::grouped, measure::joined, measure::json_of_counts, measure::milliseconds, measure::name_of,
    measure::one_line, measure::result_file, measure::usage_error, measure::with_noun, measure::wrapped;

namespace {

std::string megabytes(std::size_t bytes) { return fmt::format("{:.4g}", static_cast<double>(bytes) / 1e6); }
double ratio(std::int64_t amount, std::int64_t of) {
  return of == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(of);
}

json::value json_of(const layout_result& each, bool count) {
  json::value result{{"layout", each.layout},
                     {"arm", each.layout},
                     {"ok", each.is_timed()},
                     {"plan_bytes", each.plan_bytes},
                     {"copy_bytes", each.copy_bytes},
                     {"footprint_bytes", each.footprint_bytes},
                     {"predicted_requests", each.estimate.requests},
                     {"predicted_sectors", each.estimate.sectors}};
  if (each.error) result["error"] = one_line(*each.error);
  if (each.refusal) result["refusal"] = one_line(*each.refusal);
  if (!each.is_timed()) return result;
  if (count) {
    result["counts"] = json_of_counts(each.seen);
  } else {
    result.update({{"build_ms", each.build_ms},
                   {"refresh_ms", each.refresh_ms},
                   {"run_ms", each.run_ms},
                   {"loop_ms", each.loop_ms},
                   {"kept_loop_ms", each.kept_loop_ms}});
  }
  if (!each.chosen.empty()) result.update({{"chosen", each.chosen}, {"why", each.why}});
  return result;
}

report::table empty_table(const reorganize_options& options) {
  if (options.count)
    return report::table(
        {"layout", "loads", "sectors", "each", "wavefronts", "conflicts", "plan MB", "copy MB"},
        {-30, 12, 14, 9, 12, 12, 10, 10});
  return report::table({"layout", "run", "refresh", "build", with_noun(options.iterations, "run"), "times",
                        "plan MB", "copy MB", "sectors", "reads MB"},
                       {-30, 9, 9, 9, 10, 8, 10, 10, 9, 10});
}

report::table::cells cells_of(const layout_result& each, bool count, double none_loop_ms) {
  if (!each.is_timed()) return {each.layout, each.error ? "FAILED" : "refused"};
  const trace_counts& c = each.seen;
  if (count)
    return {each.layout,
            grouped(c.global_load_requests),
            grouped(c.global_load_sectors),
            fmt::format("{:.2f}", ratio(c.global_load_sectors, c.global_load_requests)),
            grouped(c.storage_load_wavefronts),
            grouped(c.bank_conflicts()),
            megabytes(each.plan_bytes),
            megabytes(each.copy_bytes)};
  return {each.layout,
          milliseconds(each.run_ms),
          milliseconds(each.refresh_ms),
          milliseconds(each.build_ms),
          milliseconds(each.loop_ms),
          none_loop_ms > 0 ? fmt::format("{:.2f}", none_loop_ms / each.loop_ms) : "-",
          megabytes(each.plan_bytes),
          megabytes(each.copy_bytes),
          fmt::format("{:.2f}", ratio(each.estimate.sectors, each.estimate.requests)),
          megabytes(each.footprint_bytes)};
}

std::string legend_of(const reorganize_options& options) {
  if (options.count)
    return "  loads: memory requests of warps; sectors: 32 bytes each; wavefronts and conflicts: in shared "
           "memory\n";
  return wrapped(
      fmt::format("Times in ms. run: one kernel; refresh: the copy before each run; build: one plan; {}: all "
                  "runs with copies and a plan {}; times: speed relative to none. sectors: per request of 32 "
                  "lanes; reads: distinct bytes that a run reads.",
                  with_noun(options.iterations, "run"),
                  options.change_every > 0 ? fmt::format("every {}", options.change_every) : "at the start"),
      "  ");
}

/// Properties of the workload that do not depend on a layout.
json::value json_of(const access_workload& of) {
  json::value about{{"threads", of.shape.threads},
                    {"references", of.shape.references},
                    {"elements", of.shape.elements},
                    {"element_bytes", of.shape.element_bytes},
                    {"block", of.shape.block}};
  if (of.use == access_use::forces) about["pairs"] = of.pairs;
  return about;
}

} // namespace

std::vector<std::string> layout_names() {
  std::vector<std::string> names;
  for (const access_use use : {access_use::sums, access_use::forces}) { // other uses have no more layouts
    access_workload any; // a graph, because it has as many threads as elements
    any.use = use;
    for_each_layout_of(any, nullptr, [&](const char* name, const auto&) {
      if (std::ranges::count(names, name) == 0) names.emplace_back(name);
    });
  }
  return names;
}

std::string run_layouts(executor_kind kind, const access_workload& of, const layouts_options& options,
                        const take_result& take) {
  if (kind == executor_kind::cpu) return run_layouts_on_cpu(of, options, take);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return run_layouts_on_cuda(of, options, take);
#endif
  return run_layouts_on_simt(of, options, take);
}

bool reorganize(const reorganize_options& options) {
  const executor_kind kind =
      report::executor_of(options.count ? options.executor.value_or(executor_kind::simt) : options.executor);
  host::guarded<json::value> about;
  const auto head = [&] {
    json::value made{{"workload", options.workload}};
    if (!options.count)
      made.update({{"iterations", options.iterations}, {"change_every", options.change_every}});
    made.update(about.copy());
    return made;
  };
  const auto run_all = [&](result_file& file, std::string& text) {
    const access_workload of = make_workload(options.workload, options.block_size, options.reading);
    about.set(json_of(of));
    layouts_options how{.bench = options.bench,
                        .wants =
                            [&](const std::string& name) {
                              return options.layouts.empty() || std::ranges::count(options.layouts, name) > 0;
                            },
                        .count = options.count,
                        .iterations = options.iterations,
                        .change_every = options.change_every > 0 ? options.change_every : options.iterations,
                        .repeat = options.repeat};
    report::table table = empty_table(options);
    std::string notes;
    double none_loop_ms = 0;
    bool all_right = true;
    const std::string place = run_layouts(kind, of, how, [&](const layout_result& each) {
      if (each.layout == none::name) none_loop_ms = each.loop_ms;
      table.row(cells_of(each, options.count, none_loop_ms));
      all_right &= !each.error;
      if (each.error)
        notes += wrapped(fmt::format("FAILED {}: {}", each.layout, one_line(*each.error)), "  ");
      if (each.refusal)
        notes += wrapped(fmt::format("refused {}: {}", each.layout, one_line(*each.refusal)), "  ");
      if (!each.why.empty()) notes += wrapped(fmt::format("{}: {}", each.layout, each.why), "  ");
      file.add(json_of(each, options.count));
    });
    if (table.empty())
      throw usage_error(fmt::format(
          "{} does not support {}: its threads do not correspond to elements, or have no positions",
          options.workload, joined(options.layouts)));
    text = fmt::format("{} on {} ({}): {}, {} each, to {} of {}\n", options.workload, name_of(kind), place,
                       with_noun(of.shape.threads, "thread"), with_noun(of.shape.references, "reference"),
                       with_noun(of.shape.elements, "element"), with_noun(of.shape.element_bytes, "byte")) +
           table.text() + notes + legend_of(options);
    return all_right;
  };
  return report::measure_input({.executor = kind,
                                .input = options.workload,
                                .outputs = {options.json, options.report},
                                .head = head,
                                .work = run_all,
                                .has_times = !options.count});
}

} // namespace evenly::layouts
