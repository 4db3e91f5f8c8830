// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times dense matrix with numbers stored in 16 bits, or an A without values. Sums are floats.
//
//   const auto a16 = evenly::with_values(a, stored.data());            // half or bfloat16; or pattern_of<float>(a)
//   evenly::spmm(exec, plan, a16, dense_rows(n, 32, b), dense_rows(m, 32, c));   // b, c: float, half or bfloat16
//
// On a GPU a lane loads and stores four columns of 16 bits at once. On cpu the product is computed in float: the values
// of A, and some columns of B at a time, are converted before, and rows of C are rounded at the end.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/dense_transpose.hpp"
#include "evenly/sparse/detail/spmm_on_cores.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/spmv.hpp"

namespace evenly {

/// The element types of a dense matrix whose products are summed in Number.
template <class T, class Number>
concept stands_for = std::same_as<T, Number> || (std::same_as<Number, float> && narrow_float<T>);

/// As many consecutive stored elements as a row_pack of Numbers has.
template <class Stored, class Number> struct alignas(row_pack<Number>::size * sizeof(Stored)) stored_pack {
  Stored of[row_pack<Number>::size];
};

/// The contribution of a nonzero to a row of C: its value times a row of B.
template <class Values, class Atom, class ValueB> struct times_stored_row_of_b {
  using number = typename Values::value_type;

  const int* columns;
  Values values;
  const ValueB* b;
  std::int64_t leading;

  EVENLY_FN const ValueB* row(Atom k) const { return b + columns[k] * leading; }
  EVENLY_FN number operator()(Atom k, int column) const {
    return values.times(k, static_cast<number>(row(k)[column]));
  }
  EVENLY_FN row_pack<number> pack(Atom k, int column) const {
    const auto stored = *reinterpret_cast<const stored_pack<ValueB, number>*>(row(k) + column);
    row_pack<number> all;
    for (int i = 0; i < row_pack<number>::size; ++i)
      all.of[i] = values.times(k, static_cast<number>(stored.of[i]));
    return all;
  }
};

template <class ValueC, class Number> struct update_stored_row_of_c {
  ValueC* c;
  std::int64_t leading;
  Number alpha;
  Number beta;

  EVENLY_FN void operator()(int row, int column, Number sum) const {
    ValueC* const at = c + row * leading + column;
    *at =
        static_cast<ValueC>(beta == Number{0} ? alpha * sum : alpha * sum + beta * static_cast<Number>(*at));
  }
  EVENLY_FN void pack(int row, int column, const row_pack<Number>& sums) const {
    auto* const at = reinterpret_cast<stored_pack<ValueC, Number>*>(c + row * leading + column);
    stored_pack<ValueC, Number> all{};
    if (beta != Number{0}) all = *at;
    for (int i = 0; i < row_pack<Number>::size; ++i)
      all.of[i] =
          static_cast<ValueC>(beta == Number{0} ? alpha * sums.of[i]
                                                : alpha * sums.of[i] + beta * static_cast<Number>(all.of[i]));
    *at = all;
  }
};

namespace detail {

/// to[i * to_leading + j] = alpha * from[i * from_leading + j] + beta * to[i * to_leading + j] for i in [0, lines) and
/// j in [0, size), computed in Number.
template <class From, class To, class Number> struct convert_lines_kernel {
  const From* from;
  std::int64_t from_leading;
  To* to;
  std::int64_t to_leading;
  std::int64_t lines, lines_per_block;
  int size;
  Number alpha, beta;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t first = block.index() * lines_per_block;
    const std::int64_t last = smaller(first + lines_per_block, lines);
    for (std::int64_t line = first; line < last; ++line)
      for (int j = block.rank(); j < size; j += block.size()) {
        To& at = to[line * to_leading + j];
        const Number value = alpha * static_cast<Number>(from[line * from_leading + j]);
        at = static_cast<To>(beta == Number{0} ? value : value + beta * static_cast<Number>(at));
      }
  }
};
template <class Executor, class From, class To, class Number>
void convert_lines(const Executor& exec, const From* from, std::int64_t from_leading, To* to,
                   std::int64_t to_leading, std::int64_t lines, int size, Number alpha, Number beta) {
  if (lines == 0) return;
  const std::int64_t per_block = ceil_div<std::int64_t>(items_per_block(exec, lines * size, 1 << 14), size);
  launch(exec, {block_count(lines, per_block), 1},
         convert_lines_kernel<From, To, Number>{from, from_leading, to, to_leading, lines, per_block, size,
                                                alpha, beta});
}

/// The value of an entry as a number; 0 before the first entry.
template <class Values> struct value_as_number {
  using number = typename Values::value_type;
  Values values;
  std::int64_t first;
  EVENLY_FN number operator()(std::int64_t k) const {
    return k < first ? number{0} : values.times(k, number{1});
  }
};

/// The number of columns converted to float at a time. A larger number reads A less often.
template <class Number> inline constexpr int converted_columns = 512 / static_cast<int>(sizeof(Number));

/// The product on cpu. Rows of B and C with elements of type Number are used in place.
template <class Executor, class Plan, class Values, class Offset, class ValueB, class ValueC>
void multiply_stored_on_cores(const Executor& exec, Plan& plan, const compact_view<Values, Offset>& a,
                              const dense_view<const ValueB>& b, const dense_view<ValueC>& c,
                              typename Values::value_type alpha, typename Values::value_type beta) {
  using number = typename Values::value_type;
  constexpr bool converts_c = !std::same_as<ValueC, number>;
  const std::int64_t first_entry = plan.first_atom();
  const auto values = make_buffer<number>(exec, static_cast<std::size_t>(first_entry + plan.atoms()));
  tabulate(exec, static_cast<std::int64_t>(values.size()), value_as_number<Values>{a.values, first_entry},
           values.data());
  const bool converts_b = !std::same_as<ValueB, number> || b.layout == dense_layout::columns;
  const int panel = smaller(c.cols, converted_columns<number>);
  const auto room = [&](bool converts, int rows) {
    return converts ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(panel) : 0;
  };
  const auto rows_b = make_buffer<number>(exec, room(converts_b, b.rows));
  const auto rows_c = make_buffer<number>(exec, room(converts_c, c.rows));
  for (int first = 0; first < c.cols; first += panel) {
    const int count = smaller(panel, c.cols - first);
    const auto in = b.columns(first, count);
    const auto out = c.columns(first, count);
    if (converts_b && b.layout == dense_layout::rows)
      convert_lines(exec, in.data, in.leading, rows_b.data(), panel, b.rows, count, number{1}, number{0});
    else if (converts_b)
      transpose_dense(exec, in.data, in.leading, rows_b.data(), panel, count, b.rows, number{1}, number{0});
    core_operands<number> of{a.columns, values.data(), rows_b.data(), panel,    rows_c.data(), panel,
                             1,         count,         number{1},     number{0}};
    if constexpr (std::same_as<ValueB, number>) {
      if (!converts_b) of.b = in.data, of.b_leading = in.leading;
    }
    const bool by_rows = out.layout == dense_layout::rows;
    if constexpr (!converts_c) {
      of.c = out.data;
      of.c_row = by_rows ? out.leading : 1;
      of.c_column = by_rows ? 1 : out.leading;
      of.alpha = alpha;
      of.beta = beta;
    }
    multiply_on_cores(exec, plan, of, b.rows);
    if constexpr (converts_c) {
      const number* const from = rows_c.data();
      if (by_rows)
        convert_lines(exec, from, panel, out.data, out.leading, c.rows, count, alpha, beta);
      else
        transpose_dense(exec, from, panel, out.data, out.leading, c.rows, count, alpha, beta);
    }
  }
}

/// The product on simt and cuda, for B and C by rows.
template <class Executor, class Plan, class Values, class Offset, class ValueB, class ValueC>
void multiply_stored_rows(const Executor& exec, Plan& plan, const compact_view<Values, Offset>& a,
                          const dense_view<const ValueB>& b, const dense_view<ValueC>& c,
                          typename Values::value_type alpha, typename Values::value_type beta) {
  using number = typename Values::value_type;
  constexpr int size = row_pack<number>::size;
  const times_stored_row_of_b<Values, Offset, ValueB> map{a.columns, a.values, b.data, b.leading};
  const update_stored_row_of_c<ValueC, number> store{c.data, c.leading, alpha, beta};
  if (c.cols % size == 0 && has_packs<size>(b.data, b.leading) && has_packs<size>(c.data, c.leading))
    reduce_wide<true>(exec, plan, c.cols, map, plus<number>{}, store);
  else
    reduce_wide<false>(exec, plan, c.cols, map, plus<number>{}, store);
}

template <class Executor, class Plan, class Values, class Offset, class ValueB, class ValueC>
void multiply_stored_planned(const Executor& exec, Plan& plan, const compact_view<Values, Offset>& a,
                             const dense_view<ValueB>& b, const dense_view<ValueC>& c,
                             typename Values::value_type alpha, typename Values::value_type beta) {
  using number = typename Values::value_type;
  using stored_b = std::remove_const_t<ValueB>;
  static_assert(std::same_as<number, float> || std::same_as<number, double>,
                "spmm must accumulate in float or double");
  static_assert(
      stands_for<stored_b, number> && stands_for<ValueC, number>,
      "B and C must have the type in which products are accumulated, or half or bfloat16 for float");
  static_assert(std::is_same_v<typename Plan::tiles_type, csr_tile_set<Offset>> ||
                    std::is_same_v<typename Plan::tiles_type, csr_tiles_on<Executor, Offset>>,
                "spmm needs a plan that was made for rows_of(a)");
  const dense_view<const stored_b> in = b;
  check_spmm<Offset>(plan.tiles(), {plan.first_atom(), plan.atoms()}, a, in, c);
  if (c.rows == 0 || c.cols == 0) return;
  if constexpr (Executor::serial_blocks)
    multiply_stored_on_cores(exec, plan, a, in, c, alpha, beta);
  else
    multiply_panels(exec, in, c, alpha, beta,
                    [&](const auto& rows_b, const auto& rows_c, number of_sums, number of_c) {
                      multiply_stored_rows(exec, plan, a, rows_b, rows_c, of_sums, of_c);
                    });
}

} // namespace detail

/// C = alpha A B + beta C for an A without values or with values of 16 bits. With beta = 0, C is not read.
///
/// - Sums, alpha and beta are of type Values::value_type, which is float for values of 16 bits. Elements of B and C
///   have this type; if it is float, each may instead be half or bfloat16. An element of C is rounded once.
/// - All else, including errors, is as in spmm of a csr_view. Rows of 16 bits are fastest if they begin at multiples of
///   8 bytes.
/// - Memory on cpu: 4 or 8 bytes per entry for values, including entries before a slice of rows; 512 bytes per row of
///   a B or C that is converted.
template <class Executor, class How, class Values, class Offset, class ValueB, class ValueC>
void spmm(const Executor& exec, How&& how, const compact_view<Values, Offset>& a, const dense_view<ValueB>& b,
          const dense_view<ValueC>& c, typename Values::value_type alpha = 1,
          typename Values::value_type beta = 0) {
  const auto multiply = [&](auto& plan) {
    detail::multiply_stored_planned(exec, plan, a, b, c, alpha, beta);
  };
  if constexpr (any_planned<std::remove_cvref_t<How>>)
    detail::run_skeleton(exec, how, work_kind::wide_sums, multiply);
  else
    detail::plan_and_run(exec, how, work_kind::wide_sums, multiply, a.tiles());
}

} // namespace evenly
