// SPDX-License-Identifier: Apache-2.0
// C = A A in single precision on a GPU, beside cuSPARSE (its default algorithm).
//
//   bench_spgemm [--repeat N] [--json FILE] [INPUT ...]
//
// INPUT is as `evenly info` takes it. Each time is of the whole call, with the memory of C, from the device's pool,
// between two synchronisations, warm; of `evenly, planned` it is that of filling C again. Ours is compared with the
// product on the CPU, bit by bit; of cuSPARSE's the number of entries. `MB`: memory besides A and C. Shown are medians
// of N runs.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cusparse.h>

#include "arguments.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "io/input.hpp"
#include "measure/host_timer.hpp"
#include "measure/machine.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

/// Throws device_error unless `status` is success.
void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw device_error(std::string(call) + " failed: " + cusparseGetErrorString(status));
}

/// Whole calls of cuSPARSE.
class cusparse_products {
 public:
  explicit cusparse_products(const csr_view<float>& a, std::int64_t entries) : a_(a) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseCreateCsr(&matrix_, a.rows, a.cols, entries, const_cast<int*>(a.offsets),
                            const_cast<int*>(a.columns), const_cast<float*>(a.values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
          "cusparseCreateCsr");
  }
  cusparse_products(const cusparse_products&) = delete;
  cusparse_products& operator=(const cusparse_products&) = delete;
  ~cusparse_products() {
    forget();
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
  }

  void run() {
    const cuda exec;
    forget();
    offsets_ = make_buffer<int>(exec, static_cast<std::size_t>(a_.rows) + 1);
    check(cusparseCreateCsr(&product_, a_.rows, a_.cols, 0, offsets_.data(), nullptr, nullptr,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
          "cusparseCreateCsr");
    check(cusparseSpGEMM_createDescr(&work_), "cusparseSpGEMM_createDescr");
    const auto estimate = [&](std::size_t& bytes, void* memory) {
      check(cusparseSpGEMM_workEstimation(handle_, as_is, as_is, &one_, matrix_, matrix_, &zero_, product_,
                                          CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, work_, &bytes, memory),
            "cusparseSpGEMM_workEstimation");
    };
    const auto compute = [&](std::size_t& bytes, void* memory) {
      check(cusparseSpGEMM_compute(handle_, as_is, as_is, &one_, matrix_, matrix_, &zero_, product_,
                                   CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, work_, &bytes, memory),
            "cusparseSpGEMM_compute");
    };
    std::size_t first = 0, second = 0;
    estimate(first, nullptr);
    const auto first_memory = make_buffer<std::byte>(exec, first);
    estimate(first, first_memory.data());
    compute(second, nullptr);
    const auto second_memory = make_buffer<std::byte>(exec, second);
    compute(second, second_memory.data());
    bytes_ = first + second;
    std::int64_t rows = 0, cols = 0;
    check(cusparseSpMatGetSize(product_, &rows, &cols, &entries_), "cusparseSpMatGetSize");
    columns_ = make_buffer<int>(exec, static_cast<std::size_t>(entries_));
    values_ = make_buffer<float>(exec, static_cast<std::size_t>(entries_));
    check(cusparseCsrSetPointers(product_, offsets_.data(), columns_.data(), values_.data()),
          "cusparseCsrSetPointers");
    check(cusparseSpGEMM_copy(handle_, as_is, as_is, &one_, matrix_, matrix_, &zero_, product_, CUDA_R_32F,
                              CUSPARSE_SPGEMM_DEFAULT, work_),
          "cusparseSpGEMM_copy");
    exec.synchronize();
  }
  std::int64_t entries() const { return entries_; }
  std::size_t bytes() const { return bytes_; }
  void forget() {
    if (product_ != nullptr) cusparseDestroySpMat(product_);
    if (work_ != nullptr) cusparseSpGEMM_destroyDescr(work_);
    product_ = nullptr;
    work_ = nullptr;
    columns_ = {};
    values_ = {};
  }

 private:
  static constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const float one_ = 1, zero_ = 0;
  csr_view<float> a_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr, product_ = nullptr;
  cusparseSpGEMMDescr_t work_ = nullptr;
  buffer<int> offsets_, columns_;
  buffer<float> values_;
  std::int64_t entries_ = 0;
  std::size_t bytes_ = 0;
};

timing time_of(const std::function<void()>& run, int repeat) {
  run(); // so that the pool has its memory
  std::vector<double> ms;
  for (int i = 0; i < repeat; ++i) ms.push_back(time_on_host(run));
  return timing_of(std::move(ms));
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void measure_input(const std::string& name, int repeat, report& lines) {
  const io::input in = io::load_input(name);
  if (in.matrix.rows != in.matrix.cols)
    throw std::runtime_error(name + ": A A needs as many rows as columns");
  csr_matrix<float> a{in.matrix.rows, in.matrix.cols, in.matrix.offsets, in.matrix.columns, {}};
  for (std::size_t k = 0; k < a.columns.size(); ++k) a.values.push_back(0.1f + static_cast<float>(k % 7));
  const cuda exec;
  const cpu cores;
  const auto on_device = to_executor(exec, a);
  const auto view = on_device.view();
  const std::int64_t products = spgemm_products(cores, a.view(), a.view());

  csr_buffers<float> c;
  measurement whole, planned, other;
  whole.what.name = "evenly";
  planned.what.name = "evenly, planned";
  other.what.name = "cusparse";
  const auto multiply = [&] {
    c = {};
    c = spgemm(exec, view, view);
    exec.synchronize();
  };
  multiply();
  {
    const auto right = to_host(cores, spgemm(cores, a.view(), a.view()));
    const auto found = to_host(exec, c);
    if (!same_bits(found.offsets, right.offsets) || !same_bits(found.columns, right.columns) ||
        !same_bits(found.values, right.values))
      whole.error = planned.error = "the product differs from the one of the CPU";
  }
  const std::int64_t entries = c.entries();
  if (!whole.error) {
    whole.time = time_of(multiply, repeat);
    c = {};
    spgemm_plan plan(exec, view, view);
    const auto columns = make_buffer<int>(exec, static_cast<std::size_t>(entries));
    const auto values = make_buffer<float>(exec, static_cast<std::size_t>(entries));
    planned.time = time_of(
        [&] {
          plan.fill(exec, view, view, columns.span(), values.span());
          exec.synchronize();
        },
        repeat);
  }
  c = {};
  std::size_t other_bytes = 0;
  try {
    cusparse_products theirs(view, a.atoms());
    other.time = time_of([&] { theirs.run(); }, repeat);
    other_bytes = theirs.bytes();
    if (theirs.entries() != entries) other.error = "it has another number of entries";
  } catch (const device_error& e) {
    other.error = e.what();
  }
  std::printf("%s: %d rows, %d entries, %.1f M products, %.1f M entries of C\n", in.name.c_str(), a.rows,
              a.atoms(), static_cast<double>(products) * 1e-6, static_cast<double>(entries) * 1e-6);
  const auto line = [&](const measurement& m, std::size_t bytes) {
    if (m.error)
      std::printf("  %-16s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
    else
      std::printf("  %-16s %9.3f ms  %8.1f MB\n", m.what.name.c_str(), m.time.median,
                  static_cast<double>(bytes) * 1e-6);
    lines.add({{"workload", in.name},
               {"rows", a.rows},
               {"entries", a.atoms()},
               {"products", products},
               {"entries_of_c", entries},
               {"name", m.what.name},
               {"memory", bytes}},
              m);
  };
  const auto ours = static_cast<std::size_t>(spgemm_bytes<float>(exec, a.rows, a.cols));
  line(whole, ours);
  line(planned, ours);
  line(other, other_bytes);
  std::fflush(stdout);
}

int run(const arguments& args) {
  std::vector<std::string> inputs = args.words;
  if (inputs.empty())
    inputs = {"regular8", "great-britain_osm", "grid:x=3000,y=3000", "web-NotreDame", "as-Skitter"};
  cudaDeviceProp properties{};
  EVENLY_CUDA_CHECK(cudaGetDeviceProperties(&properties, evenly::cuda().device()));
  report lines(properties.name);
  for (const std::string& each : inputs) measure_input(each, args.number("--repeat"), lines);
  lines.write(args.json());
  return 0;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main("bench_spgemm", argc, argv, evenly::bench::run, {{"--repeat", "11"}});
}
