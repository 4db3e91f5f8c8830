// SPDX-License-Identifier: Apache-2.0
#include "sparse/solver_place.hpp"

namespace evenly::sparse {

using measure::with_executor;

template <class Value>
std::unique_ptr<placed_solver<Value>> place_solver(executor_kind kind, const linear_system<Value>& of,
                                                   const solver_choice& choice,
                                                   const bench_options& options) {
  return with_executor(kind,
                       [&]<class Executor>() { return place_solver_on<Executor>(of, choice, options); });
}
template <class Value>
std::unique_ptr<placed_triangle<Value>> place_triangle(executor_kind kind, const linear_system<Value>& of,
                                                       const triangular_options& triangle,
                                                       const bench_options& options) {
  return with_executor(kind,
                       [&]<class Executor>() { return place_triangle_on<Executor>(of, triangle, options); });
}

template std::unique_ptr<placed_solver<float>> place_solver(executor_kind, const linear_system<float>&,
                                                            const solver_choice&, const bench_options&);
template std::unique_ptr<placed_solver<double>> place_solver(executor_kind, const linear_system<double>&,
                                                             const solver_choice&, const bench_options&);
template std::unique_ptr<placed_triangle<float>>
place_triangle(executor_kind, const linear_system<float>&, const triangular_options&, const bench_options&);
template std::unique_ptr<placed_triangle<double>>
place_triangle(executor_kind, const linear_system<double>&, const triangular_options&, const bench_options&);

} // namespace evenly::sparse
