// SPDX-License-Identifier: Apache-2.0
// Incomplete factors of a sparse matrix, with the positions of its entries: preconditioners of iterative solvers.
//
//   auto m = evenly::ic0(exec, a.view());      // L L^T, of a symmetric positive definite matrix
//   auto m = evenly::ilu0(exec, a.view());     // L U, L with a unit diagonal
//   m.apply(b, x);                             // x = (L L^T)^-1 b, or (L U)^-1 b: two triangular solves
//
// Source: IC(0) and ILU(0) by rows after Meijerink, van der Vorst (Mathematics of Computation, 1977) and Saad
// (Iterative methods for sparse linear systems, 2003, algorithm 10.4). Row i needs the finished rows k of its entries k
// < i, in ascending order. So rows are processed in the order of a triangular sweep (detail/triangular_sweep.hpp): on
// cpu by levels, on parallel executors by a warp per row, which waits until row k is published.
//
// Both factors are in one matrix with the positions of A: L below the diagonal, L^T or U above it. The sums of an entry
// are in the order of columns on cpu. Results have the same bits in every run on one executor, and on cpu for every
// number of threads.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/triangular_sweep.hpp"
#include "evenly/sparse/solve_triangular.hpp"

namespace evenly {

/// The incomplete factors of this library.
enum class factor_kind { ic0, ilu0 };

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------

namespace evenly::detail {

/// Finds columns of a row, which ascend, in ascending order. By one thread: in a merge; by one of several: in a search.
template <bool Serial, class Offset> struct ascending_finder {
  const int* columns;
  Offset first, end;

  /// The entry of a column, or -1.
  EVENLY_FN Offset find(int column) {
    Offset at = first;
    if constexpr (Serial) {
      while (at < end && columns[at] < column) ++at;
      first = at;
    } else {
      at = first_past(first, end, [&](Offset e) { return columns[e] >= column; });
    }
    return at < end && columns[at] == column ? at : Offset{-1};
  }
};

/// The place of the diagonal of a row, or -1.
template <class Offset> struct place_of_diagonal {
  const Offset* offsets;
  const int* columns;
  EVENLY_FN Offset operator()(std::int64_t row) const {
    return ascending_finder<false, Offset>{columns, offsets[row], offsets[row + 1]}.find(
        static_cast<int>(row));
  }
};

/// Faults of a row of the pattern.
enum class pattern_fault { none, order, diagonal, counterpart };
template <class Offset> struct pattern_check {
  int rows;
  const Offset* offsets;
  const int* columns;
  bool symmetric;

  EVENLY_FN pattern_fault of(std::int64_t row) const {
    const Offset begin = offsets[row], end = offsets[row + 1];
    for (Offset e = begin; e < end; ++e)
      if (columns[e] < 0 || columns[e] >= rows || (e > begin && columns[e] <= columns[e - 1]))
        return pattern_fault::order;
    return pattern_fault::none;
  }
  /// Requires that all rows are in order.
  EVENLY_FN pattern_fault of_ordered(std::int64_t row) const {
    if (place_of_diagonal<Offset>{offsets, columns}(row) < 0) return pattern_fault::diagonal;
    if (!symmetric) return pattern_fault::none;
    for (Offset e = offsets[row]; e < offsets[row + 1]; ++e) {
      const int other = columns[e];
      if (ascending_finder<false, Offset>{columns, offsets[other], offsets[other + 1]}.find(
              static_cast<int>(row)) < 0)
        return pattern_fault::counterpart;
    }
    return pattern_fault::none;
  }
};
/// 4 (INT_MAX - row) + the fault of each row, so that the maximum is that of the first row; 0: none.
template <class Offset, bool Ordered> struct pattern_faults {
  pattern_check<Offset> check;
  EVENLY_FN std::int64_t operator()(std::int64_t row) const {
    const pattern_fault fault = Ordered ? check.of_ordered(row) : check.of(row);
    if (fault == pattern_fault::none) return 0;
    return 4 * (std::int64_t{std::numeric_limits<int>::max()} - row) + static_cast<int>(fault);
  }
};

template <class Executor, class Offset>
void check_pattern(const Executor& exec, const pattern_check<Offset>& check) {
  if (check.rows == 0) return;
  const auto refuse_first = [&](std::int64_t found) {
    const auto fault = static_cast<pattern_fault>(found % 4);
    require(found == 0, [&] {
      const char* const why = fault == pattern_fault::order
                                  ? "its columns must ascend, without duplicates, and be in the matrix"
                              : fault == pattern_fault::diagonal
                                  ? "it has no entry on the diagonal, which an incomplete factor needs"
                                  : "an entry has no counterpart on the other side of the diagonal: IC(0) "
                                    "takes both triangles of "
                                    "a symmetric matrix";
      return concat("row ", std::int64_t{std::numeric_limits<int>::max()} - found / 4, ": ", why);
    });
  };
  refuse_first(reduce(exec, generated{pattern_faults<Offset, false>{check}}, std::int64_t{check.rows},
                      maximum<std::int64_t>{}));
  refuse_first(reduce(exec, generated{pattern_faults<Offset, true>{check}}, std::int64_t{check.rows},
                      maximum<std::int64_t>{}));
}

/// Factors in place. All blocks are resident.
template <class Value, class Offset> struct factor_kernel {
  triangle<Offset> of;
  sweep_order sequence;
  factor_kind kind;
  const Offset* diagonals;
  Value* values;
  int* done; ///< for parallel blocks: 1 for rows that are published, initially 0
  int* fault;
  grid_barrier barrier;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const lanes<Block> warp = this_warp(block);
    if constexpr (Block::is_serial) {
      visit_in_order(block, of, sequence, barrier, [&](int first, int last) {
        for (int place = first; place < last; ++place) factor_row(block, warp, sequence.row_at(of, place));
      });
    } else {
      const std::int64_t warps = std::int64_t{block.count()} * block.shape().warps();
      for (std::int64_t place = block.index() + std::int64_t{block.count()} * warp_of(block); place < of.rows;
           place += warps) {
        const int row = sequence.row_at(of, static_cast<int>(place));
        factor_row(block, warp, row);
        warp.sync();
        if (warp.rank() == 0) atomic_ref(done[row]).store(1, order::release{});
      }
    }
  }

 private:
  template <class Block> EVENLY_FN void factor_row(Block& block, const lanes<Block>& warp, int row) const {
    const auto memory = traced(block, values);
    const Offset diagonal = diagonals[row];
    for (Offset e = of.offsets[row]; e < diagonal; ++e) {
      const int k = of.columns[e];
      await_row(block, warp, k);
      if (kind == factor_kind::ic0)
        divide_by_column(warp, memory, row, e, k);
      else
        subtract_row(warp, memory, row, e, k);
      warp.sync();
    }
    if (kind == factor_kind::ic0) take_root(warp, memory, row, diagonal);
    const Value pivot = memory[diagonal];
    if (warp.rank() == 0 && !(kind == factor_kind::ic0 ? pivot > 0 : pivot < 0 || pivot > 0))
      atomic_ref(*fault).fetch_max(std::numeric_limits<int>::max() - row, order::relaxed{});
  }
  template <class Block>
  EVENLY_FN void await_row([[maybe_unused]] Block& block, [[maybe_unused]] const lanes<Block>& warp,
                           [[maybe_unused]] int row) const {
    if constexpr (!Block::is_serial) {
      for (;;) {
        const bool came = warp.rank() == 0 && atomic_ref(done[row]).load(order::acquire{}) != 0;
        if (warp.any(came)) break;
        block.backoff(0);
      }
      warp.sync();
    }
  }
  /// IC(0): l(row, k) = (a(row, k) - the product of the rows before k) / l(k, k).
  template <class Block, class Memory>
  EVENLY_FN void divide_by_column(const lanes<Block>& warp, const Memory& memory, int row, Offset e,
                                  int k) const {
    ascending_finder<Block::is_serial, Offset> of_row{of.columns, of.offsets[row], e};
    Value sum = 0;
    for (Offset q = of.offsets[k] + warp.rank(); q < diagonals[k]; q += warp.size()) {
      const Offset at = of_row.find(of.columns[q]);
      if (at < 0) continue;
      const Value mine = memory[at], other = memory[q];
      sum += mine * other;
    }
    sum = sum_of_lanes(warp, sum);
    if (warp.rank() != 0) return;
    const Value before = memory[e], pivot = memory[diagonals[k]];
    memory[e] = (before - sum) / pivot;
  }
  template <class Block, class Memory>
  EVENLY_FN void take_root(const lanes<Block>& warp, const Memory& memory, int row, Offset diagonal) const {
    Value sum = 0;
    for (Offset q = of.offsets[row] + warp.rank(); q < diagonal; q += warp.size()) {
      const Value mine = memory[q];
      sum += mine * mine;
    }
    sum = sum_of_lanes(warp, sum);
    if (warp.rank() == 0) {
      const Value before = memory[diagonal];
      memory[diagonal] = std::sqrt(before - sum); // NaN, if the difference is negative
    }
    warp.sync();
  }
  /// ILU(0): l(row, k) = a(row, k) / u(k, k); subtracts so many times row k of U from the entries of the row.
  template <class Block, class Memory>
  EVENLY_FN void subtract_row(const lanes<Block>& warp, const Memory& memory, int row, Offset e,
                              int k) const {
    const Value before = memory[e], pivot = memory[diagonals[k]];
    const Value factor = before / pivot;
    warp.sync(); // all lanes have read the entry
    if (warp.rank() == 0) memory[e] = factor;
    ascending_finder<Block::is_serial, Offset> of_row{of.columns, e + 1, of.offsets[row + 1]};
    for (Offset q = diagonals[k] + 1 + warp.rank(); q < of.offsets[k + 1]; q += warp.size()) {
      const Offset at = of_row.find(of.columns[q]);
      if (at < 0) continue;
      const Value mine = memory[at], other = memory[q];
      memory[at] = mine - factor * other;
    }
  }
  template <class Block> EVENLY_FN static Value sum_of_lanes(const lanes<Block>& warp, Value sum) {
    for (int d = 1; d < warp.size(); d *= 2) sum += warp.shuffle(sum, warp.rank() ^ d);
    return sum;
  }
};

/// Entries above the diagonal from those below it. Returns nothing of use.
template <class Value, class Offset> struct copy_to_upper {
  const Offset* offsets;
  const int* columns;
  const Offset* diagonals;
  Value* values;
  EVENLY_FN char operator()(std::int64_t row) const {
    for (Offset e = diagonals[row] + 1; e < offsets[row + 1]; ++e) {
      const int other = columns[e];
      values[e] = values[ascending_finder<false, Offset>{columns, offsets[other], diagonals[other]}.find(
          static_cast<int>(row))];
    }
    return 0;
  }
};

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// The public class and functions.

namespace evenly {

/// Incomplete factors on an executor, and the orders of their solves. Move-only. One call at a time uses it.
template <class Executor, class Value, class Offset = int> class incomplete_factor {
  static_assert(std::is_floating_point_v<Value>, "incomplete factors are of float or double");

 public:
  /// - a: a square matrix on `exec`. In each row columns ascend, and there is an entry on the diagonal. For ic0 the
  ///   matrix has both triangles; the values of the lower one are used.
  /// - Cost: for each entry below the diagonal a merge of two rows; on parallel executors a search per entry of one
  ///   of them. Memory: a copy of the matrix, and the orders of two triangular_plans.
  /// - Allocates and synchronises.
  /// - Throws invalid_argument, with the first such row, if a pivot is not positive (ic0) or is 0 or NaN (ilu0); for
  ///   rows that are not as above; for a matrix that is not square.
  incomplete_factor(const Executor& exec, const csr_view<Value, Offset>& a, factor_kind kind)
      : exec_(exec), kind_(kind) {
    detail::check_matrix_sizes(a.rows, a.cols);
    detail::require_square_system(a.rows, a.cols);
    const auto all = detail::entries_of(exec, a);
    factors_.rows = factors_.cols = a.rows;
    factors_.offsets = detail::copy_of_offsets(exec, a.offsets, a.rows, all.first);
    factors_.columns = detail::copy_of_elements(exec, a.columns + all.first, all.count);
    factors_.values = detail::copy_of_elements(exec, a.values + all.first, all.count);
    const csr_view<Value, Offset> view = factors_.view();
    detail::check_pattern(
        exec, detail::pattern_check<Offset>{a.rows, view.offsets, view.columns, kind == factor_kind::ic0});
    lower_ = solver(exec, view, {.lower = true, .unit_diagonal = kind == factor_kind::ilu0},
                    detail::sweep_analysis::levels);
    if (a.rows > 0) factor();
    upper_ = solver(exec, view, {.lower = false}, detail::sweep_analysis::levels);
  }

  factor_kind kind() const { return kind_; }
  int rows() const { return factors_.rows; }
  /// Both factors in one matrix with the positions of A: L below the diagonal. On the diagonal and above it: of ic0
  /// L^T; of ilu0 U, and L has ones on the diagonal.
  csr_view<Value, Offset> factors() const { return factors_.view(); }

  /// Solves with both factors: x = (L L^T)^-1 b, or x = (L U)^-1 b.
  ///
  /// - b, x: vectors of rows() values on the executor, the same or disjoint.
  /// - Cost and synchronisation: those of two solves of a triangular_plan.
  /// - Throws invalid_argument for wrong sizes and overlaps.
  void apply(std::span<const Value> b, std::span<Value> x) {
    detail::check_lengths(rows(), b.size(), x.size());
    const auto to = dense_columns(rows(), 1, x.data());
    lower_.solve(dense_columns(rows(), 1, b.data()), to, false);
    upper_.solve(to, to, false);
  }

  /// The triangular systems as kernels see them.
  const detail::triangular_system<Value, Offset>& lower() const { return lower_.system(); }
  const detail::triangular_system<Value, Offset>& upper() const { return upper_.system(); }

 private:
  using solver = detail::triangular_solver<Executor, Value, Offset>;

  void factor() {
    const auto rows = static_cast<std::size_t>(factors_.rows);
    const auto diagonals = make_buffer<Offset>(exec_, rows);
    const csr_view<Value, Offset> view = factors_.view();
    tabulate(exec_, view.rows, detail::place_of_diagonal<Offset>{view.offsets, view.columns},
             diagonals.data());
    const auto done = make_buffer<int>(exec_, Executor::serial_blocks ? 1 : rows);
    exec_.fill_zero(done.data(), done.size() * sizeof(int));
    workspace memory;
    workspace::lease lease(memory);
    const auto taken = lease.take(exec_, 0, sizeof(int));
    int* const fault = reinterpret_cast<int*>(taken.scratch);
    exec_.fill_zero(fault, sizeof(int));
    const detail::factor_kernel<Value, Offset> kernel{
        lower_.system().of,     lower_.system().order, kind_, diagonals.data(),
        factors_.values.data(), done.data(),           fault, taken.barrier};
    auto shape = detail::shape_of_sweep(exec_, kernel, std::int64_t{view.rows} * 32);
    if (Executor::serial_blocks && !lower_.is_shared()) shape = {.blocks = 1};
    launch(exec_, shape, kernel);
    int found = 0;
    exec_.copy_to_host(&found, fault, sizeof(found));
    require(found == 0, [&] {
      return detail::concat("row ", std::numeric_limits<int>::max() - found,
                            kind_ == factor_kind::ic0
                                ? ": the pivot of IC(0) is not positive. Add to the diagonal, or use ILU(0)"
                                : ": the pivot of ILU(0) is 0 or NaN. Add to the diagonal, or order the rows "
                                  "otherwise");
    });
    if (kind_ == factor_kind::ilu0) return;
    const auto unused = make_buffer<char>(exec_, rows);
    tabulate(exec_, view.rows,
             detail::copy_to_upper<Value, Offset>{view.offsets, view.columns, diagonals.data(),
                                                  factors_.values.data()},
             unused.data());
    exec_.synchronize(); // the memory resource may not wait before it frees
  }

  Executor exec_;
  factor_kind kind_;
  csr_buffers<Value, Offset> factors_;
  solver lower_, upper_;
};

/// The incomplete Cholesky factor of a symmetric positive definite matrix: incomplete_factor of kind ic0.
template <class Executor, class Value, class Offset>
incomplete_factor<Executor, Value, Offset> ic0(const Executor& exec, const csr_view<Value, Offset>& a) {
  return {exec, a, factor_kind::ic0};
}
/// The incomplete LU factors of a square matrix: incomplete_factor of kind ilu0.
template <class Executor, class Value, class Offset>
incomplete_factor<Executor, Value, Offset> ilu0(const Executor& exec, const csr_view<Value, Offset>& a) {
  return {exec, a, factor_kind::ilu0};
}

} // namespace evenly
