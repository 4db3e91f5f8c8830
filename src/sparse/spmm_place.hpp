// SPDX-License-Identifier: Apache-2.0
// A product of a sparse and a dense matrix where it runs: the seam between the command, which knows no executor, and
// executors, which have translation units of their own.
#pragma once

#include <memory>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "measure/bench.hpp"

namespace evenly::cli {

/// B has as many rows as A columns, and C is laid out as B is.
template <class Value> struct dense_factors {
  const csr_matrix<Value>& a;
  const std::vector<Value>& b;
  int width;
  dense_layout layout;
};

template <class Value> class placed_dense_product {
 public:
  virtual ~placed_dense_product() = default;
  virtual timer& time() = 0;
  /// Makes a schedule's plan, of few_schedules().
  virtual void plan(const any_schedule& schedule) = 0;
  /// C = A B, under the plan.
  virtual void multiply() = 0;
  /// Overwrites C with what is not a number.
  virtual void spoil() = 0;
  virtual std::vector<Value> result() = 0;
};

/// The factors outlive it. Throws device_error where there is no such executor.
template <class Value>
std::unique_ptr<placed_dense_product<Value>>
place_dense_product(executor_kind kind, const dense_factors<Value>& of, const bench_options& options);

/// One for each executor; place_dense_product chooses.
std::unique_ptr<placed_dense_product<float>> place_dense_product_on_cpu(const dense_factors<float>& of,
                                                                        const bench_options& options);
std::unique_ptr<placed_dense_product<double>> place_dense_product_on_cpu(const dense_factors<double>& of,
                                                                         const bench_options& options);
std::unique_ptr<placed_dense_product<float>> place_dense_product_on_simt(const dense_factors<float>& of,
                                                                         const bench_options& options);
std::unique_ptr<placed_dense_product<double>> place_dense_product_on_simt(const dense_factors<double>& of,
                                                                          const bench_options& options);
std::unique_ptr<placed_dense_product<float>> place_dense_product_on_cuda(const dense_factors<float>& of,
                                                                         const bench_options& options);
std::unique_ptr<placed_dense_product<double>> place_dense_product_on_cuda(const dense_factors<double>& of,
                                                                          const bench_options& options);

} // namespace evenly::cli
