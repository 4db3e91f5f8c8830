// SPDX-License-Identifier: Apache-2.0
// spmm: the product of a matrix on ranks and a dense matrix, whose rows are distributed as an array's elements are.
//
//   auto X = world.distribute(values, A.columns().times(k));      // k columns; values: row by row
//   auto Y = spmm(A, X, k);                                       // distributed as A.rows().times(k)
//
// Four columns at a time are multiplied as SpMV multiplies one: an element of x is then a pack of four numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/reduce_tiles.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::distributed {

namespace detail {

inline constexpr int packed_columns = 4;

/// Numbers of neighbouring columns. Those beyond the last column are 0.
template <class T> struct column_pack {
  T of[packed_columns] = {};
};
template <class T> struct plus_packs {
  using value_type = column_pack<T>;
  static EVENLY_FN value_type identity() { return {}; }
  EVENLY_FN value_type operator()(value_type a, const value_type& b) const {
    for (int c = 0; c < packed_columns; ++c) a.of[c] += b.of[c];
    return a;
  }
};
/// Columns [first, first + count) of a row of X.
template <class T> struct pack_of_row {
  const T* x;
  std::int64_t columns;
  std::int64_t first;
  int count;
  EVENLY_FN column_pack<T> operator()(std::int64_t row) const {
    column_pack<T> pack;
    for (int c = 0; c < count; ++c) pack.of[c] = x[row * columns + first + c];
    return pack;
  }
};
template <class T, class Executor> struct times_gathered_pack {
  pointer_on<Executor, const int> columns;
  pointer_on<Executor, const T> values;
  gathered_elements<column_pack<T>, Executor> x;
  EVENLY_FN column_pack<T> operator()(std::int64_t k) const {
    column_pack<T> pack = x[columns[k]];
    const T value = values[k];
    for (int c = 0; c < packed_columns; ++c) pack.of[c] = value * pack.of[c];
    return pack;
  }
};
template <class T, class Executor> struct stores_pack {
  pointer_on<Executor, T> y;
  std::int64_t columns;
  std::int64_t first;
  int count;
  EVENLY_FN void operator()(int row, const column_pack<T>& sums) const {
    for (int c = 0; c < count; ++c) y[row * columns + first + c] = sums.of[c];
  }
};

} // namespace detail

/// Returns A X for a dense matrix X of `columns` columns, by rows. Collective.
///
/// - X: distributed as A.columns().times(columns). The result is distributed as A.rows().times(columns).
/// - Cost: for every four columns a pass over the entries and one message to each neighbour.
/// - Determinism: as for A * x.
/// - Errors: invalid_argument if `columns` is below 1, or X is distributed otherwise.
template <class Value, class Offset, executor Executor>
array<Value, Executor> spmm(matrix<Value, Offset, Executor>& a, const array<Value, Executor>& x,
                            int columns) {
  using pack = detail::column_pack<Value>;
  require(columns >= 1,
          [&] { return evenly::detail::concat("columns = ", columns, ": X must have at least one"); });
  require(x.where() == a.columns().times(columns), [&] {
    return evenly::detail::concat("X has ", x.size(), " elements, but not in the ranges of ", columns,
                                  " columns of ", a.columns().total(),
                                  " rows: distribute it with A.columns().times(", columns, ")");
  });
  require(x.ranks() == a.ranks(),
          [] { return "X and the matrix are on different worlds: use one world for both"; });
  array<Value, Executor> y(a.ranks(), a.rows().times(columns));
  a.ranks().run([&](communicator& here) {
    const Executor& exec = a.ranks().executor(here);
    auto& part = a.part(here);
    auto exchange = a.template exchange_of<pack>(here);
    const std::int64_t own = a.columns().size(here.rank());
    const auto packs = make_buffer<pack>(exec, static_cast<std::size_t>(own));
    for (int first = 0; first < columns; first += detail::packed_columns) {
      const int count = smaller(columns - first, detail::packed_columns);
      tabulate(exec, own, detail::pack_of_row<Value>{x.part(here).data(), columns, first, count},
               packs.data());
      const auto gathered = exchange.gather(here, exec, packs.data());
      reduce_tiles(
          here, exec, part.rows,
          detail::times_gathered_pack<Value, Executor>{part.columns.data(), part.values.data(), gathered},
          detail::plus_packs<Value>{},
          detail::stores_pack<Value, Executor>{y.part(here).data(), columns, first, count});
    }
  });
  return y;
}

} // namespace evenly::distributed
