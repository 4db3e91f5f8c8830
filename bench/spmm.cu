// SPDX-License-Identifier: Apache-2.0
// C = A B with a dense B of few columns, in single precision on a GPU, under `automatic` and some schedules, beside all
// algorithms of cuSPARSE.
//
//   bench_spmm [--repeat N] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly info` takes it. Widths are 8, 32 and 128, of B and C by rows and by columns, as long as C has no
// more than 3 x 10^8 values; of columns 32 only. Values of A and B are -1, 0 or 1, so that sums are exact in any order,
// and every result is compared with ours on the CPU. Candidates take turns, N of them, on warm caches, after a plan or
// cuSPARSE's preprocessing; shown are medians. `gathered_gbps`: what the rows of B come to that the nonzeros ask for,
// over the time.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cusparse.h>

#include "arguments.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/spmm.hpp"
#include "io/input.hpp"
#include "measure/baselines_cuda.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "peer_versions.hpp"
#include "plan_candidate.hpp"
#include "segments.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

dense_view<float> dense(int rows, int cols, float* data, dense_layout layout) {
  return layout == dense_layout::rows ? dense_rows(rows, cols, data) : dense_columns(rows, cols, data);
}

/// A matrix on the device, and its products.
class problem {
 public:
  problem(const cuda& exec, std::string name, const csr_matrix<double>& from)
      : exec_(exec), name_(std::move(name)), host_{from.rows, from.cols, from.offsets, from.columns, {}} {
    host_.values.resize(host_.columns.size());
    for (std::size_t k = 0; k < host_.values.size(); ++k) host_.values[k] = nth_value(k);
    a_ = to_executor(exec, host_);
  }

  void measure(int width, dense_layout layout, int repeat, report& lines) {
    prepare(width, layout);
    std::vector<candidate> all;
    add("automatic", automatic{.work = work_kind::wide_sums}, all);
    add("merge_path", merge_path{}, all);
    add("merge_path of 6", merge_path<6>{},
        all); // items a thread: at 32 columns 48 steps for each strand of lanes
    add("merge_path of 2", merge_path<2>{}, all); // at 128 columns 64
    add("dynamic_group_per_tile", dynamic_group_per_tile{}, all);
    add_cusparse("cusparse_default", cusparse_algorithm::by_default, all);
    add_cusparse("cusparse_alg1", cusparse_algorithm::alg1, all);
    add_cusparse("cusparse_alg2", cusparse_algorithm::alg2, all);
    if (layout == dense_layout::rows) add_cusparse("cusparse_alg3", cusparse_algorithm::alg3, all);
    time(width, layout, all, repeat, lines);
  }

 private:
  void prepare(int width, dense_layout layout) {
    std::vector<float> b(static_cast<std::size_t>(host_.cols) * static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = nth_value(i + 1'000'003);
    wanted_.assign(static_cast<std::size_t>(host_.rows) * static_cast<std::size_t>(width), 0.0f);
    spmm(cpu(), merge_path{}, host_.view(), dense(host_.cols, width, b.data(), layout),
         dense(host_.rows, width, wanted_.data(), layout));
    b_ = to_executor(exec_, b);
    c_ = make_buffer<float>(exec_, wanted_.size());
    in_ = dense(host_.cols, width, b_.data(), layout);
    out_ = dense(host_.rows, width, c_.data(), layout);
  }
  template <class Schedule>
  void add(const char* name, const Schedule& schedule, std::vector<candidate>& all) const {
    all.push_back(plan_candidate(
        name, exec_, schedule, rows_of(a_.view()),
        [this](auto& plan) { spmm(exec_, plan, a_.view(), in_, out_); }, is_right()));
  }
  void add_cusparse(const char* name, cusparse_algorithm which, std::vector<candidate>& all) const {
    try {
      all.push_back(plain_candidate(name, prepare_cusparse(a_.view(), in_, out_, which), is_right()));
    } catch (const device_error& e) {
      std::printf("  %s: %s\n", name, e.what());
    }
  }
  std::function<bool()> is_right() const {
    return [this] { return to_host(exec_, c_) == wanted_; };
  }

  void time(int width, dense_layout layout, const std::vector<candidate>& all, int repeat,
            report& lines) const {
    const auto spoil = [this] {
      EVENLY_CUDA_CHECK(cudaMemsetAsync(c_.data(), 0xFF, c_.size() * sizeof(float), exec_.stream()));
    };
    measure::bench on{
        std::make_unique<device_timer>(true, exec_.stream()), std::make_shared<unchecked_output>(spoil), {}};
    const auto measured = measure_in_turns(on, all, {.exactly = repeat});
    const char* const by = layout == dense_layout::rows ? "row" : "column";
    std::printf("%s, %d columns, by %s: %d rows, %d entries\n", name_.c_str(), width, by, host_.rows,
                host_.atoms());
    for (const measurement& m : measured) {
      const double gathered = m.error ? 0 : 4e-6 * host_.atoms() * width / m.time.median;
      lines.add({{"workload", name_},
                 {"rows", host_.rows},
                 {"entries", host_.atoms()},
                 {"op", "spmm"},
                 {"width", width},
                 {"layout", by},
                 {"executor", "cuda"},
                 {"name", m.what.name},
                 {"gathered_gbps", gathered},
                 {"type", "float"}},
                m);
      if (m.error)
        std::printf("  %-24s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
      else
        std::printf("  %-24s %9.3f ms, %7.0f GB/s gathered\n", m.what.name.c_str(), m.time.median, gathered);
    }
    std::fflush(stdout);
  }

  const cuda& exec_;
  std::string name_;
  csr_matrix<float> host_;
  csr_buffers<float, int> a_;
  std::vector<float> wanted_;
  buffer<float> b_, c_;
  dense_view<float> in_, out_;
};

int run(const arguments& args) {
  std::vector<std::string> inputs = args.words;
  if (inputs.empty()) inputs = {"regular8", "great-britain_osm", "grid:x=3000,y=3000", "as-Skitter"};
  const cuda_status gpu = find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const std::string cusparse = dotted(CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH);
  report lines(gpu.text, {{"peers", {{"cuSPARSE", cusparse}}}});
  const cuda exec;
  for (const std::string& each : inputs) {
    const io::input in = io::load_input(each);
    problem here(exec, in.name, in.matrix);
    const auto fits = [&](int width) { return std::int64_t{in.matrix.rows} * width <= 300'000'000; };
    for (const int width : {8, 32, 128})
      if (fits(width)) here.measure(width, dense_layout::rows, args.number("--repeat"), lines);
    if (fits(32)) here.measure(32, dense_layout::columns, args.number("--repeat"), lines);
  }
  lines.write(args.json());
  return lines.all_right() ? 0 : 1;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_spmm", argc, argv, evenly::bench::run, {{"--repeat", "11"}});
}
