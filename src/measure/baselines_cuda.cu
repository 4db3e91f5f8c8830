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

/// A matrix, two vectors and a workspace as cuSPARSE wants them.
template <class Value> class cusparse_product {
 public:
  cusparse_product(const csr_view<Value>& a, const Value* x, Value* y, cusparse_algorithm which)
      : algorithm_(which == cusparse_algorithm::alg1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2) {
    int atoms = 0;
    const cuda exec;
    exec.copy_to_host(&atoms, a.offsets + a.rows, sizeof(atoms));
    check(cusparse_.create(&handle_), "cusparseCreate");
    check(cusparse_.create_csr(&matrix_, a.rows, a.cols, atoms, a.offsets, a.columns, a.values,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
          "cusparseCreateConstCsr");
    check(cusparse_.create_const_vector(&x_, a.cols, x, type), "cusparseCreateConstDnVec");
    check(cusparse_.create_vector(&y_, a.rows, y, type), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparse_.buffer_size(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_, y_,
                                type, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    workspace_ = make_buffer<std::byte>(exec, bytes);
    if (which == cusparse_algorithm::alg1)
      check(cusparse_.preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_, y_,
                                 type, algorithm_, workspace_.data()),
            "cusparseSpMV_preprocess");
    exec.synchronize();
  }
  cusparse_product(const cusparse_product&) = delete;
  cusparse_product& operator=(const cusparse_product&) = delete;
  ~cusparse_product() {
    cusparse_.destroy_vector(y_);
    cusparse_.destroy_vector(x_);
    cusparse_.destroy_matrix(matrix_);
    cusparse_.destroy(handle_);
  }

  void run() const {
    check(cusparse_.multiply(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha_, matrix_, x_, &beta_, y_,
                             type, algorithm_, workspace_.data()),
          "cusparseSpMV");
  }

 private:
  static constexpr cudaDataType type = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

  const cusparse_library& cusparse_ = cusparse_library::get();
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
