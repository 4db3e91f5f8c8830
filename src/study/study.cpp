// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/input.hpp"
#include "measure/machine.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/result_file.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/charts.hpp"
#include "report/results_page.hpp"
#include "study/growing.hpp"
#include "study/phases.hpp"
#include "study/results.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using evenly::report::require_plotter;
using measure::candidate, measure::commit, measure::count_tiles, measure::cpu_cores, measure::cpu_model,
    measure::find_cuda, measure::grouped, measure::launch_note, measure::make_bench, measure::make_problem,
    measure::measure, measure::measurement, measure::number_type, measure::one_line, measure::operation,
    measure::operation_name, measure::print, measure::problem, measure::reference, measure::repetition,
    measure::require_executor, measure::result_file, measure::tile_statistics, measure::usage_error,
    measure::usual_executor, measure::utc_now, measure::wrapped;

namespace {

constexpr std::array<const char*, 7> paper_workloads{"great-britain_osm", "cit-Patents", "web-NotreDame",
                                                     "regular8",          "circuit5M",   "as-Skitter",
                                                     "kron_g500-logn20"};
constexpr std::array<operation, 3> operations{operation::update, operation::expand, operation::spmv};

/// The amount of work. A thread takes about a microsecond on simt, so workloads are always scaled down there.
struct effort {
  const char* scale; ///< of the paper's workloads; empty: full size
  std::vector<int> block_sizes;
  repetition times;
};

effort effort_of(executor_kind kind, bool quick) {
  const std::vector<int> one{0}; // the default of the schedule
  const std::vector<int> all{64, 128, 256, 512};
  const repetition few{.exactly = 5};
  const repetition settled{.min_rounds = 3, .max_rounds = 11};
  switch (kind) {
  case executor_kind::cpu:
    return {quick ? "0.01" : "", one, quick ? few : settled};
  case executor_kind::simt:
    return {quick ? "3e-4" : "2e-3", quick ? std::vector<int>{128} : all, {.exactly = 1}};
  case executor_kind::cuda:
    break;
  }
  return {quick ? "0.02" : "", quick ? std::vector<int>{128, 256} : all, quick ? few : settled};
}

/// The name of the input in the paper: that of the generator or the file.
std::string workload_name(const std::string& input) {
  const std::string name = io::short_name(input);
  return name.substr(0, name.find(':'));
}

using growing_results = growing<study_results>;

/// Throws usage_error if two inputs are the same workload.
void require_names(const std::vector<std::string>& inputs) {
  std::map<std::string, std::string> known;
  for (const std::string& input : inputs) {
    const std::string name = workload_name(input);
    if (const auto [before, is_new] = known.emplace(name, input); !is_new)
      throw usage_error(fmt::format("{} and {} are both called {}", host::in_quotes(before->second),
                                    host::in_quotes(input), host::in_quotes(name)));
  }
}

class session {
 public:
  session(const study_options& options, std::FILE* tables, growing_results& results, result_file& file)
      : options_(options), tables_(tables), results_(results), file_(file), kind_(choose(options)),
        effort_(effort_of(kind_, options.quick)) {
    require_executor(kind_);
    results_.change([&](study_results& all) { describe(all); });
    explain();
  }

  /// Measures all inputs. Checks all of them before the first measurement.
  void run() {
    const std::vector<std::string> all = inputs();
    for (const std::string& input : all) io::input_source{input, options_.reading};
    require_names(all);
    file_.expect(all);
    for (const std::string& input : all)
      if (const auto error = file_.measure(input, [&] { visit(input); }))
        print(tables_, wrapped(fmt::format("FAILED {}: {}", one_line(input), one_line(*error)), "") + '\n');
  }

 private:
  void describe(study_results& all) const {
    all.cpu = cpu_model();
    all.cores = cpu_cores();
    if (kind_ == executor_kind::cuda) all.gpu = find_cuda().text;
    all.date = utc_now();
    all.commit = commit();
    all.executor = name_of(kind_);
    all.quick = options_.quick;
  }

  static executor_kind choose(const study_options& options) {
    return options.executor.value_or(usual_executor());
  }

  void explain() {
    std::string text;
    if (kind_ == executor_kind::cpu) {
      if (!options_.executor)
        text = fmt::format("No usable GPU ({}): the study runs on cpu. ", find_cuda().text);
      text += "On cpu a block is one thread, so block and group sizes have no meaning, phases are not "
              "separated, and the statements of the paper, which are about GPUs, are not judged.";
    }
    if (kind_ == executor_kind::simt)
      text = "Times on simt are simulated and say nothing about a GPU; workloads are scaled down.";
    if (!text.empty()) print(tables_, wrapped(text, "") + '\n');
  }

  std::vector<std::string> inputs() const {
    if (!options_.inputs.empty()) return options_.inputs;
    std::vector<std::string> all;
    for (const char* name : paper_workloads)
      all.push_back(*effort_.scale ? fmt::format("{}:scale={}", name, effort_.scale) : name);
    return all;
  }

  void visit(const std::string& input) {
    const io::input in = io::load_input(input, options_.reading);
    add_workload(in);
    const study_workload& w = results_.here().workloads.back();
    print(tables_, fmt::format("{}: {} tiles, {} atoms; sizes: average {:.3g}, sd {:.4g}, longest {}\n\n",
                               one_line(in.name), grouped(w.tiles), grouped(w.atoms), w.average, w.deviation,
                               grouped(w.longest)));
    for (const operation op : operations) measure_techniques(in, op);
    measure_phases(in);
  }

  void add_workload(const io::input& in) {
    const tile_statistics s = count_tiles(in.matrix.offsets);
    results_.change([&](study_results& all) {
      all.workloads.push_back({.name = workload_name(in.name),
                               .input = in.name,
                               .tiles = s.tiles,
                               .atoms = s.atoms,
                               .average = s.average,
                               .deviation = s.deviation,
                               .longest = s.longest,
                               .empty = s.empty});
    });
  }

  void measure_techniques(const io::input& in, operation op) {
    const problem p = make_problem(op, number_type::single_precision, in.matrix, options_.bench.seed);
    const reference right(p);
    bench on = make_bench(kind_, p, options_.bench);
    const std::string name = operation_name(p);
    results_.change([&](study_results& all) {
      all.place = on.time->place();
      if (std::ranges::count(all.operations, name) == 0) all.operations.push_back(name);
    });
    for (const int block_size : effort_.block_sizes)
      for (const candidate& each : on.candidates(block_size))
        if (each.is_schedule) add(workload_name(in.name), name, measure(on, each, right, effort_.times));
    const study_results& all = results_.here();
    print(tables_, fmt::format("{} on {} ({})\n", name, all.executor, all.place) +
                       technique_table(all, name, workload_name(in.name)) + '\n');
  }

  void add(const std::string& workload, const std::string& op, const measurement& m) {
    study_run run{.workload = workload,
                  .op = op,
                  .schedule = m.what.name,
                  .block_size = block_size_of(m),
                  .parameters = m.what.parameters,
                  .error = m.error,
                  .time = m.time,
                  .plan_ms = m.plan_ms.value_or(0),
                  .memory = m.memory};
    for (const launch_note& each : m.launches) {
      run.threads += std::int64_t{each.blocks} * each.block_size;
      run.storage = std::max(run.storage, each.storage);
    }
    if (m.error)
      print(
          tables_,
          wrapped(fmt::format("FAILED {} on {}, {}: {}", op, workload, m.what.name, one_line(*m.error)), ""));
    file_.add(to_json(run));
    results_.change([&](study_results& all) { all.runs.push_back(std::move(run)); });
  }

  /// The block size of the launch; without a launch, the requested one.
  int block_size_of(const measurement& m) const {
    if (kind_ == executor_kind::cpu) return 1;
    for (const auto& [name, value] : m.what.parameters)
      if (name == "block_size") return value;
    return m.launches.empty() ? 0 : m.launches.front().block_size;
  }

  void measure_phases(const io::input& in) {
    const problem p = make_problem(operation::update, number_type::single_precision, in.matrix, 0);
    std::optional<bench> on = make_phase_bench(kind_, std::get<update_problem>(p), options_.bench);
    if (!on) return;
    const reference right(p);
    std::vector<int> block_sizes{0};
    block_sizes.insert(block_sizes.end(), effort_.block_sizes.begin(), effort_.block_sizes.end());
    for (const int block_size : block_sizes)
      for (const candidate& each : on->candidates(block_size))
        add_phase(workload_name(in.name), block_size, measure(*on, each, right, effort_.times));
    print(tables_, phase_table(results_.here(), workload_name(in.name)) + '\n');
  }

  void add_phase(const std::string& workload, int block_size, const measurement& m) {
    phase_run run{.workload = workload,
                  .experiment = m.what.name,
                  .variant = m.what.title,
                  .block_size = block_size > 0 ? block_size : block_size_of(m),
                  .error = m.error,
                  .time = m.time};
    for (const launch_note& each : m.launches) run.threads += std::int64_t{each.blocks} * each.block_size;
    if (m.error)
      print(tables_, wrapped(fmt::format("FAILED {} {} on {}: {}", m.what.name, m.what.title, workload,
                                         one_line(*m.error)),
                             ""));
    results_.change([&](study_results& all) { all.phases.push_back(std::move(run)); });
  }

  const study_options& options_;
  std::FILE* tables_;
  growing_results& results_;
  result_file& file_;
  executor_kind kind_;
  effort effort_;
};

void check(const study_options& options) {
  if (!options.from.empty() && !options.inputs.empty())
    throw usage_error(fmt::format("{}: --from measures nothing and takes no inputs",
                                  host::in_quotes(options.inputs.front())));
  if (options.resume) throw usage_error("--resume applies to the studies tasks, reorganize and choices only");
  if (!options.report.empty()) require_plotter();
}

} // namespace

bool study_mapping(const study_options& options) {
  check(options);
  std::FILE* const tables = options.report == "-" || options.json == "-" ? stderr : stdout;
  growing_results growing(options.from.empty() ? study_results{} : read_results(options.from));
  result_file file(options.json, [&] { return study_head(growing.copy()); });
  file.accompany(options.report, [&] { return study_page(growing.copy()); });
  if (options.from.empty()) session(options, tables, growing, file).run();
  const study_results& results = growing.here();
  if (!options.from.empty())
    for (const study_run& run : results.runs) file.add(to_json(run));
  print(tables, agreement(results));
  file.finish();
  const auto failed = [](const auto& run) { return run.error.has_value(); };
  return std::ranges::none_of(results.runs, failed) && std::ranges::none_of(results.phases, failed);
}

} // namespace evenly::study
