// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "spatial/octree_bench.hpp"
#include "study/octree_blocks.hpp"
#include "study/session.hpp"
#include "study/task_report.hpp"
#include "tasks/task_bench.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::study {

using measure::candidate, measure::grouped, measure::measure, measure::measurement, measure::one_line,
    measure::repetition;
using spatial::found_octree, spatial::load_particles, spatial::make_octree_bench;
using tasks::answer_of, tasks::make_cpu_task_bench, tasks::make_cuda_task_bench, tasks::make_simt_task_bench,
    tasks::parse_workload, tasks::task_bench_options, tasks::task_findings, tasks::task_workload;

namespace {

/// The amount of work.
struct task_effort {
  std::int64_t points; ///< for figures 2 and 3
  std::vector<int> block_sizes;
  std::vector<int> blocks; ///< in addition to as many as run at the same time
  std::vector<std::int64_t> sizes;
  std::vector<std::string> searches;
  std::vector<int> lazy; ///< values of x of the lock-free queue
  repetition times;
};

task_effort task_effort_of(executor_kind kind, bool quick) {
  const repetition few{.exactly = 3}, one{.exactly = 1},
      settled{.min_rounds = 3, .max_rounds = 7, .time_budget_ms = 200};
  // A GPU has 700 cells of a grid, some of which take a second: those of more than 0.3 s run once.
  const repetition bounded{.min_rounds = 3, .max_rounds = 7, .time_budget_ms = 60, .allow_single_run = true};
  switch (kind) {
  case executor_kind::cpu:
    if (quick) return {20'000, {0}, {1}, {2'000, 20'000}, {"fib:n=15"}, {}, few};
    return {500'000,
            {0},
            {1, 2, 4, 8, 16, 32},
            {10'000, 100'000, 500'000, 1'000'000, 10'000'000},
            {"fib:n=25", "nqueens:n=12"},
            {},
            settled};
  case executor_kind::simt:
    if (quick) return {150, {32, 64}, {1}, {60, 150}, {"fib:n=6"}, {1, 32}, one};
    return {2'000, {8, 16, 32, 64, 128}, {1, 4, 8, 16}, {500, 2'000}, {"fib:n=10"}, {1, 8, 32}, one};
  case executor_kind::cuda:
    break;
  }
  if (quick) return {50'000, {64, 256}, {8, 32}, {10'000, 50'000}, {"fib:n=20"}, {1, 32}, few};
  return {500'000,
          {8, 16, 32, 64, 128, 256, 512},
          {1, 2, 4, 8, 16, 20, 32, 64, 132, 264},
          {10'000, 100'000, 500'000, 1'000'000, 10'000'000},
          {"fib:n=25", "nqueens:n=12"},
          {1, 2, 4, 8, 16, 32, 64, 128, 256},
          bounded};
}

/// The best point of each pool in the paper. Its 72 threads are 64 here, because blocks are whole warps.
struct paper_point {
  const char* pool;
  int block_size;
  int blocks; ///< 0: one per task
};
constexpr std::array<paper_point, 5> paper_points{{{"static_list_launches", 32, 0},
                                                   {"blocking_queue", 64, 8},
                                                   {"bare_lock_queue", 64, 8},
                                                   {"lock_free_queue", 64, 20},
                                                   {"stealing", 64, 32}}};

/// A tree of an experiment.
struct octree_point {
  std::string experiment = {};
  std::string pool = {};
  int block_size = 0;
  int blocks = 0; ///< 0: as many as run at the same time
  bool by_block = false;
  std::optional<int> lazy = {}; ///< x of a lock_free_queue

  std::string title() const { return lazy ? fmt::format("{}:lazy={}", pool, *lazy) : pool; }
};

std::string kind_of(const std::string& input) {
  const std::string name = input.substr(0, input.find(':'));
  return name == "uniform" || name == "tube" ? name : input;
}
bool has_one_queue(const std::string& pool) { return pool.ends_with("_queue") || pool == "ticket_ring"; }
/// Whether a pool takes microseconds per task when many workers use it.
bool is_slow_queue(const std::string& pool) { return pool == "blocking_queue" || pool == "lock_free_queue"; }

class task_session : public session<task_study_results> {
 public:
  using session::session;

 private:
  void measure_all() override {
    effort_ = task_effort_of(kind(), options().quick);
    std::vector<std::string> grids = options().inputs, sizes;
    if (grids.empty())
      for (const char* kind : {"uniform", "tube"}) {
        grids.push_back(fmt::format("{}:n={}", kind, effort_.points));
        for (const std::int64_t n : effort_.sizes) sizes.push_back(fmt::format("{}:n={}", kind, n));
      }
    std::vector<std::string> all = grids;
    for (const auto* more : {&sizes, &effort_.searches})
      for (const std::string& each : *more)
        if (std::ranges::count(all, each) == 0) all.push_back(each);
    expect(options().inputs.empty() ? all : grids);
    for (const std::string& input : grids)
      attempt(input, [&] {
        const spatial::particle_cells cells = load(input);
        for (const tree_experiments& of : experiments()) measure_grid(input, cells, of);
        measure_lazy(input, cells);
      });
    if (!options().inputs.empty()) return;
    for (const std::string& input : sizes) attempt(input, [&] { measure_size(input, load(input)); });
    for (const std::string& search : effort_.searches) attempt(search, [&] { measure_workers(search); });
  }

  spatial::particle_cells load(const std::string& input) {
    spatial::particle_cells cells = load_particles(input, options().reading);
    if (results().find(input) == nullptr) {
      octree_findings findings;
      bench on = make_octree_bench(executor_kind::cpu, cells, {.bench = options().bench}, findings);
      const candidate bulk = on.candidates(0).front();
      if (const measurement m = measure(on, bulk, {.exactly = 1}); m.error) throw error(*m.error);
      const found_octree& tree = findings.of[bulk.name];
      task_study_input made{.input = input,
                            .kind = kind_of(input),
                            .points = static_cast<std::int64_t>(cells.x.size()),
                            .nodes = tree.summary.nodes,
                            .leaves = tree.summary.leaves,
                            .depth = tree.summary.depth};
      for (std::size_t d = 1; d + 1 < tree.levels.size(); ++d)
        if (const int children = tree.levels[d + 1] - tree.levels[d]; children > 0)
          made.tasks_by_depth.push_back(children / 8);
      change([&](task_study_results& all) { all.inputs.push_back(std::move(made)); });
    }
    const task_study_input& of = *results().find(input);
    print(fmt::format("{}: {} particles, {} nodes, depth {}, {} tasks\n", one_line(input), grouped(of.points),
                      grouped(of.nodes), of.depth, grouped(of.tasks())));
    return cells;
  }

  /// A block of the host is one thread.
  std::vector<tree_experiments> experiments() const {
    if (kind() == executor_kind::cpu) return {by_warp};
    return {by_block, by_warp};
  }

  bench octree_bench_at(const octree_point& at, const spatial::particle_cells& cells,
                        octree_findings& findings) const {
    return make_studied_octree_bench(kind(), cells,
                                     {.bench = options().bench,
                                      .cut = 0,
                                      .blocks = at.blocks,
                                      .block_size = kind() == executor_kind::cpu ? 0 : at.block_size,
                                      .by_block = at.by_block,
                                      .settings = {.lazy = at.lazy, .profile = true}},
                                     findings);
  }

  /// Measures the tree and stores the run. Returns its number of blocks.
  int measure_tree(const std::string& input, const spatial::particle_cells& cells, const octree_point& at) {
    const int of_block = at.pool == "bulk"              ? 0
                         : kind() == executor_kind::cpu ? 1
                         : at.block_size > 0            ? at.block_size
                                                        : 256;
    task_study_run run{.experiment = at.experiment,
                       .input = input,
                       .pool = at.title(),
                       .block_size = of_block,
                       .blocks = at.blocks,
                       .full = at.pool != "bulk" && at.blocks == 0};
    if (const task_study_run* const before = results().find_run(run)) return before->blocks;
    octree_findings findings;
    bench on = octree_bench_at(at, cells, findings);
    change([&](task_study_results& all) { all.place = on.time->place(); });
    for (const candidate& each : on.candidates(0))
      if (each.name == at.pool) {
        const measurement m = measure(on, each, effort_.times);
        const found_octree& found = findings.of[at.pool];
        run.blocks = found.blocks;
        run.tasks = found.tasks;
        run.rounds = found.rounds;
        run.balance = found.balance;
        note(m, std::move(run));
        return found.blocks;
      }
    return 0;
  }

  void note(const measurement& m, task_study_run run) {
    run.error = m.error;
    run.time = m.time;
    const std::string what = fmt::format("{} of {}, {}", run.experiment, one_line(run.input), run.pool);
    session::note(std::move(run), what);
  }

  std::vector<std::string> pools_for(const spatial::particle_cells& cells, int block_size,
                                     const tree_experiments& of) const {
    octree_findings findings;
    bench on = octree_bench_at({.block_size = block_size, .by_block = of.by_block}, cells, findings);
    std::vector<std::string> names;
    for (const candidate& each : on.candidates(0))
      if (each.is_schedule && (of.by_block || each.name != by_block.locked_queue)) names.push_back(each.name);
    return names;
  }

  /// Figures 2 and 3.
  void measure_grid(const std::string& input, const spatial::particle_cells& cells,
                    const tree_experiments& of) {
    for (const int block_size : effort_.block_sizes)
      for (const std::string& pool : pools_for(cells, block_size, of)) {
        octree_point at{of.grid, pool, block_size, 0, of.by_block};
        const int room = measure_tree(input, cells, at);
        if (pool == "static_list_launches") continue; // one block per task
        for (const int blocks : effort_.blocks) {
          at.blocks = blocks;
          if (blocks < room) measure_tree(input, cells, at);
        }
      }
    print(task_table(results(), of.grid, input) + '\n');
  }

  /// The lock-free queue at its best point, with each value of x.
  void measure_lazy(const std::string& input, const spatial::particle_cells& cells) {
    const task_study_run* const best = best_of(results(), by_block.grid, input, "lock_free_queue");
    if (best == nullptr || effort_.lazy.empty()) return;
    const octree_point at = point_of(*best, by_block);
    for (const int x : effort_.lazy) {
      octree_point with = at;
      with.experiment = "lazy";
      with.lazy = x;
      measure_tree(input, cells, with);
    }
    print(task_table(results(), "lazy", input) + '\n');
  }
  static octree_point point_of(const task_study_run& run, const tree_experiments& of) {
    return {of.best, run.pool, run.block_size, run.full ? 0 : run.blocks, of.by_block};
  }

  /// Figures 4 and 5.
  void measure_size(const std::string& input, const spatial::particle_cells& cells) {
    measure_tree(input, cells, {.experiment = "bulk", .pool = "bulk"});
    print(task_table(results(), "bulk", input));
    const bool is_small = cells.x.size() <= 2'000'000;
    for (const tree_experiments& of : experiments()) {
      for (const std::string& pool : pools_of(results(), of.grid))
        if (is_small || !has_one_queue(pool))
          if (const task_study_run* best = best_of(results(), of.grid, grid_like(input), pool))
            measure_tree(input, cells, point_of(*best, of));
      if (kind() != executor_kind::cpu && is_small)
        for (const paper_point& at : paper_points)
          if (of.by_block || at.pool != std::string_view(by_block.locked_queue))
            measure_tree(input, cells, {of.paper, at.pool, at.block_size, at.blocks, of.by_block});
      for (const char* experiment : {of.best, of.paper}) print(task_table(results(), experiment, input));
    }
    print("\n");
  }
  /// The particles of the grid, of the same kind.
  std::string grid_like(const std::string& input) const {
    return fmt::format("{}:n={}", kind_of(input), effort_.points);
  }

  bench search_bench(const task_workload& workload, int blocks, task_findings& findings) const {
    const task_bench_options given{.bench = options().bench, .blocks = blocks, .settings = {.profile = true}};
    if (kind() == executor_kind::cpu) return make_cpu_task_bench(workload, given, findings);
#if defined(EVENLY_WITH_CUDA)
    if (kind() == executor_kind::cuda) return make_cuda_task_bench(workload, given, findings);
#endif
    return make_simt_task_bench(workload, given, findings);
  }

  /// Tasks per second over blocks.
  void measure_workers(const std::string& search) {
    const task_workload workload = parse_workload(search);
    const std::int64_t tasks = answer_of(workload).tasks;
    std::vector<int> numbers{0};
    for (const int blocks : effort_.blocks)
      if (2 * blocks <= max_blocks()) numbers.push_back(blocks);
    worker_counts have = workers_before(search, numbers);
    for (const int blocks : numbers) {
      // The maximum number came first; octrees allow more blocks than searches.
      if (blocks > 0 && have.of_block > 0 && blocks * have.of_block >= have.max) break;
      task_findings findings;
      bench on = search_bench(workload, blocks, findings);
      for (const candidate& each : on.candidates(0)) {
        if (!each.is_schedule) continue;
        if (tasks > 300'000 && is_slow_queue(each.name)) continue;
        if (results().find_run({.experiment = "workers",
                                .input = search,
                                .pool = each.name,
                                .blocks = blocks * have.of_block,
                                .full = blocks == 0}) != nullptr)
          continue;
        const measurement m = measure(on, each, effort_.times);
        const int workers = static_cast<int>(findings[each.name].workers);
        if (workers > 0) (blocks == 0 ? have.max : have.of_block) = workers / std::max(blocks, 1);
        note(m, {.experiment = "workers",
                 .input = search,
                 .pool = each.name,
                 .blocks = workers,
                 .full = blocks == 0,
                 .tasks = tasks,
                 .balance = findings[each.name].balance});
      }
    }
    print(task_table(results(), "workers", search) + '\n');
  }

  struct worker_counts {
    int max = 0;      ///< maximum number at the same time; 0: unknown
    int of_block = 0; ///< likewise
  };
  /// The counts of a resumed study, whose searches had `numbers` of blocks.
  worker_counts workers_before(const std::string& search, const std::vector<int>& numbers) const {
    worker_counts found;
    for (const task_study_run& run : results().runs) {
      if (run.experiment != "workers" || run.input != search || run.error) continue;
      if (run.full)
        found.max = run.blocks;
      else if (found.of_block == 0 && numbers.size() > 1) // the first of them
        found.of_block = run.blocks / numbers.at(1);
    }
    return found;
  }

  /// The number in the octree runs.
  int max_blocks() const {
    int max = 1;
    for (const task_study_run& run : results().runs)
      if (run.experiment == by_warp.grid) max = std::max(max, run.blocks);
    return max;
  }

  task_effort effort_;
};

} // namespace

bool study_tasks(const study_options& options) {
  return task_session(options).run(
      "On cpu a block is one thread, so statements of the paper about blocks and times are not judged.",
      "Times on simt are simulated and say nothing about a GPU; the numbers of particles are small.");
}

} // namespace evenly::study
