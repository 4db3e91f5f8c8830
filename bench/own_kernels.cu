// SPDX-License-Identifier: Apache-2.0
// Float SpMV written by hand, as loops over work ranges in a kernel of one's own (docs/your-own-kernel.md), beside spmv
// under the same schedule.
//
//   bench_own_kernels [--json FILE] [WORKLOAD ...]
//
// Under each schedule
//   spmv           the library's, under a plan
//   own            a kernel of one's own, with the work of the same plan, in as many blocks; its body is atoms_only;
//                  tiles that blocks share are combined by fix_up_carries
//   own_joined     the same, but joined in the kernel
//   own_tiles      the same as own with a body that may ask for its tile's number
//   own_unplanned  as own_joined, without a plan: each block finds where it begins
//   own_resident   the same in as many blocks as the device has room for
//
// Values of the matrix and of x are -1, 0 or 1, so that sums are exact in any order, and every result is compared with
// a serial loop's.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/sparse/spmv.hpp"
#include "io/input.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "segments.hpp"

namespace {

using evenly::measure::candidate;
using evenly::measure::plain_candidate;

struct store_to {
  float* y;
  EVENLY_FN void operator()(int row, float sum) const { y[row] = sum; }
};

template <class Work, bool AtomsOnly, evenly::carry_fix_up How>
struct multiply : evenly::kernel_of_work<Work> {
  Work rows;
  evenly::partials<float, int, How> left;
  evenly::csr_view<float> a;
  const float* x;
  store_to y;

  multiply(const Work& rows, const evenly::partials<float, int, How>& left, const evenly::csr_view<float>& a,
           const float* x, const store_to& y)
      : rows(rows), left(left), a(a), x(x), y(y) {}

  EVENLY_FN auto lay_out(evenly::storage_layout& layout, evenly::block_shape shape) const {
    return evenly::lay_out_combine<float>(layout, shape, rows);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::storage_layout layout;
    const evenly::combine_with sums{left, evenly::plus<float>{}, y};
    const auto body = [&](const auto& range) {
      for (const auto row : range.tiles()) {
        float sum = 0;
        for (const int k : range.atoms(row)) sum += range.read(a.values + k) * x[range.read(a.columns + k)];
        range.combine(row, sum);
      }
    };
    const auto slots = lay_out(layout, block.shape());
    if constexpr (AtomsOnly)
      evenly::for_each_range(block, rows, slots, sums, evenly::atoms_only(body));
    else
      evenly::for_each_range(block, rows, slots, sums, body);
  }
};

/// A matrix on the device, and its product.
class problem {
 public:
  problem(const evenly::cuda& exec, std::string name, const evenly::csr_matrix<double>& matrix)
      : exec_(exec), name_(std::move(name)), rows_(matrix.rows), cols_(matrix.cols), atoms_(matrix.atoms()),
        offsets_(evenly::to_executor(exec, matrix.offsets)),
        columns_(evenly::to_executor(exec, matrix.columns)),
        y_(evenly::make_buffer<float>(exec, static_cast<std::size_t>(matrix.rows))) {
    std::vector<float> values(matrix.columns.size()), x(static_cast<std::size_t>(matrix.cols));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = evenly::bench::nth_value(k);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = evenly::bench::nth_value(i + 1'000'003);
    for (int row = 0; row < rows_; ++row) {
      float sum = 0;
      for (int k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
        sum += values[k] * x[matrix.columns[k]];
      wanted_.push_back(sum);
    }
    values_ = evenly::to_executor(exec, values);
    x_ = evenly::to_executor(exec, x);
  }

  template <class Schedule>
  void measure(const char* schedule_name, const Schedule& schedule, evenly::measure::report& report) {
    const evenly::csr_view<float> a{rows_, cols_, offsets_.data(), columns_.data(), values_.data()};
    const auto plan = std::make_shared<decltype(evenly::make_plan(exec_, schedule, rows_of(a)))>(
        evenly::make_plan(exec_, schedule, rows_of(a)));
    std::vector<candidate> all{candidate_of(
        "spmv", [=, this] { evenly::spmv(exec_, *plan, a, std::span<const float>(x_.span()), y_.span()); })};
    const auto planned = evenly::work_of(*plan);
    add_own<true, later>("own", planned, a, false, all);
    add_own<true, here>("own_joined", planned, a, false, all);
    add_own<false, later>("own_tiles", planned, a, false, all);
    const auto unplanned = evenly::work_of(exec_, schedule, evenly::assume_valid(rows_of(a), atoms_));
    add_own<true, here>("own_unplanned", unplanned, a, false, all);
    add_own<true, here>("own_resident", unplanned, a, true, all);
    time(schedule_name, all, report);
  }

 private:
  static constexpr auto here = evenly::carry_fix_up::in_kernel, later = evenly::carry_fix_up::deferred;

  template <bool AtomsOnly, evenly::carry_fix_up How, class Work>
  void add_own(const char* name, const Work& work, const evenly::csr_view<float>& a, bool resident,
               std::vector<candidate>& all) {
    const auto left = std::make_shared<decltype(evenly::make_partials<float>(exec_, work))>(
        evenly::make_partials<float>(exec_, work));
    const auto memory = [&] {
      if constexpr (How == later)
        return left->deferred();
      else
        return left->view();
    }();
    const store_to y{y_.data()};
    const multiply<Work, AtomsOnly, How> kernel{work, memory, a, x_.data(), y};
    int blocks = work.blocks;
    if (resident && blocks > 0)
      blocks = evenly::smaller(blocks, resident_blocks(exec_, kernel, work.block_size));
    all.push_back(candidate_of(name, [=, this] {
      static_cast<void>(left); // whose memory the kernel uses
      launch(exec_, {blocks, work.block_size}, kernel);
      if constexpr (How == later) fix_up_carries(exec_, work, *left, evenly::plus<float>{}, y);
    }));
  }
  candidate candidate_of(const char* name, std::function<void()> run) const {
    return plain_candidate(name, std::move(run), [this] { return evenly::to_host(exec_, y_) == wanted_; });
  }

  void time(const char* schedule_name, const std::vector<candidate>& all,
            evenly::measure::report& report) const {
    const auto spoil = [this] {
      EVENLY_CUDA_CHECK(cudaMemsetAsync(y_.data(), 0xFF, y_.size() * sizeof(float), exec_.stream()));
    };
    evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(true, exec_.stream()),
                              std::make_shared<evenly::measure::unchecked_output>(spoil),
                              {}};
    const auto measured =
        measure_in_turns(on, all, {.min_rounds = 21, .max_rounds = 101, .time_budget_ms = 200});
    std::printf("%s, %s: %d rows, %d nonzeros\n", name_.c_str(), schedule_name, rows_, atoms_);
    const double spmv = measured.front().time.median;
    for (const evenly::measure::measurement& m : measured) {
      report.add({{"workload", name_},
                  {"rows", rows_},
                  {"atoms", atoms_},
                  {"op", "spmv"},
                  {"executor", "cuda"},
                  {"schedule", schedule_name},
                  {"written", m.what.name},
                  {"of_spmv", m.time.median / spmv},
                  {"type", "float"}},
                 m);
      if (m.error)
        std::printf("  %-14s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
      else
        std::printf("  %-14s %9.2f us, %5.2f of spmv\n", m.what.name.c_str(), 1000 * m.time.median,
                    m.time.median / spmv);
    }
    std::fflush(stdout);
  }

  const evenly::cuda& exec_;
  std::string name_;
  int rows_, cols_, atoms_;
  std::vector<float> wanted_;
  evenly::buffer<int> offsets_, columns_;
  evenly::buffer<float> values_, x_, y_;
};

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty())
    workloads = {"regular:rows=1000000,size=8", "powerlaw:rows=1000000,avg=8,sd=30,max=30000",
                 "rmat:scale=18,edges=16", "regular:rows=12000,size=8"};
  const evenly::cuda exec;
  for (const std::string& workload : workloads) {
    const auto loaded = evenly::io::load_input(workload);
    problem here(exec, loaded.name, loaded.matrix);
    here.measure("thread_mapped", evenly::thread_mapped{}, report);
    here.measure("group_per_tile<8>", evenly::group_per_tile<8>{}, report);
    here.measure("merge_path", evenly::merge_path{}, report);
  }
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_own_kernels", .measure = measure_all, .on_gpu = true});
}
