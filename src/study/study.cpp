// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/input.hpp"
#include "measure/measure.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "study/phases.hpp"
#include "study/results.hpp"
#include "study/session.hpp"
#include "study/study_report.hpp"

namespace evenly::study {

using measure::candidate, measure::count_tiles, measure::grouped, measure::launch_note, measure::make_bench,
    measure::make_problem, measure::measure, measure::measurement, measure::number_type, measure::one_line,
    measure::operation, measure::operation_name, measure::problem, measure::reference, measure::repetition,
    measure::tile_statistics, measure::usage_error;

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
  using session::session;

 private:
  /// Measures all inputs. Checks all of them before the first measurement.
  void measure_all() override {
    effort_ = effort_of(kind(), options().quick);
    const std::vector<std::string> all = inputs();
    for (const std::string& input : all) io::input_source{input, options().reading};
    require_names(all);
    expect(all);
    for (const std::string& input : all) attempt(input, [&] { visit(input); });
  }

  std::vector<std::string> inputs() const {
    if (!options().inputs.empty()) return options().inputs;
    std::vector<std::string> all;
    for (const char* name : paper_workloads)
      all.push_back(*effort_.scale ? fmt::format("{}:scale={}", name, effort_.scale) : name);
    return all;
  }

  void visit(const std::string& input) {
    const io::input in = io::load_input(input, options().reading);
    add_workload(in);
    const study_workload& w = results().workloads.back();
    print(fmt::format("{}: {} tiles, {} atoms; sizes: average {:.3g}, sd {:.4g}, longest {}\n\n",
                      one_line(in.name), grouped(w.tiles), grouped(w.atoms), w.average, w.deviation,
                      grouped(w.longest)));
    for (const operation op : operations) measure_techniques(in, op);
    measure_phases(in);
  }

  void add_workload(const io::input& in) {
    const tile_statistics s = count_tiles(in.matrix.offsets);
    change([&](study_results& all) {
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
    const problem p = make_problem(op, number_type::single_precision, in.matrix, options().bench.seed);
    const reference right(p);
    bench on = make_bench(kind(), p, options().bench);
    const std::string name = operation_name(p);
    change([&](study_results& all) {
      all.place = on.time->place();
      if (std::ranges::count(all.operations, name) == 0) all.operations.push_back(name);
    });
    for (const int block_size : effort_.block_sizes)
      for (const candidate& each : on.candidates(block_size))
        if (each.is_schedule) add(workload_name(in.name), name, measure(on, each, right, effort_.times));
    const study_results& all = results();
    print(fmt::format("{} on {} ({})\n", name, all.executor, all.place) +
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
    const problem p = make_problem(operation::update, number_type::single_precision, in.matrix, 0);
    if (kind() == executor_kind::cpu) return;
    auto* make = make_simt_phase_bench;
#if defined(EVENLY_WITH_CUDA)
    if (kind() == executor_kind::cuda) make = make_cuda_phase_bench;
#endif
    bench on = make(std::get<update_problem>(p), options().bench);
    const reference right(p);
    std::vector<int> block_sizes{0};
    block_sizes.insert(block_sizes.end(), effort_.block_sizes.begin(), effort_.block_sizes.end());
    for (const int block_size : block_sizes)
      for (const candidate& each : on.candidates(block_size))
        add_phase(workload_name(in.name), block_size, measure(on, each, right, effort_.times));
    print(phase_table(results(), workload_name(in.name)) + '\n');
  }

  void add_phase(const std::string& workload, int block_size, const measurement& m) {
    phase_run run{.workload = workload,
                  .experiment = m.what.name,
                  .variant = m.what.title,
                  .block_size = block_size > 0 ? block_size : block_size_of(m),
                  .error = m.error,
                  .time = m.time};
    for (const launch_note& each : m.launches) run.threads += std::int64_t{each.blocks} * each.block_size;
    note_failure(run, fmt::format("{} {} on {}", m.what.name, m.what.title, workload));
    change([&](study_results& all) { all.phases.push_back(std::move(run)); });
  }

  effort effort_;
};

} // namespace

bool study_mapping(const study_options& options) {
  if (options.resume) throw usage_error("--resume applies to the studies tasks, reorganize and choices only");
  return mapping_session(options).run(
      "On cpu a block is one thread, so block and group sizes have no meaning, phases are not separated, and "
      "the statements of the paper, which are about GPUs, are not judged.",
      "Times on simt are simulated and say nothing about a GPU; workloads are scaled down.");
}

} // namespace evenly::study
