// SPDX-License-Identifier: Apache-2.0
#include "study/task_report.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace evenly::study {
namespace {

tasks::task_balance read_balance(const json_place& from) {
  tasks::task_balance made{.workers = from.at("workers").whole(1)};
  made.tasks_min = from.at("tasks_min").whole(0);
  made.tasks_mean = from.at("tasks_mean").real();
  made.tasks_max = from.at("tasks_max").whole(made.tasks_min);
  made.taken = from.at("taken").whole(0);
  made.failed = from.at("failed").whole(0);
  if (from.has("spins"))
    made.profiled = {from.at("spins").whole(0), from.at("failed_cas").whole(0), from.at("idle").real()};
  return made;
}
void read_timeline(const json_place& from, tasks::task_balance& balance) {
  balance.ms_of_part = from.at("ms_of_part").real();
  from.at("busy").for_each([&](const json_place& row) {
    std::vector<int>& percents = balance.busy.emplace_back();
    row.for_each([&](const json_place& each) { percents.push_back(static_cast<int>(each.whole(0, 100))); });
  });
}

} // namespace

std::int64_t task_study_input::tasks() const {
  return std::accumulate(tasks_by_depth.begin(), tasks_by_depth.end(), std::int64_t{0});
}

const task_study_input* task_study_results::find(const std::string& input) const {
  return find_in(inputs, input);
}
const task_study_run* task_study_results::find_run(const task_study_run& like) const {
  const auto found = std::ranges::find_if(runs, [&](const task_study_run& run) {
    return !run.error && run.experiment == like.experiment && run.input == like.input &&
           run.pool == like.pool && run.block_size == like.block_size && run.full == like.full &&
           (like.full || run.blocks == like.blocks);
  });
  return found == runs.end() ? nullptr : &*found;
}

bool has_timeline(const task_study_run& run) {
  const bool is_at_one_point =
      std::ranges::any_of(std::array{by_warp, by_block}, [&](const tree_experiments& of) {
        return run.experiment == of.best || run.experiment == of.paper;
      });
  return is_at_one_point && run.balance && !run.balance->busy.empty();
}

std::string identity(const task_study_input& of) { return of.input; }
std::string identity(const task_study_run& run) {
  return fmt::format("{} of {} under {} in {} blocks of {}", run.experiment, run.input, run.pool,
                     run.full ? "all" : std::to_string(run.blocks), run.block_size);
}

void fields(record& io, task_study_input& of) {
  io("input", of.input);
  io("kind", of.kind);
  io("points", of.points);
  io("nodes", of.nodes, 1);
  io("leaves", of.leaves, 1, of.nodes);
  io("depth", of.depth, 0, 21);
  io.list("tasks_by_depth", of.tasks_by_depth);
  io.require(static_cast<int>(of.tasks_by_depth.size()) == of.depth, "tasks_by_depth",
             "octants must be split at each depth above the last");
  io.require(of.nodes == 1 + 8 * of.tasks(), "nodes", "the number of nodes must be 1 + 8 * tasks");
}

void fields(record& io, task_study_run& run) {
  io("experiment", run.experiment);
  const std::vector<std::string> experiments{by_warp.grid,  by_warp.best,  by_warp.paper,
                                             by_block.grid, by_block.best, by_block.paper,
                                             "lazy",        "bulk",        "workers"};
  io.require(std::ranges::count(experiments, run.experiment) > 0, "experiment",
             "must be one of " + measure::joined(experiments));
  io("input", run.input);
  io("pool", run.pool);
  io("block_size", run.block_size, 0, 1024);
  io("blocks", run.blocks);
  io("full", run.full);
  io.outcome(run.error, run.time);
  io("tasks", run.tasks);
  io("rounds", run.rounds);
  if (io.has("balance")) run.balance = read_balance(io.place().at("balance"));
  if (io.has("timeline") && run.balance) read_timeline(io.place().at("timeline"), *run.balance);
  if (!io.reads()) tasks::add_balance(io.json(), run.balance, has_timeline(run));
}

void fields(record& io, task_study_results& all) {
  head_fields(io, "tasks", all);
  io.list("inputs", all.inputs);
  if (io.reads())
    io.list("results", all.runs, [&](const json_place& each, const task_study_run& run) {
      if (run.experiment != "workers" && all.find(run.input) == nullptr)
        each.at("input").fail("the input is missing from the file");
    });
}

void merge(const study_file& file, task_study_results& all, task_study_results more) {
  file.add_new(all.inputs, std::move(more.inputs), "has another tree than");
  file.add_runs(all.runs, std::move(more.runs), [](const task_study_run& run) { return identity(run); });
}

} // namespace evenly::study
