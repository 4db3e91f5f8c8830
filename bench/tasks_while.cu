// SPDX-License-Identifier: Apache-2.0
// Rounds over a list (the pool static_list): in one persistent kernel, as a launch each, and as the body of a
// conditional WHILE node of a graph.
//
//   bench_tasks_while [--json FILE]
//
//   resident      static_list: persistent blocks synchronise between rounds
//   launches      static_list{.launches = true}: the host learns how many tasks there are, and launches as many blocks
//   while_node    a graph: the round's kernel, then one thread that looks whether there is another round
//
// The kernel, its lists and its body are the same. Each result is compared with what is known; candidates take turns,
// and times are medians. A chain has a task in each round: what a round costs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "evenly/tasks/static_list.hpp"
#include "graphs.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/own_stream.hpp"
#include "measure/report.hpp"
#include "tasks/pools.hpp"

namespace evenly::bench {

/// The kernel of a round, whose number lies on the device.
template <class Kernel> struct numbered_round {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = Kernel::min_blocks;

  Kernel kernel;
  const std::int64_t* round;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return kernel.lay_out(layout, shape);
  }
  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_INLINE_FN void operator()(Block& block) const {
    Kernel mine = kernel;
    mine.pool.round = *round;
    mine(block);
  }
};

namespace {

using namespace measure;
using namespace tasks;

/// After a round: empties the list of the next one, and says whether there is one. A single thread.
template <class View>
__global__ void turn(View list, const detail::task_control* control, std::int64_t* round,
                     cudaGraphConditionalHandle again) {
  const bool has_more = list.tails[*round % 3].value > 0 && control->outcome.value == 0;
  ++*round;
  list.tails[*round % 3].value = 0;
  cudaGraphSetConditional(again, has_more ? 1 : 0);
}

/// A run of tasks as a graph.
template <class Task, class Body> class rounds_as_graph {
  using view = static_list::view<Task>;
  using kernel_type = detail::task_kernel<Task, view, Body>;
  using round_type = numbered_round<kernel_type>;

 public:
  /// `initial` stays where it is.
  rounds_as_graph(const evenly::cuda& exec, const buffer<Task>& initial, const Body& body) : exec_(exec) {
    round_type one{{{}, body, {}}, nullptr};
    one.kernel.run.initial = initial.data();
    one.kernel.run.count = static_cast<std::int64_t>(initial.size());
    one.kernel.run.stack = detail::tuned_stack<Task, Body>;
    const launch_shape launched = place(one);
    const cudaStream_t stream = exec.stream();
    const cudaGraphConditionalHandle again = graph_.make_handle(1);
    graph::capture(stream, graph_.get(), [&] { exec.fill_zero(zeroed_, zeroed_bytes_); });
    graph::capture(stream, graph_.add_conditional(again, cudaGraphCondTypeWhile), [&] {
      launch(exec, launched, one);
      turn<<<1, 1, 0, stream>>>(one.kernel.pool, one.kernel.run.control, round_, again);
      EVENLY_CUDA_CHECK(cudaGetLastError());
    });
    graph_.ready();
  }

  void run() const { graph_.run(exec_.stream()); }
  task_report report() const {
    task_report done = finish(exec_, memory_);
    exec_.copy_to_host(&done.rounds, round_, sizeof(done.rounds));
    return done;
  }

 private:
  /// Memory for a run on as many blocks as run at the same time.
  launch_shape place(round_type& one) {
    const int block_size = kernel_type::tuned_block_size;
    tasks::pool_shape shape = detail::shape_of_run<kernel_type>(exec_, block_size);
    shape.blocks = resident_blocks(exec_, one, block_size);
    shape.stack = one.kernel.run.stack;
    shape.initial = one.kernel.run.count;
    shape.capacity = static_list::tuned_capacity<Task>(false, shape.workers());
    const auto lay_out = [&](tasks::pool_memory at) {
      one.kernel.run.control = at.take_zeroed<detail::task_control>(1);
      one.kernel.run.rows = at.take_zeroed<tasks::worker_statistics>(shape.workers());
      one.round = round_ = &at.take_zeroed<detail::task_word>(1)->value;
      one.kernel.pool = static_list{.launches = true}.make<Task>(at, shape);
      return at;
    };
    const tasks::pool_memory sizes = lay_out(tasks::pool_memory());
    zeroed_bytes_ = sizes.zeroed_bytes();
    const auto [zeroed, other] = memory_.take(exec_, zeroed_bytes_, sizes.other_bytes());
    zeroed_ = zeroed;
    lay_out(tasks::pool_memory(zeroed, other));
    memory_.note({.initial = shape.initial,
                  .capacity = shape.capacity,
                  .shares = 1,
                  .rounds = 0,
                  .bytes = zeroed_bytes_ + sizes.other_bytes(),
                  .workers = shape.workers(),
                  .stack = shape.stack,
                  .blocks = shape.blocks,
                  .control = one.kernel.run.control,
                  .rows = one.kernel.run.rows});
    return {.blocks = shape.blocks, .block_size = block_size};
  }

  const evenly::cuda& exec_;
  task_workspace memory_;
  std::byte* zeroed_ = nullptr;
  std::size_t zeroed_bytes_ = 0;
  std::int64_t* round_ = nullptr;
  graph graph_;
};

template <class Tasks, class Body>
candidate graph_candidate(const evenly::cuda& exec, const std::shared_ptr<Tasks>& first, const Body& body,
                          bool counts_tasks, const task_answer& right, std::int64_t& rounds) {
  using task = std::remove_cvref_t<decltype(*first->data())>;
  const auto made = std::make_shared<std::unique_ptr<rounds_as_graph<task, Body>>>();
  candidate what{.name = "while_node", .title = "while_node"};
  what.prepare = [=, &exec]() -> prepared_run {
    *made = std::make_unique<rounds_as_graph<task, Body>>(exec, *first, body);
    return {[made] { (*made)->run(); }};
  };
  what.first_error = [=, &rounds]() -> std::optional<std::string> {
    const task_report done = (*made)->report();
    rounds = done.rounds;
    return first_error({counts_tasks ? static_cast<std::uint64_t>(done.run) : done.sum, done.run}, right);
  };
  return what;
}

void print(const measurement& m, double us_each) {
  if (m.error)
    std::printf("  %-12s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
  else
    std::printf("  %-12s %10.3f ms, %8.3f us a round\n", m.what.name.c_str(), m.time.median, us_each);
}

void measure(const evenly::cuda& exec, const char* name, const std::string& text, report& lines) {
  const task_workload workload = parse_workload(text);
  const task_answer right = answer_of(workload);
  device_workload<evenly::cuda> placed{exec, {}};
  task_findings findings;
  std::int64_t rounds = 1;
  std::vector<candidate> all;
  const auto add_all = [&](const auto& first_tasks, const auto& body, bool counts_tasks) {
    using tasks = std::remove_cvref_t<decltype(to_executor(exec, first_tasks))>;
    const auto first = std::make_shared<tasks>(to_executor(exec, first_tasks));
    all.push_back(graph_candidate(exec, first, body, counts_tasks, right, rounds));
    for (const bool launches : {false, true})
      all.push_back(task_candidate(exec, launches ? "launches" : "resident",
                                   static_list{.launches = launches}, first, body, counts_tasks, {}, right,
                                   findings));
  };
  if (const auto* fib = std::get_if<fibonacci_workload>(&workload.what)) placed(*fib, add_all);
  if (const auto* tree = std::get_if<uts::parameters>(&workload.what)) placed(*tree, add_all);
  if (const auto* chain = std::get_if<chain_workload>(&workload.what)) placed(*chain, add_all);

  measure::bench on{
      std::make_unique<device_timer>(true, exec.stream()), std::make_shared<unchecked_output>(), {}};
  const auto measured = measure_in_turns(on, all, {.min_rounds = 3, .max_rounds = 31, .time_budget_ms = 200});
  std::printf("%s: %lld tasks in %lld rounds\n", name, static_cast<long long>(right.tasks),
              static_cast<long long>(rounds));
  for (const measurement& m : measured) {
    const double us_each = 1000 * m.time.median / static_cast<double>(rounds);
    lines.add({{"workload", name},
               {"op", "tasks"},
               {"executor", "cuda"},
               {"pool", m.what.name},
               {"tasks", right.tasks},
               {"value", right.value},
               {"rounds", rounds},
               {"us_each", us_each},
               {"type", "task"}},
              m);
    print(m, us_each);
  }
  std::fflush(stdout);
}

int run(const arguments& args) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1); // nothing is loaded while a graph is captured
  const cuda_status gpu = find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const own_stream stream;
  const evenly::cuda exec(stream.get());
  report lines(gpu.text);
  measure(exec, "chain:n=1000", "chain:n=1000", lines);
  measure(exec, "fib:n=25", "fib:n=25", lines);
  measure(exec, "fib:n=35", "fib:n=35", lines);
  measure(exec, "uts:T1", "uts:t=geo,a=fixed,d=10,b=4,r=19", lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_tasks_while", argc, argv, evenly::bench::run);
}
