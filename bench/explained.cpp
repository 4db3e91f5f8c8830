// SPDX-License-Identifier: Apache-2.0
// What expand and spmv ask of memory under every schedule: counted on simt, and run once on the GPU, if there is one,
// where Nsight Compute can count them: scripts/counters_compare.py puts the counts side by side.
//
//   bench_explained [--json FILE] [--schedule NAME] [INPUT ...]
//
// Prints sectors and lanes for a request as simt counts them. Fails where a result on the GPU is not that on simt. On
// the GPU each of the JSON's results is as many kernels as it has launches, in the same order, between
// cudaProfilerStart and cudaProfilerStop; what plans launch is not between them.
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/trace/trace.hpp"
#include "io/input.hpp"
#include "io/output_file.hpp"
#include "json/value.hpp"
#include "measure/bench.hpp"
#include "measure/counts_json.hpp"
#include "measure/report.hpp"
#include "measure/text.hpp"
#include "per_request.hpp"

#if defined(EVENLY_WITH_CUDA)
#include <cuda_profiler_api.h>
#endif

namespace {

using evenly::any_executor;

/// Small, as all is simulated, and ncu takes long for each launch.
const std::vector<std::string> usual_inputs{"regular:rows=4000,size=8",
                                            "powerlaw:rows=4000,avg=8,sd=30,max=1500", "grid:x=60,y=60"};

/// The arrays of both operations, where they run.
struct arrays {
  arrays(const any_executor& on, const evenly::csr_matrix<double>& matrix)
      : exec(on), rows(matrix.rows), cols(matrix.cols), offsets(to_executor(on, matrix.offsets)),
        columns(to_executor(on, matrix.columns)),
        values(to_executor(on, std::vector<float>(matrix.values.begin(), matrix.values.end()))),
        x(to_executor(on, std::vector<float>(static_cast<std::size_t>(matrix.cols), 1.F))),
        y(evenly::make_buffer<float>(on, static_cast<std::size_t>(matrix.rows))),
        tile_of(evenly::make_buffer<int>(on, matrix.columns.size())) {}

  evenly::csr_view<float> view() const { return {rows, cols, offsets.data(), columns.data(), values.data()}; }

  any_executor exec;
  int rows, cols;
  evenly::buffer<int> offsets, columns;
  evenly::buffer<float> values, x, y;
  evenly::buffer<int> tile_of;
};

void run(const std::string& op, const arrays& of, evenly::any_plan<>& plan) {
  if (op == "spmv")
    plan.spmv(of.view(), of.x.span(), of.y.span());
  else
    plan.expand(of.tile_of.span());
}

/// Sums of ones and of other small numbers may be added up in another order.
bool alike(const std::string& op, const arrays& a, const arrays& b) {
  if (op == "expand") return to_host(a.exec, a.tile_of) == to_host(b.exec, b.tile_of);
  const auto one = to_host(a.exec, a.y), other = to_host(b.exec, b.y);
  for (std::size_t i = 0; i < one.size(); ++i)
    if (!(std::abs(one[i] - other[i]) <= 1e-3F * (1 + std::abs(one[i])))) return false;
  return true;
}

void run_profiled([[maybe_unused]] const std::function<void()>& body) {
#if defined(EVENLY_WITH_CUDA)
  cudaProfilerStart();
  body();
  cudaProfilerStop();
#endif
}

constexpr int name_width = 78;

class comparison {
 public:
  explicit comparison(const std::string& only) : only_(only) {
    if (const auto cuda = evenly::measure::find_cuda(); cuda.usable) {
      gpu_ = cuda.text;
      cuda_ = evenly::make_executor("cuda");
    }
  }

  void count(const std::string& input) {
    const evenly::csr_matrix<double> matrix = evenly::io::load_input(input).matrix;
    const arrays here(any_executor{evenly::simt({.trace = &counts_})}, matrix);
    std::optional<arrays> there;
    if (cuda_) there.emplace(*cuda_, matrix);
    for (const std::string op : {"expand", "spmv"})
      for (const std::string& schedule : evenly::schedule_names())
        if (only_.empty() || only_ == schedule)
          count(op + ' ' + input + ' ' + schedule, op, evenly::any_schedule(schedule), here, there);
  }

  const std::string& gpu() const { return gpu_; }
  const evenly::json::value& results() const { return results_; }
  bool all_right() const { return all_right_; }

 private:
  void count(const std::string& name, const std::string& op, const evenly::any_schedule& schedule,
             const arrays& here, const std::optional<arrays>& there) {
    evenly::any_plan<> plan(here.exec, schedule, rows_of(here.view()));
    run(op, here, plan); // takes the memory that runs need
    const evenly::trace_counts before = counts_.totals();
    run(op, here, plan);
    const evenly::trace_counts seen = counts_.totals() - before;
    evenly::bench::print_per_request(name_width, name, seen);
    results_.push_back({{"name", name}, {"counts", evenly::measure::json_of_counts(seen)}});
    if (!there) return;
    evenly::any_plan<> theirs(there->exec, schedule, rows_of(there->view()));
    run(op, *there, theirs);
    there->exec.synchronize();
    run_profiled([&] {
      run(op, *there, theirs);
      there->exec.synchronize();
    });
    if (alike(op, here, *there)) return;
    std::printf("%s: wrong on the GPU\n", name.c_str());
    all_right_ = false;
  }

  std::string only_;
  std::string gpu_;
  std::optional<any_executor> cuda_;
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
