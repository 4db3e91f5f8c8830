// SPDX-License-Identifier: Apache-2.0
// Searches as tasks that make tasks, under every pool, on as many blocks as run at the same time and on fewer: every
// node is pushed and popped.
//
//   bench_tasks [--json FILE] [SEARCH ...]
//
// SEARCH: those of searches.hpp; without: all. Of every run the number of tasks and the answer are compared with what
// is known. Times are of whole runs: the memory of a run is set to zero, and kernels are launched. Of batched_stealing
// there is also the kernel alone, from the end of the former on. The queue behind a lock and the lock-free one take
// part in small searches only, single blocks in those of less than a million tasks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "json/value.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "searches.hpp"
#include "tasks/bounds.hpp"
#include "tasks/pools.hpp"
#include "tasks/task_bench.hpp"

namespace {

using namespace evenly::measure;
using namespace evenly::tasks;
using evenly::bench::search;
/// A point on a stream that the host can ask the time of.
class time_mark {
 public:
  time_mark() { EVENLY_CUDA_CHECK(cudaEventCreate(&event_)); }
  ~time_mark() { cudaEventDestroy(event_); }
  time_mark(const time_mark&) = delete;
  time_mark& operator=(const time_mark&) = delete;

  void set(cudaStream_t stream) { EVENLY_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  /// Milliseconds from an earlier one on, after both have been passed.
  double since(const time_mark& earlier) const {
    float ms = 0;
    EVENLY_CUDA_CHECK(cudaEventElapsedTime(&ms, earlier.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A GPU that sets a mark when memory has been set to zero, which is what a run begins with.
struct cuda_with_mark : evenly::cuda {
  std::shared_ptr<time_mark> zeroed = std::make_shared<time_mark>();
  void fill_zero(void* to, std::size_t bytes) const {
    cuda::fill_zero(to, bytes);
    zeroed->set(stream());
  }
};

/// The kernel of batched_stealing alone, of a run after which all was right; an error if one was wrong.
measurement measure_kernel(const task_workload& workload, const task_answer& right) {
  measurement measured;
  measured.what.name = "batched_stealing, kernel alone";
  const cuda_with_mark exec;
  device_workload<evenly::cuda> placed{exec, {}};
  std::visit(
      [&]<class What>(const What& what) {
        if constexpr (std::is_same_v<What, fibonacci_workload> || std::is_same_v<What, queens_workload> ||
                      std::is_same_v<What, evenly::uts::parameters>)
          placed(what, [&](const auto& first_tasks, const auto& body, bool counts_tasks) {
            const auto first = to_executor(exec, first_tasks);
            evenly::task_workspace memory;
            time_mark end;
            for (int run = 0; run < 13 && !measured.error; ++run) {
              run_tasks(exec, evenly::batched_stealing{}, first, body, {}, memory);
              end.set(exec.stream());
              const evenly::task_report report = finish(exec, memory);
              const std::uint64_t value = counts_tasks ? static_cast<std::uint64_t>(report.run) : report.sum;
              measured.error = first_error({value, report.run}, right);
              if (run >= 2) measured.time.rounds.push_back(end.since(*exec.zeroed));
            }
          });
      },
      workload.what);
  std::vector<double> sorted = measured.time.rounds;
  std::ranges::sort(sorted);
  if (!sorted.empty()) {
    measured.time.median = sorted[sorted.size() / 2];
    measured.time.min = sorted.front();
    measured.time.max = sorted.back();
  }
  return measured;
}

/// A search on several numbers of blocks, 0 being as many as run at the same time.
class bench_of_search {
 public:
  explicit bench_of_search(const search& of)
      : name_(of.name), workload_(parse_workload(of.workload)), right_(answer_of(workload_)) {
    if (right_.tasks < 50'000'000) bounds_ = bounds_of(workload_);
    for (std::size_t i = 0; i < numbers_of_blocks.size(); ++i) {
      task_bench_options options;
      options.bench.warm = true;
      options.blocks = numbers_of_blocks[i];
      benches_.push_back(make_cuda_task_bench(workload_, options, findings_[i]));
      for (const candidate& each : benches_.back().candidates(0)) add(each, i);
    }
  }

  void measure(report& lines) {
    std::printf("%s: %lld tasks\n", name_, static_cast<long long>(right_.tasks));
    const auto measured =
        measure_in_turns(benches_[0], all_, {.min_rounds = 3, .max_rounds = 11, .time_budget_ms = 100});
    for (std::size_t i = 0; i < measured.size(); ++i) {
      add_line(measured[i], found_[i], lines);
      if (measured[i].what.name == "batched_stealing" && !workload_.joins)
        add_line(measure_kernel(workload_, right_), {}, lines);
    }
    std::fflush(stdout);
  }

 private:
  static constexpr std::array numbers_of_blocks{0, 16, 1};

  void add(candidate each, std::size_t i) {
    const int blocks = numbers_of_blocks[i];
    const bool is_slow = each.name == "blocking_queue" || each.name == "lock_free_queue";
    if (is_slow && right_.tasks > 300'000) return;
    if (blocks == 1 && right_.tasks >= 1'000'000) return;
    found_.push_back({each.name, &findings_[i][each.name]});
    if (blocks != 0) each.name += ", blocks " + std::to_string(blocks);
    all_.push_back(std::move(each));
  }

  struct pool_finding {
    std::string pool = {};
    const task_finding* at = nullptr; ///< what it found is not noted where there is none
  };

  void add_line(const measurement& m, const pool_finding& of, report& lines) const {
    const double rate = static_cast<double>(right_.tasks) / (1e6 * m.time.median);
    evenly::json::value line{{"workload", name_},   {"op", "tasks"},  {"executor", "cuda"},
                             {"pool", m.what.name}, {"gtasks", rate}, {"type", "task"}};
    if (of.at) {
      const task_finding& found = *of.at;
      const auto in_paper = bounds_ ? bytes_in_paper(of.pool, *bounds_, found) : std::nullopt;
      line["tasks"] = found.found.tasks;
      line["value"] = found.found.value;
      line["reserved_bytes"] = found.bytes;
      line["bytes_by_the_text"] = in_paper ? evenly::json::value(*in_paper) : evenly::json::value();
      line["high_water"] = found.high_water;
    }
    lines.add(line, m);
    if (m.error)
      std::printf("  %-34s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-34s %10.3f ms, %8.3f G tasks/s\n", m.what.name.c_str(), m.time.median, rate);
  }

  const char* name_;
  task_workload workload_;
  task_answer right_;
  std::array<task_findings, numbers_of_blocks.size()> findings_;
  std::vector<bench> benches_;
  std::vector<candidate> all_;
  std::vector<pool_finding> found_; ///< of each of `all_`
  std::optional<task_bounds> bounds_;
};

int run(const evenly::bench::arguments& args) {
  std::vector<search> chosen;
  for (const std::string& word : args.words) chosen.push_back(evenly::bench::find_search(word));
  if (chosen.empty()) chosen.assign(std::begin(evenly::bench::searches), std::end(evenly::bench::searches));
  const cuda_status gpu = find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  report lines(gpu.text);
  for (const search& each : chosen) bench_of_search(each).measure(lines);
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return evenly::bench::run_main("bench_tasks", argc, argv, run); }
