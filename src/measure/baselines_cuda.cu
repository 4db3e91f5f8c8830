// SPDX-License-Identifier: Apache-2.0
// cuSPARSE is loaded on first use instead of at program start, which would double the time of every start.
#include "measure/baselines_cuda.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cusparse.h>
#include <dlfcn.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::measure {
namespace {

/// Looks up a function of cuSPARSE by name, to be assigned to a function pointer. Throws device_error if the library or
/// the function is missing.
class cusparse_function {
 public:
  explicit cusparse_function(const char* name) : at_(dlsym(library(), name)) {
    if (!at_) throw device_error(std::string("cuSPARSE cannot be used: ") + dlerror());
  }
  template <class Function> operator Function*() const { return reinterpret_cast<Function*>(at_); }

 private:
  /// The library in the search path, else the one of the build machine. It is never unloaded.
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
  decltype(&cusparseCreateConstCsc) create_csc = cusparse_function("cusparseCreateConstCsc");
  decltype(&cusparseCreateConstCoo) create_coo = cusparse_function("cusparseCreateConstCoo");
  decltype(&cusparseCreateConstBsr) create_bsr = cusparse_function("cusparseCreateConstBsr");
  decltype(&cusparseCreateConstSlicedEll) create_sell = cusparse_function("cusparseCreateConstSlicedEll");
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

/// Owns an object of cuSPARSE. `Destroy`: the member of cusparse_library that destroys it.
template <class Thing, auto Destroy> class owned {
 public:
  owned() = default;
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  ~owned() {
    if (it_) (cusparse_library::get().*Destroy)(it_);
  }
  Thing get() const { return it_; }
  Thing* place() { return &it_; }

 private:
  Thing it_ = nullptr;
};
using owned_handle = owned<cusparseHandle_t, &cusparse_library::destroy>;
using owned_matrix = owned<cusparseConstSpMatDescr_t, &cusparse_library::destroy_matrix>;
using owned_const_vector = owned<cusparseConstDnVecDescr_t, &cusparse_library::destroy_vector>;
using owned_vector = owned<cusparseDnVecDescr_t, &cusparse_library::destroy_vector>;
using owned_const_dense = owned<cusparseConstDnMatDescr_t, &cusparse_library::destroy_dense>;
using owned_dense = owned<cusparseDnMatDescr_t, &cusparse_library::destroy_dense>;

/// The last of `count` + 1 offsets.
int last_of(const int* offsets, int count) {
  int last = 0;
  cuda().copy_to_host(&last, offsets + count, sizeof(last));
  return last;
}

/// Sliced ELLPACK: each slice of rows is as wide as its longest row.
template <class Value> struct sliced_ell {
  static constexpr int rows_of_slice = 32;

  explicit sliced_ell(const ell_view<Value>& a) {
    const cuda exec;
    const auto slots = static_cast<std::size_t>(a.layout.slots());
    std::vector<int> lengths(static_cast<std::size_t>(a.rows)), from_columns(slots);
    std::vector<Value> from_values(slots);
    exec.copy_to_host(lengths.data(), a.lengths, lengths.size() * sizeof(int));
    exec.copy_to_host(from_columns.data(), a.columns, slots * sizeof(int));
    exec.copy_to_host(from_values.data(), a.values, slots * sizeof(Value));
    std::vector<int> all_offsets{0}, all_columns;
    std::vector<Value> all_values;
    require(width_of_slices(lengths) * rows_of_slice <= std::numeric_limits<int>::max(),
            [] { return std::string("the sliced format of cuSPARSE would need more than 2^31 - 1 slots"); });
    for (int top = 0; top < a.rows; top += rows_of_slice) {
      const int below = std::min(a.rows, top + rows_of_slice);
      const int width = longest(lengths, top);
      for (int rank = 0; rank < width; ++rank)
        for (int row = top; row < top + rows_of_slice; ++row) {
          const bool some = row < below && rank < lengths[static_cast<std::size_t>(row)];
          const auto slot = some ? static_cast<std::size_t>(a.layout.slot(row, rank)) : 0;
          all_columns.push_back(some ? from_columns[slot] : -1);
          all_values.push_back(some ? from_values[slot] : Value{});
        }
      all_offsets.push_back(static_cast<int>(all_columns.size()));
    }
    entries = std::accumulate(lengths.begin(), lengths.end(), 0);
    offsets = to_executor(exec, std::span<const int>(all_offsets));
    columns = to_executor(exec, std::span<const int>(all_columns));
    values = to_executor(exec, std::span<const Value>(all_values));
  }

  static int longest(const std::vector<int>& lengths, int top) {
    const auto last = std::min<std::ptrdiff_t>(std::ssize(lengths), std::ptrdiff_t{top} + rows_of_slice);
    return *std::max_element(lengths.begin() + top, lengths.begin() + last);
  }
  static std::int64_t width_of_slices(const std::vector<int>& lengths) {
    std::int64_t all = 0;
    for (int top = 0; top < std::ssize(lengths); top += rows_of_slice) all += longest(lengths, top);
    return all;
  }

  int entries = 0;
  buffer<int> offsets;
  buffer<int> columns;
  buffer<Value> values;
};

/// A matrix descriptor of cuSPARSE.
template <class Value> class cusparse_matrix {
 public:
  explicit cusparse_matrix(const csr_view<Value>& a) {
    check(cusparse_.create_csr(matrix_.place(), a.rows, a.cols, last_of(a.offsets, a.rows), a.offsets,
                               a.columns, a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, type_of<Value>),
          "cusparseCreateConstCsr");
  }
  explicit cusparse_matrix(const csc_view<Value>& a) {
    check(cusparse_.create_csc(matrix_.place(), a.rows, a.cols, last_of(a.offsets, a.cols), a.offsets,
                               a.row_of, a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, type_of<Value>),
          "cusparseCreateConstCsc");
  }
  explicit cusparse_matrix(const coo_view<Value>& a) {
    check(cusparse_.create_coo(matrix_.place(), a.rows, a.cols, a.entries, a.row_of, a.columns, a.values,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<Value>),
          "cusparseCreateConstCoo");
  }
  template <int R, int C> explicit cusparse_matrix(const bcsr_view<Value, R, C>& a) {
    const int block_rows = a.tiles().tiles();
    check(cusparse_.create_bsr(matrix_.place(), block_rows, a.cols / C, last_of(a.offsets, block_rows), R, C,
                               a.offsets, a.columns, a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, type_of<Value>, CUSPARSE_ORDER_ROW),
          "cusparseCreateConstBsr");
  }
  explicit cusparse_matrix(const ell_view<Value>& a) : slices_(sliced_ell<Value>(a)) {
    check(cusparse_.create_sell(matrix_.place(), a.rows, a.cols, slices_->entries,
                                static_cast<std::int64_t>(slices_->columns.size()),
                                sliced_ell<Value>::rows_of_slice, slices_->offsets.data(),
                                slices_->columns.data(), slices_->values.data(), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<Value>),
          "cusparseCreateConstSlicedEll");
  }

  cusparseHandle_t handle() const { return handle_.get(); }
  cusparseConstSpMatDescr_t get() const { return matrix_.get(); }

 private:
  struct created_handle : owned_handle {
    created_handle() { check(cusparse_library::get().create(place()), "cusparseCreate"); }
  };

  const cusparse_library& cusparse_ = cusparse_library::get();
  created_handle handle_;
  std::optional<sliced_ell<Value>> slices_;
  owned_matrix matrix_;
};

/// Descriptors of a matrix and two vectors, and the workspace of cuSPARSE.
template <class Value> class cusparse_product {
 public:
  template <class Matrix>
  cusparse_product(const Matrix& a, const Value* x, Value* y, cusparseSpMVAlg_t algorithm)
      : matrix_(a), algorithm_(algorithm) {
    check(cusparse_.create_const_vector(x_.place(), a.cols, x, type_of<Value>), "cusparseCreateConstDnVec");
    check(cusparse_.create_vector(y_.place(), a.rows, y, type_of<Value>), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparse_.buffer_size(matrix_.handle(), as_it_is, &alpha_, matrix_.get(), x_.get(), &beta_,
                                y_.get(), type_of<Value>, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    const cuda exec;
    workspace_ = make_buffer<std::byte>(exec, bytes);
    if (algorithm != CUSPARSE_SPMV_CSR_ALG2) {
      const auto status =
          cusparse_.preprocess(matrix_.handle(), as_it_is, &alpha_, matrix_.get(), x_.get(), &beta_, y_.get(),
                               type_of<Value>, algorithm_, workspace_.data());
      if (algorithm == CUSPARSE_SPMV_CSR_ALG1 || status != CUSPARSE_STATUS_NOT_SUPPORTED)
        check(status, "cusparseSpMV_preprocess");
    }
    exec.synchronize();
  }

  void run() const {
    check(cusparse_.multiply(matrix_.handle(), as_it_is, &alpha_, matrix_.get(), x_.get(), &beta_, y_.get(),
                             type_of<Value>, algorithm_, workspace_.data()),
          "cusparseSpMV");
  }

 private:
  const cusparse_library& cusparse_ = cusparse_library::get();
  cusparse_matrix<Value> matrix_;
  cusparseSpMVAlg_t algorithm_;
  Value alpha_ = 1;
  Value beta_ = 0;
  owned_const_vector x_;
  owned_vector y_;
  buffer<std::byte> workspace_;
};

template <class Matrix, class Value>
std::function<void()> product_by(const Matrix& a, const Value* x, Value* y, cusparseSpMVAlg_t algorithm) {
  const auto product = std::make_shared<cusparse_product<Value>>(a, x, y, algorithm);
  return [product] { product->run(); };
}

/// `first` if `which` is ALG1, `second` if it is ALG2.
cusparseSpMVAlg_t one_of(cusparse_algorithm which, cusparseSpMVAlg_t first, cusparseSpMVAlg_t second) {
  require(which == cusparse_algorithm::alg1 || which == cusparse_algorithm::alg2,
          [] { return std::string("products with vectors need the algorithm ALG1 or ALG2 of cuSPARSE"); });
  return which == cusparse_algorithm::alg1 ? first : second;
}

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

/// Descriptors of a sparse and two dense matrices, and the workspace.
template <class Value> class cusparse_dense_product {
 public:
  cusparse_dense_product(const csr_view<Value>& a, const dense_view<Value>& b, const dense_view<Value>& c,
                         cusparse_algorithm which)
      : matrix_(a), algorithm_(algorithm_of(which)) {
    const auto order = b.layout == dense_layout::rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    check(cusparse_.create_const_dense(b_.place(), b.rows, b.cols, b.leading, b.data, type_of<Value>, order),
          "cusparseCreateConstDnMat");
    check(cusparse_.create_dense(c_.place(), c.rows, c.cols, c.leading, c.data, type_of<Value>, order),
          "cusparseCreateDnMat");
    std::size_t bytes = 0;
    check(cusparse_.dense_buffer_size(matrix_.handle(), as_it_is, as_it_is, &alpha_, matrix_.get(), b_.get(),
                                      &beta_, c_.get(), type_of<Value>, algorithm_, &bytes),
          "cusparseSpMM_bufferSize");
    const cuda exec;
    workspace_ = make_buffer<std::byte>(exec, bytes);
    check(cusparse_.dense_preprocess(matrix_.handle(), as_it_is, as_it_is, &alpha_, matrix_.get(), b_.get(),
                                     &beta_, c_.get(), type_of<Value>, algorithm_, workspace_.data()),
          "cusparseSpMM_preprocess");
    exec.synchronize();
  }

  void run() const {
    check(cusparse_.multiply_dense(matrix_.handle(), as_it_is, as_it_is, &alpha_, matrix_.get(), b_.get(),
                                   &beta_, c_.get(), type_of<Value>, algorithm_, workspace_.data()),
          "cusparseSpMM");
  }

 private:
  const cusparse_library& cusparse_ = cusparse_library::get();
  cusparse_matrix<Value> matrix_;
  cusparseSpMMAlg_t algorithm_;
  Value alpha_ = 1;
  Value beta_ = 0;
  owned_const_dense b_;
  owned_dense c_;
  buffer<std::byte> workspace_;
};

} // namespace

template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which) {
  return product_by(a, x, y, one_of(which, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2));
}
template <class Value>
std::function<void()> prepare_cusparse(const csc_view<Value>& a, const Value* x, Value* y) {
  return product_by(a, x, y, CUSPARSE_SPMV_ALG_DEFAULT);
}
template <class Value>
std::function<void()> prepare_cusparse(const coo_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which) {
  return product_by(a, x, y, one_of(which, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2));
}
template <class Value, int R, int C>
std::function<void()> prepare_cusparse(const bcsr_view<Value, R, C>& a, const Value* x, Value* y) {
  require(a.rows % R == 0 && a.cols % C == 0,
          [] { return std::string("the blocks of cuSPARSE must not extend beyond the matrix"); });
#if CUSPARSE_VERSION >= 12600
  return product_by(a, x, y, CUSPARSE_SPMV_BSR_ALG1);
#else
  return product_by(a, x, y, CUSPARSE_SPMV_ALG_DEFAULT); // the older library refuses it
#endif
}
bool cusparse_has_blocks() {
  const auto property = cusparse_function("cusparseGetProperty");
  const decltype(&cusparseGetProperty) ask = property;
  int major = 0, minor = 0;
  check(ask(MAJOR_VERSION, &major), "cusparseGetProperty");
  check(ask(MINOR_VERSION, &minor), "cusparseGetProperty");
  return CUSPARSE_VERSION >= 12600 && 1000 * major + 100 * minor >= 12600;
}
template <class Value>
std::function<void()> prepare_cusparse(const ell_view<Value>& a, const Value* x, Value* y) {
  return product_by(a, x, y, CUSPARSE_SPMV_SELL_ALG1);
}
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const dense_view<Value>& b,
                                       const dense_view<Value>& c, cusparse_algorithm which) {
  const auto product = std::make_shared<cusparse_dense_product<Value>>(a, b, c, which);
  return [product] { product->run(); };
}
#define EVENLY_PREPARE(Value)                                                                                \
  template std::function<void()> prepare_cusparse(const csr_view<Value>&, const Value*, Value*,              \
                                                  cusparse_algorithm);                                       \
  template std::function<void()> prepare_cusparse(const csc_view<Value>&, const Value*, Value*);             \
  template std::function<void()> prepare_cusparse(const coo_view<Value>&, const Value*, Value*,              \
                                                  cusparse_algorithm);                                       \
  template std::function<void()> prepare_cusparse(const bcsr_view<Value, 2, 2>&, const Value*, Value*);      \
  template std::function<void()> prepare_cusparse(const ell_view<Value>&, const Value*, Value*);             \
  template std::function<void()> prepare_cusparse(const csr_view<Value>&, const dense_view<Value>&,          \
                                                  const dense_view<Value>&, cusparse_algorithm)
EVENLY_PREPARE(float);
EVENLY_PREPARE(double);
#undef EVENLY_PREPARE

} // namespace evenly::measure
