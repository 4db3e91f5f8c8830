// SPDX-License-Identifier: Apache-2.0
// A sparse matrix times a dense one of few columns by reduce_tiles_wide, C = A B in float, beside cuSPARSE. B and C are
// dense, row after row.
//
//   bench_wide [--json FILE] [WORKLOAD ...]
//
// Widths are 8, 32 and 128, as long as C has no more than 2^28 values; of a workload of more than 50 million nonzeros
// only 32. Values of A and B are -1, 0 or 1,
// so that sums are exact in any order, and every result is compared with a serial loop's. `gathered_gbps`: what the
// rows of B come to that the nonzeros ask for, over the time; most of them lie in caches.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "io/input.hpp"
#include "measure/baselines_cuda.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "segments.hpp"

namespace {

using evenly::measure::candidate;
using evenly::measure::plain_candidate;

struct product_of {
  evenly::csr_view<float> a;
  const float* b;
  int width;

  EVENLY_FN const float* row(int k) const { return b + static_cast<std::int64_t>(a.columns[k]) * width; }
  EVENLY_FN float operator()(int k, int column) const { return a.values[k] * row(k)[column]; }
  EVENLY_FN evenly::row_pack<float> pack(int k, int column) const {
    evenly::row_pack<float> all = evenly::load_pack(row(k) + column);
    const float value = a.values[k];
    for (float& each : all.of) each *= value;
    return all;
  }
};
struct store_to {
  float* c;
  int width;

  EVENLY_FN float* row(int number) const { return c + static_cast<std::int64_t>(number) * width; }
  EVENLY_FN void operator()(int number, int column, float sum) const { row(number)[column] = sum; }
  EVENLY_FN void pack(int number, int column, const evenly::row_pack<float>& sums) const {
    evenly::store_pack(row(number) + column, sums);
  }
};

/// A matrix on the device, and its product with one of some width.
class problem {
 public:
  problem(const evenly::cuda& exec, std::string name, const evenly::csr_matrix<double>& matrix)
      : exec_(exec), name_(std::move(name)), rows_(matrix.rows), cols_(matrix.cols), atoms_(matrix.atoms()),
        matrix_(matrix), host_values_(matrix.columns.size()),
        offsets_(evenly::to_executor(exec, matrix.offsets)),
        columns_(evenly::to_executor(exec, matrix.columns)) {
    for (std::size_t k = 0; k < host_values_.size(); ++k) host_values_[k] = evenly::bench::nth_value(k);
    values_ = evenly::to_executor(exec, host_values_);
  }

  void measure(int width, evenly::measure::report& report) {
    prepare(width);
    std::vector<candidate> all;
    add("merge_path", evenly::merge_path{}, width, all);
    add("nonzero_split", evenly::nonzero_split{}, width, all);
    add("warp_mapped", evenly::warp_mapped{}, width, all);
    add("dynamic_group_per_tile", evenly::dynamic_group_per_tile{}, width, all);
    add_cusparse("cusparse_alg2", evenly::measure::cusparse_algorithm::alg2, width, all);
    add_cusparse("cusparse_alg3", evenly::measure::cusparse_algorithm::alg3, width, all);
    time(width, all, report);
  }

 private:
  evenly::csr_view<float> view() const {
    return {rows_, cols_, offsets_.data(), columns_.data(), values_.data()};
  }
  void prepare(int width) {
    std::vector<float> b(static_cast<std::size_t>(cols_) * width);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = evenly::bench::nth_value(i + 1'000'003);
    wanted_.assign(static_cast<std::size_t>(rows_) * width, 0.0f);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); ++row) {
      float* const c = wanted_.data() + row * width;
      for (int k = matrix_.offsets[row]; k < matrix_.offsets[row + 1]; ++k) {
        const float* const from = b.data() + static_cast<std::size_t>(matrix_.columns[k]) * width;
        for (int column = 0; column < width; ++column) c[column] += host_values_[k] * from[column];
      }
    }
    b_ = evenly::to_executor(exec_, b);
    c_ = evenly::make_buffer<float>(exec_, wanted_.size());
  }
  template <class Schedule>
  void add(const char* name, const Schedule& schedule, int width, std::vector<candidate>& all) const {
    const auto plan = std::make_shared<decltype(evenly::make_plan(exec_, schedule, rows_of(view())))>(
        evenly::make_plan(exec_, schedule, rows_of(view())));
    add(name, all, [=, this] {
      evenly::reduce_tiles_wide(exec_, *plan, width, product_of{view(), b_.data(), width},
                                evenly::plus<float>{}, store_to{c_.data(), width});
    });
  }
  void add_cusparse(const char* name, evenly::measure::cusparse_algorithm which, int width,
                    std::vector<candidate>& all) const {
    add(name, all,
        evenly::measure::prepare_cusparse(view(), evenly::dense_rows(cols_, width, b_.data()),
                                          evenly::dense_rows(rows_, width, c_.data()), which));
  }
  void add(const char* name, std::vector<candidate>& all, std::function<void()> run) const {
    all.push_back(
        plain_candidate(name, std::move(run), [this] { return evenly::to_host(exec_, c_) == wanted_; }));
  }

  void time(int width, const std::vector<candidate>& all, evenly::measure::report& report) const {
    const auto spoil = [this] {
      EVENLY_CUDA_CHECK(cudaMemsetAsync(c_.data(), 0xFF, c_.size() * sizeof(float), exec_.stream()));
    };
    evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(false, exec_.stream()),
                              std::make_shared<evenly::measure::unchecked_output>(spoil),
                              {}};
    const auto measured =
        measure_in_turns(on, all, {.min_rounds = 11, .max_rounds = 51, .time_budget_ms = 200});
    std::printf("%s, %d columns: %d rows, %d nonzeros\n", name_.c_str(), width, rows_, atoms_);
    for (const evenly::measure::measurement& m : measured) {
      const double gathered = 4e-6 * atoms_ * width / m.time.median;
      report.add({{"workload", name_},
                  {"rows", rows_},
                  {"atoms", atoms_},
                  {"op", "spmm"},
                  {"width", width},
                  {"executor", "cuda"},
                  {"schedule", m.what.name},
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

  const evenly::cuda& exec_;
  std::string name_;
  int rows_, cols_, atoms_;
  const evenly::csr_matrix<double>& matrix_;
  std::vector<float> host_values_, wanted_;
  evenly::buffer<int> offsets_, columns_;
  evenly::buffer<float> values_, b_, c_;
};

int run(const evenly::bench::arguments& args) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty()) workloads = {"regular8", "great-britain_osm", "kron_g500-logn20"};
  const evenly::measure::cuda_status gpu = evenly::measure::find_cuda();
  if (!gpu.usable) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  evenly::measure::report report(gpu.text);
  const evenly::cuda exec;
  for (const std::string& workload : workloads) {
    const auto loaded = evenly::io::load_input(workload);
    problem here(exec, loaded.name, loaded.matrix);
    const bool large = loaded.matrix.atoms() > 50'000'000;
    for (const int width : large ? std::vector<int>{32} : std::vector<int>{8, 32, 128})
      if (std::int64_t{loaded.matrix.rows} * width <= 1 << 28) here.measure(width, report);
  }
  report.write(args.json());
  return report.all_right() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return evenly::bench::run_main("bench_wide", argc, argv, run); }
