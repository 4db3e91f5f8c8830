// SPDX-License-Identifier: Apache-2.0
// cuSPARSE is loaded by its first use, not when the program starts: that would take half of the time of every start.
#include "measure/baselines_cuda.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <cusparse.h>
#include <dlfcn.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::cli {
namespace {

/// What a name stands for in cuSPARSE, to be assigned to a pointer to the function. Throws device_error if there is no
/// such library, or no such function in it.
class cusparse_function {
 public:
  explicit cusparse_function(const char* name) : at_(dlsym(library(), name)) {
    if (!at_) throw device_error(std::string("cuSPARSE cannot be used: ") + dlerror());
  }
  template <class Function> operator Function*() const { return reinterpret_cast<Function*>(at_); }

 private:
  /// That which the search path has, else that which the program was built beside. It stays until the end.
  static void* library() {
    static void* const loaded = [] {
      const std::string name = "libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR);
      void* found = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!found) found = dlopen(EVENLY_CUSPARSE, RTLD_NOW | RTLD_LOCAL);
      if (!found) throw device_error(std::string("cuSPARSE cannot be loaded: ") + dlerror());
      return found;
    }();
    return loaded;
  }

  void* at_;
};

struct cusparse_library {
  decltype(&cusparseGetErrorString) error_string = cusparse_function("cusparseGetErrorString");
  decltype(&cusparseCreate) create = cusparse_function("cusparseCreate");
  decltype(&cusparseDestroy) destroy = cusparse_function("cusparseDestroy");
  decltype(&cusparseCreateConstCsr) create_csr = cusparse_function("cusparseCreateConstCsr");
  decltype(&cusparseDestroySpMat) destroy_matrix = cusparse_function("cusparseDestroySpMat");
  decltype(&cusparseCreateConstDnVec) create_const_vector = cusparse_function("cusparseCreateConstDnVec");
  decltype(&cusparseCreateDnVec) create_vector = cusparse_function("cusparseCreateDnVec");
  decltype(&cusparseDestroyDnVec) destroy_vector = cusparse_function("cusparseDestroyDnVec");
  decltype(&cusparseSpMV_bufferSize) buffer_size = cusparse_function("cusparseSpMV_bufferSize");
  decltype(&cusparseSpMV_preprocess) preprocess = cusparse_function("cusparseSpMV_preprocess");
  decltype(&cusparseSpMV) multiply = cusparse_function("cusparseSpMV");
  decltype(&cusparseCreateConstDnMat) create_const_dense = cusparse_function("cusparseCreateConstDnMat");
  decltype(&cusparseCreateDnMat) create_dense = cusparse_function("cusparseCreateDnMat");
  decltype(&cusparseDestroyDnMat) destroy_dense = cusparse_function("cusparseDestroyDnMat");
  decltype(&cusparseSpMM_bufferSize) dense_buffer_size = cusparse_function("cusparseSpMM_bufferSize");
  decltype(&cusparseSpMM_preprocess) dense_preprocess = cusparse_function("cusparseSpMM_preprocess");
  decltype(&cusparseSpMM) multiply_dense = cusparse_function("cusparseSpMM");

  static const cusparse_library& get() {
    static const cusparse_library one;
    return one;
  }
};

/// Throws device_error unless `status` is success.
void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw device_error(std::string(call) + " failed: " + cusparse_library::get().error_string(status));
}

template <class Value>
constexpr cudaDataType type_of = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;
constexpr cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// A matrix in compressed rows as cuSPARSE wants it.
template <class Value> class cusparse_matrix {
 public:
  explicit cusparse_matrix(const csr_view<Value>& a) {
    int atoms = 0;
    cuda().copy_to_host(&atoms, a.offsets + a.rows, sizeof(atoms));
    check(cusparse_.create(&handle_), "cusparseCreate");
    check(cusparse_.create_csr(&matrix_, a.rows, a.cols, atoms, a.offsets, a.columns, a.values,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               type_of<Value>),
          "cusparseCreateConstCsr");
  }
  cusparse_matrix(const cusparse_matrix&) = delete;
  cusparse_matrix& operator=(const cusparse_matrix&) = delete;
  ~cusparse_matrix() {
    cusparse_.destroy_matrix(matrix_);
    cusparse_.destroy(handle_);
  }

  cusparseHandle_t handle() const { return handle_; }
  cusparseConstSpMatDescr_t get() const { return matrix_; }

 private:
  const cusparse_library& cusparse_ = cusparse_library::get();
  cusparseHandle_t handle_ = nullptr;
  cusparseConstSpMatDescr_t matrix_ = nullptr;
};

/// A matrix, two vectors and a workspace as cuSPARSE wants them.
template <class Value> class cusparse_product {
 public:
  cusparse_product(const csr_view<Value>& a, const Value* x, Value* y, cusparse_algorithm which)
      : matrix_(a),
        algorithm_(which == cusparse_algorithm::alg1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2) {
    require(which == cusparse_algorithm::alg1 || which == cusparse_algorithm::alg2,
            [] { return std::string("a product by a vector is cuSPARSE's ALG1 or ALG2"); });
    check(cusparse_.create_const_vector(&x_, a.cols, x, type_of<Value>), "cusparseCreateConstDnVec");
    check(cusparse_.create_vector(&y_, a.rows, y, type_of<Value>), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparse_.buffer_size(matrix_.handle(), as_it_is, &alpha_, matrix_.get(), x_, &beta_, y_,
                                type_of<Value>, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    const cuda exec;
    workspace_ = make_buffer<std::byte>(exec, bytes);
    if (which == cusparse_algorithm::alg1)
      check(cusparse_.preprocess(matrix_.handle(), as_it_is, &alpha_, matrix_.get(), x_, &beta_, y_,
                                 type_of<Value>, algorithm_, workspace_.data()),
            "cusparseSpMV_preprocess");
    exec.synchronize();
  }
  cusparse_product(const cusparse_product&) = delete;
  cusparse_product& operator=(const cusparse_product&) = delete;
  ~cusparse_product() {
    cusparse_.destroy_vector(y_);
    cusparse_.destroy_vector(x_);
  }

  void run() const {
    check(cusparse_.multiply(matrix_.handle(), as_it_is, &alpha_, matrix_.get(), x_, &beta_, y_,
                             type_of<Value>, algorithm_, workspace_.data()),
          "cusparseSpMV");
  }

 private:
  const cusparse_library& cusparse_ = cusparse_library::get();
  cusparse_matrix<Value> matrix_;
  cusparseSpMVAlg_t algorithm_;
  Value alpha_ = 1;
  Value beta_ = 0;
  cusparseConstDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  buffer<std::byte> workspace_;
};

cusparseSpMMAlg_t algorithm_of(cusparse_algorithm which) {
  switch (which) {
  case cusparse_algorithm::alg1:
    return CUSPARSE_SPMM_CSR_ALG1;
  case cusparse_algorithm::alg2:
    return CUSPARSE_SPMM_CSR_ALG2;
  case cusparse_algorithm::alg3:
    return CUSPARSE_SPMM_CSR_ALG3;
  case cusparse_algorithm::by_default:
    break;
  }
  return CUSPARSE_SPMM_ALG_DEFAULT;
}

/// A matrix, two dense ones and a workspace.
template <class Value> class cusparse_dense_product {
 public:
  cusparse_dense_product(const csr_view<Value>& a, const dense_view<Value>& b, const dense_view<Value>& c,
                         cusparse_algorithm which)
      : matrix_(a), algorithm_(algorithm_of(which)) {
    const auto order = b.layout == dense_layout::rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    check(cusparse_.create_const_dense(&b_, b.rows, b.cols, b.leading, b.data, type_of<Value>, order),
          "cusparseCreateConstDnMat");
    check(cusparse_.create_dense(&c_, c.rows, c.cols, c.leading, c.data, type_of<Value>, order),
          "cusparseCreateDnMat");
    std::size_t bytes = 0;
    check(cusparse_.dense_buffer_size(matrix_.handle(), as_it_is, as_it_is, &alpha_, matrix_.get(), b_,
                                      &beta_, c_, type_of<Value>, algorithm_, &bytes),
          "cusparseSpMM_bufferSize");
    const cuda exec;
    workspace_ = make_buffer<std::byte>(exec, bytes);
    check(cusparse_.dense_preprocess(matrix_.handle(), as_it_is, as_it_is, &alpha_, matrix_.get(), b_, &beta_,
                                     c_, type_of<Value>, algorithm_, workspace_.data()),
          "cusparseSpMM_preprocess");
    exec.synchronize();
  }
  cusparse_dense_product(const cusparse_dense_product&) = delete;
  cusparse_dense_product& operator=(const cusparse_dense_product&) = delete;
  ~cusparse_dense_product() {
    cusparse_.destroy_dense(c_);
    cusparse_.destroy_dense(b_);
  }

  void run() const {
    check(cusparse_.multiply_dense(matrix_.handle(), as_it_is, as_it_is, &alpha_, matrix_.get(), b_, &beta_,
                                   c_, type_of<Value>, algorithm_, workspace_.data()),
          "cusparseSpMM");
  }

 private:
  const cusparse_library& cusparse_ = cusparse_library::get();
  cusparse_matrix<Value> matrix_;
  cusparseSpMMAlg_t algorithm_;
  Value alpha_ = 1;
  Value beta_ = 0;
  cusparseConstDnMatDescr_t b_ = nullptr;
  cusparseDnMatDescr_t c_ = nullptr;
  buffer<std::byte> workspace_;
};

} // namespace

template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which) {
  const auto product = std::make_shared<cusparse_product<Value>>(a, x, y, which);
  return [product] { product->run(); };
}
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const dense_view<Value>& b,
                                       const dense_view<Value>& c, cusparse_algorithm which) {
  const auto product = std::make_shared<cusparse_dense_product<Value>>(a, b, c, which);
  return [product] { product->run(); };
}
template std::function<void()> prepare_cusparse(const csr_view<float>&, const float*, float*,
                                                cusparse_algorithm);
template std::function<void()> prepare_cusparse(const csr_view<double>&, const double*, double*,
                                                cusparse_algorithm);
template std::function<void()> prepare_cusparse(const csr_view<float>&, const dense_view<float>&,
                                                const dense_view<float>&, cusparse_algorithm);
template std::function<void()> prepare_cusparse(const csr_view<double>&, const dense_view<double>&,
                                                const dense_view<double>&, cusparse_algorithm);

} // namespace evenly::cli
