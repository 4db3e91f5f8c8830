// SPDX-License-Identifier: Apache-2.0
// Sparse operations for learning on a GPU, beside cuSPARSE's: sampled products of dense matrices (sddmm) with 32, 64
// and 128 columns of float and half; graph attention with 32 and 128 features of float in one or four heads, with
// products (attention) and sums (gat) as scores, beside a sequence for each head: cuSPARSE's SDDMM or the sums, the
// softmax of evenly's segment_plan, and cuSPARSE's SpMM.
//
//   bench_learning [--json FILE] [WORKLOAD ...]
//
// The patterns are a few generated workloads, or those that are named (generators and files). Elements are multiples of
// 1/128, so that sums of products are exact, and every entry is compared with a serial loop's; attention is compared
// with that of cores in double. All candidates work on the same arrays, with a cold L2 cache, and take turns.
// Partitions of the work are inside the time; offsets, which plans read once, and preparations of cuSPARSE are not.
#include <cmath>
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
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/attention.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/sddmm.hpp"
#include "evenly/sparse/segment_plan.hpp"
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
               const int* columns, const Stored* x, const Stored* y, int width, int leading, float* out,
               float factor = 1)
      : factor_(factor) {
    const auto type = std::is_same_v<Stored, float> ? CUDA_R_32F : CUDA_R_16F;
    check_cusparse(cusparseCreate(&handle_));
    check_cusparse(cusparseSetStream(handle_, exec.stream()));
    check_cusparse(
        cusparseCreateDnMat(&x_, rows, width, leading, const_cast<Stored*>(x), type, CUSPARSE_ORDER_ROW));
    check_cusparse(
        cusparseCreateDnMat(&y_, cols, width, leading, const_cast<Stored*>(y), type, CUSPARSE_ORDER_ROW));
    check_cusparse(cusparseCreateCsr(&out_, rows, cols, entries, const_cast<int*>(offsets),
                                     const_cast<int*>(columns), out, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    std::size_t bytes = 0;
    check_cusparse(cusparseSDDMM_bufferSize(handle_, no, yes, &factor_, x_, y_, &zero_, out_, CUDA_R_32F,
                                            CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    memory_ = evenly::make_buffer<char>(exec, bytes + 1);
    check_cusparse(cusparseSDDMM_preprocess(handle_, no, yes, &factor_, x_, y_, &zero_, out_, CUDA_R_32F,
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
    check_cusparse(cusparseSDDMM(handle_, no, yes, &factor_, x_, y_, &zero_, out_, CUDA_R_32F,
                                 CUSPARSE_SDDMM_ALG_DEFAULT, memory_.data()));
  }

 private:
  static constexpr auto no = CUSPARSE_OPERATION_NON_TRANSPOSE, yes = CUSPARSE_OPERATION_TRANSPOSE;
  cusparseHandle_t handle_ = nullptr;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMatDescr_t out_ = nullptr;
  evenly::buffer<char> memory_;
  float factor_, zero_ = 0;
};

/// The product of a sparse and a dense matrix by cuSPARSE, preprocessed.
class vendor_spmm {
 public:
  vendor_spmm(const evenly::cuda& exec, int rows, int cols, std::int64_t entries, const int* offsets,
              const int* columns, float* values, const float* b, int width, int leading, float* c) {
    check_cusparse(cusparseCreate(&handle_));
    check_cusparse(cusparseSetStream(handle_, exec.stream()));
    check_cusparse(cusparseCreateDnMat(&b_, cols, width, leading, const_cast<float*>(b), CUDA_R_32F,
                                       CUSPARSE_ORDER_ROW));
    check_cusparse(cusparseCreateDnMat(&c_, rows, width, leading, c, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    check_cusparse(cusparseCreateCsr(&a_, rows, cols, entries, const_cast<int*>(offsets),
                                     const_cast<int*>(columns), values, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    std::size_t bytes = 0;
    check_cusparse(
        cusparseSpMM_bufferSize(handle_, no, no, &one_, a_, b_, &zero_, c_, CUDA_R_32F, way, &bytes));
    memory_ = evenly::make_buffer<char>(exec, bytes + 1);
    check_cusparse(
        cusparseSpMM_preprocess(handle_, no, no, &one_, a_, b_, &zero_, c_, CUDA_R_32F, way, memory_.data()));
  }
  vendor_spmm(const vendor_spmm&) = delete;
  vendor_spmm& operator=(const vendor_spmm&) = delete;
  ~vendor_spmm() {
    cusparseDestroySpMat(a_);
    cusparseDestroyDnMat(b_);
    cusparseDestroyDnMat(c_);
    cusparseDestroy(handle_);
  }
  void run() {
    check_cusparse(cusparseSpMM(handle_, no, no, &one_, a_, b_, &zero_, c_, CUDA_R_32F, way, memory_.data()));
  }

 private:
  static constexpr auto no = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr auto way = CUSPARSE_SPMM_CSR_ALG2;
  cusparseHandle_t handle_ = nullptr;
  cusparseDnMatDescr_t b_ = nullptr, c_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr;
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

/// Measures ways to write `out`, which is spoilt before each run that is checked. type: of the report.
void measure_candidates(const evenly::cuda& exec, const pattern& of, const evenly::buffer<float>& out,
                        const std::vector<candidate>& all, const std::string& op, const std::string& type,
                        evenly::measure::report& report) {
  const auto spoil = [&] {
    EVENLY_CUDA_CHECK(cudaMemsetAsync(out.data(), 0xFF, out.size() * sizeof(float), exec.stream()));
  };
  evenly::measure::bench on{std::make_unique<evenly::measure::device_timer>(false, exec.stream()),
                            std::make_shared<evenly::measure::unchecked_output>(spoil),
                            {}};
  const auto measured =
      measure_in_turns(on, all, {.min_rounds = 11, .max_rounds = 31, .time_budget_ms = 300});
  for (const evenly::measure::measurement& each : measured) {
    report.add({{"workload", of.name},
                {"rows", of.rows},
                {"atoms", of.entries()},
                {"op", op},
                {"executor", "cuda"},
                {"name", each.what.name},
                {"of_evenly", each.time.median / measured.front().time.median},
                {"type", type}},
               each);
    if (each.error)
      std::printf("%s %s %s %s FAILED: %s\n", of.name.c_str(), op.c_str(), type.c_str(),
                  each.what.name.c_str(), each.error->c_str());
    else
      std::printf("%-40s %-13s %-7s %-8s %8.4f ms, %5.2f of evenly\n", of.name.c_str(), op.c_str(),
                  type.c_str(), each.what.name.c_str(), each.time.median,
                  each.time.median / measured.front().time.median);
  }
  std::fflush(stdout);
}

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
                                y_.data(), width_, width_, out_.data());
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
    measure_candidates(exec_, of_, out_, all, "sddmm:" + std::to_string(width_),
                       std::is_same_v<Stored, float> ? "float" : "half", report);
  }

 private:
  const evenly::cuda& exec_;
  const pattern& of_;
  int width_;
  std::vector<float> right_;
  evenly::buffer<float> out_;
  evenly::buffer<Stored> x_, y_;
};

/// Additive scores of entries.
struct scores_of_entries {
  const int* rows;
  const int* columns;
  const float* of_rows;
  const float* of_columns;
  int heads;
  EVENLY_FN float operator()(std::int64_t k) const {
    const float sum = of_rows[std::int64_t{rows[k]} * heads] + of_columns[std::int64_t{columns[k]} * heads];
    return sum > 0 ? sum : 0.2f * sum;
  }
};

/// Attention with `width` features, of all heads together.
class attended {
 public:
  attended(const evenly::cuda& exec, const pattern& of, int width, int heads, bool dots)
      : exec_(exec), of_(of), width_(width), heads_(heads), dots_(dots) {
    const auto filled = [&](int rows, int cols, int from) {
      std::vector<float> elements(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
      for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = 8 * element(static_cast<std::int64_t>(i) + from);
      return elements;
    };
    const int of_scores = dots ? width : heads;
    const auto a = filled(of.rows, of_scores, 1), b = filled(of.cols, of_scores, 2),
               v = filled(of.cols, width, 3);
    right_ = by_cores(a, b, v);
    a_ = evenly::to_executor(exec, a), b_ = evenly::to_executor(exec, b), v_ = evenly::to_executor(exec, v);
    out_ = evenly::make_buffer<float>(exec, right_.size());
  }

  void measure(evenly::measure::report& report) {
    const evenly::csr_view<float> m{of_.rows, of_.cols, of_.offsets_there.data(), of_.columns_there.data(),
                                    nullptr};
    auto plan = evenly::plan_attention(exec_, m);
    const auto of_rows = evenly::dense_rows<const float>(of_.rows, dots_ ? width_ : heads_, a_.data());
    const auto of_columns = evenly::dense_rows<const float>(of_.cols, dots_ ? width_ : heads_, b_.data());
    const auto v = evenly::dense_rows<const float>(of_.cols, width_, v_.data());
    const auto out = evenly::dense_rows(of_.rows, width_, out_.data());
    const auto rows = evenly::detail::rows_of_entries(exec_, m, of_.entries());
    auto segments = evenly::segments_by_offsets(
        exec_, std::span<const int>(of_.offsets_there.data(), of_.offsets_there.size()), of_.entries());
    const auto scores = evenly::make_buffer<float>(exec_, of_.columns.size());
    const auto in_place = evenly::dense_rows(static_cast<int>(of_.entries()), 1, scores.data());
    std::vector<std::unique_ptr<vendor_sddmm<float>>> sampled;
    std::vector<std::unique_ptr<vendor_spmm>> products;
    for (int h = 0; h < heads_; ++h) {
      const int first = h * head_width();
      if (dots_)
        sampled.push_back(std::make_unique<vendor_sddmm<float>>(
            exec_, of_.rows, of_.cols, of_.entries(), m.offsets, m.columns, a_.data() + first,
            b_.data() + first, head_width(), width_, scores.data(), factor()));
      products.push_back(std::make_unique<vendor_spmm>(exec_, of_.rows, of_.cols, of_.entries(), m.offsets,
                                                       m.columns, scores.data(), v_.data() + first,
                                                       head_width(), width_, out_.data() + first));
    }
    const std::vector<std::pair<const char*, std::function<void()>>> ways = {
        {"evenly",
         [&] {
           if (dots_)
             plan.forward(evenly::dot_scores<const float>{of_rows, of_columns, factor()}, v, heads_, out);
           else
             plan.forward(evenly::additive_scores<const float>{of_rows, of_columns, 0.2f}, v, heads_, out);
         }},
        {"cusparse", [&] {
           for (int h = 0; h < heads_; ++h) {
             if (dots_)
               sampled[h]->run();
             else
               evenly::tabulate(
                   exec_, of_.entries(),
                   scores_of_entries{rows.data(), m.columns, a_.data() + h, b_.data() + h, heads_},
                   scores.data());
             segments.softmax(in_place, in_place);
             products[h]->run();
           }
         }}};
    std::vector<candidate> all;
    for (const auto& each : ways)
      all.push_back(plain_candidate(each.first, each.second, [this] { return is_right(); }));
    measure_candidates(exec_, of_, out_, all,
                       std::string(dots_ ? "attention:" : "gat:") + std::to_string(width_),
                       std::to_string(heads_) + (heads_ == 1 ? " head" : " heads"), report);
  }

 private:
  int head_width() const { return width_ / heads_; }
  float factor() const { return dots_ ? 1 / std::sqrt(static_cast<float>(head_width())) : 0.2f; }
  std::vector<double> by_cores(const std::vector<float>& a, const std::vector<float>& b,
                               const std::vector<float>& v) {
    const std::vector<double> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end()),
        wide_v(v.begin(), v.end());
    const evenly::cpu cores;
    auto plan = evenly::plan_attention(
        cores, evenly::csr_view<double>{of_.rows, of_.cols, of_.offsets.data(), of_.columns.data(), nullptr});
    const int of_scores = dots_ ? width_ : heads_;
    const auto of_rows = evenly::dense_rows(of_.rows, of_scores, wide_a.data());
    const auto of_columns = evenly::dense_rows(of_.cols, of_scores, wide_b.data());
    std::vector<double> out(static_cast<std::size_t>(of_.rows) * static_cast<std::size_t>(width_));
    const auto to = evenly::dense_rows(of_.rows, width_, out.data());
    const auto from = evenly::dense_rows(of_.cols, width_, wide_v.data());
    if (dots_)
      plan.forward(evenly::dot_scores<const double>{of_rows, of_columns, factor()}, from, heads_, to);
    else
      plan.forward(evenly::additive_scores<const double>{of_rows, of_columns, factor()}, from, heads_, to);
    return out;
  }
  bool is_right() const {
    const auto found = evenly::to_host(exec_, out_);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!(std::abs(found[i] - right_[i]) < 1e-4)) return false;
    return true;
  }

  const evenly::cuda& exec_;
  const pattern& of_;
  int width_, heads_;
  bool dots_;
  std::vector<double> right_;
  evenly::buffer<float> a_, b_, v_, out_;
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
    for (const int width : {32, 128})
      for (const int heads : {1, 4})
        for (const bool dots : {true, false}) attended(exec, of, width, heads, dots).measure(report);
  }
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_learning", .measure = measure_all, .on_gpu = true});
}
