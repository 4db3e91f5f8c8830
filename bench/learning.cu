// SPDX-License-Identifier: Apache-2.0
// Sparse operations for learning on a GPU: sampled products of dense matrices (sddmm) with 32, 64 and 128 columns of
// float and half, beside cuSPARSE's.
//
//   bench_learning [--json FILE] [WORKLOAD ...]
//
// The patterns are a few generated workloads, or those that are named (generators and files). Elements are multiples of
// 1/128, so that sums are exact, and every entry is compared with a serial loop's. All candidates work on the same
// arrays, with a cold L2 cache, and take turns. Partitions of the work are inside the time; offsets, which plans read
// once, are not.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_fp16.h>
#include <cusparse.h>

#include "arguments.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "evenly/sparse/spmv.hpp"
#include "io/input.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace {

using evenly::measure::candidate;
using evenly::measure::plain_candidate;

void check_cusparse(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw evenly::device_error(cusparseGetErrorString(status));
}

/// The product of cuSPARSE, preprocessed.
template <class Stored> class vendor_sddmm {
 public:
  vendor_sddmm(const evenly::cuda& exec, int rows, int cols, std::int64_t entries, const int* offsets,
               const int* columns, const Stored* x, const Stored* y, int width, float* out) {
    const auto type = std::is_same_v<Stored, float> ? CUDA_R_32F : CUDA_R_16F;
    check_cusparse(cusparseCreate(&handle_));
    check_cusparse(cusparseSetStream(handle_, exec.stream()));
    check_cusparse(
        cusparseCreateDnMat(&x_, rows, width, width, const_cast<Stored*>(x), type, CUSPARSE_ORDER_ROW));
    check_cusparse(
        cusparseCreateDnMat(&y_, cols, width, width, const_cast<Stored*>(y), type, CUSPARSE_ORDER_ROW));
    check_cusparse(cusparseCreateCsr(&out_, rows, cols, entries, const_cast<int*>(offsets),
                                     const_cast<int*>(columns), out, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    std::size_t bytes = 0;
    check_cusparse(cusparseSDDMM_bufferSize(handle_, no, yes, &one_, x_, y_, &zero_, out_, CUDA_R_32F,
                                            CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    memory_ = evenly::make_buffer<char>(exec, bytes + 1);
    check_cusparse(cusparseSDDMM_preprocess(handle_, no, yes, &one_, x_, y_, &zero_, out_, CUDA_R_32F,
                                            CUSPARSE_SDDMM_ALG_DEFAULT, memory_.data()));
  }
  vendor_sddmm(const vendor_sddmm&) = delete;
  vendor_sddmm& operator=(const vendor_sddmm&) = delete;
  ~vendor_sddmm() {
    cusparseDestroySpMat(out_);
    cusparseDestroyDnMat(x_);
    cusparseDestroyDnMat(y_);
    cusparseDestroy(handle_);
  }
  void run() {
    check_cusparse(cusparseSDDMM(handle_, no, yes, &one_, x_, y_, &zero_, out_, CUDA_R_32F,
                                 CUSPARSE_SDDMM_ALG_DEFAULT, memory_.data()));
  }

 private:
  static constexpr auto no = CUSPARSE_OPERATION_NON_TRANSPOSE, yes = CUSPARSE_OPERATION_TRANSPOSE;
  cusparseHandle_t handle_ = nullptr;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMatDescr_t out_ = nullptr;
  evenly::buffer<char> memory_;
  float one_ = 1, zero_ = 0;
};

float element(std::int64_t i) {
  return static_cast<float>((static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> 40) % 17) / 128 - 0.0625f;
}

/// One pattern on the device.
struct pattern {
  std::string name;
  int rows, cols;
  std::vector<int> offsets, columns;
  evenly::buffer<int> offsets_there, columns_there;
  std::int64_t entries() const { return static_cast<std::int64_t>(columns.size()); }
};

template <class Stored> class sampled {
 public:
  sampled(const evenly::cuda& exec, const pattern& of, int width)
      : exec_(exec), of_(of), width_(width), right_(of.columns.size()),
        out_(evenly::make_buffer<float>(exec, of.columns.size())) {
    const auto filled = [&](int rows) {
      std::vector<Stored> elements(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
      for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = static_cast<Stored>(element(static_cast<std::int64_t>(i)));
      return elements;
    };
    const auto x = filled(of.rows), y = filled(of.cols);
    for (int r = 0; r < of.rows; ++r)
      for (int k = of.offsets[r]; k < of.offsets[r + 1]; ++k) {
        float sum = 0;
        for (int j = 0; j < width; ++j)
          sum += static_cast<float>(x[std::size_t(r) * width + j]) *
                 static_cast<float>(y[std::size_t(of.columns[k]) * width + j]);
        right_[k] = sum;
      }
    x_ = evenly::to_executor(exec, x);
    y_ = evenly::to_executor(exec, y);
  }

  void measure(evenly::measure::report& report) {
    const evenly::csr_view<float> m{of_.rows, of_.cols, of_.offsets_there.data(), of_.columns_there.data(),
                                    nullptr};
    auto plan = evenly::make_plan(exec_, evenly::schedule_for_sums{}, rows_of(m));
    vendor_sddmm<Stored> vendor(exec_, of_.rows, of_.cols, of_.entries(), m.offsets, m.columns, x_.data(),
                                y_.data(), width_, out_.data());
    const std::vector<std::pair<const char*, std::function<void()>>> ways = {
        {"evenly",
         [&] {
           evenly::sddmm(exec_, plan, m, evenly::dense_rows<const Stored>(of_.rows, width_, x_.data()),
                         evenly::dense_rows<const Stored>(of_.cols, width_, y_.data()),
                         std::span<float>(out_.data(), out_.size()));
         }},
        {"cusparse", [&] { vendor.run(); }}};
    std::vector<candidate> all;
    for (const auto& each : ways)
      all.push_back(plain_candidate(each.first, each.second,
                                    [this] { return evenly::to_host(exec_, out_) == right_; }));
    const auto spoil = [this] {
      EVENLY_CUDA_CHECK(cudaMemsetAsync(out_.data(), 0xFF, out_.size() * sizeof(float), exec_.stream()));
    };
    evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(false, exec_.stream()),
                              std::make_shared<evenly::measure::unchecked_output>(spoil),
                              {}};
    const auto measured =
        measure_in_turns(on, all, {.min_rounds = 11, .max_rounds = 31, .time_budget_ms = 300});
    const char* const type = std::is_same_v<Stored, float> ? "float" : "half";
    for (const evenly::measure::measurement& each : measured) {
      report.add({{"workload", of_.name},
                  {"rows", of_.rows},
                  {"atoms", of_.entries()},
                  {"op", "sddmm:" + std::to_string(width_)},
                  {"executor", "cuda"},
                  {"of_evenly", each.time.median / measured.front().time.median},
                  {"type", type}},
                 each);
      if (each.error)
        std::printf("%s sddmm:%d %s %s FAILED: %s\n", of_.name.c_str(), width_, type, each.what.name.c_str(),
                    each.error->c_str());
      else
        std::printf("%-40s sddmm:%-3d %-5s %-8s %8.4f ms, %5.2f of evenly\n", of_.name.c_str(), width_, type,
                    each.what.name.c_str(), each.time.median,
                    each.time.median / measured.front().time.median);
    }
    std::fflush(stdout);
  }

 private:
  const evenly::cuda& exec_;
  const pattern& of_;
  int width_;
  std::vector<float> right_;
  evenly::buffer<float> out_;
  evenly::buffer<Stored> x_, y_;
};

void measure_all(const evenly::bench::arguments& args, evenly::measure::report& report) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty())
    workloads = {"grid:x=300,y=300", "regular:rows=300000,size=8",
                 "powerlaw:rows=100000,avg=30,sd=200,max=20000", "kron:16"};
  const evenly::cuda exec;
  for (const std::string& workload : workloads) {
    auto loaded = evenly::io::load_input(workload);
    pattern of{loaded.name,
               loaded.matrix.rows,
               loaded.matrix.cols,
               std::move(loaded.matrix.offsets),
               std::move(loaded.matrix.columns),
               {},
               {}};
    of.offsets_there = evenly::to_executor(exec, of.offsets);
    of.columns_there = evenly::to_executor(exec, of.columns);
    for (const int width : {32, 64, 128}) {
      sampled<float>(exec, of, width).measure(report);
      sampled<evenly::half>(exec, of, width).measure(report);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_learning", .measure = measure_all, .on_gpu = true});
}
