// SPDX-License-Identifier: Apache-2.0
// The memory requests of expand and spmv under every schedule. simt counts them. If there is a GPU, they also run there
// once, for Nsight Compute to count; scripts/counters_compare.py compares both counts.
//
//   bench_explained [--json FILE] [--schedule NAME] [INPUT ...]
//
// Prints sectors and lanes for a request as simt counts them. Fails if a result is wrong. On the GPU each of the JSON's
// results is as many kernels as it has launches, in the same order, between cudaProfilerStart and cudaProfilerStop.
// Launches of plans are not between them.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/trace/trace.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/counts_json.hpp"
#include "measure/problem.hpp"
#include "measure/reference.hpp"
#include "measure/report.hpp"
#include "measure/text.hpp"
#include "per_request.hpp"

#if defined(EVENLY_WITH_CUDA)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#endif

namespace {

using evenly::measure::bench, evenly::measure::executor_kind, evenly::measure::operation,
    evenly::measure::problem;

/// Small, as all is simulated, and ncu takes long for each launch.
const std::vector<std::string> usual_inputs{"regular:rows=4000,size=8",
                                            "powerlaw:rows=4000,avg=8,sd=30,max=1500", "grid:x=60,y=60"};

void run_profiled([[maybe_unused]] const evenly::measure::prepared_run& on_gpu) {
#if defined(EVENLY_WITH_CUDA)
  cudaDeviceSynchronize();
  cudaProfilerStart();
  on_gpu.run();
  cudaDeviceSynchronize();
  cudaProfilerStop();
#endif
}

constexpr int name_width = 78;

class comparison {
 public:
  explicit comparison(const std::string& only) : only_(only) {
    if (const auto cuda = evenly::measure::find_cuda(); cuda.usable) gpu_ = cuda.text;
  }

  void count(const std::string& input) {
    const evenly::csr_matrix<double> matrix = evenly::io::load_input(input).matrix;
    for (const operation op : {operation::expand, operation::spmv}) {
      const problem p = make_problem(op, evenly::measure::number_type::single_precision, matrix, 0);
      const evenly::measure::reference right(p);
      const bench here = make_bench(executor_kind::simt, p, {.trace = &counts_});
      std::optional<bench> there;
      if (!gpu_.empty()) there = make_bench(executor_kind::cuda, p, {});
      for (const std::string& schedule : evenly::schedule_names())
        if (only_.empty() || only_ == schedule)
          count(operation_name(p) + ' ' + input + ' ' + schedule, evenly::any_schedule(schedule), here, there,
                right);
    }
  }

  const std::string& gpu() const { return gpu_; }
  const evenly::json::value& results() const { return results_; }
  bool all_right() const { return all_right_; }

 private:
  void count(const std::string& name, const evenly::any_schedule& schedule, const bench& here,
             const std::optional<bench>& there, const evenly::measure::reference& right) {
    const auto planned = here.candidate_of(schedule).prepare();
    planned.run(); // takes the memory that runs need
    const evenly::trace_counts before = counts_.totals();
    planned.run();
    const evenly::trace_counts seen = counts_.totals() - before;
    evenly::bench::print_per_request(name_width, name, seen);
    results_.push_back({{"name", name}, {"counts", evenly::measure::json_of_counts(seen)}});
    expect_right(name + " on simt", here, right);
    if (!there) return;
    const auto theirs = there->candidate_of(schedule).prepare();
    theirs.run();
    run_profiled(theirs);
    expect_right(name + " on the GPU", *there, right);
  }

  void expect_right(const std::string& name, const bench& on, const evenly::measure::reference& right) {
    const auto error = right.first_error(on.out->result());
    on.out->poison();
    if (!error) return;
    std::printf("%s: %s\n", name.c_str(), error->c_str());
    all_right_ = false;
  }

  std::string only_;
  std::string gpu_;
  evenly::trace counts_;
  evenly::json::value results_ = evenly::json::array();
  bool all_right_ = true;
};

int run(const evenly::bench::arguments& args) {
  comparison all(args.options.at("--schedule"));
  evenly::bench::print_head_of_requests(name_width);
  for (const std::string& input : args.words.empty() ? usual_inputs : args.words) all.count(input);
  if (!args.json().empty()) {
    evenly::json::value file = evenly::measure::result_head(all.gpu());
    file["results"] = all.results();
    evenly::io::write_output(args.json(), evenly::json::dump(file));
  }
  return all.all_right() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_explained", argc, argv, run, {{"--schedule", ""}});
}
