// SPDX-License-Identifier: Apache-2.0
// The conjugate gradient method (Hestenes and Stiefel 1952) on an executor, with products under a layout.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "layouts/access_workload.hpp"

namespace evenly::layouts {

struct product_of_elements {
  const double* a;
  const double* b;
  EVENLY_FN double operator()(std::int64_t i) const { return a[i] * b[i]; }
};
/// The sum of the products of a row, in order.
struct row_sum {
  const double* products;
  const int* starts;
  EVENLY_FN double operator()(std::int64_t row) const {
    double sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += products[k];
    return sum;
  }
};
/// a + factor * b.
struct scaled_sum {
  const double* a;
  double factor;
  const double* b;
  EVENLY_FN double operator()(std::int64_t i) const { return a[i] + factor * b[i]; }
};
struct one_each {
  EVENLY_FN double operator()(std::int64_t) const { return 1; }
};

struct cg_outcome {
  int iterations;
  double residual; ///< recomputed from the solution, relative to the right-hand side
};

/// Solves A x = (1, ..., 1). multiply(x) writes the product of each nonzero and its element of x to `products`.
template <class Executor, class Multiply>
cg_outcome solve_by_cg(const Executor& exec, const access_workload& of, const double* products,
                       const Multiply& multiply) {
  const std::int64_t n = of.shape.elements;
  const auto starts = to_executor(exec, of.row_starts);
  const auto vector = [&] { return make_buffer<double>(exec, static_cast<std::size_t>(n)); };
  const auto q = vector(), ones = vector();
  auto x = vector(), r = vector(), p = vector(), next = vector();
  const auto dot = [&](const double* a, const double* b) {
    return reduce(exec, generated{product_of_elements{a, b}}, n, plus<double>{});
  };
  const auto add = [&](buffer<double>& to, double factor, const double* what) {
    tabulate(exec, n, scaled_sum{to.data(), factor, what}, next.data());
    std::swap(to, next);
  };
  const auto multiply_by = [&](const buffer<double>& by) {
    multiply(by.data());
    tabulate(exec, n, row_sum{products, starts.data()}, q.data());
  };
  exec.fill_zero(x.data(), x.size() * sizeof(double));
  for (double* const to : {ones.data(), r.data(), p.data()}) tabulate(exec, n, one_each{}, to);
  double rr = dot(r.data(), r.data());
  const double all = rr, enough = rr * cg_tolerance * cg_tolerance;
  int iterations = 0;
  for (; rr > enough && iterations < cg_max_iterations; ++iterations) {
    multiply_by(p);
    const double alpha = rr / dot(p.data(), q.data());
    add(x, alpha, p.data());
    add(r, -alpha, q.data());
    const double before = std::exchange(rr, dot(r.data(), r.data()));
    tabulate(exec, n, scaled_sum{r.data(), rr / before, p.data()}, next.data());
    std::swap(p, next);
  }
  multiply_by(x);
  tabulate(exec, n, scaled_sum{ones.data(), -1, q.data()}, r.data());
  return {iterations, std::sqrt(dot(r.data(), r.data()) / all)};
}

} // namespace evenly::layouts
