// SPDX-License-Identifier: Apache-2.0
// cuSPARSE, which ours is measured beside.
#pragma once

#include <cstddef>
#include <string>

#include <cusparse.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"

namespace evenly::bench {

/// Throws device_error unless `status` is success.
inline void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw device_error(std::string(call) + " failed: " + cusparseGetErrorString(status));
}

/// A sparse matrix times a dense one by cuSPARSE, after its preprocessing.
class cusparse_product {
 public:
  cusparse_product(const csr_view<float>& a, int entries, const dense_view<const float>& b,
                   const dense_view<float>& c, cusparseSpMMAlg_t algorithm)
      : algorithm_(algorithm) {
    const auto order = b.layout == dense_layout::rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseCreateConstCsr(&a_, a.rows, a.cols, entries, a.offsets, a.columns, a.values,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 CUDA_R_32F),
          "cusparseCreateConstCsr");
    check(cusparseCreateConstDnMat(&b_, b.rows, b.cols, b.leading, b.data, CUDA_R_32F, order),
          "cusparseCreateConstDnMat");
    check(cusparseCreateDnMat(&c_, c.rows, c.cols, c.leading, c.data, CUDA_R_32F, order),
          "cusparseCreateDnMat");
    std::size_t bytes = 0;
    check(cusparseSpMM_bufferSize(handle_, plain, plain, &one_, a_, b_, &zero_, c_, CUDA_R_32F, algorithm_,
                                  &bytes),
          "cusparseSpMM_bufferSize");
    workspace_ = make_buffer<std::byte>(cuda(), bytes);
    check(cusparseSpMM_preprocess(handle_, plain, plain, &one_, a_, b_, &zero_, c_, CUDA_R_32F, algorithm_,
                                  workspace_.data()),
          "cusparseSpMM_preprocess");
  }
  cusparse_product(const cusparse_product&) = delete;
  cusparse_product& operator=(const cusparse_product&) = delete;
  ~cusparse_product() {
    cusparseDestroyDnMat(c_);
    cusparseDestroyDnMat(b_);
    cusparseDestroySpMat(a_);
    cusparseDestroy(handle_);
  }
  void run() const {
    check(cusparseSpMM(handle_, plain, plain, &one_, a_, b_, &zero_, c_, CUDA_R_32F, algorithm_,
                       workspace_.data()),
          "cusparseSpMM");
  }

 private:
  static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  cusparseSpMMAlg_t algorithm_;
  float one_ = 1, zero_ = 0;
  cusparseHandle_t handle_ = nullptr;
  cusparseConstSpMatDescr_t a_ = nullptr;
  cusparseConstDnMatDescr_t b_ = nullptr;
  cusparseDnMatDescr_t c_ = nullptr;
  buffer<std::byte> workspace_;
};

} // namespace evenly::bench
