// SPDX-License-Identifier: Apache-2.0
#include "measure/baselines_cuda.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <cusparse.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::cli {
namespace {

/// Throws device_error unless `status` is success.
void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw device_error(std::string(call) + " failed: " + cusparseGetErrorString(status));
}

/// A matrix, two vectors and a workspace as cuSPARSE wants them.
template <class Value> class cusparse_product {
 public:
  cusparse_product(const csr_view<Value>& a, const Value* x, Value* y, cusparse_algorithm which)
      : algorithm_(which == cusparse_algorithm::alg1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2) {
    int atoms = 0;
    const cuda exec;
    exec.copy_to_host(&atoms, a.offsets + a.rows, sizeof(atoms));
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseCreateConstCsr(&matrix_, a.rows, a.cols, atoms, a.offsets, a.columns, a.values,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
          "cusparseCreateConstCsr");
    check(cusparseCreateConstDnVec(&x_, a.cols, x, type), "cusparseCreateConstDnVec");
    check(cusparseCreateDnVec(&y_, a.rows, y, type), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_, y_,
                                  type, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    workspace_ = make_buffer<std::byte>(exec, bytes);
    if (which == cusparse_algorithm::alg1)
      check(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_,
                                    y_, type, algorithm_, workspace_.data()),
            "cusparseSpMV_preprocess");
    exec.synchronize();
  }
  cusparse_product(const cusparse_product&) = delete;
  cusparse_product& operator=(const cusparse_product&) = delete;
  ~cusparse_product() {
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnVec(x_);
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
  }

  void run() const {
    check(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_, y_, type,
                       algorithm_, workspace_.data()),
          "cusparseSpMV");
  }

 private:
  static constexpr cudaDataType type = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

  cusparseSpMVAlg_t algorithm_;
  Value alpha_ = 1;
  Value beta_ = 0;
  cusparseHandle_t handle_ = nullptr;
  cusparseConstSpMatDescr_t matrix_ = nullptr;
  cusparseConstDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  buffer<std::byte> workspace_;
};

} // namespace

template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which) {
  const auto product = std::make_shared<cusparse_product<Value>>(a, x, y, which);
  return [product] { product->run(); };
}
template std::function<void()> prepare_cusparse(const csr_view<float>&, const float*, float*,
                                                cusparse_algorithm);
template std::function<void()> prepare_cusparse(const csr_view<double>&, const double*, double*,
                                                cusparse_algorithm);

} // namespace evenly::cli
