// SPDX-License-Identifier: Apache-2.0
// Who multiplies a sparse with a dense matrix on cores beside us: Eigen, and, where they are there, SuiteSparse's
// CHOLMOD (cholmod_sdmult, which goes by columns on one core) and GraphBLAS (GrB_mxm).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#if defined(EVENLY_WITH_CHOLMOD)
#include "cholmod_view.hpp"
#endif
#if defined(EVENLY_WITH_GRAPHBLAS)
extern "C" { // which not every version says itself
#include <GraphBLAS.h>
}
#endif

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "measure/baselines_openmp.hpp"

namespace evenly::bench {

/// B and C, both by rows or both by columns, without gaps.
struct dense_operands {
  int width;
  dense_layout layout;
  std::vector<double> b, c;

  dense_operands(const csr_matrix<double>& a, int of_width, dense_layout of_layout)
      : width(of_width), layout(of_layout), b(entries(a.cols)), c(entries(a.rows)) {
    for (int r = 0; r < a.cols; ++r)
      for (int j = 0; j < width; ++j) b[place(a.cols, r, j)] = (r + 7 * j) % 11 - 5;
  }
  std::size_t entries(int rows) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  }
  std::size_t place(int rows, int row, int column) const {
    return layout == dense_layout::rows ? static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                              static_cast<std::size_t>(column)
                                        : static_cast<std::size_t>(column) * static_cast<std::size_t>(rows) +
                                              static_cast<std::size_t>(row);
  }
  template <class Value> dense_view<Value> view(int rows, Value* data) const {
    return layout == dense_layout::rows ? dense_rows(rows, width, data) : dense_columns(rows, width, data);
  }
  const char* name() const { return layout == dense_layout::rows ? "row" : "column"; }
};

/// Who multiplies: run() is timed.
struct multiplier {
  std::string name;
  int threads;
  std::function<void()> run;
  std::function<void()> found = [] {}; ///< brings what the last run has made to C, where it is not there
  std::function<void()> rest = [] {};  ///< after a turn: OpenMP's threads come to rest
  std::string chosen = {};             ///< the schedule that `automatic` chose
};

template <int Order> multiplier eigens(const csr_matrix<double>& a, dense_operands& of, int threads) {
  using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  using dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return {.name = "Eigen",
          .threads = threads,
          .run =
              [&a, &of, threads] {
                Eigen::setNbThreads(threads);
                const Eigen::Map<const sparse> left(a.rows, a.cols, a.atoms(), a.offsets.data(),
                                                    a.columns.data(), a.values.data());
                const Eigen::Map<const dense> right(of.b.data(), a.cols, of.width);
                Eigen::Map<dense> out(of.c.data(), a.rows, of.width);
                out.noalias() = left * right;
              },
          .rest = measure::let_threads_sleep};
}

#if defined(EVENLY_WITH_CHOLMOD)
/// Its matrices have compressed columns: of A's arrays it sees the transpose, and multiplies with the transpose of
/// that. B and C lie by columns.
inline multiplier cholmods(csr_matrix<double>& a, dense_operands& of) {
  struct state {
    cholmod_common common;
    state() { cholmod_start(&common); }
    ~state() { cholmod_finish(&common); }
  };
  const auto dense = [&of](int rows, double* data) {
    cholmod_dense seen{};
    seen.nrow = seen.d = static_cast<std::size_t>(rows);
    seen.ncol = static_cast<std::size_t>(of.width);
    seen.nzmax = of.entries(rows);
    seen.x = data;
    seen.xtype = CHOLMOD_REAL;
    seen.dtype = CHOLMOD_DOUBLE;
    return seen;
  };
  const auto all = std::make_shared<state>();
  return {.name = "CHOLMOD", .threads = 1, .run = [&a, &of, all, dense] {
            cholmod_sparse seen = cholmod_transpose_of(a);
            cholmod_dense right = dense(a.cols, of.b.data()), out = dense(a.rows, of.c.data());
            double one[2] = {1, 0}, zero[2] = {0, 0};
            if (cholmod_sdmult(&seen, 1, one, zero, &right, &out, &all->common) == 0)
              throw std::runtime_error("CHOLMOD did not multiply");
          }};
}
#endif

#if defined(EVENLY_WITH_GRAPHBLAS)
inline void require_success(GrB_Info said) {
  if (said != GrB_SUCCESS) throw std::runtime_error("GraphBLAS says " + std::to_string(said));
}

/// A by rows, B and C full; C += A B, once C is 0: it has a kernel for that, and takes longer for C = A B.
inline multiplier graphblas(const csr_matrix<double>& a, dense_operands& of, int threads) {
  struct state {
    GrB_Matrix a = nullptr, b = nullptr, c = nullptr;
    ~state() {
      for (GrB_Matrix* each : {&a, &b, &c}) GrB_Matrix_free(each);
    }
  };
  [[maybe_unused]] static const bool started = (require_success(GrB_init(GrB_NONBLOCKING)), true);
  const auto all = std::make_shared<state>();
  const auto size = [](auto number) { return static_cast<GrB_Index>(number); };
  const int format = of.layout == dense_layout::rows ? GxB_BY_ROW : GxB_BY_COL;
  const auto made = [&](GrB_Matrix& each, auto rows, auto cols, int by) {
    require_success(GrB_Matrix_new(&each, GrB_FP64, size(rows), size(cols)));
    require_success(GxB_Matrix_Option_set(each, GxB_FORMAT, by));
  };
  // It takes arrays over, and frees them by free().
  const auto copied = [&]<class To>(To, const auto& from) {
    To* const to = static_cast<To*>(std::malloc(sizeof(To) * std::max<std::size_t>(1, from.size())));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<To>(from[i]);
    return to;
  };
  made(all->a, a.rows, a.cols, GxB_BY_ROW);
  GrB_Index* offsets = copied(GrB_Index{}, a.offsets);
  GrB_Index* columns = copied(GrB_Index{}, a.columns);
  void* values = copied(double{}, a.values);
  const GrB_Index entries = std::max<GrB_Index>(1, size(a.atoms()));
  require_success(GxB_Matrix_pack_CSR(all->a, &offsets, &columns, &values,
                                      sizeof(GrB_Index) * size(a.offsets.size()), sizeof(GrB_Index) * entries,
                                      sizeof(double) * entries, false, false, nullptr));
  made(all->b, a.cols, of.width, format);
  void* b = copied(double{}, of.b);
  const auto pack = format == GxB_BY_ROW ? GxB_Matrix_pack_FullR : GxB_Matrix_pack_FullC;
  require_success(pack(all->b, &b, sizeof(double) * size(of.b.size()), false, nullptr));
  made(all->c, a.rows, of.width, format);
  return {.name = "GraphBLAS",
          .threads = threads,
          .run =
              [all, &a, &of, threads, size] {
                require_success(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads));
                require_success(GrB_Matrix_assign_FP64(all->c, nullptr, nullptr, 0.0, GrB_ALL, size(a.rows),
                                                       GrB_ALL, size(of.width), nullptr));
                require_success(GrB_mxm(all->c, nullptr, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64, all->a,
                                        all->b, nullptr));
                require_success(GrB_Matrix_wait(all->c, GrB_MATERIALIZE));
              },
          .found =
              [all, &of, format] {
                void* c = nullptr;
                GrB_Index bytes = 0;
                bool iso = false;
                const auto unpack = format == GxB_BY_ROW ? GxB_Matrix_unpack_FullR : GxB_Matrix_unpack_FullC;
                require_success(unpack(all->c, &c, &bytes, &iso, nullptr));
                for (std::size_t i = 0; i < of.c.size(); ++i)
                  of.c[i] = static_cast<const double*>(c)[iso ? 0 : i];
                std::free(c);
              },
          .rest = measure::let_threads_sleep};
}
#endif

} // namespace evenly::bench
