// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times dense vector: reduce_tiles over the rows.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Complex values in kernels. nvcc silently miscompiles the arithmetic of std::complex for a GPU, since libstdc++
// implements it by the compiler's _Complex. So kernels read and write the two parts of a value, which the standard
// guarantees to be consecutive ([complex.numbers]). They multiply by four products and two sums, on every executor.

namespace evenly {

/// A complex number with (a, b)(c, d) = (ac - bd, ad + bc), also for infinities and NaN.
template <class T> struct complex_number {
  T real = 0;
  T imag = 0;

  EVENLY_FN friend constexpr complex_number operator+(const complex_number& a, const complex_number& b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  EVENLY_FN friend constexpr complex_number operator*(const complex_number& a, const complex_number& b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  EVENLY_FN friend constexpr bool operator==(const complex_number& a, const complex_number& b) {
    return a.real == b.real && a.imag == b.imag;
  }
};

namespace detail {

template <class Value> struct kernel_value_of {
  using type = Value;
};
template <class T> struct kernel_value_of<std::complex<T>> {
  using type = complex_number<T>;
};

} // namespace detail

/// The type that kernels compute with for arrays of Value; in_kernels converts a value to it.
template <class Value> using kernel_value = typename detail::kernel_value_of<Value>::type;
template <class Value> const Value& in_kernels(const Value& value) { return value; }
template <class T> complex_number<T> in_kernels(const std::complex<T>& value) {
  return {value.real(), value.imag()};
}

/// An array of complex values for kernels. T: the type of the parts, const for read-only access. Executor: the owner of
/// the pointers (execution/atomic.hpp); void for plain pointers.
template <class T, class Executor = void> class complex_array {
  using part = std::remove_const_t<T>;

 public:
  complex_array() = default;
  complex_array(const std::complex<part>* values)
  requires std::is_const_v<T>
      : parts_(reinterpret_cast<T*>(values)) {}
  complex_array(std::complex<part>* values)
  requires(!std::is_const_v<T>)
      : parts_(reinterpret_cast<T*>(values)) {}

  EVENLY_FN complex_number<part> operator[](std::int64_t k) const {
    return {static_cast<part>(parts_[2 * k]), static_cast<part>(parts_[2 * k + 1])};
  }
  EVENLY_FN complex_number<part> streaming(std::int64_t k) const {
    return {load_streaming(parts_ + 2 * k), load_streaming(parts_ + 2 * k + 1)};
  }
  EVENLY_FN void write(std::int64_t k, const complex_number<part>& value) const {
    parts_[2 * k] = value.real;
    parts_[2 * k + 1] = value.imag;
  }
  /// The address of value k, on the CPU.
  EVENLY_FN auto address(std::int64_t k) const { return &parts_[2 * k]; }

 private:
  pointer_on<Executor, T> parts_;
};

// ---------------------------------------------------------------------------------------------------------------------
// spmv: see the head of this file.

/// The rows of a matrix as tiles. Throws invalid_argument if a size is negative, or if there are rows but no offsets.
template <class Value, class Offset, class Column>
csr_tile_set<Offset> rows_of(const csr_view<Value, Offset, Column>& a) {
  detail::check_matrix_sizes(a.rows, a.cols);
  require(a.rows == 0 || a.offsets != nullptr,
          [&] { return detail::concat("offsets are null, but the matrix has ", a.rows, " rows"); });
  return {a.offsets, a.rows};
}

/// The contribution of an entry to its row's sum. Executor: the owner of the pointers (execution/atomic.hpp); void
/// for plain pointers.
template <class Value, class Atom, class Executor = void> struct times_x {
  pointer_on<Executor, const int> columns;
  pointer_on<Executor, const Value> values;
  pointer_on<Executor, const Value> x;
  EVENLY_FN Value operator()(Atom k) const { return values[k] * x[columns[k]]; }
  /// On the CPU: where in x the entry gathers from.
  EVENLY_FN const void* gathers_from(Atom k) const { return &x[columns[k]]; }
  /// Streams the matrix, which is read once; x should stay in the caches.
  EVENLY_FN Value streaming(Atom k) const {
    return load_streaming(values + k) * x[load_streaming(columns + k)];
  }

  /// The same in two steps.
  struct fetched {
    int column;
    Value value;
  };
  EVENLY_FN fetched fetch(Atom k) const { return {load_streaming(columns + k), load_streaming(values + k)}; }
  EVENLY_FN Value of_fetched(const fetched& of) const { return of.value * read_only(x + of.column); }
};

template <class Value, class Executor = void> struct update_y {
  pointer_on<Executor, Value> y;
  Value alpha;
  Value beta;
  EVENLY_FN void operator()(int row, Value sum) const {
    y[row] = beta == Value{0} ? alpha * sum : alpha * sum + beta * static_cast<Value>(y[row]);
  }
};

template <class T, class Atom, class Executor> struct times_x<std::complex<T>, Atom, Executor> {
  pointer_on<Executor, const int> columns;
  complex_array<const T, Executor> values;
  complex_array<const T, Executor> x;
  EVENLY_FN complex_number<T> operator()(Atom k) const { return values[k] * x[columns[k]]; }
  EVENLY_FN const void* gathers_from(Atom k) const { return x.address(columns[k]); }
  EVENLY_FN complex_number<T> streaming(Atom k) const {
    return values.streaming(k) * x[load_streaming(columns + k)];
  }
};

template <class T, class Executor> struct update_y<std::complex<T>, Executor> {
  complex_array<T, Executor> y;
  complex_number<T> alpha;
  complex_number<T> beta;
  EVENLY_FN void operator()(int row, const complex_number<T>& sum) const {
    y.write(row, beta == complex_number<T>{} ? alpha * sum : alpha * sum + beta * y[row]);
  }
};

namespace detail {

/// Throws invalid_argument for invalid arguments of spmv. `planned`: the tiles of the plan, with the atoms `entries`.
template <class Value, class Offset>
void check_spmv(const csr_tile_set<Offset>& planned, const extent<csr_tile_set<Offset>>& entries,
                const csr_view<Value, Offset>& a, std::span<const Value> x, std::span<const Value> y) {
  const auto rows = rows_of(a);
  check_vectors(a.rows, a.cols, x, y);
  require(planned.tiles() == a.rows, [&] {
    return concat("the plan is for ", planned.tiles(), " rows, but the matrix has ", a.rows,
                  ": make a plan for this matrix");
  });
  require(planned == rows, [&] {
    return concat("the plan is for another matrix of ", a.rows,
                  " rows: a plan supports only the offsets that it was made for");
  });
  require_apart_from_matrix(a, entries.first_atom, entries.atoms, "y", y.data(), a.rows);
}

} // namespace detail

/// y = alpha A x + beta y. With beta = 0, y is not read.
///
/// - Value: a number; a struct of numbers with + and * for kernels; or std::complex of a number. Complex products are
///   those of complex_number, the same on every executor.
/// - how: a plan made for rows_of(a) on `exec`; or a schedule, which makes a plan for this call and synchronises
///   meanwhile.
/// - x: a.cols values; y: a.rows values. All arrays lie on `exec`. y overlaps neither x nor the matrix.
/// - Columns of `a` are not checked.
/// - Cost: moves atoms * (sizeof(Value) + 4) + rows * (sizeof(Offset) + sizeof(Value)) bytes, in addition to the
///   gathers from x.
/// - Synchronisation: asynchronous on cuda.
/// - Throws invalid_argument for wrong sizes, a plan for other offsets, an overlap, or a null array.
template <class Executor, class How, class Value, class Offset>
void spmv(const Executor& exec, How&& how, const csr_view<Value, Offset>& a,
          std::type_identity_t<std::span<const Value>> x, std::type_identity_t<std::span<Value>> y,
          std::type_identity_t<Value> alpha = 1, std::type_identity_t<Value> beta = 0) {
  using given = std::remove_cvref_t<How>;
  if constexpr (any_planned<given>) {
    static_assert(std::is_same_v<typename given::tiles_type, csr_tile_set<Offset>> ||
                      std::is_same_v<typename given::tiles_type, csr_tiles_on<Executor, Offset>>,
                  "spmv needs a plan that was made for rows_of(a)");
    detail::check_spmv<Value, Offset>(how.tiles(), {how.first_atom(), how.atoms()}, a, x, y);
    reduce_tiles(exec, how, times_x<Value, Offset, Executor>{a.columns, a.values, x.data()},
                 plus<kernel_value<Value>>{},
                 update_y<Value, Executor>{y.data(), in_kernels(alpha), in_kernels(beta)});
  } else {
    auto plan = make_plan_once(exec, how, rows_of(a), work_kind::gathered_sums);
    spmv(exec, plan, a, x, y, alpha, beta);
  }
}

} // namespace evenly
