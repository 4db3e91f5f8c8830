// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "evenly/trace/trace.hpp"
#include "host/errors.hpp"
#include "io/byte_source.hpp"
#include "io/input.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "study/counted_inputs.hpp"
#include "study/families.hpp"
#include "study/form_bench.hpp"
#include "study/phases.hpp"
#include "study/results.hpp"
#include "study/session.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using measure::bench, measure::bench_options, measure::candidate, measure::count_tiles, measure::grouped,
    measure::launch_note, measure::make_bench, measure::make_problem, measure::measurement,
    measure::number_type, measure::one_line, measure::operation, measure::operation_name,
    measure::prepared_run, measure::problem, measure::reference, measure::repetition,
    measure::tile_statistics, measure::update_problem, measure::usage_error;

namespace {

/// A workload, and how many rows of alike sizes stay together. Of two, a matrix tells: sums of 32 rows vary 11 times as
/// much as those of shuffled rows in web-NotreDame, and 8 times in USA-road-d.NY.
struct paper_workload {
  std::string name;
  int locality = 1;
};
const std::array<paper_workload, 7> paper_workloads{{{"great-britain_osm", 8},
                                                     {"cit-Patents"},
                                                     {"web-NotreDame", 12},
                                                     {"regular8"},
                                                     {"circuit5M"},
                                                     {"as-Skitter"},
                                                     {"kron_g500-logn20"}}};

/// The matrix itself in the folder EVENLY_DATA; empty if there is none.
std::string real_web() {
  const char* const folder = std::getenv("EVENLY_DATA");
  if (folder == nullptr) return "";
  const auto path = std::filesystem::path(folder) / "matrices" / "web-NotreDame.mtx.xz";
  return std::filesystem::exists(path) ? path.string() : "";
}
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
  const repetition settled{.min_rounds = 5, .max_rounds = 9, .time_budget_ms = 200};
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

/// The name of the input in the paper: that of the generator or the file. The real matrix beside its likeness has
/// another one.
std::string workload_name(const std::string& input) {
  if (input == real_web()) return "web-NotreDame, the matrix";
  const std::string name = io::short_name(input);
  return name.substr(0, name.find(':'));
}

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

class mapping_session : public session<study_results> {
 public:
  explicit mapping_session(const study_options& options) : session(options) {
    if (!results().dynamic_parallelism.empty()) return;
    std::vector<std::string> folders;
    if (options.from.empty()) folders.emplace_back("bench/results");
    for (const std::string& file : options.from)
      if (file != io::standard_input) folders.push_back(std::filesystem::path(file).parent_path().string());
    change([&](study_results& all) { all.dynamic_parallelism = read_dynamic_parallelism(folders); });
  }

 private:
  /// Measures all inputs. Checks all of them before the first measurement.
  void measure_all() override {
    effort_ = effort_of(kind(), options().quick);
    const std::vector<std::string> all = inputs();
    for (const std::string& input : all) io::input_source{input, options().reading};
    require_names(all);
    if (!results().earlier_commit.empty())
      throw usage_error(
          fmt::format("--resume {}: it was measured by commit {}, but this program is commit {}: a "
                      "study is of one commit",
                      host::in_quotes(options().json), results().earlier_commit, results().commit));
    expect(all);
    if (kind() == executor_kind::simt && options().inputs.empty()) count_techniques();
    for (const std::string& input : all) attempt(input, [&] { visit(input); });
  }

  std::vector<std::string> inputs() const {
    if (!options().inputs.empty()) return options().inputs;
    std::vector<std::string> all;
    for (const auto& [name, locality] : paper_workloads) {
      std::string keys;
      if (*effort_.scale) keys += fmt::format(":scale={}", effort_.scale);
      if (locality > 1) keys += fmt::format("{}locality={}", keys.empty() ? ":" : ",", locality);
      all.push_back(name + keys);
    }
    if (const std::string real = real_web(); !real.empty() && kind() == executor_kind::cuda)
      all.push_back(real);
    return all;
  }

  void visit(const std::string& input) {
    const io::input in = io::load_input(input, options().reading);
    add_workload(in);
    const std::string name = workload_name(in.name);
    const study_workload& w = *find_in(results().workloads, name);
    print(fmt::format("{}: {} tiles, {} atoms; sizes: average {:.3g}, sd {:.4g}, longest {}\n\n",
                      one_line(in.name), grouped(w.tiles), grouped(w.atoms), w.average, w.deviation,
                      grouped(w.longest)));
    for (const operation op : operations) measure_techniques(in, op);
    measure_phases(in);
  }

  /// Requires that a resumed study had the same tiles.
  void add_workload(const io::input& in) {
    const tile_statistics s = count_tiles(in.matrix.offsets);
    study_workload made{.name = workload_name(in.name),
                        .input = in.name,
                        .tiles = s.tiles,
                        .atoms = s.atoms,
                        .average = s.average,
                        .deviation = s.deviation,
                        .longest = s.longest,
                        .empty = s.empty};
    if (const study_workload* const before = find_in(results().workloads, made.name)) {
      if (to_json(*before) != to_json(made))
        throw usage_error(fmt::format("--resume {}: {} has other tiles there",
                                      host::in_quotes(options().json), host::in_quotes(made.name)));
      return;
    }
    change([&](study_results& all) { all.workloads.push_back(std::move(made)); });
  }

  void measure_techniques(const io::input& in, operation op) {
    const problem p = make_problem(op, number_type::single_precision, in.matrix, options().bench.seed);
    const reference right(p);
    const std::string name = operation_name(p);
    const std::string workload = workload_name(in.name);
    const bool is_papers = op == operation::update;
    const bool compiled = is_papers && kind() == executor_kind::cuda && compiled_bench() != nullptr;
    bench on = compiled ? compiled_bench()(std::get<update_problem>(p), options().bench)
                        : make_bench(kind(), p, options().bench);
    change([&](study_results& all) {
      all.place = on.time->place();
      all.sizes_compiled = all.sizes_compiled || compiled;
      if (std::ranges::count(all.operations, name) == 0) all.operations.push_back(name);
    });
    const std::vector<int> sizes = is_papers ? effort_.block_sizes : std::vector<int>{0};
    measure_in_turns_of(on, workload, name, sizes, right);
    if (is_papers && kind() == executor_kind::simt) {
      bench forms = make_simt_form_bench(std::get<update_problem>(p), options().bench);
      measure_in_turns_of(forms, workload, name, sizes, right);
    }
    const study_results& all = results();
    print(fmt::format("{} on {} ({})\n", name, all.executor, all.place) +
          technique_table(all, name, workload) + '\n');
  }

  /// All schedules in all block sizes take turns, each with its plan kept and, where times mean something, with a new
  /// plan for each run.
  void measure_in_turns_of(bench& on, const std::string& workload, const std::string& op,
                           const std::vector<int>& sizes, const reference& right) {
    std::vector<candidate> all;
    const bool with_plans = kind() != executor_kind::simt;
    for (const int size : sizes)
      for (candidate& each : on.candidates(size)) {
        if (!each.is_schedule || is_known(workload, op, each, size)) continue;
        all.push_back(each);
        if (!with_plans) continue;
        candidate anew = each;
        anew.prepare = [prepare = each.prepare]() -> prepared_run {
          return {[prepare] { prepare().run(); }};
        };
        all.push_back(std::move(anew));
      }
    const std::vector<measurement> found = measure::measure_in_turns(on, all, right, effort_.times);
    const std::size_t step = with_plans ? 2 : 1;
    for (std::size_t i = 0; i < found.size(); i += step)
      add(workload, op, found[i], with_plans ? &found[i + 1] : nullptr);
  }

  bool is_known(const std::string& workload, const std::string& op, const candidate& each, int size) const {
    return std::ranges::any_of(results().runs, [&](const study_run& run) {
      return run.workload == workload && run.op == op && run.schedule == each.name &&
             (size == 0 || run.block_size == size);
    });
  }

  static middle_half middle_of_rounds(const timing& time) {
    return time.rounds.size() > 1 ? measure::middle_of(time) : middle_half{};
  }

  void add(const std::string& workload, const std::string& op, const measurement& m,
           const measurement* anew) {
    study_run run{.workload = workload,
                  .op = op,
                  .schedule = m.what.name,
                  .block_size = block_size_of(m),
                  .parameters = m.what.parameters,
                  .error = m.error,
                  .time = m.time,
                  .middle = middle_of_rounds(m.time),
                  .plan_ms = m.plan_ms.value_or(0),
                  .memory = m.memory};
    if (anew != nullptr && !m.error) {
      run.error = anew->error;
      if (!anew->error) {
        run.with_plan = anew->time;
        run.with_plan_middle = middle_of_rounds(anew->time);
      }
    }
    for (const launch_note& each : m.launches) {
      run.threads += std::int64_t{each.blocks} * each.block_size;
      run.storage = std::max(run.storage, each.storage);
    }
    note(std::move(run), fmt::format("{} on {}, {}", op, workload, m.what.name));
  }

  /// The block size of the launch; without a launch, the requested one.
  int block_size_of(const measurement& m) const {
    if (kind() == executor_kind::cpu) return 1;
    for (const auto& [name, value] : m.what.parameters)
      if (name == "block_size") return value;
    return m.launches.empty() ? 0 : m.launches.front().block_size;
  }

  void measure_phases(const io::input& in) {
    if (kind() == executor_kind::cpu) return;
    const problem p = make_problem(operation::update, number_type::single_precision, in.matrix, 0);
    const std::string workload = workload_name(in.name);
    auto* make = make_simt_phase_bench;
#if defined(EVENLY_WITH_CUDA)
    if (kind() == executor_kind::cuda) make = make_cuda_phase_bench;
#endif
    phase_facts facts;
    bench on = make(std::get<update_problem>(p), options().bench, facts);
    const reference right(p);
    std::vector<int> block_sizes{0};
    block_sizes.insert(block_sizes.end(), effort_.block_sizes.begin(), effort_.block_sizes.end());
    for (const int block_size : block_sizes) {
      std::vector<candidate> wanted;
      for (candidate& each : on.candidates(block_size))
        if (!has_phase(workload, each, block_size)) wanted.push_back(std::move(each));
      for (const measurement& m : measure::measure_in_turns(on, wanted, right, effort_.times))
        add_phase(workload, block_size, m, facts);
    }
    print(phase_table(results(), workload) + '\n');
  }

  bool has_phase(const std::string& workload, const candidate& each, int block_size) const {
    return std::ranges::any_of(results().phases, [&](const phase_run& run) {
      return !run.error && run.workload == workload && run.experiment == each.name &&
             run.variant == each.title && (block_size == 0 || run.block_size == block_size);
    });
  }

  void add_phase(const std::string& workload, int block_size, const measurement& m,
                 const phase_facts& facts) {
    phase_run run{.workload = workload,
                  .experiment = m.what.name,
                  .variant = m.what.title,
                  .block_size = block_size > 0 ? block_size : block_size_of(m),
                  .error = m.error,
                  .time = m.time,
                  .middle = middle_of_rounds(m.time)};
    // Of the kernels that are compiled for their block size, the expansion is a technique like the others.
    if (run.experiment == "block_size" && run.variant == "expansion" && results().sizes_compiled)
      if (const study_run* const whole =
              study_view(results(), paper_operation).best(workload, technique_with_phases, run.block_size)) {
        run.time = whole->time;
        run.middle = whole->middle;
      }
    for (const launch_note& each : m.launches) {
      run.threads += std::int64_t{each.blocks} * each.block_size;
      run.storage = static_cast<std::int64_t>(each.storage);
    }
    if (const auto known = facts.find(m.what.name + ' ' + m.what.title); known != facts.end()) {
      run.registers = known->second.registers;
      run.spilled = known->second.spilled;
    }
    note_failure(run, fmt::format("{} {} on {}", m.what.name, m.what.title, workload));
    change([&](study_results& all) {
      std::erase_if(all.phases, [&](const phase_run& each) { return identity(each) == identity(run); });
      all.phases.push_back(std::move(run));
    });
  }

  /// The counts of the paper's table 2, of the schedules and forms that it names.
  void count_techniques() {
    for (const counted_input& each : counted_inputs()) {
      std::vector<int> offsets{0};
      for (int t = 0; t < each.tiles; ++t) {
        if (each.longest > 0 && t == each.tiles / 2) offsets.push_back(offsets.back() + each.longest);
        offsets.push_back(offsets.back() + each.size);
      }
      const problem p = update_problem{offsets};
      const reference right(p);
      trace counts{keep_profiles{}};
      bench_options counting = options().bench;
      counting.trace = &counts;
      bench schedules = make_bench(executor_kind::simt, p, counting);
      bench forms = make_simt_form_bench(std::get<update_problem>(p), counting);
      std::vector<std::pair<bench*, candidate>> all;
      for (const std::string& name : counted_schedules())
        if (is_schedule_name(name)) all.emplace_back(&schedules, schedules.candidate_of(any_schedule(name)));
      for (candidate& form : forms.candidates(0))
        if (std::ranges::count(counted_schedules(), form.name) > 0) all.emplace_back(&forms, std::move(form));
      for (auto& [on, what] : all) count(each, offsets, *on, what, counts, right);
    }
  }
  static bool is_schedule_name(const std::string& name) {
    return std::ranges::count(schedule_names(), name) > 0;
  }

  void count(const counted_input& input, const std::vector<int>& offsets, bench& on, const candidate& what,
             trace& counts, const reference& right) {
    counted_run run{.tiles_name = input.name,
                    .schedule = what.name,
                    .tiles = std::ssize(offsets) - 1,
                    .atoms = offsets.back(),
                    .longest = std::max(input.size, input.longest)};
    if (find_in(results().counted, identity(run)) != nullptr) return;
    const std::size_t memory = on.out->memory_in_use();
    const prepared_run made = what.prepare();
    on.out->poison();
    counts.take_profiles(); // those of the preparation
    const trace_counts before = counts.totals();
    made.run();
    run.counts = counts.totals() - before;
    for (const launch_profile& each : counts.take_profiles())
      for (const warp_profile& warp : each.warps)
        run.longest_warp = std::max(run.longest_warp, warp.requests);
    run.memory = on.out->memory_in_use() - memory;
    run.blocks = made.launches.front().blocks;
    run.block_size = made.launches.front().block_size;
    run.error = right.first_error(on.out->result());
    note_failure(run, identity(run));
    change([&](study_results& all) { all.counted.push_back(std::move(run)); });
  }

  effort effort_;
};

} // namespace

bool study_mapping(const study_options& options) {
  return mapping_session(options).run(
      "On cpu a block is one thread, so block and group sizes have no meaning, phases are not separated, and "
      "the statements of the paper, which are about GPUs, are not judged.",
      "Times on simt are simulated and say nothing about a GPU; workloads are scaled down.");
}

} // namespace evenly::study
