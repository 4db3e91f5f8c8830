// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: products of sparse matrices on a GPU by its default algorithm, with memory from the pool of the device.
// Products with vectors and dense matrices are baselines of measure/baselines_cuda.hpp.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}
void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cusparseGetErrorString(status));
}

/// Device memory.
template <class T> class array {
 public:
  array() = default;
  explicit array(std::size_t count) {
    check(cudaMallocAsync(&data_, count * sizeof(T), nullptr), "cudaMallocAsync");
  }
  array(array&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  array& operator=(array&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~array() { cudaFreeAsync(data_, nullptr); }
  T* data() const { return static_cast<T*>(data_); }
  template <class To> void copy_to(std::vector<To>& to, std::size_t count) const {
    std::vector<T> copy(count);
    check(cudaMemcpy(copy.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    to.assign(copy.begin(), copy.end());
  }

 private:
  void* data_ = nullptr;
};

template <class Value> class product {
 public:
  explicit product(const sparse_product<Value>& of) : of_(of) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    a_ = matrix_of(of.a);
    b_ = matrix_of(of.b);
  }
  product(const product&) = delete;
  product& operator=(const product&) = delete;
  ~product() {
    release();
    for (const cusparseSpMatDescr_t each : {a_, b_}) cusparseDestroySpMat(each);
    cusparseDestroy(handle_);
  }

  void run() {
    release();
    offsets_ = array<int>(static_cast<std::size_t>(of_.a.rows) + 1);
    c_ = create(of_.a.rows, of_.b.cols, 0, offsets_.data(), nullptr, nullptr);
    check(cusparseSpGEMM_createDescr(&work_), "cusparseSpGEMM_createDescr");
    const auto first = with_memory("cusparseSpGEMM_workEstimation", [&](std::size_t* bytes, void* memory) {
      return cusparseSpGEMM_workEstimation(handle_, as_is, as_is, &one_, a_, b_, &zero_, c_, type,
                                           CUSPARSE_SPGEMM_DEFAULT, work_, bytes, memory);
    });
    const auto second = with_memory("cusparseSpGEMM_compute", [&](std::size_t* bytes, void* memory) {
      return cusparseSpGEMM_compute(handle_, as_is, as_is, &one_, a_, b_, &zero_, c_, type,
                                    CUSPARSE_SPGEMM_DEFAULT, work_, bytes, memory);
    });
    std::int64_t rows = 0, cols = 0;
    check(cusparseSpMatGetSize(c_, &rows, &cols, &entries_), "cusparseSpMatGetSize");
    columns_ = array<int>(static_cast<std::size_t>(entries_));
    values_ = array<Value>(static_cast<std::size_t>(entries_));
    check(cusparseCsrSetPointers(c_, offsets_.data(), columns_.data(), values_.data()),
          "cusparseCsrSetPointers");
    check(cusparseSpGEMM_copy(handle_, as_is, as_is, &one_, a_, b_, &zero_, c_, type, CUSPARSE_SPGEMM_DEFAULT,
                              work_),
          "cusparseSpGEMM_copy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  void store() const {
    offsets_.copy_to(of_.c->offsets, static_cast<std::size_t>(of_.a.rows) + 1);
    columns_.copy_to(of_.c->columns, static_cast<std::size_t>(entries_));
    values_.copy_to(of_.c->values, static_cast<std::size_t>(entries_));
  }

 private:
  static constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr cudaDataType type = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

  static cusparseSpMatDescr_t create(int rows, int cols, std::int64_t entries, const int* offsets,
                                     const int* columns, const Value* values) {
    cusparseSpMatDescr_t made = nullptr;
    check(cusparseCreateCsr(&made, rows, cols, entries, const_cast<int*>(offsets), const_cast<int*>(columns),
                            const_cast<Value*>(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, type),
          "cusparseCreateCsr");
    return made;
  }
  static cusparseSpMatDescr_t matrix_of(const csr_view<Value>& a) {
    int entries = 0;
    check(cudaMemcpy(&entries, a.offsets + a.rows, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return create(a.rows, a.cols, entries, a.offsets, a.columns, a.values);
  }
  /// Calls step(&bytes, null) for the size of its memory, then step(&bytes, memory).
  template <class Step> array<std::byte> with_memory(const char* name, const Step& step) {
    std::size_t bytes = 0;
    check(step(&bytes, nullptr), name);
    array<std::byte> memory(bytes);
    check(step(&bytes, memory.data()), name);
    return memory;
  }
  void release() {
    if (c_ != nullptr) cusparseDestroySpMat(c_);
    if (work_ != nullptr) cusparseSpGEMM_destroyDescr(work_);
    c_ = nullptr;
    work_ = nullptr;
    columns_ = {};
    values_ = {};
  }

  sparse_product<Value> of_;
  const Value one_ = 1, zero_ = 0;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  cusparseSpGEMMDescr_t work_ = nullptr;
  array<int> offsets_, columns_;
  array<Value> values_;
  std::int64_t entries_ = 0;
};

struct cusparse {
  template <class Value> prepared_peer operator()(const sparse_product<Value>& p, int) const {
    const auto own = std::make_shared<product<Value>>(p);
    return {[own] { own->run(); }, [own] { own->store(); }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::cusparse,
            evenly::peers::dotted(CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH))
