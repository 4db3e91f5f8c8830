// SPDX-License-Identifier: Apache-2.0
#include "study/study_reorganize.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/layouts/choice/sample.hpp"
#include "host/errors.hpp"
#include "layouts/layout_bench.hpp"
#include "measure/machine.hpp"
#include "measure/report.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/charts.hpp"
#include "report/results_page.hpp"
#include "study/access_report.hpp"
#include "study/growing.hpp"

namespace evenly::study {

using evenly::report::require_plotter;
using layouts::access_use, layouts::access_workload, layouts::layout_result, layouts::layouts_options,
    layouts::make_workload, layouts::run_layouts;
using measure::commit, measure::cpu_cores, measure::cpu_model, measure::find_cuda, measure::grouped,
    measure::one_line, measure::print, measure::require_executor, measure::result_file, measure::usage_error,
    measure::usual_executor, measure::utc_now, measure::wrapped;

namespace {

struct named_workload {
  std::string name;
  std::string workload;
};

/// The amount of work.
struct access_effort {
  std::vector<named_workload> workloads; ///< the eight of the paper, and a hard case
  int iterations;                        ///< per loop
  int change_every;                      ///< for the experiment layouts
  std::vector<int> changes;              ///< for the experiment change
  int repeat;                            ///< 0: until the times settle
  int long_iterations = 0;               ///< for the experiment long; 0: none
};

access_effort access_effort_of(executor_kind kind, bool quick) {
  const std::vector<int> few{1, 5, 0}, many{1, 2, 5, 10, 20, 0};
  if (kind == executor_kind::simt && quick)
    return {{{"MD", "md:n=300,k=16"},
             {"IRREG", "irreg:n=512"},
             {"NBF", "nbf:n=343"},
             {"CFD", "cfd:n=384"},
             {"CG", "cg:n=144"},
             {"UNWRAP", "unwrap:size=24"},
             {"NN", "nn:n=600,chunk=300"},
             {"MERGE", "merge:threads=1000,elements=250"},
             {"random graph", "irreg:n=343,lists=random"}},
            2,
            2,
            {1, 0},
            1,
            4};
  if (kind == executor_kind::cpu && quick) // whose times are mostly those of plans
    return {{{"MD", "md:n=2048"},
             {"IRREG", "irreg:n=4096"},
             {"NBF", "nbf:n=4096"},
             {"CFD", "cfd:n=6000"},
             {"CG", "cg:n=16384"},
             {"UNWRAP", "unwrap:size=160"},
             {"NN", "nn:n=65536,chunk=32768"},
             {"MERGE", "merge:threads=65536,elements=16384"},
             {"random graph", "irreg:n=4096,lists=random"}},
            10,
            5,
            few,
            3,
            20};
  if (quick || kind == executor_kind::simt)
    return {{{"MD", "md:n=4000"},
             {"IRREG", "irreg:n=13824"},
             {"NBF", "nbf:n=13824"},
             {"CFD", "cfd:n=20250"},
             {"CG", "cg:n=16384"},
             {"UNWRAP", "unwrap:size=160"},
             {"NN", "nn:n=65536,chunk=32768"},
             {"MERGE", "merge:threads=131072,elements=32768"},
             {"random graph", "irreg:n=13824,lists=random"}},
            10,
            5,
            few,
            3,
            20};
  if (kind == executor_kind::cpu)
    return {{{"MD", "md:n=73728"},
             {"IRREG", "irreg"},
             {"NBF", "nbf"},
             {"CFD", "cfd"},
             {"CG", "cg:n=262144"},
             {"UNWRAP", "unwrap"},
             {"NN", "nn"},
             {"MERGE", "merge"},
             {"random graph", "irreg:lists=random"}},
            50,
            10,
            many,
            0};
  return {{{"MD", "md:n=4e6"},
           {"IRREG", "irreg:n=8e6"},
           {"NBF", "nbf:n=13824000"},
           {"CFD", "cfd:n=6e6"},
           {"CG", "cg:n=1048576"},
           {"UNWRAP", "unwrap:size=4096"},
           {"NN", "nn:n=8388608,chunk=4194304"},
           {"MERGE", "merge"},
           {"random graph", "irreg:n=8e6,lists=random"}},
          50,
          10,
          many,
          0,
          500};
}

/// Layouts of the experiment change. Those that a workload does not support are skipped.
const std::set<std::string> changing_layouts{"none",
                                             "duplicate",
                                             "pad",
                                             "share",
                                             "share_by_neighbours",
                                             "share_working_sets",
                                             "reorder_by_neighbours",
                                             "hilbert_lists",
                                             "automatic"};

/// Whether a layout is skipped for this many references, because one host thread makes its order or it takes many
/// rounds.
bool takes_too_long(const std::string& layout, const layouts::access_shape& shape) {
  if (shape.positions() <= std::int64_t{1} << 24) return false;
  return layout.ends_with("_metis") || layout == "reorder_reverse_cuthill_mckee" ||
         layout == "share_working_sets" || layout == "share_propagated";
}

access_study_workload described(const named_workload& each, const access_workload& of) {
  // Sharing clusters the threads first if it can.
  const layouts::index_list<int> list(of.p);
  const layouts::access_sample sample = of.is_graph() ? layouts::sample_clusters(cpu(), list, of.shape)
                                                      : layouts::sample_blocks(cpu(), list, of.shape);
  const auto blocks = std::max<std::int64_t>(ceil_div(of.shape.threads, std::int64_t{of.shape.block}), 1);
  const auto elements = static_cast<std::int64_t>(sample.block_elements / static_cast<double>(blocks));
  return {.name = each.name,
          .workload = each.workload,
          .threads = of.shape.threads,
          .references = of.shape.references,
          .elements = of.shape.elements,
          .element_bytes = of.shape.element_bytes,
          .working_set_bytes = elements * of.shape.element_bytes,
          .one_pattern = of.use == access_use::sums && of.shape.references == 1,
          .independent = of.use == access_use::pixels || of.use == access_use::records};
}

class access_session {
 public:
  access_session(const study_options& options, std::FILE* tables, growing<access_study_results>& results,
                 result_file& file)
      : options_(options), tables_(tables), results_(results), file_(file),
        kind_(options.executor.value_or(usual_executor())), effort_(access_effort_of(kind_, options.quick)) {
    require_executor(kind_);
    if (!options_.inputs.empty()) {
      effort_.workloads.clear();
      for (const std::string& input : options_.inputs) effort_.workloads.push_back({input, input});
    }
    if (options_.resume) take_up();
    results_.change([&](access_study_results& all) {
      all.cpu = cpu_model();
      all.cores = cpu_cores();
      if (kind_ == executor_kind::cuda) all.gpu = find_cuda().text;
      all.date = utc_now();
      all.commit = commit();
      all.executor = name_of(kind_);
      all.quick = options_.quick;
    });
    explain();
  }

  void run() {
    std::vector<std::string> names;
    for (const named_workload& each : effort_.workloads) names.push_back(each.name);
    file_.expect(names);
    for (const named_workload& each : effort_.workloads)
      if (const auto error = file_.measure(each.name, [&] { measure_workload(each); }))
        print(tables_,
              wrapped(fmt::format("FAILED {}: {}", one_line(each.name), one_line(*error)), "") + '\n');
  }

 private:
  void explain() {
    std::string text;
    if (kind_ == executor_kind::cpu) {
      if (!options_.executor)
        text = fmt::format("No usable GPU ({}): the study runs on cpu. ", find_cuda().text);
      text += "Times on cpu say nothing about a GPU, so statements of the paper about times are not judged; "
              "bytes and sectors are the same.";
    }
    if (kind_ == executor_kind::simt)
      text = "Times on simt are simulated and say nothing about a GPU; workloads are small.";
    if (!text.empty()) print(tables_, wrapped(text, "") + '\n');
  }

  /// Takes over the results of an earlier study, except failed runs, which are measured again.
  void take_up() {
    const access_study_results& before = results_.here();
    if (before.commit.empty()) return; // there is no earlier study
    const auto require_same = [&](const char* what, const std::string& then, const std::string& now) {
      if (then != now)
        throw usage_error(fmt::format("--resume {}: its {} is {}, but here it is {}",
                                      host::in_quotes(options_.json), what, host::in_quotes(then),
                                      host::in_quotes(now)));
    };
    require_same("executor", before.executor, name_of(kind_));
    require_same("processor", before.cpu, cpu_model());
    require_same("GPU", before.gpu, kind_ == executor_kind::cuda ? find_cuda().text : "");
    if (before.quick != options_.quick)
      throw usage_error(fmt::format("--resume {}: it was {}measured with --quick",
                                    host::in_quotes(options_.json), before.quick ? "" : "not "));
    results_.change([&](access_study_results& all) {
      std::vector<access_study_run> failed;
      for (const access_study_run& run : all.runs)
        if (run.error) failed.push_back(run);
      // automatic is the last of its group: without it, the whole group is measured
      std::erase_if(all.runs, [&](const access_study_run& run) {
        return run.error ||
               (run.layout == "automatic" && std::ranges::any_of(failed, [&](const access_study_run& each) {
                  return each.experiment == run.experiment && each.workload == run.workload &&
                         each.change_every == run.change_every;
                }));
      });
      if (all.earlier_commit.empty() && all.commit != commit()) all.earlier_commit = all.commit;
    });
    for (const access_study_run& run : results_.here().runs) file_.add(to_json(run));
    print(tables_, fmt::format("{} earlier runs are kept\n", grouped(std::ssize(results_.here().runs))));
  }

  void measure_workload(const named_workload& each) {
    const auto done = [&](const std::string& experiment, int change_every) {
      return results_.here().find_run(experiment, each.name, "automatic", change_every) !=
             nullptr; // it is the last
    };
    const bool all_done =
        done("arms", effort_.change_every) &&
        std::ranges::all_of(effort_.changes, [&](int every) { return done("change", every); }) &&
        (effort_.long_iterations == 0 || done("long", effort_.change_every));
    if (!all_done) {
      const access_workload of = make_workload(each.workload, 256, options_.reading);
      if (results_.here().find(each.name) == nullptr) {
        access_study_workload made = described(each, of);
        results_.change([&](access_study_results& all) { all.workloads.push_back(std::move(made)); });
      }
      measure_layouts("arms", each.name, of, {effort_.iterations, effort_.change_every}, effort_.repeat,
                      [&](const std::string& layout) { return !takes_too_long(layout, of.shape); });
      for (const int every : effort_.changes)
        measure_layouts("change", each.name, of, {effort_.iterations, every}, 1,
                        [&](const std::string& layout) {
                          return changing_layouts.contains(layout) && !takes_too_long(layout, of.shape);
                        });
      if (effort_.long_iterations > 0) {
        const access_study_run* const best =
            access_view(results_.here(), *results_.here().find(each.name)).best();
        const std::string best_layout = best == nullptr ? "none" : best->layout;
        measure_layouts("long", each.name, of, {effort_.long_iterations, effort_.change_every}, 1,
                        [&](const std::string& layout) {
                          return layout == "none" || layout == best_layout || layout == "automatic";
                        });
      }
    }
    const access_study_workload& of = *results_.here().find(each.name);
    print(tables_,
          fmt::format("{}, {}: {} threads, {} references each, to {} elements of {} bytes\n{}\n{}\n",
                      one_line(each.name), one_line(each.workload), grouped(of.threads), of.references,
                      grouped(of.elements), of.element_bytes, access_table(results_.here(), each.name),
                      change_table(results_.here(), each.name)));
  }

  struct loop {
    int iterations;
    int change_every; ///< 0: never
  };
  void measure_layouts(const std::string& experiment, const std::string& name, const access_workload& of,
                       const loop& over, int repeat, const std::function<bool(const std::string&)>& wants) {
    const int change_every = over.change_every;
    const auto is_missing = [&](const std::string& layout) {
      return results_.here().find_run(experiment, name, layout, change_every) == nullptr;
    };
    if (!is_missing("automatic")) return;
    const layouts_options how{
        .bench = options_.bench,
        .wants = [&](const std::string& layout) { return wants(layout) && is_missing(layout); },
        .count = false,
        .profiles = false,
        .check_calls = experiment == "arms",
        .iterations = over.iterations,
        .change_every = change_every > 0 ? change_every : over.iterations,
        .repeat = repeat};
    const std::string place =
        run_layouts(kind_, of, how, [&](const layout_result& found) { note(found, experiment, name, over); });
    results_.change([&](access_study_results& all) { all.place = place; });
  }

  void note(const layout_result& found, const std::string& experiment, const std::string& name,
            const loop& over) {
    access_study_run run{.experiment = experiment,
                         .workload = name,
                         .layout = found.layout,
                         .iterations = over.iterations,
                         .change_every = over.change_every,
                         .error = found.error,
                         .refusal = found.refusal,
                         .run_ms = found.run_ms,
                         .refresh_ms = found.refresh_ms,
                         .build_ms = found.build_ms,
                         .loop_ms = found.loop_ms,
                         .plan_bytes = static_cast<std::int64_t>(found.plan_bytes),
                         .copy_bytes = static_cast<std::int64_t>(found.copy_bytes),
                         .footprint_bytes = static_cast<std::int64_t>(found.footprint_bytes),
                         .requests = found.estimate.requests,
                         .sectors = found.estimate.sectors,
                         .chosen = found.chosen,
                         .why = found.why};
    if (found.error)
      print(tables_, wrapped(fmt::format("FAILED {} of {}, {}: {}", experiment, one_line(name), found.layout,
                                         one_line(*found.error)),
                             ""));
    file_.add(to_json(run));
    results_.change([&](access_study_results& all) { all.runs.push_back(std::move(run)); });
  }

  const study_options& options_;
  std::FILE* tables_;
  growing<access_study_results>& results_;
  result_file& file_;
  executor_kind kind_;
  access_effort effort_;
};

} // namespace

bool study_reorganize(const study_options& options) {
  if (!options.from.empty() && !options.inputs.empty())
    throw usage_error(fmt::format("{}: --from measures nothing and takes no inputs",
                                  host::in_quotes(options.inputs.front())));
  if (!options.report.empty()) require_plotter();
  std::FILE* const tables = options.report == "-" || options.json == "-" ? stderr : stdout;
  if (options.resume && (options.json.empty() || options.json == "-" || !options.from.empty()))
    throw usage_error("--resume needs --json FILE, which names the results to continue, and excludes --from");
  std::vector<std::string> known = options.from;
  if (options.resume && std::filesystem::exists(options.json)) known = {options.json};
  growing<access_study_results> all(known.empty() ? access_study_results{} : read_access_results(known));
  result_file file(options.json, [&] { return access_study_head(all.copy()); });
  file.accompany(options.report, [&] { return access_study_page(all.copy()); });
  if (options.from.empty()) access_session(options, tables, all, file).run();
  const access_study_results& results = all.here();
  if (!options.from.empty())
    for (const access_study_run& run : results.runs) file.add(to_json(run));
  print(tables, paper_tables(results) + '\n' + access_agreement(results));
  file.finish();
  return std::ranges::none_of(results.runs,
                              [](const access_study_run& run) { return run.error.has_value(); });
}

} // namespace evenly::study
