// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times dense matrix: reduce_tiles_wide over the rows.
//
// The skeleton reads the row of B for a nonzero, and stores a row of C. A dense matrix by columns is copied to rows in
// temporary memory, some columns at a time. A copy costs a read and a write of B, while gathers from columns would move
// a memory sector per element. On cpu B stays in place if consecutive entries name neighbouring rows, which are then
// in the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/dense_transpose.hpp"
#include "evenly/sparse/detail/spmm_on_cores.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// The contribution of a nonzero to a row of C: its value times a row of B.
template <class Value, class Atom> struct times_row_of_b {
  const int* columns;
  const Value* values;
  const Value* b;
  std::int64_t leading;
  int pack_leading = 0; ///< bytes between rows, for packs: saves a multiplication of 64 bits

  struct entry {
    int column;
    Value value;
  };

  EVENLY_FN Value operator()(Atom k, int column) const {
    return values[k] * (b + columns[k] * leading)[column];
  }
  EVENLY_FN row_pack<Value> pack(Atom k, int column) const {
    const entry of = fetch(k);
    return values_in(of, load(of, column));
  }
  EVENLY_INLINE_FN entry fetch(Atom k) const { return {columns[k], values[k]}; }
  EVENLY_INLINE_FN row_pack<Value> load(const entry& of, int column) const {
    const char* const first = reinterpret_cast<const char*>(b + column);
    return load_pack(reinterpret_cast<const Value*>(first + std::int64_t{of.column} * pack_leading));
  }
  EVENLY_INLINE_FN row_pack<Value> values_in(const entry& of, row_pack<Value> row) const {
    EVENLY_UNROLL
    for (int i = 0; i < row_pack<Value>::size; ++i) row.of[i] *= of.value;
    return row;
  }
};

template <class Value> struct update_row_of_c {
  Value* c;
  std::int64_t leading;
  Value alpha;
  Value beta;
  int pack_leading = 0; ///< as in times_row_of_b

  EVENLY_FN void operator()(int number, int column, Value sum) const {
    Value* const at = c + number * leading + column;
    *at = beta == Value{0} ? alpha * sum : alpha * sum + beta * *at;
  }
  EVENLY_FN void pack(int number, int column, const row_pack<Value>& sums) const {
    char* const first = reinterpret_cast<char*>(c + column);
    Value* const at = reinterpret_cast<Value*>(first + std::int64_t{number} * pack_leading);
    row_pack<Value> all;
    for (int i = 0; i < row_pack<Value>::size; ++i) all.of[i] = alpha * sums.of[i];
    if (beta != Value{0}) {
      const row_pack<Value> old = load_pack(at);
      for (int i = 0; i < row_pack<Value>::size; ++i) all.of[i] += beta * old.of[i];
    }
    store_streaming(at, all);
  }

 private:
  /// An evict-first store: C is not read again, and caches should keep B.
  EVENLY_FN static void store_streaming(Value* to, const row_pack<Value>& all) {
#if defined(__CUDA_ARCH__)
    __stcs(reinterpret_cast<int4*>(to), *reinterpret_cast<const int4*>(&all));
#else
    store_pack(to, all);
#endif
  }
};

namespace detail {

/// Throws invalid_argument for an invalid view.
template <class Value> void check_dense(const char* name, const dense_view<Value>& m) {
  require(m.rows >= 0 && m.cols >= 0, [&] {
    return std::string(name) + " has " + std::to_string(m.rows) + " rows and " + std::to_string(m.cols) +
           " columns: sizes must not be negative";
  });
  require(m.leading >= (m.lines() < 2 ? 0 : m.line_size()), [&] {
    const bool rows = m.layout == dense_layout::rows;
    return std::string(name) + " has " + (rows ? "rows of " : "columns of ") + std::to_string(m.line_size()) +
           " elements, " + std::to_string(m.leading) + " apart: they must not overlap";
  });
  require_memory(name, m.data, m.extent());
}

/// Throws invalid_argument unless two sizes of operands are equal.
inline void require_same_size(const char* one, int size, const char* what, const char* other, int other_size,
                              const char* other_what) {
  require(size == other_size, [&] {
    return concat(one, " has ", size, " ", what, " and ", other, " has ", other_size, " ", other_what,
                  ": the numbers must be equal");
  });
}

/// Whether the elements of two matrices of one layout interleave: columns, or rows, of one larger matrix.
template <class ValueB, class ValueC>
bool interleaved(const dense_view<ValueB>& b, const dense_view<ValueC>& c) {
  if (!std::is_same_v<std::remove_const_t<ValueB>, std::remove_const_t<ValueC>>) return false;
  if (b.layout != c.layout || b.leading != c.leading || b.leading <= 0) return false;
  const auto at_b = reinterpret_cast<std::uintptr_t>(b.data), at_c = reinterpret_cast<std::uintptr_t>(c.data);
  const int first_size = at_b < at_c ? b.line_size() : c.line_size();
  const int second_size = at_b < at_c ? c.line_size() : b.line_size();
  const auto bytes = at_b < at_c ? at_c - at_b : at_b - at_c;
  const auto line = static_cast<std::uintptr_t>(b.leading) * sizeof(ValueB);
  const auto behind = bytes % line;
  return behind >= static_cast<std::uintptr_t>(first_size) * sizeof(ValueB) &&
         behind + static_cast<std::uintptr_t>(second_size) * sizeof(ValueB) <= line;
}

/// Throws invalid_argument for invalid arguments of spmm. `planned`: the tiles of the plan, with the atoms `entries`.
template <class Offset, class Matrix, class ValueB, class ValueC>
void check_spmm(const csr_tile_set<Offset>& planned, const extent<csr_tile_set<Offset>>& entries,
                const Matrix& a, const dense_view<ValueB>& b, const dense_view<ValueC>& c) {
  const auto rows = rows_of(csr_view<void, Offset>{a.rows, a.cols, a.offsets});
  check_dense("B", b);
  check_dense("C", c);
  require_same_size("A", a.cols, "columns", "B", b.rows, "rows");
  require_same_size("A", a.rows, "rows", "C", c.rows, "rows");
  require_same_size("B", b.cols, "columns", "C", c.cols, "columns");
  require(planned.tiles() == a.rows, [&] {
    return "the plan is for " + std::to_string(planned.tiles()) + " rows, but the matrix has " +
           std::to_string(a.rows) + ": make a plan for this matrix";
  });
  require(planned == rows, [&] {
    return "the plan is for another matrix of " + std::to_string(a.rows) +
           " rows: a plan supports only the offsets that it was made for";
  });
  if (!interleaved(b, c)) require_apart("B", b.data, b.extent(), "C", c.data, c.extent(), false);
  require_apart_from_matrix(a, entries.first_atom, entries.atoms, "C", c.data, c.extent());
}

/// Whether all rows of a matrix can be accessed in packs, and the bytes of a row fit an int.
template <int Size, class Value> bool has_packs(const Value* data, std::int64_t leading) {
  return reinterpret_cast<std::uintptr_t>(data) % (Size * sizeof(Value)) == 0 && leading % Size == 0 &&
         leading <= std::numeric_limits<int>::max() / static_cast<int>(sizeof(Value));
}

/// C = alpha A B + beta C for B by rows; C by rows if blocks are not serial.
template <class Value, class Executor, class Plan, class Offset, class Column>
void multiply_rows(const Executor& exec, Plan& plan, const csr_view<Value, Offset, Column>& a,
                   const dense_view<const Value>& b, const dense_view<Value>& c, Value alpha, Value beta) {
  if constexpr (Executor::serial_blocks) {
    const bool by_rows = c.layout == dense_layout::rows;
    multiply_on_cores(exec, plan,
                      core_operands<Value, Column>{a.columns, a.values, b.data, b.leading, c.data,
                                                   by_rows ? c.leading : 1, by_rows ? 1 : c.leading, c.cols,
                                                   alpha, beta},
                      b.rows);
  } else {
    times_row_of_b<Value, Offset> map{a.columns, a.values, b.data, b.leading};
    update_row_of_c<Value> store{c.data, c.leading, alpha, beta};
    constexpr int size = row_pack<Value>::size;
    const bool packs =
        c.cols % size == 0 && has_packs<size>(b.data, b.leading) && has_packs<size>(c.data, c.leading);
    if (packs) {
      constexpr std::int64_t bytes = sizeof(Value);
      map.pack_leading = static_cast<int>(b.leading * bytes);
      store.pack_leading = static_cast<int>(c.leading * bytes);
      reduce_wide<true>(exec, plan, c.cols, map, plus<Value>{}, store);
    } else
      reduce_wide<false>(exec, plan, c.cols, map, plus<Value>{}, store);
  }
}

/// Whether a column-major B is faster in place than copied, on a CPU. Times with 8 columns in double on one core of an
/// EPYC (2026-11-25), in ms:
///
/// | A | copied | in place |
/// |---|---|---|
/// | a grid | 20 | 15 |
/// | a band of 5 columns | 5.9 | 2.5 |
/// | of 9 | 3.9 | 3.2 |
/// | of 15 | 5.1 | 4.7 |
/// | of 27 | 2.1 | 2.3 |
/// | random columns | 16 | 20 |
template <class Value, class Offset, class Column>
bool stays_by_columns(const csr_view<Value, Offset, Column>& a, const dense_view<const Value>& b,
                      Offset first, std::int64_t atoms) {
  return b.layout == dense_layout::columns && b.cols > 1 && atoms <= 15 * std::int64_t{b.rows} &&
         asks_for_neighbours<Value>(a.columns, first, static_cast<Offset>(atoms));
}

/// The number of columns that are copied at a time. On a GPU as many as reduce_tiles_wide has in a panel, so A is not
/// read more often. On cpu one cache line: with 64, 128 and 256 bytes, a grid times 32 columns in double took 34, 46
/// and 114 ms on one core of an EPYC (2026-11-23).
template <class Executor, class Value>
inline constexpr int copied_columns = (Executor::serial_blocks ? 64 : 512) / static_cast<int>(sizeof(Value));

/// C = alpha A B + beta C on cpu with B by columns in place, as many columns at a time as would be copied.
template <class Value, class Executor, class Plan, class Offset, class Column>
void multiply_columns_on_cores(const Executor& exec, Plan& plan, const csr_view<Value, Offset, Column>& a,
                               const dense_view<const Value>& b, const dense_view<Value>& c, Value alpha,
                               Value beta) {
  constexpr int panel = copied_columns<Executor, Value>;
  const bool by_rows = c.layout == dense_layout::rows;
  for (int first = 0; first < c.cols; first += panel) {
    const int count = smaller(panel, c.cols - first);
    multiply_on_cores(exec, plan,
                      core_operands<Value, Column>{a.columns, a.values, b.columns(first, count).data, 1,
                                                   c.columns(first, count).data, by_rows ? c.leading : 1,
                                                   by_rows ? 1 : c.leading, count, alpha, beta, b.leading},
                      b.rows);
  }
}

/// C = alpha A B + beta C by calls of multiply(b, c, alpha, beta), which takes B by rows, and C as multiply_rows does.
/// Matrices by columns are copied, some columns at a time. Sums and copies of C are Numbers.
template <class Executor, class ValueB, class ValueC, class Number, class Multiply>
void multiply_panels(const Executor& exec, const dense_view<const ValueB>& b, const dense_view<ValueC>& c,
                     Number alpha, Number beta, const Multiply& multiply) {
  const bool copies_b = b.layout == dense_layout::columns && b.rows > 0 && b.cols > 1;
  const bool copies_c = c.layout == dense_layout::columns && c.cols > 1;
  // A single column can be viewed as rows, with `leading` as the distance of its elements.
  const auto by_rows = [](const auto& m) {
    auto same = m;
    if (m.layout == dense_layout::columns) same.leading = 1;
    same.layout = dense_layout::rows;
    return same;
  };
  if (!copies_b && !copies_c) return multiply(by_rows(b), by_rows(c), alpha, beta);
  constexpr bool stores_columns = Executor::serial_blocks; // without a copy of C
  const int panel = smaller(c.cols, copied_columns<Executor, Number>);
  const int leading = ceil_div(panel, row_pack<Number>::size) * row_pack<Number>::size;
  const auto room = [&](bool copies, int rows) {
    return copies ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(leading) : 0;
  };
  const buffer<ValueB> rows_b = make_buffer<ValueB>(exec, room(copies_b, b.rows));
  const buffer<Number> rows_c = make_buffer<Number>(exec, room(copies_c && !stores_columns, c.rows));
  for (int first = 0; first < c.cols; first += panel) {
    const int count = smaller(panel, c.cols - first);
    dense_view<const ValueB> in = b.columns(first, count);
    const dense_view<ValueC> out = c.columns(first, count);
    if (copies_b) {
      transpose_dense(exec, in.data, in.leading, rows_b.data(), leading, count, b.rows, Number{1}, Number{0});
      in = {b.rows, count, rows_b.data(), leading};
    }
    if (!copies_c) {
      multiply(by_rows(in), by_rows(out), alpha, beta);
    } else if constexpr (stores_columns) {
      multiply(by_rows(in), out, alpha, beta);
    } else {
      const dense_view<Number> rows{c.rows, count, rows_c.data(), leading};
      multiply(by_rows(in), rows, Number{1}, Number{0});
      transpose_dense(exec, static_cast<const Number*>(rows_c.data()), leading, out.data, out.leading, c.rows,
                      count, alpha, beta);
    }
  }
}

template <class Executor, class Plan, class Value, class Offset, class Column>
void multiply_planned(const Executor& exec, Plan& plan, const csr_view<Value, Offset, Column>& a,
                      const std::type_identity_t<dense_view<const Value>>& b,
                      const std::type_identity_t<dense_view<Value>>& c, std::type_identity_t<Value> alpha,
                      std::type_identity_t<Value> beta) {
  static_assert(std::is_same_v<Value, float> || std::is_same_v<Value, double>,
                "spmm multiplies matrices of float or double");
  static_assert(Executor::serial_blocks || std::is_same_v<Column, int>,
                "spmm needs columns of int; on cpu they may have any size");
  static_assert(std::is_same_v<typename Plan::tiles_type, csr_tile_set<Offset>> ||
                    std::is_same_v<typename Plan::tiles_type, csr_tiles_on<Executor, Offset>>,
                "spmm needs a plan that was made for rows_of(a)");
  check_spmm<Offset>(plan.tiles(), {plan.first_atom(), plan.atoms()}, a, b, c);
  if (c.rows == 0 || c.cols == 0) return;
  if constexpr (Executor::serial_blocks) {
    if (stays_by_columns<Value>(a, b, plan.first_atom(), plan.atoms()))
      return multiply_columns_on_cores<Value>(exec, plan, a, b, c, alpha, beta);
  }
  multiply_panels(exec, b, c, alpha, beta, [&](const auto& in, const auto& out, Value of_sums, Value of_c) {
    multiply_rows<Value>(exec, plan, a, in, out, of_sums, of_c);
  });
}

} // namespace detail

/// C = alpha A B + beta C. With beta = 0, C is not read. Value: float or double.
///
/// - how: a plan made for rows_of(a) on `exec`; or a schedule, which makes a plan for this call and synchronises
///   meanwhile.
/// - b: a.cols rows; c: a.rows rows; the same number of columns, in any layout, with any `leading`. All arrays lie on
///   `exec`. C overlaps neither B nor the matrix. Memory between the lines of C is not changed.
/// - Columns of `a` are not checked. On cpu they may be std::int64_t.
/// - Cost: moves atoms * (sizeof(Value) + 4) bytes per panel of 512 bytes of a row, and C, in addition to the gathers
///   of rows of B. It is fastest for B and C by rows that begin at multiples of 16 bytes.
/// - Memory: for a matrix by columns at most 512 bytes per row, from the executor's resource; then A is read once per
///   that many columns. On cpu 64 bytes per row for B, none for C, and none for B if consecutive entries name
///   neighbouring rows.
/// - Synchronisation: asynchronous on cuda.
/// - Determinism: the same bits on every run of one plan with the same layouts, alignment and width.
/// - Throws invalid_argument for wrong sizes, a plan for other offsets, an overlap, or a null array.
template <class Executor, class How, class Value, class Offset, class Column>
void spmm(const Executor& exec, How&& how, const csr_view<Value, Offset, Column>& a,
          const std::type_identity_t<dense_view<const Value>>& b,
          const std::type_identity_t<dense_view<Value>>& c, std::type_identity_t<Value> alpha = 1,
          std::type_identity_t<Value> beta = 0) {
  const auto multiply = [&](auto& plan) { detail::multiply_planned(exec, plan, a, b, c, alpha, beta); };
  if constexpr (any_planned<std::remove_cvref_t<How>>)
    detail::run_skeleton(exec, how, work_kind::wide_sums, multiply);
  else
    detail::plan_and_run(exec, how, work_kind::wide_sums, multiply, rows_of(a));
}

} // namespace evenly
