// SPDX-License-Identifier: Apache-2.0
// Searches as tasks that make tasks, under every pool, on as many blocks as run at the same time and on fewer: every
// node is pushed and popped.
//
//   bench_tasks [--json FILE] [SEARCH ...]
//
// SEARCH: fib:n=25, fib:n=35, nqueens:n=12, nqueens:n=14, uts:T1, uts:T1L; without: all. Of every run the number of
// tasks and the answer are compared with what is known. Times are of the kernels and what is launched with them. The
// queue behind a lock takes part in small searches only, single blocks in those of less than a million tasks.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/registry.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "tasks/searches.hpp"
#include "tasks/uts.hpp"

namespace {

using evenly::cli::candidate;
using evenly::cli::plain_candidate;

/// What is known of a search.
struct known {
  const char* name;
  std::int64_t tasks;
  std::uint64_t value;
};
constexpr known searches[] = {
    {"fib:n=25", 242'785, 75'025},     {"fib:n=35", 29'860'703, 9'227'465},
    {"nqueens:n=12", 856'189, 14'200}, {"nqueens:n=14", 27'358'553, 365'596},
    {"uts:T1", 4'130'071, 3'305'118},  {"uts:T1L", 102'181'082, 81'746'377},
};

known find(std::string_view name) {
  for (const known& each : searches)
    if (name == each.name) return each;
  throw evenly::invalid_argument("there is no search " + std::string(name));
}

class bench_of_search {
 public:
  bench_of_search(const evenly::cuda& exec, const known& search) : exec_(exec), search_(search) {}

  template <class Task, class Body>
  void measure(const Task& first, const Body& body, evenly::cli::report& report) {
    const auto initial =
        std::make_shared<evenly::buffer<Task>>(evenly::to_executor(exec_, std::vector<Task>{first}));
    std::vector<candidate> all;
    evenly::for_each_pool([&](const std::string& name, const auto& pool) {
      if (name == "blocking_queue" && search_.tasks > 300'000) return;
      for (const int blocks : {0, 16, 1})
        if (blocks != 1 || search_.tasks < 1'000'000) add(name, pool, blocks, initial, body, all);
    });
    time(all, report);
  }

 private:
  template <class Pool, class Initial, class Body>
  void add(const std::string& name, const Pool& pool, int blocks, const Initial& initial, const Body& body,
           std::vector<candidate>& all) const {
    const auto memory = std::make_shared<evenly::task_workspace>();
    const auto run = [=, this] {
      evenly::task_options options;
      options.blocks = blocks;
      run_tasks(exec_, pool, initial->span(), body, options, *memory);
    };
    all.push_back(
        plain_candidate(name + (blocks == 0 ? "" : ", blocks " + std::to_string(blocks)), run, [=, this] {
          const evenly::task_report done = finish(exec_, *memory);
          return done.run == search_.tasks && done.sum == search_.value;
        }));
  }

  void time(const std::vector<candidate>& all, evenly::cli::report& report) const {
    evenly::cli::bench on{std::make_unique<evenly::cli::device_timer>(true, exec_.stream()),
                          std::make_shared<evenly::cli::unchecked_output>([] {}),
                          {}};
    const auto measured = measure_in_turns(on, all, {.least = 3, .enough = 11, .long_enough = 100});
    std::printf("%s: %lld tasks\n", search_.name, static_cast<long long>(search_.tasks));
    for (const evenly::cli::measurement& m : measured) {
      const double rate = static_cast<double>(search_.tasks) / (1e6 * m.time.median);
      report.add({{"workload", search_.name},
                  {"op", "tasks"},
                  {"executor", "cuda"},
                  {"pool", m.what.name},
                  {"tasks", search_.tasks},
                  {"value", search_.value},
                  {"gtasks", rate},
                  {"type", "task"}},
                 m);
      if (m.error)
        std::printf("  %-34s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
      else
        std::printf("  %-34s %10.3f ms, %8.3f G tasks/s\n", m.what.name.c_str(), m.time.median, rate);
    }
    std::fflush(stdout);
  }

  const evenly::cuda& exec_;
  known search_;
};

void measure(const evenly::cuda& exec, const known& search, evenly::cli::report& report) {
  const std::string name = search.name;
  bench_of_search here(exec, search);
  if (name.starts_with("fib"))
    return here.measure(std::stoi(name.substr(6)), evenly::searches::fibonacci{}, report);
  if (name.starts_with("nqueens"))
    return here.measure(evenly::searches::queens_task{},
                        evenly::searches::queens::of(std::stoi(name.substr(10))), report);
  evenly::uts::parameters of;
  of.depth = name == "uts:T1" ? 10 : 13;
  of.seed = name == "uts:T1" ? 19 : 29;
  const auto thresholds = evenly::to_executor(exec, evenly::uts::thresholds_of(of));
  here.measure(evenly::uts::root_task(of.seed),
               evenly::uts::search{evenly::uts::rule_of(of, thresholds.data())}, report);
}

} // namespace

int main(int argc, char** argv) try {
  const evenly::bench::arguments args(argc, argv);
  std::vector<known> chosen;
  for (const std::string& word : args.words) chosen.push_back(find(word));
  if (chosen.empty()) chosen.assign(std::begin(searches), std::end(searches));
  const evenly::cli::cuda_status gpu = evenly::cli::find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  evenly::cli::report report(gpu.text);
  const evenly::cuda exec;
  for (const known& search : chosen) measure(exec, search, report);
  report.write(args.json());
  return report.all_right() ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_tasks: %s\n", e.what());
  return 1;
}
