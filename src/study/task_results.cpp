// SPDX-License-Identifier: Apache-2.0
#include "study/task_results.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "json/value.hpp"
#include "measure/text.hpp"
#include "study/json_place.hpp"
#include "study/read_study.hpp"

namespace evenly::study {
namespace {

json::value as_json(const task_study_input& each) {
  return {{"input", each.input},
          {"kind", each.kind},
          {"points", each.points},
          {"nodes", each.nodes},
          {"leaves", each.leaves},
          {"depth", each.depth},
          {"tasks_by_depth", each.tasks_by_depth}};
}

task_study_input read_input(const json_place& from) {
  task_study_input made{.input = from.at("input").text(), .kind = from.at("kind").text()};
  made.points = from.at("points").whole(0);
  made.nodes = from.at("nodes").whole(1);
  made.leaves = from.at("leaves").whole(1, made.nodes);
  made.depth = static_cast<int>(from.at("depth").whole(0, 21));
  from.at("tasks_by_depth").for_each([&](const json_place& each) {
    made.tasks_by_depth.push_back(each.whole(1));
  });
  if (static_cast<int>(made.tasks_by_depth.size()) != made.depth)
    from.at("tasks_by_depth").fail("octants must be split at each depth above the last");
  if (made.nodes != 1 + 8 * made.tasks()) from.at("nodes").fail("the number of nodes must be 1 + 8 * tasks");
  return made;
}

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

task_study_run read_run(const json_place& from) {
  constexpr int max = std::numeric_limits<int>::max();
  task_study_run run{.experiment = from.at("experiment").text(),
                     .input = from.at("input").text(),
                     .pool = from.at("pool").text(),
                     .block_size = static_cast<int>(from.at("block_size").whole(0, 1024)),
                     .blocks = static_cast<int>(from.at("blocks").whole(0, max)),
                     .full = from.at("full").truth()};
  const std::vector<std::string> experiments{by_warp.grid,  by_warp.best,  by_warp.paper,
                                             by_block.grid, by_block.best, by_block.paper,
                                             "lazy",        "bulk",        "workers"};
  if (std::ranges::count(experiments, run.experiment) == 0)
    from.at("experiment").fail("must be one of " + measure::joined(experiments));
  read_outcome(from, run);
  run.tasks = from.at("tasks").whole(0);
  run.rounds = from.at("rounds").whole(0);
  if (from.has("balance")) run.balance = read_balance(from.at("balance"));
  if (run.balance && from.has("timeline")) read_timeline(from.at("timeline"), *run.balance);
  return run;
}

std::string identity(const task_study_run& run) {
  return fmt::format("{} of {} under {} in {} blocks of {}", run.experiment, run.input, run.pool,
                     run.full ? "all" : std::to_string(run.blocks), run.block_size);
}

task_study_results from_json(const json_place& from) {
  task_study_results all;
  read_head(from, "tasks", all);
  if (from.has("earlier_commit")) all.earlier_commit = from.at("earlier_commit").text();
  from.at("inputs").for_each([&](const json_place& each) {
    task_study_input made = read_input(each);
    if (all.find(made.input) != nullptr) each.fail(made.input + " appears twice");
    all.inputs.push_back(std::move(made));
  });
  std::set<std::string> known;
  from.at("results").for_each([&](const json_place& each) {
    task_study_run run = read_run(each);
    if (run.experiment != "workers" && all.find(run.input) == nullptr)
      each.at("input").fail("the input is missing from the file");
    if (!known.insert(identity(run)).second) each.fail(identity(run) + " appears twice");
    all.runs.push_back(std::move(run));
  });
  return all;
}

void add(task_study_results& all, task_study_results more, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw io::file_error(fmt::format("{}: {}", shown(path), why));
  };
  if (more.executor != all.executor || more.place != all.place || more.commit != all.commit ||
      more.quick != all.quick)
    refuse("measured on another machine or by another program than the previous files");
  for (task_study_input& each : more.inputs) {
    const task_study_input* const before = all.find(each.input);
    if (before != nullptr && as_json(*before) != as_json(each))
      refuse(fmt::format("{} has another tree than in a previous file", host::printable(each.input)));
    if (before == nullptr) all.inputs.push_back(std::move(each));
  }
  for (task_study_run& run : more.runs) {
    for (const task_study_run& known : all.runs)
      if (identity(known) == identity(run))
        refuse(host::printable(identity(run)) + " is also in a previous file");
  }
  std::ranges::move(more.runs, std::back_inserter(all.runs));
}

} // namespace

std::int64_t task_study_input::tasks() const {
  return std::accumulate(tasks_by_depth.begin(), tasks_by_depth.end(), std::int64_t{0});
}

const task_study_input* task_study_results::find(const std::string& input) const {
  const auto found = std::ranges::find(inputs, input, &task_study_input::input);
  return found == inputs.end() ? nullptr : &*found;
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

json::value to_json(const task_study_run& run) {
  json::value made{{"experiment", run.experiment}, {"input", run.input},   {"pool", run.pool},
                   {"block_size", run.block_size}, {"blocks", run.blocks}, {"full", run.full}};
  add_outcome(made, run.error, run.time);
  made["tasks"] = run.tasks;
  made["rounds"] = run.rounds;
  tasks::add_balance(made, run.balance, has_timeline(run));
  return made;
}

json::value without_runs(const task_study_results& all) {
  json::value made = head_json("tasks", all);
  if (!all.earlier_commit.empty()) made["earlier_commit"] = all.earlier_commit;
  auto inputs = json::array();
  for (const task_study_input& each : all.inputs) inputs.push_back(as_json(each));
  made["inputs"] = std::move(inputs);
  return made;
}

task_study_results read_task_results(const std::vector<std::string>& paths) {
  task_study_results all;
  for (const std::string& path : paths) {
    task_study_results more = read_study<task_study_results>(path, from_json);
    if (&path == &paths.front())
      all = std::move(more);
    else
      add(all, std::move(more), path);
  }
  return all;
}

} // namespace evenly::study
