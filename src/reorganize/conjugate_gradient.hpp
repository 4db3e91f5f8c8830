// SPDX-License-Identifier: Apache-2.0
// The conjugate gradient method (Hestenes and Stiefel 1952) where an executor works, with products by an arm.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "reorganize/workload.hpp"

namespace evenly::cli {

struct product_of_elements {
  const double* a;
  const double* b;
  EVENLY_FN double operator()(std::int64_t i) const { return a[i] * b[i]; }
};
/// The sum of a row's products, in order.
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

/// How many iterations A x = (1, ..., 1) takes. multiply(x): writes the product of each nonzero with its element of x
/// to `products`.
template <class Executor, class Multiply>
int cg_iterations(const Executor& exec, const access_workload& of, const double* products,
                  const Multiply& multiply) {
  const std::int64_t n = of.shape.elements;
  const auto starts = to_executor(exec, of.row_starts);
  const auto vector = [&] { return make_buffer<double>(exec, static_cast<std::size_t>(n)); };
  const auto q = vector();
  auto r = vector(), p = vector(), next = vector();
  const auto dot = [&](const double* a, const double* b) {
    return reduce(exec, generated{product_of_elements{a, b}}, n, plus<double>{});
  };
  tabulate(exec, n, one_each{}, r.data());
  tabulate(exec, n, one_each{}, p.data());
  double rr = dot(r.data(), r.data());
  const double enough = rr * cg_tolerance * cg_tolerance;
  int iterations = 0;
  for (; rr > enough && iterations < cg_most_iterations; ++iterations) {
    multiply(p.data());
    tabulate(exec, n, row_sum{products, starts.data()}, q.data());
    const double alpha = rr / dot(p.data(), q.data());
    tabulate(exec, n, scaled_sum{r.data(), -alpha, q.data()}, next.data());
    std::swap(r, next);
    const double before = std::exchange(rr, dot(r.data(), r.data()));
    tabulate(exec, n, scaled_sum{r.data(), rr / before, p.data()}, next.data());
    std::swap(p, next);
  }
  return iterations;
}

} // namespace evenly::cli
