// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "measure/text.hpp"
#include "tasks/pool_options.hpp"
#include "tasks/task_workload.hpp"
#include "tasks/tasks.hpp"

namespace evenly::tasks {

using cli::add_executor, cli::add_json, cli::add_names, cli::add_report, cli::add_run_options, cli::command,
    cli::help_on_results, cli::refuse_without_effect, cli::registered;
using measure::joined, measure::wrapped;

namespace {

class tasks_command : public command {
 public:
  tasks_command() : command("tasks") {
    add(
        "workload WORKLOAD", [this](const std::string& text) { options_.workload = parse_workload(text); },
        "the search to run, such as nqueens:n=8")
        .required();
    add_names(*this, "--pool NAME,...", options_.pools, pool_names(), "a pool",
              "names of task pools (default: all, and the baselines)");
    add_executor(*this, options_.executor);
    add_json(*this, options_.json);
    add_report(*this, options_.report);
    add_pool_options(*this, options_.blocks, options_.settings, options_.pools);
    add_run_options(*this, options_.repeat, options_.bench);
    add_example("evenly tasks nqueens:n=6 --on cpu --repeat 3",
                "time every pool on a search with a known answer");
    add_example("evenly tasks fib:n=12,join=1 --on cpu --pool stealing --repeat 3",
                "time tasks that wait for other tasks");
    add_to_footer(help_on_results() + help_on_workloads() + "\nPools:\n" +
                  wrapped(joined(pool_names()), "  "));
  }

  bool run() override {
    refuse_without_effect(*this, "tasks", options_.executor);
    return time_tasks(options_);
  }

 private:
  tasks_options options_;
};
const registered<tasks_command> searching;

} // namespace
} // namespace evenly::tasks
