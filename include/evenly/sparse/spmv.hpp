// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times dense vector: reduce_tiles over the rows.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// The rows of a matrix as tiles.
template <class Value, class Offset> csr_tile_set<Offset> rows_of(const csr_view<Value, Offset>& a) {
  return {a.offsets, a.rows};
}

template <class Value> struct times_x {
  const int* columns;
  const Value* values;
  const Value* x;
  template <std::signed_integral Atom> EVENLY_FN Value operator()(Atom k) const {
    return values[k] * x[columns[k]];
  }
  /// The matrix goes by once, and leaves the caches to x.
  template <std::signed_integral Atom> EVENLY_FN Value passing(Atom k) const {
    return read_passing(values + k) * x[read_passing(columns + k)];
  }
};

template <class Value> struct update_y {
  Value* y;
  Value alpha;
  Value beta;
  EVENLY_FN void operator()(int row, Value sum) const {
    y[row] = beta == Value{0} ? alpha * sum : alpha * sum + beta * y[row];
  }
};

/// y = alpha A x + beta y. With beta = 0, y is not read.
///
/// `plan`: made for rows_of(a) on `exec`. x: a.cols values, y: a.rows values; all arrays lie on `exec`, and y
/// overlaps neither x nor the matrix. Throws invalid_argument where sizes differ or x and y overlap.
/// Asynchronous on cuda. Moves, besides the gathers from x, atoms * (sizeof(Value) + 4) + rows *
/// (sizeof(Offset) + sizeof(Value)) bytes.
template <class Executor, class Plan, class Value, class Offset>
requires is_plan<Plan>
void spmv(const Executor& exec, Plan& plan, const csr_view<Value, Offset>& a,
          std::type_identity_t<std::span<const Value>> x, std::type_identity_t<std::span<Value>> y,
          std::type_identity_t<Value> alpha = 1, std::type_identity_t<Value> beta = 0) {
  const auto sized = [](const char* name, std::size_t size, const char* what, int expected) {
    require(size == static_cast<std::size_t>(expected), [&] {
      return std::string(name) + " has " + std::to_string(size) + " elements, the matrix has " +
             std::to_string(expected) + ' ' + what;
    });
  };
  sized("x", x.size(), "columns", a.cols);
  sized("y", y.size(), "rows", a.rows);
  require(plan.tiles().tiles() == a.rows, [&] {
    return "the plan is for " + std::to_string(plan.tiles().tiles()) + " rows, the matrix has " +
           std::to_string(a.rows);
  });
  const std::less<const Value*> before;
  require(x.empty() || y.empty() || !before(x.data(), y.data() + y.size()) ||
              !before(y.data(), x.data() + x.size()),
          [] { return "x and y overlap: spmv reads x while it writes y"; });
  reduce_tiles(exec, plan, times_x<Value>{a.columns, a.values, x.data()}, plus<Value>{},
               update_y<Value>{y.data(), alpha, beta});
}

/// Plans and runs in one call. Synchronises while it plans.
template <class Executor, class Schedule, class Value, class Offset>
requires(!is_plan<Schedule>) void spmv(const Executor& exec, const Schedule& schedule,
                                       const csr_view<Value, Offset>& a,
                                       std::type_identity_t<std::span<const Value>> x,
                                       std::type_identity_t<std::span<Value>> y,
                                       std::type_identity_t<Value> alpha = 1,
                                       std::type_identity_t<Value> beta = 0) {
  auto plan = make_plan(exec, schedule, rows_of(a));
  spmv(exec, plan, a, x, y, alpha, beta);
}

} // namespace evenly
